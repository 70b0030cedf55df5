package lazy

import (
	"ltc/ir"
	"ltc/ir/types"
	"ltc/soa"
)

// window says where the elements of a view lie in the storage, whose own lie in
// row-major order.
type window struct {
	offset  int
	strides []int // nil: row-major without gaps
}

// window returns where t's elements lie in its storage.
func (t *Tensor) window() window {
	if t.isView() {
		return t.alias.win
	}
	return window{}
}

// dense returns the strides of w for a shape.
func (w window) dense(s types.Shape) []int {
	if w.strides == nil {
		return soa.Dense(s)
	}
	return w.strides
}

// after returns the window that a step makes of w; ok is false when the
// elements do not lie in one. The shapes are those before and after.
func (w window) after(s step, before, shape types.Shape) (out window, ok bool) {
	out.offset = w.offset
	switch s.op {
	case ir.OpReshape:
		if w.strides == nil {
			return w, true
		}
		out.strides, ok = reshaped(before, w.strides, shape)
		return out, ok
	case ir.OpAsStrided:
		return window{int(s.attrs[2].Int), s.attrs[1].Ints}, true
	}
	old := w.dense(before)
	out.strides = make([]int, len(shape))
	switch s.op {
	case ir.OpTranspose:
		for i, p := range s.attrs[0].Ints {
			out.strides[i] = old[p]
		}
	case ir.OpSlice:
		for i, start := range s.attrs[0].Ints {
			if shape[i] == 0 {
				continue // there is no first element
			}
			out.offset += start * old[i]
			if out.strides[i] = old[i]; shape[i] > 1 {
				out.strides[i] *= s.attrs[2].Ints[i]
			}
		}
	case ir.OpBroadcast:
		for i, axis := range s.attrs[1].Ints {
			if before[i] == shape[axis] {
				out.strides[axis] = old[i]
			}
		}
	default:
		panic("lazy: no window for " + s.op.String())
	}
	return out, true
}

// reshaped returns the strides with which the elements of a strided window lie
// in another shape; ok is false when they do not lie in any. Axes that lie
// without a gap between them can be cut anew, others only each by itself.
func reshaped(before types.Shape, strides []int, shape types.Shape) (out []int, ok bool) {
	if before.Elements() == 0 {
		return soa.Dense(shape), true
	}
	out = make([]int, len(shape))
	k := len(shape) - 1
	for i := len(before) - 1; i >= 0; {
		if before[i] == 1 {
			i--
			continue
		}
		run, stride := before[i], strides[i]
		for i--; i >= 0 && (before[i] == 1 || strides[i] == run*stride); i-- {
			run *= before[i]
		}
		for next := stride; run > 1; k-- {
			if k < 0 || run%shape[k] != 0 {
				return nil, false
			}
			out[k] = next
			next *= shape[k]
			run /= shape[k]
		}
	}
	for ; k >= 0; k-- {
		out[k] = 1 // an axis of one element
	}
	return out, true
}

// of returns the elements of the window in a storage: where they lie if these
// are dense, and else a copy.
func (w window) of(storage soa.View, t types.Type) (v soa.View, copied bool, err error) {
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
	v, err = storage.Restride(t, w.offset, w.dense(t.Shape))
	if err != nil || v.IsDense() {
		return v, copied, err
	}
	if err := soa.Fits(t.Bytes()); err != nil { // a view may repeat its elements
		return soa.View{}, false, err
	}
	dense := soa.Make(t)
	return dense, true, soa.Copy(dense, v)
}
