package functions

import (
	"slices"

	"ltc/ir/types"
	"ltc/lazy"
)

// Narrow reports whether a dtype is a float of 16 bits: composites compute in f32 then.
func Narrow(d types.DType) bool { return d == types.F16 || d == types.BF16 }

// InF32 returns tensors, in f32 where they are floats of 16 bits. Those left out are nil.
func InF32(xs ...*lazy.Tensor) []*lazy.Tensor {
	all := slices.Clone(xs)
	for i, x := range all {
		if x != nil && Narrow(x.DType()) {
			all[i] = x.Convert(types.F32)
		}
	}
	return all
}

// Wide calls f with tensors in f32 where they have 16 bits, and rounds its result once, to the
// dtype of the first tensor.
func Wide(f func(x ...*lazy.Tensor) *lazy.Tensor, xs ...*lazy.Tensor) *lazy.Tensor {
	d := xs[0].DType()
	if !Narrow(d) {
		return f(xs...)
	}
	return f(InF32(xs...)...).Convert(d)
}

// WideAll is [Wide] of a function with several results, of which those of f32 are rounded.
func WideAll(f func(x ...*lazy.Tensor) []*lazy.Tensor, xs ...*lazy.Tensor) []*lazy.Tensor {
	d := xs[0].DType()
	if !Narrow(d) {
		return f(xs...)
	}
	ys := f(InF32(xs...)...)
	for i, y := range ys {
		if y.DType() == types.F32 {
			ys[i] = y.Convert(d)
		}
	}
	return ys
}

// Finer calls f with tensors of one dtype in f64, and rounds its result once, to that dtype.
func Finer(f func(x ...*lazy.Tensor) *lazy.Tensor, xs ...*lazy.Tensor) *lazy.Tensor {
	d := xs[0].DType()
	if d == types.F64 {
		return f(xs...)
	}
	all := make([]*lazy.Tensor, len(xs))
	for i, x := range xs {
		all[i] = x.Convert(types.F64)
	}
	return f(all...).Convert(d)
}
