package nn

import (
	"slices"

	"ltc/internal/functions"
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
	shape, ok := functions.Batches(0, v, x)
	return ok && slices.Equal(shape, x.OpenShape())
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
