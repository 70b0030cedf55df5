package lazy

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"ltc/backends"
	"ltc/internal/border"
	"ltc/ir"
	"ltc/lazy/internal/guard"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/programs"
	"ltc/lower"
	"ltc/soa"
)

// executable runs a program whose results come from the device's memory, and of whose
// copies the device has samples.
type executable struct {
	programs.Runner
	whole  *border.Executable // nil if ops run one by one
	dev    *Device
	of     *programs.Program
	copied atomic.Int64  // bytes that have been sampled
	mute   atomic.Bool   // nobody tells what was copied
	grown  *atomic.Int64 // by how much the executable has grown; nil if it does not
	known  atomic.Int64  // of that, what the cache has counted
	guard  *guard.Guard  // nil: none look at data
}

// Execute runs the program, if there is memory for it.
func (e *executable) Execute(ctx context.Context, c *backends.Call) error {
	m := &e.dev.memory
	if e.guard != nil {
		if err := e.guard.Look(ctx, c); err != nil {
			return err
		}
	}
	c.Alloc, c.Resident = m.Alloc, true
	if m.Limit > 0 {
		workspace, err := e.workspace()
		if err != nil {
			return err
		}
		n := workspace + e.needs(c)
		if !m.Reserve(n) {
			return e.shortage(n, workspace)
		}
		defer m.Release(n)
	}
	err := e.Runner.Execute(ctx, c)
	e.sampleCopies()
	if e.grown != nil && e.grown.Load() != e.known.Load() {
		now := max(e.grown.Load(), 0)
		e.dev.programs.Grew(e.of, now-e.known.Swap(now))
	}
	return err
}

// sampleCopies samples what has been copied since it was last called: by one
// run, or by those that ended at once.
func (e *executable) sampleCopies() {
	if e.whole == nil || e.mute.Load() {
		return
	}
	now, err := e.whole.CopiedBytes()
	if err != nil && !e.mute.Swap(true) {
		e.dev.log(slog.LevelWarn, "a backend does not tell what its runs have copied", slog.Any("error", err))
	}
	before := e.copied.Load()
	for now > before && !e.copied.CompareAndSwap(before, now) {
		before = e.copied.Load()
	}
	if now > before {
		e.dev.metrics.Sample(metrics.CopiedBytes, float64(now-before))
	}
}

// needs returns the bytes that results of a run take.
func (e *executable) needs(c *backends.Call) int64 {
	n := int64(0)
	for j, r := range e.of.Graph.Results {
		if e.of.Graph.Alias[j] < 0 && (j >= len(c.Results) || c.Results[j].IsZero()) {
			n += soa.PooledBytes(r.Type)
		}
	}
	return n
}

func (e *executable) workspace() (int64, error) {
	if e.whole == nil {
		return 0, nil
	}
	n, err := e.whole.WorkspaceBytes()
	return int64(n), err
}

// shortage names the largest value of the program, which is the first to look
// at.
func (e *executable) shortage(n, workspace int64) error {
	largest := e.of.Graph.Results[0]
	nodes := e.of.Graph.Results
	if 2*workspace > n {
		nodes = e.of.Graph.Nodes
	}
	for _, x := range nodes {
		if x.Op != ir.OpParameter && x.Type.Bytes() > largest.Type.Bytes() {
			largest = x
		}
	}
	reason := e.dev.memory.Shortage(fmt.Sprintf("the step takes %s (results %s, workspace %s), the most for this %v of %s",
		soa.Size(n), soa.Size(n-workspace), soa.Size(workspace), largest.Type, soa.Size(int64(largest.Type.Bytes()))))
	return nodeError(largest, ErrMemory, reason.Error())
}

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
		m, _ := p.Exec.(*executable)
		if m == nil || m.whole == nil {
			continue
		}
		steps, err := m.whole.Profile()
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
