package lazy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/internal/hostmem"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/execution"
	"ltc/lazy/internal/memory"
	"ltc/lazy/internal/programs"
	"ltc/lazy/internal/sched"
	"ltc/soa"
)

// ErrMemory: a device's [MemoryLimit], or the memory of the machine or of a GPU,
// does not suffice.
var ErrMemory = soa.ErrMemory

// MemoryLimit sets the most bytes that the device's values may take: host data
// that was copied, variables, results, and what a program needs to run.
// Exceeding it is an error that wraps [ErrMemory] and changes nothing. Values
// that nothing reaches any more do not count, nor do values below 64 KiB. Nor does
// memory of a GPU's, which the backend cuda has a limit for: cuda.Device.Limit.
func MemoryLimit(bytes int64) Option { return func(d *Device) { d.memory.Limit = bytes } }

// MemoryCacheLimit sets the most bytes that the device keeps for later of values that
// nothing reaches any more; see the environment variable LTC_MEMORY_CACHE_BYTES.
func MemoryCacheLimit(bytes int64) Option { return func(d *Device) { d.memory.Cache = bytes } }

// MemoryStats says what a device's values take, in bytes. Values below 64 KiB
// do not count. OffHeap and Packed are of the whole process, not of the device.
type MemoryStats struct {
	Live       int64 // of values, some of which may wait to be collected
	Peak       int64 // the most that Live has been
	Limit      int64 // that Live may be; 0: no limit but the machine's
	Cached     int64 // kept for later
	CacheLimit int64 // that Cached may be
	OffHeap    int64 // mapped: large workspaces, files
	Packed     int64 // of constants as programs have packed or computed them, each form once
}

// String prints the sizes on one line.
func (s MemoryStats) String() string {
	limit := ""
	if s.Limit > 0 {
		limit = " of " + diag.Bytes(s.Limit)
	}
	return fmt.Sprintf("live %s%s, peak %s, cached %s of %s, off-heap %s, packed %s",
		diag.Bytes(s.Live), limit, diag.Bytes(s.Peak), diag.Bytes(s.Cached), diag.Bytes(s.CacheLimit), diag.Bytes(s.OffHeap), diag.Bytes(s.Packed))
}

// MemoryStats returns what the device's values take now.
func (d *Device) MemoryStats() MemoryStats {
	if !d.opens() {
		return MemoryStats{}
	}
	p := d.memory.Pool.Stats()
	off, _ := hostmem.OffHeap()
	return MemoryStats{Live: p.Live, Peak: p.Peak, Limit: d.memory.Limit, Cached: p.Cached, CacheLimit: p.Limit, OffHeap: off, Packed: hostmem.Packed()}
}

// FreeMemoryCache collects garbage and gives up the memory that is kept for later.
func (d *Device) FreeMemoryCache() {
	soa.Collect()
	if !d.opens() {
		return
	}
	d.memory.Pool.Trim()
}

// memoryError makes the error of a value that finds no memory.
func memoryError(at callsite.Site, op string, err error) *OpError {
	kind := ErrMemory
	if !errors.Is(err, ErrMemory) {
		kind = ErrUsage
	}
	return opError(at, op, kind, nil, "%v", err)
}

// TrackLive makes the device remember where each live value was made, for
// [Device.LiveTensors]. It costs a microsecond or two a value; without it,
// nothing.
func TrackLive() Option {
	return func(d *Device) { d.live = &memory.Live{} }
}

// LiveLine is the live values that one line of the program made.
type LiveLine struct {
	Site  string       // file:line
	Kind  string       // variable, value, result
	Types []types.Type // of the values, each once, at most liveTypes of them
	Count int
	Bytes int64
}

// liveTypes bounds LiveLine.Types.
const liveTypes = 4

// LiveReport is the live values of a device by the line that made them, those
// with the most bytes first.
type LiveReport struct {
	Lines []LiveLine
	Count int
	Bytes int64
}

