package lazy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/lazy/internal/account"
	"ltc/lazy/internal/execution"
	"ltc/lazy/internal/guard"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/programs"
	"ltc/lower"
	"ltc/soa"
)

// ProgramCacheLimit sets the most bytes that the device's compiled programs may
// take, instead of the environment variable LTC_PROGRAM_CACHE_BYTES. The program
// used longest ago is dropped first; one that takes more than the limit runs,
// and is compiled again the next time. A device keeps 8192 programs at most.
func ProgramCacheLimit(bytes int64) Option {
	return func(d *Device) { d.programs.Limit, d.ops.Limit = max(bytes, 0), max(bytes, 0) }
}

// ProgramCacheStats says what a device's compiled programs take.
type ProgramCacheStats struct {
	Programs     int
	Bytes, Limit int64
}

// String prints the sizes on one line.
func (s ProgramCacheStats) String() string {
	return fmt.Sprintf("%s, %s of %s", diag.Count(s.Programs, "program"), diag.Bytes(s.Bytes), diag.Bytes(s.Limit))
}

// ProgramCacheStats returns what the device's compiled programs take now.
func (d *Device) ProgramCacheStats() ProgramCacheStats {
	if !d.opens() {
		return ProgramCacheStats{}
	}
	n, bytes := d.programs.Size()
	return ProgramCacheStats{n, bytes, d.programs.Limit}
}

// program returns the program of g, compiled, for op. The error is the cause of ctx if that
// is done before, or [ErrFrozen]. at is asked for the user's line only when a compile happens.
func (d *Device) program(ctx context.Context, op string, g *ir.Graph, count *account.Account[SyncReason], at func() (callsite.Site, purpose)) (*programs.Program, error) {
	if d.all.Frozen.Load() || count.Frozen.Load() {
		return d.foundProgram(ctx, op, g, count)
	}
	p, found, err := d.programs.Get(ctx, g, func() callsite.Site { line, _ := at(); return line })
	if err != nil {
		return nil, err
	}
	if err := checkResultMemory(p, g); err != nil {
		return nil, err
	}
	if found {
		d.count(metrics.CachedCompile, count)
	} else {
		line, why := at()
		d.compiled(p, count, line, why)
	}
	return p, nil
}

// ErrFrozen: a program would have been compiled for what [Device.Freeze], [Trace.Freeze] or
// [Function.Freeze] allows no more compiles for.
var ErrFrozen = errors.New("frozen: no more compiles")

// Freeze refuses compiles for all traces and functions of the device from now on, or allows
// them again. It returns the setting before. It may be called from any goroutine.
//
// MarkStep, a read, a call of a [Function] or a Warmup whose program is not compiled is then an
// [*OpError] that wraps [ErrFrozen]. The error says what differs from a program that is compiled.
// Nothing is computed, variables are as before, and the trace goes on with its next step.
// Compile all programs before, with steps or with [Trace.Warmup] and [Function.Warmup]. A number
// that varies from step to step has two programs: warm up with two values.
//
// A program compiled before that the cache has dropped is refused, too: see
// [ProgramCacheLimit]. A compile under way is waited for. Programs of single ops, as of
// [OpByOp] and [CheckNaNs], and code that compiled programs add for views of other layouts
// are not refused.
func (d *Device) Freeze(on bool) (before bool) {
	if d == nil {
		return false
	}
	return d.all.Frozen.Swap(on)
}

// Freeze refuses compiles for the trace, as [Device.Freeze] does for the device. Functions that
// the trace's steps call are not frozen with it.
func (tr *Trace) Freeze(on bool) (before bool) { return tr.some().account.Frozen.Swap(on) }

// Freeze refuses compiles for the function, as [Device.Freeze] does for the device: a call
// with arguments of types that it was neither called nor warmed up with is an error.
func (f *Function) Freeze(on bool) (before bool) {
	if f == nil {
		return false
	}
	return f.account.Frozen.Swap(on)
}

// foundProgram is program where nothing may be compiled.
func (d *Device) foundProgram(ctx context.Context, op string, g *ir.Graph, count *account.Account[SyncReason]) (*programs.Program, error) {
	p, err := d.programs.Find(ctx, g)
	if err != nil {
		return nil, err
	}
	if p == nil {
		d.metrics.Add(metrics.CompileRefused, 1)
		return nil, d.refused(op, g, count)
	}
	d.count(metrics.CachedCompile, count)
	return p, nil
}

