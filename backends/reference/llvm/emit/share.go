package emit

import (
	"slices"

	"ltc/backends/kit/kernel"
)

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

// Together returns how many items of a launch of these sizes are best run in one call,
// side by side: those of a strip whose sums are in memory. Each row of it is read as one.
// Of less, rows are short runs of memory that lie far apart: processors begin to fetch
// ahead anew in each, and a sum of columns takes 1.7 times as long where these are 384.
func (s *Schedule) Together(k *kernel.Kernel, sizes []int64) int64 {
	if s.Form != Strips || slices.ContainsFunc(s.Stages, func(t Stage) bool { return t.Held > 0 }) {
		return 1
	}
	a := launches.Get()
	defer launches.Put(a)
	*a = sizes
	width := min(stripWidth(a, k, s), k.Axes[s.Vector].Size.Of(sizes))
	return (width + s.Piece - 1) / s.Piece
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

// Bytes returns how many bytes of its operands a launch of these sizes reads and writes: all of
// an operand at most, and of one that is gathered from as many elements as are loaded.
func (s *Schedule) Bytes(k *kernel.Kernel, sizes []int64) float64 {
	sum := 0.0
	for i := 0; i < len(s.touched); {
		param := s.touched[i].param
		loaded, all := 0.0, 1.0
		for ; i < len(s.touched) && s.touched[i].param == param; i++ {
			n := float64(s.touched[i].count)
			for _, a := range k.Axes {
				n *= float64(a.Size.Of(sizes))
			}
			for _, a := range k.Stages[s.touched[i].stage].Axes {
				n *= float64(a.Size.Of(sizes))
			}
			loaded += n
		}
		for d, size := range k.Params[param].Dims {
			if k.Params[param].Strides[d] != kernel.ZeroStride {
				all *= float64(size.Of(sizes))
			}
		}
		sum += min(loaded, all) * float64(k.Params[param].DType.Size())
	}
	return sum
}
