package kit

import (
	"errors"
	"strings"

	"ltc/backends"
	"ltc/mlir"
)

// located is an error that an op of the text is about.
type located struct {
	loc     mlir.Location
	ordinal int // -1: unknown
	error
}

func (e *located) Unwrap() error { return e.error }

// At returns an error that op is about, which [WholeFallback] finds the line of. An
// error that says so already stays.
func At(op *mlir.Op, err error) error { return at(op.Loc, op.Ordinal, err) }

func at(loc mlir.Location, ordinal int, err error) error {
	if _, known := errors.AsType[*located](err); known || err == nil {
		return err
	}
	return &located{loc, ordinal, err}
}

// atStep is At for what a step was made of.
func (p *Program) atStep(i int, err error) error {
	if i < 0 || i >= len(p.Steps) {
		return err
	}
	return at(p.Steps[i].Loc, p.Steps[i].Ordinal, err)
}

// Why returns the reason of an error that wraps [ErrNotCompiled].
func Why(err error) string {
	return strings.TrimPrefix(strings.ReplaceAll(err.Error(), ErrNotCompiled.Error()+"\n", ""), "kit: ")
}

// WholeFallback returns the fallback that a program is for err, which wraps
// [ErrNotCompiled]; none if it is run by the evaluator to be watched.
func WholeFallback(err error) []backends.Fallback {
	if _, ok := errors.AsType[watched](err); ok {
		return nil
	}
	f := backends.Fallback{Reason: Why(err), Ordinal: -1}
	if x, ok := errors.AsType[*located](err); ok {
		f.Line, f.Ordinal = backends.LineOf(x.loc), x.ordinal
	}
	if placed, ok := errors.AsType[*mlir.Error](err); ok {
		f.Pos, f.Reason = placed.Pos, placed.Msg
	}
	return []backends.Fallback{f}
}

// Fallbacks returns the steps of p and its regions that the evaluator runs for want of
// a kernel. What can run on the host alone does not count: messages, tokens and
// functions of the host.
func (p *Program) Fallbacks() []backends.Fallback {
	var all []backends.Fallback
	for i := range p.Steps {
		s := &p.Steps[i]
		if h := s.Host(); h != nil && !external[opTable[h.Op].left] {
			all = append(all, backends.Fallback{Op: h.Op.String(), Line: backends.LineOf(s.Loc), Ordinal: s.Ordinal, Reason: h.why()})
		}
		for r, x := range s.Regions() {
			ops := s.RegionOps()[r]
			for _, f := range x.Fallbacks() {
				if n := f.Ordinal; n >= 0 && n < len(ops) {
					f.Ordinal = ops[n]
				} else {
					f.Ordinal = -1
				}
				all = append(all, f)
			}
		}
	}
	return all
}

// external are reasons of package kit for which the host is where an op belongs.
var external = map[string]bool{otherProcesses: true, aboutProcesses: true, ordersEffects: true, functionOfHost: true}

// why is the reason that a step of the evaluator gives its user.
func (h *Host) why() string {
	if reason := opTable[h.Op].left; reason != "" && (h.Reason == noKernel || h.Reason == noElements) {
		return strings.ReplaceAll(reason, "`", "")
	}
	return h.Reason
}