// refused is the error of a program that is not compiled.
func (d *Device) refused(op string, g *ir.Graph, count *account.Account[SyncReason]) *OpError {
	what := "the trace"
	switch {
	case d.all.Frozen.Load():
		what = "device " + d.name
	case count.Calls:
		what = "the function"
	}
	at := callsite.Caller()
	reason := "no program was compiled before"
	if c := d.history.Compare(d.compiledFor(programs.Uncompiled(g), count, at, purpose{})); c.Do != "" {
		reason = c.String()
	}
	return opError(at, op, ErrFrozen, nil, "%s is frozen, and this program of %s is not compiled; compile it with Warmup before Freeze, or allow compiles with Freeze(false). What differs from a compiled program: %s",
		what, diag.Count(len(g.Nodes), "op"), reason)
}

// checkResultMemory returns an error if a result of g is larger than memory. Results whose sizes
// follow from data are not checked. Programs of fixed sizes are checked when they are compiled.
func checkResultMemory(p *programs.Program, g *ir.Graph) error {
	if p.Open != nil && slices.ContainsFunc(execution.OwnResults(g), func(r *ir.Node) bool { return dims.Static(r.Type.Shape) && soa.Fits(r.Type.Bytes()) != nil }) {
		return tooLargeError(programs.TooLarge(g))
	}
	return nil
}

func tooLargeError(n *ir.Node) error {
	return nodeError(n, ErrMemory, fmt.Sprintf("its result %v: %v; make it smaller, or compute it in parts", n.Type, soa.Fits(n.Type.Bytes())))
}

// compiler compiles the programs of a device.
type compiler struct{ *Device }

// Evicted counts and logs that a program was dropped.
func (d compiler) Evicted(p *programs.Program, bytes int64) {
	d.metrics.Add(metrics.ProgramEvicted, 1)
	d.log(slog.LevelDebug, "program dropped", slog.Int("ops", len(p.Graph.Nodes)), slog.Int64("bytes", bytes))
}

// Located reports whether runs are looked at beforehand: what is wrong with them is said of the
// lines of their program.
func (d compiler) Located(*ir.Graph) bool { return d.checkNaNs }

// Compile compiles the program's text, or its ops one by one.
func (d compiler) Compile(ctx context.Context, p *programs.Program) error {
	start := time.Now()
	var err error
	if p.Text, err = lower.TextContext(ctx, p.Graph, true); err != nil {
		return err
	}
	if checking {
		if err := lower.Check(p.Graph, p.Text); err != nil {
			return err
		}
	}
	exec, err := d.withRoom(func() (programs.Runner, error) {
		if d.opByOp && !lower.Counts(p.Graph) { // of an op alone nothing tells the size
			return d.opsOf(ctx, p.Graph)
		}
		o := d.options
		if p.Open != nil { // else sizes are numbers
			o.Compiled, o.Warn = true, nil
		}
		return d.compile(ctx, p.Graph, p.Text, o)
	})
	if err != nil {
		if n := programs.TooLarge(p.Graph); n != nil {
			return tooLargeError(n)
		}
	}
	if op, ok := placed(err).(*OpError); ok { // of an op compiled alone
		return op
	}
	if err != nil {
		return fmt.Errorf("%scompile for %s: %w", firstLine(p, err), d.name, withLines(p, err))
	}
	e, err := execution.New(d.executes(), p, exec)
	if err != nil {
		return fmt.Errorf("compile for %s: %w", d.name, err)
	}
	if d.checkNaNs {
		if lower.Counts(p.Graph) {
			d.log(slog.LevelWarn, "NaNs are not looked for in a program in which sizes follow from data: its ops do not run alone", slog.Int("ops", len(p.Graph.Nodes)))
		} else {
			e.Guard = guard.New(guardHost{d.Device}, p.Graph, &d.ops)
		}
	}
	p.Exec, p.Took = e, time.Since(start)
	return nil
}

// finish waits until all code of a program is compiled; see [Tiers].
func finish(ctx context.Context, p *programs.Program) error {
	if p == nil {
		return nil
	}
	if e := execution.Of(p); e != nil {
		return e.Finish(ctx)
	}
	return nil
}

// executes is what programs of the device are run with.
func (d *Device) executes() execution.Device {
	return execution.Device{Memory: &d.memory, Programs: &d.programs, Warn: func(message string, err error) { d.log(slog.LevelWarn, message, slog.Any("error", err)) }}
}

// compile has the backend compile the text of a graph.
func (d *Device) compile(ctx context.Context, g *ir.Graph, text string, o backends.Options) (programs.Runner, error) {
	x, err := d.backend.Compile(ctx, backends.NewModule(text), o, programs.Signature(g))
	if err != nil {
		return nil, err // no interface of a nil pointer
	}
	return x, nil
}

