package lazy

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/internal/explain"
	"ltc/lazy/internal/account"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/programs"
)

// Compile is one compilation.
type Compile struct {
	Ops  int           // nodes of the program
	Took time.Duration // from graph to executable
	At   string        // file:line of the MarkStep, call or read that it was compiled for; "" for Warmup
	// Reason is the line of the [Explanation] without the compile: what differs from the
	// nearest program that was compiled before, and what to do. It is "" for Warmup, and for the
	// first program of the device unless a device with other options had compiled it.
	Reason string
}

// SyncSite is a line that read a tensor before its step was marked.
type SyncSite struct {
	Site   string // file:line
	Reason SyncReason
	Op     string // that made the tensor, the first time
	Count  int
	Took   time.Duration // altogether, for computing what was read
}

// Report says what a trace or function has done so far.
type Report struct {
	Marks          int64      // calls of MarkStep
	Runs           int64      // programs run
	CachedRuns     int64      // of these, compiled before
	DonationCopies int64      // variables assigned, and donated tensors, whose memory was still read
	Transfers      int64      // host data and scalar arguments made in the trace; those of a device's include all made on it
	CopiedBytes    int64      // that runs copied between the memory of tensors and the backend's own, once they have ended
	PeakBytes      int64      // the most memory that the plan of a program which was run takes; see WatchPeak
	Compiled       int64      // programs compiled
	Compiles       []Compile  // the latest of these, at most 100
	ImplicitSyncs  []SyncSite // those that took longest first
	Unmarked       string     // the variable that the step not marked yet assigned first, with the line; "" if none
	recompiled     Compile    // the latest one of a line that had compiled a program before
}

// Report returns what the trace has done so far.
func (tr *Trace) Report() Report {
	if tr == nil {
		return Report{}
	}
	r := report(&tr.account)
	r.Unmarked = tr.tally.unmarked()
	return r
}

// Report returns what all traces and functions of the device have done since it was opened or
// [Device.ResetMetrics] was called. Its numbers are those of [Device.Metrics].
func (d *Device) Report() Report {
	if !d.opens() {
		return Report{}
	}
	r := report(&d.all)
	r.Marks, r.CachedRuns = d.metrics.Count(metrics.MarkStep), d.metrics.Count(metrics.CachedCompile)
	r.DonationCopies, r.Transfers = d.metrics.Count(metrics.DonationCopy), d.metrics.Count(metrics.DeviceData)
	if waiting := d.metrics.Unmarked(); len(waiting) > 0 {
		r.Unmarked = waiting[0]
	}
	return r
}

func report(a *account.Account[SyncReason]) Report {
	r := Report{
		Marks: a.Counts[metrics.MarkStep].Load(), Runs: a.Runs.Load(),
		CachedRuns: a.Counts[metrics.CachedCompile].Load(), DonationCopies: a.Counts[metrics.DonationCopy].Load(),
		Transfers: a.Counts[metrics.DeviceData].Load(), CopiedBytes: a.Copied.Load(), PeakBytes: a.Most(),
	}
	var latest []account.Compile
	r.Compiled, latest = a.Compiles()
	for _, x := range latest {
		r.Compiles = append(r.Compiles, Compile(x.Compilation))
		if x.Again {
			r.recompiled = Compile(x.Compilation)
		}
	}
	for _, s := range a.Syncs() {
		r.ImplicitSyncs = append(r.ImplicitSyncs, SyncSite(s))
	}
	return r
}

// Syncs returns the number of implicit syncs.
func (r Report) Syncs() int {
	n := 0
	for _, s := range r.ImplicitSyncs {
		n += s.Count
	}
	return n
}

// String prints the report on one line, a line more for the reason of the latest
// compile that has one, and one for each place of implicit syncs, and one if assignments wait for MarkStep.
func (r Report) String() string {
	var b strings.Builder
	b.WriteString(diag.Count(r.Compiled, "compile"))
	for i, c := range r.Compiles {
		sep := "; "
		if i == 0 {
			sep = " ("
		}
		fmt.Fprintf(&b, "%s%s in %v", sep, diag.Count(c.Ops, "op"), c.Took.Round(100*time.Microsecond))
	}
	if len(r.Compiles) > 0 {
		b.WriteByte(')')
	}
	fmt.Fprintf(&b, ", %d cached, %s, %s, %s", r.CachedRuns, diag.Count(r.Marks, "mark"),
		diag.Count(r.Syncs(), "implicit sync"), diag.Count(r.DonationCopies, "donation copy"))
	if r.CopiedBytes > 0 {
		fmt.Fprintf(&b, ", %s copied", diag.Bytes(r.CopiedBytes))
	}
	if c := r.recompiled; c.Reason != "" {
		fmt.Fprintf(&b, "\ncompiled again at %s: %s", c.At, c.Reason)
	}
	for _, s := range r.ImplicitSyncs {
		fmt.Fprintf(&b, "\nimplicit sync at %s (%v of %s), %s, %v: give the tensor to MarkStep as a root and read it afterwards",
			s.Site, s.Reason, s.Op, diag.Count(s.Count, "time"), s.Took.Round(time.Microsecond))
	}
	if r.Unmarked != "" {
		fmt.Fprintf(&b, "\nassignments wait for MarkStep, the first is of %s", r.Unmarked)
	}
	return b.String()
}

