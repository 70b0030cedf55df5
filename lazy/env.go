package lazy

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ltc/internal/callsite"
)

// EnvVar is an environment variable that the library reads. What a program
// passes as an [Option] wins over it.
type EnvVar struct {
	Name    string
	Default string // what it counts as when it is not set; may be empty
	Allowed string // what it may be, in words
	Doc     string // a sentence or two, in Markdown

	check func(string) error // nil: anything is allowed
}

// The variables, in the order of [Environment] and docs/environment.md. All
// that is read of the environment is declared here, with no second place to
// say what it means.
var (
	envDevice = declare(EnvVar{Name: "LTC_DEVICE", Allowed: "the name of a backend, and a number after a colon if need be",
		Doc: "The device that `lazy.Default` opens, as for `lazy.Open`: `cpu`, `eval:0`. Without it: the `cpu` that the program imports, or the only backend it does."})
	envCheck = declareSwitch("LTC_CHECK",
		"`1` checks every program between its stages, that borrowed data does not change before the step that reads it has run, and fills memory that is used again with NaNs.")
	envStrict = declareSwitch("LTC_STRICT",
		"`1` panics with a bad op's `*OpError` where the op is called, instead of returning a tensor that holds it. Also `lazy.Strict`.")
	envSync = declare(EnvVar{Name: "LTC_SYNC", Default: "warn", Allowed: "`allow`, `warn`, `error`",
		Doc:   "What reading a tensor before its step was marked does besides computing it: nothing, log a warning once for each line of the program, or be an error, and then nothing is computed. Also `lazy.ImplicitSyncs`.",
		check: func(s string) error { _, err := parseSyncMode(s); return err }})
	envGraphLimit = declare(EnvVar{Name: "LTC_TRIM_GRAPH_SIZE", Default: "100000", Allowed: "a number of nodes",
		Doc:   "How many nodes a step may have before a warning with the line of the program is logged; `0`: any number. Nothing is run early. Also `lazy.GraphLimit`.",
		check: checkCount})
	envOpByOp = declareSwitch("LTC_OPBYOP",
		"`1` compiles and runs every op of a program alone, to find the one that gives wrong numbers or fails. Also `lazy.OpByOp`.")
	envPrograms = declare(EnvVar{Name: "LTC_PROGRAM_CACHE_BYTES", Default: "256MiB", Allowed: sizeAllowed,
		Doc:   "The most bytes that a device's compiled programs take; the one used longest ago is dropped first. Also `lazy.ProgramCacheLimit`.",
		check: checkBytes})
	envCache = declare(EnvVar{Name: "LTC_CACHE_BYTES", Allowed: sizeAllowed,
		Doc:   "The most bytes that a device keeps for later, of buffers that nothing reaches any more, as in `512MiB`; `0` keeps none. Without it: 1 GiB, or an eighth of the machine's memory if that is less.",
		check: checkBytes})
	envClosures = declare(EnvVar{Name: "LTC_MAX_ASYNC_QUEUE", Default: "1024", Allowed: "a number above 0",
		Doc:   "How many functions one step may have for `Trace.AfterStep`.",
		check: checkPositive})
	envReuse = declareDefault("LTC_REUSE_IR", "1",
		"`0` has every step make its own nodes, even if it records what an earlier one did. Also `Trace.Reuse`.")
	envLive = declareSwitch("LTC_LIVE",
		"`1` remembers where every live value was made, for `Device.LiveTensors`; costs a microsecond or two a value.")
	envDumpFile = declare(EnvVar{Name: "LTC_SAVE_TENSORS_FILE", Allowed: "a file that can be written",
		Doc: "A file to which every program is appended when a step asks for it, with the line of the program, and its hash."})
	envDumpFormat = declare(EnvVar{Name: "LTC_SAVE_TENSORS_FMT", Default: "text", Allowed: "`text`, `dot`, `backend`",
		Doc:   "How: in the text form of the IR, which `ltc-dump` reads, as a drawing for Graphviz, or as the StableHLO that the backend gets.",
		check: func(s string) error { _, err := parseFormat(s); return err }})
	envRoots = declare(EnvVar{Name: "LTC_IR_DEBUG_ROOT_PATH", Allowed: "directories, separated as in `PATH`",
		Doc: "What is cut off the names of source files in errors, locations and reports. Without it names are relative to the directory that the process was started in."})
)

