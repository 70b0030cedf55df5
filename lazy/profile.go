package lazy

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"ltc/backends"
	"ltc/lazy/internal/programs"
	"ltc/lower"
)

// Profiled has a device measure each kernel of its programs, for
// [Device.Profile]. A run then reads the clock twice a kernel; without it,
// nothing is measured. Also LTC_PROFILE=1.
func Profiled() Option { return func(d *Device) { d.options.Profile = true } }

// ProgramProfile is what the kernels of a program have taken.
type ProgramProfile struct {
	Ops   int                    // of the graph that was compiled
	Total time.Duration          // of all runs
	Steps []backends.StepProfile // with the lines that recorded them
}

// String prints a line about the program and a table of its kernels.
func (p ProgramProfile) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program of %s, %v in all\n", plural(int64(p.Ops), "op"), p.Total.Round(time.Microsecond))
	_ = backends.WriteProfile(&b, p.Steps, backends.Peaks{}) // a Builder does not fail
	return b.String()
}

// Profile returns what the kernels of each program that the device keeps have
// taken until now, those of the program that took longest first. It is empty
// unless the device is [Profiled] and its backend measures.
func (d *Device) Profile() []ProgramProfile {
	if !d.opens() {
		return nil
	}
	var all []ProgramProfile
	for _, p := range d.programs.Compiled() {
		m, _ := p.Exec.(*metered)
		if m == nil {
			continue
		}
		steps, err := m.profile()
		if err != nil {
			d.log(slog.LevelWarn, "a backend does not tell what it has measured", slog.Any("error", err))
		}
		if len(steps) == 0 {
			continue
		}
		backends.LocateProfile(steps, programs.Signature(p.Graph), lower.Names(p.Text))
		total := time.Duration(0)
		for i := range steps {
			if steps[i].Depth == 0 {
				total += steps[i].Total
			}
		}
		all = append(all, ProgramProfile{Ops: len(p.Graph.Nodes), Total: total, Steps: steps})
	}
	slices.SortStableFunc(all, func(a, b ProgramProfile) int { return int(b.Total - a.Total) })
	return all
}

func (e *metered) profile() ([]backends.StepProfile, error) {
	if e.whole == nil {
		return nil, nil
	}
	return e.whole.Profile()
}
