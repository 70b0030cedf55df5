package emit

import "ltc/backends/kit/kernel"

// Items returns how many items a launch of these sizes has: what parts share
// out, each a range of them. Without any there is nothing to do.
func (s *Schedule) Items(k *kernel.Kernel, sizes []int64) int64 {
	n := int64(1)
	for _, a := range k.Axes {
		if a.Size.Of(sizes) == 0 {
			return 0 // what is read outside of all loops need not be there then
		}
	}
	for _, a := range s.Cut {
		n *= k.Axes[a].Size.Of(sizes)
	}
	if s.Shared >= 0 {
		n *= (k.Axes[s.Shared].Size.Of(sizes) + s.Piece - 1) / s.Piece
	}
	return n
}

// Cost returns about how many nanoseconds a launch of these sizes takes.
func (s *Schedule) Cost(k *kernel.Kernel, sizes []int64) float64 {
	const op = 0.3
	all, sum := 1.0, 0.0
	for _, a := range k.Axes {
		all *= float64(a.Size.Of(sizes))
	}
	for i := range k.Stages {
		lanes, n := float64(s.Lanes), 1.0
		vector := s.Vector
		if s.Form == Rows {
			lanes, vector = float64(s.Stages[i].Lanes), s.Stages[i].Vector-len(k.Axes)
		}
		for a, axis := range k.Stages[i].Axes {
			each := float64(axis.Size.Of(sizes))
			if s.Form == Rows && a == vector && each < lanes {
				each = lanes
			}
			n *= each
		}
		if len(k.Stages[i].Axes) == 0 && s.Form == Rows {
			lanes = 1
		}
		sum += s.per[i] * max(n/lanes, 1/float64(s.Lanes))
	}
	return op * all * sum
}
