package types

import (
	"fmt"
	"slices"
)

// DType is the type of a tensor's elements.
type DType uint8

// The dtypes. Bool takes one byte, 0 or 1. Floating-point types are IEEE 754
// binary formats, but for BF16, which is F32 without its lower 16 bits. A complex
// number is two of F32 or F64, the real part and then the imaginary one. F8E4M3FN and
// F8E5M2 only store numbers: a program moves, compares and multiplies matrices of them,
// and converts them for all other arithmetic. F8E4M3FN has no infinity.
const (
	Invalid DType = iota
	Bool
	U8
	U16
	U32
	U64
	I8
	I16
	I32
	I64
	F16
	BF16
	F32
	F64
	C64
	C128
	F8E4M3FN
	F8E5M2
	numDTypes
)

type kind uint8

const (
	kindBool kind = iota + 1
	kindUnsigned
	kindSigned
	kindFloat
	kindComplex
	kindFloat8
)

var dtypes = [numDTypes]struct {
	name string
	size uint8
	kind kind
}{
	Invalid: {"invalid", 0, 0},
	Bool:    {"bool", 1, kindBool},
	U8:      {"u8", 1, kindUnsigned},
	U16:     {"u16", 2, kindUnsigned},
	U32:     {"u32", 4, kindUnsigned},
	U64:     {"u64", 8, kindUnsigned},
	I8:      {"i8", 1, kindSigned},
	I16:     {"i16", 2, kindSigned},
	I32:     {"i32", 4, kindSigned},
	I64:     {"i64", 8, kindSigned},
	F16:     {"f16", 2, kindFloat},
	BF16:    {"bf16", 2, kindFloat},
	F32:     {"f32", 4, kindFloat},
	F64:     {"f64", 8, kindFloat},
	C64:     {"c64", 8, kindComplex},
	C128:    {"c128", 16, kindComplex},

	F8E4M3FN: {"f8E4M3FN", 1, kindFloat8},
	F8E5M2:   {"f8E5M2", 1, kindFloat8},
}

// RealDTypes returns the dtypes that kernels compute with. Kernels have complex numbers as
// their parts, and floats of 8 bits as their bits. See [AllDTypes].
func RealDTypes() []DType {
	return slices.DeleteFunc(AllDTypes(), func(d DType) bool { return !d.IsReal() })
}

// AllDTypes returns every valid dtype.
func AllDTypes() []DType {
	all := make([]DType, 0, numDTypes-1)
	for d := Bool; d < numDTypes; d++ {
		all = append(all, d)
	}
	return all
}

// ParseDType returns the dtype with the given name.
func ParseDType(name string) (DType, bool) {
	for d := Bool; d < numDTypes; d++ {
		if dtypes[d].name == name {
			return d, true
		}
	}
	return Invalid, false
}

// Valid reports whether d is one of the dtypes.
func (d DType) Valid() bool { return d > Invalid && d < numDTypes }

// String returns the name, such as f32.
func (d DType) String() string {
	if d >= numDTypes {
		return fmt.Sprintf("dtype(%d)", uint8(d))
	}
	return dtypes[d].name
}

// Size returns the bytes an element takes in memory; 0 for an invalid dtype.
func (d DType) Size() int {
	if d >= numDTypes {
		return 0
	}
	return int(dtypes[d].size)
}

// Align returns the bytes that addresses of elements are a multiple of: those of an element, of a
// complex number those of a part.
func (d DType) Align() int { return d.Part().Size() }

func (d DType) kind() kind {
	if d >= numDTypes {
		return 0
	}
	return dtypes[d].kind
}

// IsFloat reports whether d is a floating-point type that there is arithmetic of; see [DType.IsFloat8].
func (d DType) IsFloat() bool { return d.kind() == kindFloat }

// IsFloat8 reports whether d is F8E4M3FN or F8E5M2: floating point, without arithmetic of its own.
func (d DType) IsFloat8() bool { return d.kind() == kindFloat8 }

// IsInteger reports whether d is a signed or unsigned integer type.
func (d DType) IsInteger() bool { return d.kind() == kindSigned || d.kind() == kindUnsigned }

// IsSigned reports whether d can hold negative numbers.
func (d DType) IsSigned() bool { return d.kind() == kindSigned || d.IsFloat() || d.IsFloat8() }

// IsNumber reports whether d is an integer or floating-point type.
func (d DType) IsNumber() bool { return d.IsFloat() || d.IsInteger() }

// Epsilon returns the distance from 1 to the next number of a floating-point dtype, of the parts of a complex
// one; 0 for others.
func (d DType) Epsilon() float64 {
	switch d.Part() {
	case BF16:
		return 0x1p-7
	case F16:
		return 0x1p-10
	case F32:
		return 0x1p-23
	case F64:
		return 0x1p-52
	}
	return 0
}

// IsReal reports whether d is one of [RealDTypes].
func (d DType) IsReal() bool { return d.Valid() && !d.IsComplex() && !d.IsFloat8() }

// IsComplex reports whether d is a type of complex numbers.
func (d DType) IsComplex() bool { return d.kind() == kindComplex }

// Continuous reports whether d is floating point or complex: what there are gradients of.
func (d DType) Continuous() bool { return d.IsFloat() || d.IsComplex() }

// Part returns the type of the real and the imaginary part of elements of d; d itself if
// these are not complex.
func (d DType) Part() DType {
	switch d {
	case C64:
		return F32
	case C128:
		return F64
	}
	return d
}

// Complex returns the type of complex numbers whose parts are of d; Invalid if there is none.
func (d DType) Complex() DType {
	switch d {
	case F32, C64:
		return C64
	case F64, C128:
		return C128
	}
	return Invalid
}
