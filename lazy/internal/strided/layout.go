// Package strided says where the elements of a view lie, which ops of shapes have made of a
// storage whose own lie in row-major order. Its central type is [Layout].
//
// The package imports only ltc/ir, ltc/ir/dims, ltc/ir/types and ltc/soa.
package strided

import (
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/soa"
)

// Layout is where the first element lies in the storage, and how far apart the others are.
type Layout struct {
	Offset  int
	Strides []int // nil: row-major without gaps
}

// Dense returns the strides of l for a shape.
func (l Layout) Dense(s types.Shape) []int {
	if l.Strides == nil {
		return dense(s)
	}
	return l.Strides
}

// dense is [soa.Dense] of sizes that may be expressions.
func dense(s types.Shape) []int {
	if !dims.HasExpr(s...) {
		return soa.Dense(s)
	}
	strides, n := make([]int, len(s)), 1
	for i := len(s) - 1; i >= 0; i-- {
		strides[i], n = n, dims.Mul(n, s[i])
	}
	return strides
}

// After returns the layout that an op makes of l; ok is false when the elements do not
// lie in one. The shapes are those before and after.
func (l Layout) After(op ir.Op, attrs []ir.Attr, before, shape types.Shape) (out Layout, ok bool) {
	out.Offset = l.Offset
	switch op {
	case ir.OpReshape:
		if l.Strides == nil {
			return l, true
		}
		out.Strides, ok = reshaped(before, l.Strides, shape)
		return out, ok
	case ir.OpAsStrided:
		return Layout{int(attrs[2].Int), attrs[1].Ints}, true
	}
	old := l.Dense(before)
	out.Strides = make([]int, len(shape))
	switch op {
	case ir.OpTranspose:
		for i, p := range attrs[0].Ints {
			out.Strides[i] = old[p]
		}
	case ir.OpSlice:
		for i, start := range attrs[0].Ints {
			if shape[i] == 0 {
				continue // there is no first element
			}
			out.Offset = dims.Add(out.Offset, dims.Mul(start, old[i]))
			if out.Strides[i] = old[i]; !dims.AtMost(shape[i], 1) {
				out.Strides[i] = dims.Mul(out.Strides[i], attrs[2].Ints[i])
			}
		}
	case ir.OpBroadcast:
		for i, axis := range attrs[1].Ints {
			if before[i] == shape[axis] {
				out.Strides[axis] = old[i]
			}
		}
	default:
		panic("lazy: no layout for " + op.String())
	}
	return out, true
}

// reshaped returns the strides with which the elements of a layout lie
// in another shape; ok is false when they do not lie in any. Axes that lie
// without a gap between them can be cut anew, others only each by itself.
func reshaped(before types.Shape, strides []int, shape types.Shape) (out []int, ok bool) {
	if before.Elements() == 0 {
		return dense(shape), true
	}
	out = make([]int, len(shape))
	k := len(shape) - 1
	for i := len(before) - 1; i >= 0; {
		if before[i] == 1 {
			i--
			continue
		}
		run, stride := before[i], strides[i]
		for i--; i >= 0 && (before[i] == 1 || strides[i] == dims.Mul(run, stride)); i-- {
			run = dims.Mul(run, before[i])
		}
		for next := stride; !dims.AtMost(run, 1); k-- {
			if k < 0 || !dims.Divides(run, shape[k]) {
				return nil, false
			}
			out[k] = next
			next = dims.Mul(next, shape[k])
			run = dims.Div(run, shape[k])
		}
	}
	for ; k >= 0; k-- {
		out[k] = 1 // an axis of one element
	}
	return out, true
}

// Of returns the elements of the layout in a storage: where they lie if these
// are dense, and else a copy.
func (l Layout) Of(storage soa.View, t types.Type) (v soa.View, copied bool, err error) {
	if t.Elements() == 0 {
		return soa.Make(t), true, nil
	}
	if !storage.IsDense() {
		dense := soa.Make(storage.Type)
		if err := soa.Copy(dense, storage); err != nil {
			return soa.View{}, false, err
		}
		storage, copied = dense, true
	}
	v, err = storage.Restride(t, l.Offset, l.Dense(t.Shape))
	if err != nil || v.IsDense() {
		return v, copied, err
	}
	if err := soa.Fits(t.Bytes()); err != nil { // a view may repeat its elements
		return soa.View{}, false, err
	}
	dense := soa.Make(t)
	return dense, true, soa.Copy(dense, v)
}
