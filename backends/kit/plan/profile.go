package plan

import (
	"slices"

	"ltc/backends"
)

// Profile returns what is known of a step before it runs: what it is, and, of one that is
// no loop and no branch, what it computes and moves.
func (p *Program) Profile(step int) backends.StepProfile {
	s := &p.Steps[step]
	of := s.Work.profile(p)
	of.Op, of.Line = s.Ordinal, backends.LineOf(s.Loc)
	return of
}

func (l *Launch) profile(p *Program) backends.StepProfile {
	k := p.Kernels[l.Kernel]
	work := k.Work(l.Sizes)
	return backends.StepProfile{Kernel: true, What: k.Describe(l.Sizes), Flops: work.Flops, Bytes: work.Bytes, Factors: work.Factors}
}

func (c *Composite) profile(*Program) backends.StepProfile {
	of := backends.StepProfile{Kernel: true, What: c.Name}
	for _, a := range slices.Concat(c.Args, c.Outs) {
		of.Bytes += float64(a.Type.Bytes())
	}
	return of
}

func (s *Sort) profile(*Program) backends.StepProfile {
	of := backends.StepProfile{Kernel: true, What: "sort"}
	for _, a := range slices.Concat(s.Args, s.Outs) {
		of.Bytes += float64(a.Type.Bytes())
	}
	return of
}

func (h *Host) profile(p *Program) backends.StepProfile {
	of := backends.StepProfile{What: h.Op.String()}
	for _, a := range h.Args {
		of.Bytes += float64(a.Type.Bytes())
	}
	for _, v := range h.Outs {
		of.Bytes += float64(p.Values[v].Type.Bytes())
	}
	return of
}

func (*Loop) profile(*Program) backends.StepProfile {
	return backends.StepProfile{What: "while", Nested: true}
}

func (*Branch) profile(*Program) backends.StepProfile {
	return backends.StepProfile{What: "branch", Nested: true}
}
