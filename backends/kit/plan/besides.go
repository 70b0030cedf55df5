package plan

import "ltc/ir/types"

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
// is a loop whose iterations are kernels alone: such a loop fails before its first iteration, or
// as kernels do.
func (p *Program) LastFailing() int {
	last := p.LastFallible
	if last < 0 {
		return last
	}
	if loop, ok := p.Steps[last].Work.(*Loop); ok && loop.Cond.LastFallible < 0 && loop.Body.LastFallible < 0 {
		return last - 1
	}
	return last
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