// String prints a line for each line, the first 50 of them.
func (r LiveReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s", diag.Count(r.Count, "live tensor"), diag.Bytes(r.Bytes))
	const most = 50
	for i, l := range r.Lines {
		if i == most {
			fmt.Fprintf(&b, "\n%s more", diag.Count(int64(len(r.Lines)-most), "line"))
			break
		}
		names := make([]string, len(l.Types))
		for j, t := range l.Types {
			names[j] = t.String()
		}
		fmt.Fprintf(&b, "\n%10s %6d × %-8s %s  %s", diag.Bytes(l.Bytes), l.Count, l.Kind, l.Site, strings.Join(names, ", "))
	}
	return b.String()
}

// LiveTensors collects garbage, and returns the values that something still
// reaches: variables, host data and results, each counted once however many
// tensors share it. The report is empty unless the device was opened with
// [TrackLive] or LTC_LIVE=1.
func (d *Device) LiveTensors() LiveReport {
	if d == nil || d.live == nil {
		return LiveReport{}
	}
	soa.Collect()
	type key struct {
		site callsite.Site
		kind string
	}
	lines := map[key]*LiveLine{}
	var r LiveReport
	for _, v := range d.live.Values() {
		k := key{v.Site, v.Kind}
		line := lines[k]
		if line == nil {
			line = &LiveLine{Site: v.Site.String(), Kind: v.Kind}
			lines[k] = line
		}
		line.Count++
		line.Bytes += int64(v.Type.Bytes())
		if len(line.Types) < liveTypes && !slices.ContainsFunc(line.Types, v.Type.Equal) {
			line.Types = append(line.Types, v.Type)
		}
		r.Count++
		r.Bytes += int64(v.Type.Bytes())
	}
	for _, line := range lines {
		slices.SortFunc(line.Types, func(a, b types.Type) int { return cmp.Compare(a.String(), b.String()) })
		r.Lines = append(r.Lines, *line)
	}
	slices.SortFunc(r.Lines, func(a, b LiveLine) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Site, b.Site), cmp.Compare(a.Kind, b.Kind))
	})
	return r
}

// born remembers where v was made, if the device tracks that.
func (d *Device) born(v *value, kind string, at callsite.Site) {
	if d.live != nil {
		memory.Track(d.live, v, memory.Value{Site: at, Kind: kind, Type: v.view.Type})
	}
}

// MaxBytes refuses programs of which a run would take more than n bytes: arguments, results that
// take over no argument's memory, and the workspace of the backend's plan. MarkStep, a read or a
// call is then an [*OpError] of its line that wraps [ErrMemory] and names the largest tensors with theirs.
// Nothing is computed and variables are as before. n of 0 or less is no limit.
//
// The number is known when a program is compiled, unlike the need of a process that [MemoryLimit]
// bounds: it does not depend on what else is alive. [Trace.MemoryPlan] has it step by step.
func MaxBytes(n int64) Option { return func(d *Device) { d.maxBytes = max(n, 0) } }

// MemoryPlan compiles the program that MarkStep with the same roots would run, as Warmup does. It
// returns what a run takes of memory: altogether, at each step of the backend's plan, and by
// tensor, with the lines that recorded them. Nothing runs, and the step goes on. The evaluator does
// not plan by steps: of its programs there are the sizes, the arguments and the results.
func (tr *Trace) MemoryPlan(roots ...*Tensor) (plan backends.MemoryPlan, err error) {
	err = tr.rehearse("memory_plan", true, roots, func(tr *Trace, r *run) error {
		if len(r.results) == 0 {
			return nil
		}
		f := tr.take()
		defer tr.queue.Give(&f.Job)
		f.ctx = context.Background()
		if err := r.compile(tr, f, true); err != nil {
			return err
		}
		plan, err = tr.dev.planOf(f.ctx, f.program, &r.graph)
		return err
	})
	return plan, err
}

