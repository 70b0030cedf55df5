package plan

import (
	"slices"

	"ltc/ir/types"
)

// Waits reports whether the new value of a donated argument, result j, needs memory of
// its own until a run ends. It does in two cases:
//   - A step behind the one that makes the value may still fail. The last step that
//     can fail is fallible: [Program.LastFailing], or a later step of the backend's.
//   - A later step still reads the old value.
func (p *Program) Waits(j, fallible int) bool {
	return p.Signature.Results[j].Alias >= 0 && !(p.Values[p.Results[j]].First > fallible && p.InPlace(j))
}

// LastFailing returns the last step that can fail after it has begun to write, in a run that
// nobody can cancel; -1 if none can. It is [Program.LastFallible], or the step before where that
// is a loop whose iterations are kernels: such a loop fails before its first iteration, or as
// kernels do. Nested says that the same holds if iterations have further loops of kernels: on the
// target, a loop never fails before its first iteration.
func (p *Program) LastFailing(nested bool) int {
	last := p.LastFallible
	if last < 0 {
		return last
	}
	if loop, ok := p.Steps[last].Work.(*Loop); ok && loop.Cond.isKernels(nested) && loop.Body.isKernels(nested) {
		return last - 1
	}
	return last
}

// isKernels reports whether all steps are kernels; with loops, if these are allowed.
func (p *Program) isKernels(loops bool) bool {
	if !loops {
		return p.LastFallible < 0
	}
	return !slices.ContainsFunc(p.Steps, func(s Step) bool {
		l, ok := s.Work.(*Loop)
		return s.Work.Fallible() && !(ok && l.Cond.isKernels(true) && l.Body.isKernels(true))
	})
}

// Waiting calls each with the types of the results that wait: see [Program.Waits]. Of a
// region none need, since nobody sees its results before the run ends. It gives no sequence:
// where its caller does not inline it, that would be allocated by every run.
func (p *Program) Waiting(fallible int, each func(types.Type)) {
	for j := range p.Results {
		if p.Waits(j, fallible) {
			each(p.Signature.Results[j].Type)
		}
	}
}

// Carried calls each with the types of what loops of the program carry and have memory of
// their own for, besides that of what they give.
func (p *Program) Carried(each func(types.Type)) {
	for i := range p.Steps {
		loop, ok := p.Steps[i].Work.(*Loop)
		if !ok {
			continue
		}
		for i, a := range loop.Init {
			if !loop.Stays[i] {
				each(a.Type)
			}
		}
	}
}