// CompileKind is what made a program another than those compiled before.
type CompileKind = explain.Kind

// The kinds; docs/explain.md has the line that each prints.
const (
	CompileEqual     = explain.Equal     // nothing
	CompileShape     = explain.Shape     // a dimension or a rank
	CompileDType     = explain.DType     // a dtype
	CompileAttribute = explain.Attribute // an attribute of an op
	CompileConstant  = explain.Constant  // the value of a constant
	CompileNumber    = explain.Number    // a number of an op that has become an argument
	CompileArgument  = explain.Argument  // a constant in place of an argument, or the other way round
	CompileExtraOp   = explain.ExtraOp   // ops more
	CompileMissingOp = explain.MissingOp // ops less
	CompileOtherOp   = explain.OtherOp   // other ops
	CompileWiring    = explain.Wiring    // the operands of an op
	CompileRoots     = explain.Roots     // the roots
	CompileDonation  = explain.Donation  // the variables assigned, or tensors donated
	CompileRandom    = explain.Random    // random numbers, drawn or not
	CompileRead      = explain.Read      // a tensor read before MarkStep
	CompileNewLine   = explain.NewLine   // the first program of a line
	CompileEvicted   = explain.Evicted   // the program was dropped from the cache
	CompileLines     = explain.Lines     // other lines, on a device that checks data
	CompileOptions   = explain.Options   // the options of the device
	CompileBackend   = explain.Backend   // the backend of the device
)

// maxStack is how many frames of the user an explanation has.
const maxStack = 8

// Stacks has each op keep so many frames of the user's stack, the innermost of which is its
// line, for [Explanation]. Without it, or with 1, an op keeps its line alone. More frames cost
// some microseconds an op, also of a step that compiles nothing. Numbers of ops that are
// recorded by one line are then those of each stack: see [NumbersAsConstants].
func Stacks(frames int) Option { return func(d *Device) { d.stacks = frames } }

// Explanation says why a program was compiled.
type Explanation struct {
	Number int64    // of the compile among those of the trace, function or device, from 1
	At     string   // file:line of the MarkStep, call or read that it was compiled for
	Stack  []string // the frames of the user that led there, the innermost first, at most 8
	Ops    int      // nodes of the program
	Took   time.Duration

	Kind     CompileKind
	What     string   // the op that differs, and what it was before
	Now, Was string   // the lines that recorded it; "" if there is no such op
	NowStack []string // the frames of the user that led to Now, the innermost first; see [Stacks]
	WasStack []string // the same of Was
	Nearest  string   // the line whose program differs least; "" if none is near
	Differ   int      // how many ops differ, but for those that only follow from others
	Do       string   // what to do
	reason   string
}

// String prints the explanation on one line.
func (e Explanation) String() string {
	return fmt.Sprintf("compile %d at %s (%s in %v), %v: %s", e.Number, e.At, diag.Count(e.Ops, "op"), e.Took.Round(100*time.Microsecond), e.Kind, e.reason)
}

// explanation returns why a program was compiled; nil if it was the device's first.
func explanation(x *account.Compile) *Explanation {
	c := x.Change
	if c == nil {
		return nil
	}
	e := &Explanation{Number: x.Number, At: x.At, Ops: x.Ops, Took: x.Took, Kind: c.Kind, What: c.What, Differ: c.Ops, Do: c.Do, reason: x.Reason}
	for _, s := range x.Stack {
		e.Stack = append(e.Stack, s.String())
	}
	e.NowStack, e.WasStack = chainText(c.Now), chainText(c.Was)
	e.Now, e.Was, e.Nearest = lineText(c.Now), lineText(c.Was), lineText(c.Nearest)
	return e
}

// chainText returns a line and those that led there.
func chainText(s callsite.Site) (all []string) {
	for ; s != 0; s = s.Up() {
		all = append(all, s.String())
	}
	return all
}

// lineText returns file:line; "" if it is unknown.
func lineText(s callsite.Site) string {
	if s == 0 {
		return ""
	}
	return s.String()
}

// Explain returns why each program of the trace after its device's first was compiled, the
// latest last, at most 100. Compiles by Warmup need no explanation. The device logs each as
// it comes, for debugging.
func (tr *Trace) Explain() []Explanation {
	if tr == nil {
		return nil
	}
	return explanations(&tr.account)
}

// Explain returns why each program of the device after its first was compiled, the latest
// last, at most 100, since it was opened or [Device.ResetMetrics] was called.
func (d *Device) Explain() []Explanation {
	if !d.opens() {
		return nil
	}
	return explanations(&d.all)
}

