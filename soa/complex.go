package soa

import "slices"

// Parts returns a view of the real and the imaginary parts of complex numbers, in the same
// memory: its last dimension of 2 has the two parts. A view of another dtype is returned as
// it is.
func (v View) Parts() View {
	if !v.Type.DType.IsComplex() {
		return v
	}
	v.Type = v.Type.Parts()
	strides := make([]int, len(v.Strides)+1)
	for i, s := range v.Strides {
		strides[i] = 2 * s
	}
	strides[len(v.Strides)] = 1
	v.Strides = strides
	return v
}

// OfParts returns a view of the complex numbers whose parts are the elements of v, as
// [View.Parts] has them. It panics if v is no such view.
func (v View) OfParts() View {
	last := len(v.Strides) - 1
	d := v.Type.DType.Complex()
	if last < 0 || !d.Valid() || v.Type.DType.IsComplex() || v.Type.Shape[last] != 2 || v.Strides[last] != 1 ||
		v.Table != nil && v.TableAxis == last || slices.ContainsFunc(v.Strides[:last], func(s int) bool { return s%2 != 0 }) {
		panic("soa: OfParts of " + v.String() + ": it has no real and imaginary parts side by side")
	}
	v.Type.DType, v.Type.Shape = d, v.Type.Shape[:last:last]
	strides := make([]int, last)
	for i := range strides {
		strides[i] = v.Strides[i] / 2
	}
	v.Strides = strides
	return v
}
