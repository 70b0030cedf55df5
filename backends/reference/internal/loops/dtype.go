package loops

import (
	"ltc/ir/types"
	"ltc/mlir"
)

// DType is an element type of the evaluator: those of [types.DType] and those
// that only occur inside programs. Integers and floats of less than a byte
// take a byte each, with the value wrapped to the width; tf32 takes four.
type DType uint8

const (
	NoType DType = iota
	Token        // of no size
	I1
	I2
	I4
	I8
	I16
	I32
	I64
	U2
	U4
	U8
	U16
	U32
	U64
	F16
	BF16
	F32
	F64
	TF32
	F8E3M4
	F8E4M3
	F8E4M3FN
	F8E4M3FNUZ
	F8E4M3B11FNUZ
	F8E5M2
	F8E5M2FNUZ
	F8E8M0FNU
	F6E2M3FN
	F6E3M2FN
	F4E2M1FN
	C64  // complex<f32>
	C128 // complex<f64>
	numTypes
)

var dtypeTable = [numTypes]struct {
	size int // bytes in memory
	bits int // of the value
	mlir string
}{
	Token:         {0, 0, "!stablehlo.token"},
	I1:            {1, 1, "i1"},
	I2:            {1, 2, "i2"},
	I4:            {1, 4, "i4"},
	I8:            {1, 8, "i8"},
	I16:           {2, 16, "i16"},
	I32:           {4, 32, "i32"},
	I64:           {8, 64, "i64"},
	U2:            {1, 2, "ui2"},
	U4:            {1, 4, "ui4"},
	U8:            {1, 8, "ui8"},
	U16:           {2, 16, "ui16"},
	U32:           {4, 32, "ui32"},
	U64:           {8, 64, "ui64"},
	F16:           {2, 16, "f16"},
	BF16:          {2, 16, "bf16"},
	F32:           {4, 32, "f32"},
	F64:           {8, 64, "f64"},
	TF32:          {4, 19, "tf32"},
	F8E3M4:        {1, 8, "f8E3M4"},
	F8E4M3:        {1, 8, "f8E4M3"},
	F8E4M3FN:      {1, 8, "f8E4M3FN"},
	F8E4M3FNUZ:    {1, 8, "f8E4M3FNUZ"},
	F8E4M3B11FNUZ: {1, 8, "f8E4M3B11FNUZ"},
	F8E5M2:        {1, 8, "f8E5M2"},
	F8E5M2FNUZ:    {1, 8, "f8E5M2FNUZ"},
	F8E8M0FNU:     {1, 8, "f8E8M0FNU"},
	F6E2M3FN:      {1, 6, "f6E2M3FN"},
	F6E3M2FN:      {1, 6, "f6E3M2FN"},
	F4E2M1FN:      {1, 4, "f4E2M1FN"},
	C64:           {8, 64, "complex<f32>"},
	C128:          {16, 128, "complex<f64>"},
}

// publicTypes has the dtypes of those whose elements callers can hold.
var publicTypes = func() (all [numTypes]types.DType) {
	for d, from := range internalTypes {
		all[from] = d
	}
	return all
}()

// OfElement returns the evaluator's type for an element type. An index, in which
// programs may say shapes, is an i64 like any other.
func OfElement(t mlir.Type) DType {
	name := t.String()
	if name == "index" {
		return I64
	}
	for d := I1; d < numTypes; d++ {
		if dtypeTable[d].mlir == name {
			return d
		}
	}
	return NoType
}

// MaxElement is the size of the largest element, in bytes.
const MaxElement = 16

// Size is the bytes of an element in memory.
func (d DType) Size() int { return dtypeTable[d].size }

// Bits is the bits of an element's value.
func (d DType) Bits() int { return dtypeTable[d].bits }

// Public is the type that callers know.
func (d DType) Public() types.DType { return publicTypes[d] }

// String is the type as the text has it.
func (d DType) String() string { return dtypeTable[d].mlir }

// IsFloat reports whether elements are floats of any width.
func (d DType) IsFloat() bool { return d >= F16 && d < C64 }

// isNarrow reports whether elements are floats that are computed in f32.
func (d DType) isNarrow() bool { return d.IsFloat() && d != F32 && d != F64 }

// IsInt reports whether elements are integers; i1 is none.
func (d DType) IsInt() bool { return d >= I2 && d <= U64 }

// IsSmallInt reports whether elements are integers of less than a byte.
func (d DType) IsSmallInt() bool { return d.IsInt() && d.Bits() < 8 }

// IsSigned reports whether elements are signed integers.
func (d DType) IsSigned() bool { return d >= I2 && d <= I64 }

// IsComplex reports whether elements are complex numbers.
func (d DType) IsComplex() bool { return d >= C64 }

// Part is the type of a complex type's two parts.
func (d DType) Part() DType {
	if d == C64 {
		return F32
	}
	return F64
}

// Accum is the type in which sums and products of many elements are computed.
func (d DType) Accum() DType {
	switch {
	case d.isNarrow():
		return F32
	case d.IsSmallInt():
		return d.storage()
	}
	return d
}

// internalTypes has the evaluator's types of those that callers can hold.
var internalTypes = func() map[types.DType]DType {
	all := map[types.DType]DType{}
	for _, d := range types.AllDTypes() {
		if !d.IsComplex() { // callers hold the parts
			all[d] = OfElement(mlir.ElementOf(d))
		}
	}
	return all
}()

// Of returns the evaluator's type of elements that callers can hold.
func Of(d types.DType) DType { return internalTypes[d] }

// ByInteger picks the instance of a function for integers of type d, of a byte or more; the
// zero F for other types.
func ByInteger[F any](d DType, i8, i16, i32, i64, u8, u16, u32, u64 F) (f F) {
	switch d {
	case I8:
		f = i8
	case I16:
		f = i16
	case I32:
		f = i32
	case I64:
		f = i64
	case U8:
		f = u8
	case U16:
		f = u16
	case U32:
		f = u32
	case U64:
		f = u64
	}
	return f
}

// Layout is the type of a byte or more whose integers are in memory as those of d are: that
// of i1 is ui8. Other types are their own.
func (d DType) Layout() DType {
	switch {
	case d == I1:
		return U8
	case d.IsSmallInt():
		return d.storage()
	}
	return d
}
