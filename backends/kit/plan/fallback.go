package plan

import (
	"errors"

	"ltc/backends"
	"ltc/mlir"
)

// Located is an error that an op of the text is about.
type Located struct {
	Loc     mlir.Location
	Ordinal int // -1: unknown
	error
}

// Unwrap returns what is wrong with the op.
func (e *Located) Unwrap() error { return e.error }

// At returns an error that op is about, a [*Located]. An
// error that says so already stays.
func At(op *mlir.Op, err error) error { return at(op.Loc, op.Ordinal, err) }

func at(loc mlir.Location, ordinal int, err error) error {
	if _, known := errors.AsType[*Located](err); known || err == nil {
		return err
	}
	return &Located{loc, ordinal, err}
}

// atStep is At for what a step was made of.
func (p *Program) atStep(i int, err error) error {
	if i < 0 || i >= len(p.Steps) {
		return err
	}
	return at(p.Steps[i].Loc, p.Steps[i].Ordinal, err)
}

// Fallbacks returns the steps of p and its regions that the evaluator runs for want of
// a kernel. What can run on the host alone does not count: messages, tokens and
// functions of the host.
func (p *Program) Fallbacks() []backends.Fallback {
	var all []backends.Fallback
	for i := range p.Steps {
		s := &p.Steps[i]
		if h := s.Host(); h != nil && h.Why != "" {
			all = append(all, backends.Fallback{Op: h.Op.String(), Line: backends.LineOf(s.Loc), Ordinal: s.Ordinal, Reason: h.Why})
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
