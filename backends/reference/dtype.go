package reference

import (
	"slices"
	"strconv"

	"ltc/ir/types"
	"ltc/mlir"
	"ltc/soa"
)

// dtype is an element type of the evaluator: those of [types.DType] and the
// integers that only occur inside programs.
type dtype uint8

const (
	noType dtype = iota
	token        // of no size
	i1
	i8
	i16
	i32
	i64
	u8
	u16
	u32
	u64
	f16
	bf16
	f32
	f64
	numTypes
)

var dtypeTable = [numTypes]struct {
	size   int
	mlir   string
	public types.DType
}{
	token: {0, "!stablehlo.token", types.Invalid},
	i1:    {1, "i1", types.Bool},
	i8:    {1, "i8", types.Invalid},
	i16:   {2, "i16", types.Invalid},
	i32:   {4, "i32", types.I32},
	i64:   {8, "i64", types.I64},
	u8:    {1, "ui8", types.U8},
	u16:   {2, "ui16", types.Invalid},
	u32:   {4, "ui32", types.U32},
	u64:   {8, "ui64", types.U64},
	f16:   {2, "f16", types.F16},
	bf16:  {2, "bf16", types.BF16},
	f32:   {4, "f32", types.F32},
	f64:   {8, "f64", types.F64},
}

func dtypeOf(t mlir.Type) dtype {
	name := t.String()
	for d := i1; d < numTypes; d++ {
		if dtypeTable[d].mlir == name {
			return d
		}
	}
	return noType
}

func (d dtype) size() int           { return dtypeTable[d].size }
func (d dtype) public() types.DType { return dtypeTable[d].public }
func (d dtype) String() string      { return dtypeTable[d].mlir }
func (d dtype) isFloat() bool       { return d >= f16 }
func (d dtype) isHalf() bool        { return d == f16 || d == bf16 }
func (d dtype) isInt() bool         { return d >= i8 && d <= u64 }

// accum is the type in which sums and products of many elements are computed.
func (d dtype) accum() dtype {
	if d.isHalf() {
		return f32
	}
	return d
}

// tensor is the type of a value: elements, dimensions and their product.
type tensor struct {
	dt    dtype
	shape []int
	n     int
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

func (t tensor) equal(o tensor) bool { return t.dt == o.dt && slices.Equal(t.shape, o.shape) }

// String prints the type as the text has it.
func (t tensor) String() string {
	s := "tensor<"
	for _, d := range t.shape {
		s += strconv.Itoa(d) + "x"
	}
	return s + t.dt.String() + ">"
}

// public is the type that a caller knows t as.
func (t tensor) public() types.Type { return types.Of(t.dt.public(), t.shape...) }

// element is the type of a scalar with t's elements.
func (t tensor) element() tensor { return tensorOf(t.dt) }

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
	if d == noType {
		return tensor{}, "elements of type " + tt.Elem.String()
	}
	shape := make([]int, len(tt.Shape))
	for i, n := range tt.Shape {
		if n < 0 {
			return tensor{}, "dynamic shape " + t.String()
		}
		shape[i] = int(n)
	}
	// The sizes of inner types are as those of a public one of equal width.
	size := [...]types.DType{1: types.U8, 2: types.F16, 4: types.I32, 8: types.I64}[d.size()]
	if err := types.Of(size, shape...).Check(); err != nil {
		return tensor{}, err.Error()
	}
	r := tensorOf(d, shape...)
	if err := soa.Fits(r.bytes()); err != nil {
		return tensor{}, t.String() + ": " + err.Error()
	}
	return r, ""
}
