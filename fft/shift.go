package fft

import (
	"ltc/ir/types"
	"ltc/lazy"
)

func computeFFTShift(x *lazy.Tensor, axes []int) *lazy.Tensor {
	return turned(x, axes, func(n int) int { return lazy.SizeSub(n, lazy.SizeDiv(n, 2)) })
}

func computeIFFTShift(x *lazy.Tensor, axes []int) *lazy.Tensor {
	return turned(x, axes, func(n int) int { return lazy.SizeDiv(n, 2) })
}

// turned puts the elements of each axis, all when none is given, before a place behind the others.
func turned(x *lazy.Tensor, axes []int, place func(n int) int) *lazy.Tensor {
	if len(axes) == 0 {
		axes = types.Axes(x.Rank())
	}
	x = x.Clone()
	for _, a := range axes {
		n := x.OpenDim(a)
		at := place(n)
		x = lazy.Concatenate(a, x.Narrow(a, at, lazy.SizeSub(n, at)), x.Narrow(a, 0, at))
	}
	return x
}
