package eval

import (
	"slices"
	"strconv"

	"ltc/backends/reference/internal/loops"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/soa"
)

// tensor is the type of a value: elements, dimensions and their product.
type tensor struct {
	dt    loops.DType
	shape []int
	n     int
	q     *quant // of a quantized tensor, whose integers are of type dt; else nil
}

func tensorOf(d loops.DType, shape ...int) tensor {
	return tensor{dt: d, shape: shape, n: types.Shape(shape).Elements()}
}

func (t tensor) bytes() int { return t.n * t.dt.Size() }

func (t tensor) scalar() bool { return len(t.shape) == 0 }

func (t tensor) equal(o tensor) bool {
	return t.dt == o.dt && t.q.equal(o.q) && slices.Equal(t.shape, o.shape)
}

// String prints the type as the text has it.
func (t tensor) String() string {
	s := "tensor<"
	for _, d := range t.shape {
		s += strconv.Itoa(d) + "x"
	}
	if t.q != nil {
		return s + t.q.text + ">"
	}
	return s + t.dt.String() + ">"
}

// public is the type that a caller knows t as.
func (t tensor) public() types.Type { return types.Of(t.dt.Public(), t.shape...) }

// hosted is the type as functions of the host have it, which take complex numbers besides.
func (t tensor) hosted() types.Type {
	switch t.dt {
	case loops.C64:
		return types.Of(types.C64, t.shape...)
	case loops.C128:
		return types.Of(types.C128, t.shape...)
	}
	return t.public()
}

// element is the type of a scalar with t's elements.
func (t tensor) element() tensor { return tensor{dt: t.dt, n: 1, q: t.q} }

// parseTensor returns the evaluator's form of an MLIR type, or why it has none.
func parseTensor(t mlir.Type) (tensor, string) {
	r, reason := sizedTensor(t)
	if reason != "" {
		return tensor{}, reason
	}
	if !dims.Static(r.shape) {
		return tensor{}, "dynamic shape " + t.String()
	}
	// A type of bytes, with a dimension more for those of an element, is as large.
	if err := types.Of(types.U8, append(slices.Clip(r.shape), r.dt.Size())...).Check(); err != nil {
		return tensor{}, err.Error()
	}
	if r.q != nil {
		if why := r.q.Misfit(t.(*mlir.TensorType).Shape); why != "" {
			return tensor{}, t.String() + ": " + why
		}
	}
	if err := soa.Fits(r.bytes()); err != nil {
		return tensor{}, t.String() + ": " + err.Error()
	}
	return r, ""
}

// sizedTensor is parseTensor of a type whose sizes may be expressions. It does not check that
// memory can hold the elements.
func sizedTensor(t mlir.Type) (tensor, string) {
	tt, ok := t.(*mlir.TensorType)
	switch {
	case !ok:
		return tensor{}, t.String() + " is not a tensor"
	case tt.Unranked:
		return tensor{}, "unranked " + t.String()
	case tt.Encoding != nil:
		return tensor{}, t.String() + " has an encoding"
	}
	d := loops.OfElement(tt.Elem)
	q, storage, reason := quantOf(tt.Elem)
	switch {
	case reason != "":
		return tensor{}, reason
	case q != nil:
		d = storage
	case d == loops.NoType:
		return tensor{}, "elements of type " + tt.Elem.String()
	}
	shape := make([]int, len(tt.Shape))
	for i, n := range tt.Shape {
		if n < 0 && !dims.IsExpr(n) {
			return tensor{}, "dynamic shape " + t.String()
		}
		shape[i] = int(n)
	}
	r := tensorOf(d, shape...)
	r.q = q
	return r, ""
}
