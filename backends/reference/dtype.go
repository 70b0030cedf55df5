package reference

import (
	"slices"
	"strconv"

	"ltc/ir/types"
	"ltc/mlir"
	"ltc/soa"
)

// dtype is an element type of the evaluator: those of [types.DType] and those
// that only occur inside programs. Integers and floats of less than a byte
// take a byte each, with the value wrapped to the width; tf32 takes four.
type dtype uint8

const (
	noType dtype = iota
	token        // of no size
	i1
	i2
	i4
	i8
	i16
	i32
	i64
	u2
	u4
	u8
	u16
	u32
	u64
	f16
	bf16
	f32
	f64
	tf32
	f8E3M4
	f8E4M3
	f8E4M3FN
	f8E4M3FNUZ
	f8E4M3B11FNUZ
	f8E5M2
	f8E5M2FNUZ
	f8E8M0FNU
	f6E2M3FN
	f6E3M2FN
	f4E2M1FN
	c64  // complex<f32>
	c128 // complex<f64>
	numTypes
)

var dtypeTable = [numTypes]struct {
	size int // bytes in memory
	bits int // of the value
	mlir string
}{
	token:         {0, 0, "!stablehlo.token"},
	i1:            {1, 1, "i1"},
	i2:            {1, 2, "i2"},
	i4:            {1, 4, "i4"},
	i8:            {1, 8, "i8"},
	i16:           {2, 16, "i16"},
	i32:           {4, 32, "i32"},
	i64:           {8, 64, "i64"},
	u2:            {1, 2, "ui2"},
	u4:            {1, 4, "ui4"},
	u8:            {1, 8, "ui8"},
	u16:           {2, 16, "ui16"},
	u32:           {4, 32, "ui32"},
	u64:           {8, 64, "ui64"},
	f16:           {2, 16, "f16"},
	bf16:          {2, 16, "bf16"},
	f32:           {4, 32, "f32"},
	f64:           {8, 64, "f64"},
	tf32:          {4, 19, "tf32"},
	f8E3M4:        {1, 8, "f8E3M4"},
	f8E4M3:        {1, 8, "f8E4M3"},
	f8E4M3FN:      {1, 8, "f8E4M3FN"},
	f8E4M3FNUZ:    {1, 8, "f8E4M3FNUZ"},
	f8E4M3B11FNUZ: {1, 8, "f8E4M3B11FNUZ"},
	f8E5M2:        {1, 8, "f8E5M2"},
	f8E5M2FNUZ:    {1, 8, "f8E5M2FNUZ"},
	f8E8M0FNU:     {1, 8, "f8E8M0FNU"},
	f6E2M3FN:      {1, 6, "f6E2M3FN"},
	f6E3M2FN:      {1, 6, "f6E3M2FN"},
	f4E2M1FN:      {1, 4, "f4E2M1FN"},
	c64:           {8, 64, "complex<f32>"},
	c128:          {16, 128, "complex<f64>"},
}

// publicTypes has the dtypes of those whose elements callers can hold.
var publicTypes = func() (all [numTypes]types.DType) {
	for _, d := range types.DTypes() {
		all[dtypeOf(mlir.ElementOf(d))] = d
	}
	return all
}()

// dtypeOf returns the evaluator's type for an element type. An index, in which
// programs may say shapes, is an i64 like any other.
func dtypeOf(t mlir.Type) dtype {
	name := t.String()
	if name == "index" {
		return i64
	}
	for d := i1; d < numTypes; d++ {
		if dtypeTable[d].mlir == name {
			return d
		}
	}
	return noType
}

// maxElement is the size of the largest element, in bytes.
const maxElement = 16

func (d dtype) size() int           { return dtypeTable[d].size }
func (d dtype) bits() int           { return dtypeTable[d].bits }
func (d dtype) public() types.DType { return publicTypes[d] }
func (d dtype) String() string      { return dtypeTable[d].mlir }
func (d dtype) isFloat() bool       { return d >= f16 && d < c64 }
func (d dtype) isHalf() bool        { return d == f16 || d == bf16 }
func (d dtype) isMini() bool        { return d >= tf32 && d < c64 }
func (d dtype) isInt() bool         { return d >= i2 && d <= u64 }
func (d dtype) isSmallInt() bool    { return d.isInt() && d.bits() < 8 }
func (d dtype) isSigned() bool      { return d >= i2 && d <= i64 }
func (d dtype) isComplex() bool     { return d >= c64 }

// part is the type of a complex type's two parts.
func (d dtype) part() dtype {
	if d == c64 {
		return f32
	}
	return f64
}

// accum is the type in which sums and products of many elements are computed.
func (d dtype) accum() dtype {
	switch {
	case d.isHalf() || d.isMini():
		return f32
	case d.isSmallInt():
		return d.storage()
	}
	return d
}

// tensor is the type of a value: elements, dimensions and their product.
type tensor struct {
	dt    dtype
	shape []int
	n     int
	q     *quant // of a quantized tensor, whose integers are of type dt; else nil
}

func tensorOf(d dtype, shape ...int) tensor {
	t := tensor{dt: d, shape: shape, n: 1}
	for _, s := range shape {
		t.n *= s
	}
	return t
}

func (t tensor) bytes() int   { return t.n * t.dt.size() }
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
func (t tensor) public() types.Type { return types.Of(t.dt.public(), t.shape...) }

// element is the type of a scalar with t's elements.
func (t tensor) element() tensor { return tensor{dt: t.dt, n: 1, q: t.q} }

// parseTensor returns the evaluator's form of an MLIR type, or why it has none.
func parseTensor(t mlir.Type) (tensor, string) {
	tt, ok := t.(*mlir.TensorType)
	switch {
	case !ok:
		return tensor{}, t.String() + " is not a tensor"
	case tt.Unranked:
		return tensor{}, "unranked " + t.String()
	case tt.Encoding != nil:
		return tensor{}, t.String() + " has an encoding"
	}
	d := dtypeOf(tt.Elem)
	q, storage, reason := quantOf(tt.Elem)
	switch {
	case reason != "":
		return tensor{}, reason
	case q != nil:
		d = storage
	case d == noType:
		return tensor{}, "elements of type " + tt.Elem.String()
	}
	shape := make([]int, len(tt.Shape))
	for i, n := range tt.Shape {
		if n < 0 {
			return tensor{}, "dynamic shape " + t.String()
		}
		shape[i] = int(n)
	}
	// A type of bytes, with a dimension more for those of an element, is as large.
	if err := types.Of(types.U8, append(slices.Clip(shape), d.size())...).Check(); err != nil {
		return tensor{}, err.Error()
	}
	if q != nil {
		if why := q.Misfit(tt.Shape); why != "" {
			return tensor{}, t.String() + ": " + why
		}
	}
	r := tensorOf(d, shape...)
	r.q = q
	if err := soa.Fits(r.bytes()); err != nil {
		return tensor{}, t.String() + ": " + err.Error()
	}
	return r, ""
}
