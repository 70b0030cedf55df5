package nn

import (
	"slices"

	"ltc/lazy"
)

// number returns v as a scalar of the dtype of x.
func number(x *lazy.Tensor, v float64) *lazy.Tensor { return lazy.Full(x.Trace(), x.DType(), v) }

// alongChannels returns v[channels] so that it broadcasts along axis 1 of x.
func alongChannels(v, x *lazy.Tensor) *lazy.Tensor {
	dims := slices.Repeat([]int{1}, x.Rank()-1)
	dims[0] = v.OpenDim(0)
	return v.Reshape(dims...)
}

// broadcastsTo reports whether v broadcasts to the shape of x.
func broadcastsTo(v, x *lazy.Tensor) bool {
	from, to := v.OpenShape(), x.OpenShape()
	if len(from) > len(to) {
		return false
	}
	for i, n := range from {
		if n != 1 && n != to[len(to)-len(from)+i] {
			return false
		}
	}
	return true
}

// broadcastBatches reports whether the axes of x and y before the last own ones broadcast.
func broadcastBatches(x, y *lazy.Tensor, own int) bool {
	a, b := x.OpenShape()[:x.Rank()-own], y.OpenShape()[:y.Rank()-own]
	for i := 1; i <= min(len(a), len(b)); i++ {
		if m, n := a[len(a)-i], b[len(b)-i]; m != n && m != 1 && n != 1 {
			return false
		}
	}
	return true
}

// axesFrom returns the axes of x from one on.
func axesFrom(x *lazy.Tensor, first int) (axes []int) {
	for a := first; a < x.Rank(); a++ {
		axes = append(axes, a)
	}
	return axes
}

// allBut returns the axes of x but one.
func allBut(x *lazy.Tensor, but int) []int {
	return slices.DeleteFunc(axesFrom(x, 0), func(a int) bool { return a == but })
}

// countOver returns the number of elements over axes, which may be open.
func countOver(x *lazy.Tensor, axes []int) int {
	n := 1
	for _, a := range axes {
		n = lazy.SizeMul(n, x.OpenDim(a))
	}
	return n
}

// sizes returns the number of elements over axes as a scalar of the dtype of x.
func sizes(x *lazy.Tensor, axes []int) *lazy.Tensor {
	return lazy.Iota(x.Trace(), lazy.I64, 0, countOver(x, axes)).Size(0).Convert(x.DType())
}
