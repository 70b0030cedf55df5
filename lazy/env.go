package lazy

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// EnvVar is an environment variable that the library reads. What a program
// passes as an [Option] wins over it.
type EnvVar struct {
	Name    string
	Default string // what it counts as when it is not set; may be empty
	Doc     string // a sentence or two, in Markdown
}

// The variables, in the order of [Environment] and docs/environment.md. All
// that is read of the environment is declared here, with no second place to
// say what it means.
var (
	envDevice = declare("LTC_DEVICE", "",
		"The device that `lazy.Default` opens, as for `lazy.Open`: `cpu`, `eval:0`. Without it: the `cpu` that the program imports, or the only backend it does.")
	envCheck = declare("LTC_CHECK", "0",
		"`1` checks every program between its stages, that borrowed data does not change before the step that reads it has run, and fills memory that is used again with NaNs.")
	envCache = declare("LTC_CACHE_BYTES", "",
		"The most bytes that a device keeps for later, of buffers that nothing reaches any more, as in `512MiB`; `0` keeps none. Without it: 1 GiB, or an eighth of the machine's memory if that is less.")
	envLive = declare("LTC_LIVE", "0",
		"`1` remembers where every live value was made, for `Device.LiveTensors`; costs a microsecond or two a value.")
)

var environment []*EnvVar

func declare(name, standard, doc string) *EnvVar {
	v := &EnvVar{name, standard, doc}
	environment = append(environment, v)
	return v
}

// Environment lists the environment variables that the library reads.
func Environment() []EnvVar {
	var all []EnvVar
	for _, v := range environment {
		all = append(all, *v)
	}
	return all
}

// value returns what the variable is set to, its default if it is not.
func (v *EnvVar) value() string {
	if s := os.Getenv(v.Name); s != "" {
		return s
	}
	return v.Default
}

// on reports whether the variable is 1.
func (v *EnvVar) on() bool { return v.value() == "1" }

// bytes returns the variable as a number of bytes; standard if it is not set
// and has no default.
func (v *EnvVar) bytes(standard int64) (int64, error) {
	s := v.value()
	if s == "" {
		return standard, nil
	}
	n, err := parseBytes(s)
	if err != nil {
		return 0, fmt.Errorf("environment variable %s: %w", v.Name, err)
	}
	return n, nil
}

// parseBytes reads a size as GOMEMLIMIT has it: 1000, 512MiB, 2GiB.
func parseBytes(s string) (int64, error) {
	number, shift := strings.TrimSuffix(s, "B"), 0
	for i, unit := range []string{"Ki", "Mi", "Gi", "Ti"} {
		if rest, ok := strings.CutSuffix(s, unit+"B"); ok {
			number, shift = rest, 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%q is no size in bytes: want a number, with B, KiB, MiB, GiB or TiB after it if need be", s)
	}
	return n << shift, nil
}