func explanations(a *account.Account[SyncReason]) (all []Explanation) {
	_, latest := a.Compiles()
	for i := range latest {
		if e := explanation(&latest[i]); e != nil {
			all = append(all, *e)
		}
	}
	return all
}

// setting says what of the device makes it compile programs of its own.
func (d *Device) setting() *programs.Setting {
	o := &d.options
	option := func(name string, value any) string { return fmt.Sprintf("%s = %v", name, value) }
	d.settings.once.Do(func() {
		backend, _, _ := strings.Cut(d.name, ":")
		d.settings.of = &programs.Setting{
			Device: d.name, Opened: d.opened, Backend: backend, Numbers: option("NumbersAsConstants", d.constantNumbers),
			Options: []string{
				option("Threads", o.Threads), option("TF32", o.TF32), option("Ordered", o.Ordered), option("Compiled", o.Compiled), option("Tiers", o.Tiers),
				option("Profiled", o.Profile), option("NumbersAsConstants", d.constantNumbers), option("StaticShapes", d.staticShapes), option("OpByOp", d.opByOp),
				option("CheckIndices", d.checkIndices), option("CheckNaNs", d.checkNaNs),
			},
		}
	})
	return d.settings.of
}

// slowCompile is from how long on a compile is warned of. compileAdvice says what to do.
const (
	slowCompile   = 5 * time.Second
	compileAdvice = "mark steps more often, so that programs are smaller, or compile this one with Warmup before it is needed"
)

// purpose is what a program is compiled for.
type purpose struct {
	warm bool   // no line: Warmup
	read string // the op whose result a line reads in the midst of its step; "" if it does not
}

// compiled counts and logs a compile for a line of the program.
func (d *Device) compiled(p *programs.Program, by *account.Account[SyncReason], at callsite.Site, why purpose) {
	x := account.Compile{Compilation: account.Compilation{Ops: len(p.Graph.Nodes), Took: p.Took}}
	if why.warm {
		d.history.Warm(p, at)
	} else {
		x.At, x.Stack = at.String(), callsite.Stack(maxStack)
		d.explain(&x, p, by, at, why)
	}
	by.Compiled(x)
	d.all.Compiled(x)
	d.metrics.Add(metrics.UncachedCompile, 1)
	d.metrics.Sample(metrics.CompileTime, float64(p.Took))
	d.metrics.Sample(metrics.ProgramSize, float64(p.Bytes()))
	if p.Took > slowCompile && !why.warm {
		d.log(slog.LevelWarn, "a program took long to compile", slog.String("at", at.String()), slog.Duration("took", p.Took),
			slog.Int("ops", len(p.Graph.Nodes)), slog.String("do", compileAdvice))
	}
	if !d.logs(slog.LevelDebug) {
		return
	}
	d.log(slog.LevelDebug, "compiled", slog.Int("ops", len(p.Graph.Nodes)), slog.Int("text", len(p.Text)), slog.Duration("took", p.Took))
	if e := explanation(&x); e != nil { // without a number: each trace has its own
		d.log(slog.LevelDebug, "compiled again", slog.String("at", e.At), slog.Duration("took", e.Took), slog.Int("ops", e.Ops), slog.String("kind", e.Kind.String()),
			slog.String("differs", e.What), slog.String("recorded", e.Now), slog.String("before", e.Was), slog.String("nearest", e.Nearest), slog.String("do", e.Do))
	}
}

// compiledFor says what of a compile its explanation depends on.
func (d *Device) compiledFor(p *programs.Program, by *account.Account[SyncReason], at callsite.Site, why purpose) programs.Compiled {
	return programs.Compiled{
		Program: p, At: at, Call: by.Calls, Read: why.read, Opens: d.programs.Families != nil && d.kept.of(at, p.Graph.Hash()) == "", Found: d.metrics.Count(metrics.CachedCompile), Setting: d.setting(),
		Others: func() []*programs.Program { return d.programs.Recent(programs.Near) },
	}
}

// explain finds out why a program was compiled. It warns when a line compiles too often.
func (d *Device) explain(x *account.Compile, p *programs.Program, by *account.Account[SyncReason], at callsite.Site, why purpose) {
	c := d.history.Note(d.compiledFor(p, by, at, why))
	if c.Do == "" {
		return
	}
	if why := d.kept.of(at, p.Graph.Hash()); why != "" && c.Kind == explain.Shape {
		c.What += ", and sizes stay numbers: " + why
	}
	x.Change, x.Reason = &c, c.String()
	if x.Again = !c.First; c.First {
		return
	}
	d.metrics.Add(metrics.Recompile, 1)
	if c.Storm {
		d.log(slog.LevelWarn, "a line compiles again and again", slog.String("at", at.String()), slog.Int("compiles", c.Compiles),
			slog.Int64("cached", c.Cached), slog.String("kind", c.Kind.String()), slog.String("differs", c.What), slog.String("recorded", c.Now.String()),
			slog.String("before", c.Was.String()), slog.String("do", c.Do))
	}
}
