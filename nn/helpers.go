package nn

import (
	"slices"

	"ltc/ir/types"
	"ltc/lazy"
)

// wide calls f with tensors in f32 where they have 16 bits, and rounds the result once.
func wide(f func(x ...*lazy.Tensor) *lazy.Tensor, xs ...*lazy.Tensor) *lazy.Tensor {
	d := xs[0].DType()
	if !narrow(d) {
		return f(xs...)
	}
	return f(inF32(xs...)...).Convert(d)
}

// narrow reports whether a dtype has 16 bits, so that composites compute in f32.
func narrow(d types.DType) bool { return d == types.F16 || d == types.BF16 }

// inF32 returns tensors, in f32 where they have 16 bits. Those left out are nil.
func inF32(xs ...*lazy.Tensor) []*lazy.Tensor {
	all := slices.Clone(xs)
	for i, x := range all {
		if x != nil && narrow(x.DType()) {
			all[i] = x.Convert(types.F32)
		}
	}
	return all
}

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