// sizeAllowed says what a size may be.
const sizeAllowed = "a number, with `B`, `KiB`, `MiB`, `GiB` or `TiB` after it if need be"

// ignored are variables of the lazy tensor core that have no effect here, and
// why.
var ignored = []struct{ Name, Why string }{
	{"LTC_ENABLE_DYNAMIC_SHAPES", "a dimension is symbolic where the program says so, not everywhere at once"},
	{"LTC_EXPERIMENTAL", "there are no experiments that users switch on"},
	{"LTC_FORCE_FALLBACK", "no op falls back to another device"},
	{"LTC_IR_DEBUG", "ops always carry their lines; it costs a few nanoseconds"},
	{"LTC_TS_CUDA", "`LTC_DEVICE` names the device"},
	{"VERBOSE, VERBOSE_PRINT_FUNCTION", "what happens is logged with `log/slog`, at levels that the program's logger chooses; the names are anybody's"},
	{"XLA_TENSOR_UPDATE_SYNC", "host data are copied when `From` returns"},
}

var environment []*EnvVar

func declare(v EnvVar) *EnvVar {
	environment = append(environment, &v)
	return &v
}

func declareSwitch(name, doc string) *EnvVar { return declareDefault(name, "0", doc) }

func declareDefault(name, standard, doc string) *EnvVar {
	return declare(EnvVar{Name: name, Default: standard, Allowed: "`0`, `1`", Doc: doc, check: func(s string) error {
		if s != "0" && s != "1" {
			return fmt.Errorf("%q is neither 0 nor 1", s)
		}
		return nil
	}})
}

// Environment lists the environment variables that the library reads.
func Environment() []EnvVar {
	var all []EnvVar
	for _, v := range environment {
		all = append(all, *v)
	}
	return all
}

// checkEnvironment returns the error of the first variable that is set to what
// it may not be.
func checkEnvironment() error {
	for _, v := range environment {
		if v.check == nil {
			continue
		}
		if s := os.Getenv(v.Name); s != "" {
			if err := v.check(s); err != nil {
				return fmt.Errorf("environment variable %s is %q: want %s", v.Name, s, strings.ReplaceAll(v.Allowed, "`", ""))
			}
		}
	}
	return nil
}

// fromEnvironment sets what the environment says of a device. It has been
// checked.
func (d *Device) fromEnvironment() error {
	d.syncs.mode, _ = parseSyncMode(envSync.value())
	d.graphLimit = graphLimit(envGraphLimit.number())
	d.programs.limit = envPrograms.bytes(0)
	d.ops.limit = d.programs.limit
	d.memory.cache = envCache.bytes(standardCache())
	d.closures = envClosures.number()
	d.strict = envStrict.on()
	d.opByOp = envOpByOp.on()
	if envLive.on() {
		TrackLive()(d)
	}
	if file := envDumpFile.value(); file != "" {
		format, _ := parseFormat(envDumpFormat.value())
		dumps, err := openDumps(file, format)
		if err != nil {
			return fmt.Errorf("environment variable %s: %w", envDumpFile.Name, err)
		}
		d.dumps = dumps
	}
	return nil
}

// Sites are resolved from the first op on.
func init() { callsite.SetRoots(filepath.SplitList(envRoots.value())) }

// value returns what the variable is set to, its default if it is not.
func (v *EnvVar) value() string {
	if s := os.Getenv(v.Name); s != "" {
		return s
	}
	return v.Default
}

// on reports whether the variable is 1.
func (v *EnvVar) on() bool { return v.value() == "1" }

// number returns a variable that has been checked.
func (v *EnvVar) number() int {
	n, _ := strconv.Atoi(v.value())
	return n
}

// bytes returns a variable that has been checked as a number of bytes; standard
// if it is not set and has no default.
func (v *EnvVar) bytes(standard int64) int64 {
	n, err := parseBytes(v.value())
	if err != nil {
		return standard
	}
	return n
}

func checkCount(s string) error {
	if n, err := strconv.Atoi(s); err != nil || n < 0 {
		return fmt.Errorf("%q is no number of 0 or more", s)
	}
	return nil
}

func checkPositive(s string) error {
	if n, err := strconv.Atoi(s); err != nil || n < 1 {
		return fmt.Errorf("%q is no number above 0", s)
	}
	return nil
}

func checkBytes(s string) error {
	_, err := parseBytes(s)
	return err
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
		return 0, fmt.Errorf("%q is no size in bytes", s)
	}
	return n << shift, nil
}