// fellBack counts, and logs once for each line and op, what a backend leaves to the
// evaluator.
func (d *Device) fellBack(e *backends.FallbackError) {
	d.metrics.Add(metrics.Fallback, len(e.Ops))
	fresh := false
	for _, f := range e.Ops {
		fresh = d.fallbacks.First([2]string{f.Line, f.Op}) || fresh
	}
	if fresh {
		e.Log(d.slog(), slog.String("device", d.name))
	}
}

// withRoom compiles a program. Where the system has no room left for code, the older
// half of all programs is dropped and it is compiled again, then without all others.
func (d *Device) withRoom(compile func() (programs.Runner, error)) (programs.Runner, error) {
	e, err := compile()
	for _, part := range [...]int{2, 0} {
		if !errors.Is(err, backends.ErrExhausted) {
			break
		}
		for _, c := range [...]*programs.Cache{&d.programs, &d.ops} {
			keep := 1 // the one that is compiled
			if part > 0 {
				n, _ := c.Size()
				keep = n / part
			}
			c.Shrink(keep)
		}
		soa.Collect()
		e, err = compile()
	}
	return e, err
}

// firstLine is the user's line of the first op that an error of the backend's
// compiler is about.
func firstLine(p *programs.Program, err error) string {
	if e, ok := errors.AsType[*backends.FallbackError](err); ok && !e.Whole() { // which begins with it
		return e.Ops[0].Line + ": "
	}
	if lacking, ok := errors.AsType[*backends.UnsupportedError](err); ok && len(lacking.Ops) > 0 {
		return lower.PlaceAt(p.Text, lacking.Ops[0].Pos)
	}
	return ""
}

// withLines adds the user's lines of all ops that the backend lacks to its error.
func withLines(p *programs.Program, err error) error {
	lacking, ok := err.(*backends.UnsupportedError)
	if !ok {
		return err
	}
	more := *lacking
	more.Ops = slices.Clone(lacking.Ops)
	for i := range more.Ops {
		o := &more.Ops[i]
		if at := strings.TrimSuffix(lower.PlaceAt(p.Text, o.Pos), ": "+o.Op+": "); at != "" {
			o.Reason += ", recorded at " + at
		}
	}
	return &more
}

// atLine adds to a failure at run time the line of the op that failed.
func atLine(p *programs.Program, err error) error {
	if op, ok := placed(err).(*OpError); ok { // of an op run alone, or memory
		return op
	}
	failed, ok := errors.AsType[*backends.RunError](err)
	if !ok || failed.Op < 0 {
		return fmt.Errorf("run: %w", err)
	}
	at := lower.Place(p.Text, failed.Op)
	if b, ok := errors.AsType[*backends.BoundError](failed.Reason); ok {
		if e := beyondBound(p.Graph, at, b); e != nil {
			return e
		}
	}
	return fmt.Errorf("%srun: %w", at, failed.Reason)
}

// beyondBound returns the error of the op that selects more elements than its bound: the slice to that
// size stands at a place. It is nil if the graph has none there.
func beyondBound(g *ir.Graph, at string, b *backends.BoundError) *OpError {
	for _, n := range g.Nodes {
		if n.Op != ir.OpSlice || !strings.HasPrefix(at, n.Loc.String()+": ") || n.In[0].Type.Rank() != 1 {
			continue
		}
		name, _, _, ok := dims.SymbolOf(n.Type.Shape[0])
		if !ok || dims.IsExpr(n.In[0].Type.Shape[0]) {
			continue
		}
		e := nodeError(n, ErrUsage, fmt.Sprintf("the data have %s to select, and the bound is %d; give it a larger bound, or select fewer elements", diag.Count(int(b.Size), "element"), b.Bound))
		e.Op, e.Operands = strings.TrimSuffix(strings.TrimRight(name, "0123456789"), "_"), nil
		return e
	}
	return nil
}

// runsInline reports whether programs run on the goroutine that asks for them,
// however long they take: goroutines are not wanted, or cost more than a run.
func (d *Device) runsInline() bool {
	return d.options.Threads == 1 || d.backend.Immediate()
}

// StableHLO returns the text of the module of the latest program that the trace's
// MarkStep ran: what the backend compiled, and ltc-dump reads. It is empty before
// the first step that had anything to compute. [Trace.Dump] is about the step
// that is being recorded.
func (tr *Trace) StableHLO() string {
	if tr == nil || tr.stepped == nil {
		return ""
	}
	return tr.stepped.Text
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
	fmt.Fprintf(&b, "program of %s, %v in all\n", diag.Count(p.Ops, "op"), p.Total.Round(time.Microsecond))
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
		e := execution.Of(p)
		if e == nil || e.Whole == nil {
			continue
		}
		steps, err := e.Whole.Profile()
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
