package lazy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"ltc/backends"
	"ltc/internal/border"
	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/lazy/internal/guard"
	"ltc/lazy/internal/memory"
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
func (d *Device) program(ctx context.Context, op string, g *ir.Graph, count *counters, at func() (callsite.Site, purpose)) (*programs.Program, error) {
	if d.all.frozen.Load() || count.frozen.Load() {
		return d.foundProgram(ctx, op, g, count)
	}
	p, found, err := d.programs.Get(ctx, g, func() callsite.Site { line, _ := at(); return line })
	if err != nil {
		return nil, err
	}
	if err := noRoom(p, g); err != nil {
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

// noRoom returns the error of a graph whose results the machine has not the memory for: of those
// with sizes that follow from data nothing is known. A program of numbers is not compiled then, and one whose sizes are open is there already.
func noRoom(p *programs.Program, g *ir.Graph) error {
	if p.Open != nil && slices.ContainsFunc(ownResults(g), func(r *ir.Node) bool { return dims.Static(r.Type.Shape) && soa.Fits(r.Type.Bytes()) != nil }) {
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

// Located reports whether runs of g are looked at beforehand: what is wrong with them is
// said of its lines.
func (d compiler) Located(g *ir.Graph) bool { return d.guarded(g) }

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
		if d.opByOp && !countsIn(p.Graph) { // of an op alone nothing tells the size
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
	e := &executable{Runner: exec, dev: d.Device, of: p}
	e.whole, _ = exec.(*border.Executable)
	if e.peak, err = e.planned(); err != nil {
		return fmt.Errorf("compile for %s: %w", d.name, err)
	}
	if p.Code, err = codeBytes(e.whole, len(p.Text)); err != nil {
		return fmt.Errorf("compile for %s: %w", d.name, err)
	}
	if e.whole != nil {
		if e.grown, err = e.whole.Grown(); err != nil {
			return fmt.Errorf("compile for %s: %w", d.name, err)
		}
	}
	if d.guarded(p.Graph) {
		ops := &d.ops
		if counts := countsIn(p.Graph); !d.checkNaNs || counts {
			if ops = nil; d.checkNaNs {
				d.log(slog.LevelWarn, "NaNs are not looked for in a program in which sizes follow from data: its ops do not run alone", slog.Int("ops", len(p.Graph.Nodes)))
			}
		}
		if e.guard, err = guard.New(ctx, guardHost{d.Device}, p.Graph, d.checkIndices, ops); err != nil {
			return fmt.Errorf("compile for %s: what checks indices: %w", d.name, err)
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
	if e, ok := p.Exec.(*executable); ok && e.whole != nil {
		return e.whole.Finish(ctx)
	}
	return nil
}

// compile has the backend compile the text of a graph.
func (d *Device) compile(ctx context.Context, g *ir.Graph, text string, o backends.Options) (programs.Runner, error) {
	x, err := d.backend.Compile(ctx, backends.NewModule(text), o, programs.Signature(g))
	if err != nil {
		return nil, err // no interface of a nil pointer
	}
	return x, nil
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

// codeBytes returns what an executable takes: what its backend says, or an
// estimate. The evaluator holds of a program about six times the text.
func codeBytes(e *border.Executable, text int) (int64, error) {
	const perByteOfText = 6
	if e == nil {
		return perByteOfText * int64(text), nil
	}
	n, err := e.ResidentBytes()
	if n < 0 {
		n = perByteOfText * text
	}
	return int64(n), err
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
	text := p.Text
	if x, ok := errors.AsType[*partError](err); ok {
		text = x.text
	}
	at := lower.Place(text, failed.Op)
	return fmt.Errorf("%srun: %w", at, failed.Reason)
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
	peak   int64         // bytes of arguments, results and workspace
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
	if e.grown != nil && e.grown.Load() != e.known.Load() {
		now := max(e.grown.Load(), 0)
		e.dev.programs.Grew(e.of, now-e.known.Swap(now))
	}
	return err
}

// sampleCopies samples what has been copied since it was last called, and counts it for by:
// what one run has copied, or those that ended at once.
func (e *executable) sampleCopies(by *counters) {
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
		e.dev.all.copied.Add(now - before)
		by.copied.Add(now - before)
	}
}

// needs returns the bytes that results of a run take.
func (e *executable) needs(c *backends.Call) int64 {
	n := int64(0)
	for j, r := range e.of.Graph.Results {
		if e.of.Graph.Alias[j] < 0 && (j >= len(c.Results) || c.Results[j].IsZero()) {
			n += memory.PooledBytes(atMost(r.Type))
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
		diag.Bytes(n), diag.Bytes(n-workspace), diag.Bytes(workspace), largest.Type, diag.Bytes(int64(largest.Type.Bytes()))))
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
