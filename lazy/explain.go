package lazy

import (
	"fmt"
	"strings"
	"time"

	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/internal/explain"
	"ltc/lazy/internal/programs"
)

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

// compile is a compilation and why it was one.
type compile struct {
	Compile
	number int64
	stack  []callsite.Site
	change *programs.Change // nil if there is nothing to explain
}

// explanation returns why the program was compiled; nil if it was the device's first.
func (x *compile) explanation() *Explanation {
	c := x.change
	if c == nil {
		return nil
	}
	e := &Explanation{Number: x.number, At: x.At, Ops: x.Ops, Took: x.Took, Kind: c.Kind, What: c.What, Differ: c.Ops, Do: c.Do, reason: x.Reason}
	for _, s := range x.stack {
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
	return tr.counters.explain()
}

// Explain returns why each program of the device after its first was compiled, the latest
// last, at most 100, since it was opened or [Device.ResetMetrics] was called.
func (d *Device) Explain() []Explanation {
	if !d.opens() {
		return nil
	}
	return d.all.explain()
}

func (c *counters) explain() (all []Explanation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.compiles {
		if e := c.compiles[i].explanation(); e != nil {
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
