package lazy

import (
	"context"
	"errors"

	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/ir"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/programs"
)

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
	return d.all.frozen.Swap(on)
}

// Freeze refuses compiles for the trace, as [Device.Freeze] does for the device. Functions that
// the trace's steps call are not frozen with it.
func (tr *Trace) Freeze(on bool) (before bool) { return tr.some().counters.frozen.Swap(on) }

// Freeze refuses compiles for the function, as [Device.Freeze] does for the device: a call
// with arguments of types that it was neither called nor warmed up with is an error.
func (f *Function) Freeze(on bool) (before bool) {
	if f == nil {
		return false
	}
	return f.counters.frozen.Swap(on)
}

// foundProgram is program where nothing may be compiled.
func (d *Device) foundProgram(ctx context.Context, op string, g *ir.Graph, count *counters) (*programs.Program, error) {
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
func (d *Device) refused(op string, g *ir.Graph, count *counters) *OpError {
	what := "the trace"
	switch {
	case d.all.frozen.Load():
		what = "device " + d.name
	case count.calls:
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