// MemoryPlan is [Trace.MemoryPlan] for the program that Call with arguments of these types would
// run.
func (f *Function) MemoryPlan(ctx context.Context, given ...*Tensor) (backends.MemoryPlan, error) {
	ctx = cmp.Or(ctx, context.Background())
	if err := f.usable("memory_plan", given); err != nil {
		return backends.MemoryPlan{}, err
	}
	args, err := seen(ctx, given)
	defer unsee(given, args)
	if err != nil {
		return backends.MemoryPlan{}, err
	}
	t, err := f.lookup(ctx, args)
	if err != nil {
		return backends.MemoryPlan{}, err
	}
	if t.program.Open == nil {
		return execution.Of(t.program).MemoryPlan()
	}
	var plan backends.MemoryPlan
	again := &traced{types: t.types, owner: sched.Goroutine(), ready: make(chan struct{})}
	err = f.record(again, f.names(len(args)), func(g *ir.Graph) (err error) {
		plan, err = f.dev.planOf(ctx, t.program, g)
		return err
	})
	return plan, err
}

// planOf returns what a run of g takes, which p computes. What p takes whose sizes are open is known
// when it runs: a program of the sizes at hand is compiled in its place.
func (d *Device) planOf(ctx context.Context, p *programs.Program, g *ir.Graph) (backends.MemoryPlan, error) {
	if p.Open != nil {
		var err error
		if p, err = d.programs.GetStatic(ctx, g); err != nil {
			return backends.MemoryPlan{}, err
		}
	}
	return execution.Of(p).MemoryPlan()
}

// admit returns the error of a program that takes more than [MaxBytes], at the line of the user's
// call op, which would run it.
func (d *Device) admit(op string, p *programs.Program) error {
	if d.maxBytes == 0 || execution.Of(p).Peak <= d.maxBytes {
		return nil
	}
	return d.tooLarge(op, callsite.Caller(), p)
}

// mostNamed is how many tensors the error of a program that is too large names.
const mostNamed = 3

func (d *Device) tooLarge(op string, site callsite.Site, p *programs.Program) error {
	plan, err := execution.Of(p).MemoryPlan()
	if err != nil {
		return err
	}
	var largest []string
	for _, v := range plan.AtPeak() {
		if len(largest) == mostNamed {
			break
		}
		largest = append(largest, fmt.Sprintf("%s %v", v.Kind, v))
	}
	at := ""
	if i := plan.PeakStep(); i >= 0 && plan.Steps[i].Line != "" {
		at = " at " + plan.Steps[i].Line
	}
	return opError(site, op, ErrMemory, nil, "a run of the program takes %s (arguments %s, results %s, workspace %s), and MaxBytes allows %s; the largest tensors in memory%s are: %s. "+
		"Use smaller batches, dtypes of fewer bits, Checkpoint in gradients, or several steps; Trace.MemoryPlan tells what each step needs",
		diag.Bytes(plan.Peak()), diag.Bytes(plan.Arguments), diag.Bytes(plan.Results), diag.Bytes(plan.Workspace), diag.Bytes(d.maxBytes), at, strings.Join(largest, "; "))
}

// WatchPeak watches the memory of programs that the trace runs, until stop is called. stop
// returns the most bytes that one of them takes: its arguments, the results that take over no
// argument's memory, and the workspace that its plan has. The number is known when the program is
// compiled, and is the same in each run. It depends on the backend and its number of threads. A program counts when its step is marked. Watches may overlap.
func (tr *Trace) WatchPeak() (stop func() int64) { return tr.some().account.Watch() }

// WatchPeak watches the programs of calls of the function, as [Trace.WatchPeak] does.
func (f *Function) WatchPeak() (stop func() int64) {
	if f == nil {
		return func() int64 { return 0 }
	}
	return f.account.Watch()
}

// WatchPeak watches the programs that all traces and functions of the device run, as
// [Trace.WatchPeak] does. Programs that run at the same time are not added up.
func (d *Device) WatchPeak() (stop func() int64) {
	if d == nil {
		return func() int64 { return 0 }
	}
	return d.all.Watch()
}

// deviceMemory is the memory of a device. Copies of host data are freed when it is full.
type deviceMemory struct{ *Device }

// Make returns memory of the device.
func (d deviceMemory) Make(t types.Type) (soa.View, error) {
	v, err := d.backend.Make(t)
	if d.copies.GiveUp(err) {
		return d.backend.Make(t)
	}
	return v, err
}
