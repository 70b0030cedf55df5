package ir

import (
	"fmt"
	"math"
	"strconv"

	"ltc/ir/types"
)

// LiteralBits returns the bits of x as an element of dtype d, rounded to nearest
// even for floating point, towards 0 for integers, which then wrap around. Bool
// is whether x is not 0. A complex number has the bits of its real part, and x is real.
func LiteralBits(d types.DType, x float64) uint64 {
	switch d = d.Part(); d {
	case types.F32:
		return uint64(math.Float32bits(float32(x)))
	case types.F64:
		return math.Float64bits(x)
	case types.F16:
		return uint64(types.ToFloat16(x))
	case types.BF16:
		return uint64(types.ToBFloat16(x))
	case types.F8E4M3FN, types.F8E5M2:
		return uint64(types.Float8Bits(d, x))
	case types.Bool:
		if x != 0 {
			return 1
		}
		return 0
	}
	// Go leaves it to the machine what a float beyond the integers becomes.
	switch {
	case x != x:
		return 0
	case x >= 1<<64:
		return truncate(d, math.MaxUint64)
	case x < -1<<63:
		return truncate(d, 1<<63)
	case x < 0:
		return truncate(d, uint64(int64(x)))
	}
	return truncate(d, uint64(x))
}

// IntLiteralBits returns the bits of the integer x as an element of dtype d;
// integers wrap around.
func IntLiteralBits(d types.DType, x int64) uint64 {
	if d.IsInteger() {
		return truncate(d, uint64(x))
	}
	return LiteralBits(d, float64(x))
}

// truncate keeps the bits that an element of d has.
func truncate(d types.DType, bits uint64) uint64 {
	return bits & (math.MaxUint64 >> (64 - 8*d.Size()))
}

// signExtend returns the value of the bits of a signed element.
func signExtend(d types.DType, bits uint64) int64 {
	shift := 64 - 8*d.Size()
	return int64(bits<<shift) >> shift
}

// WholeNumber returns the value of the bits of an element of dtype d, if it is an integer that an
// int has.
func WholeNumber(d types.DType, bits uint64) (n int, whole bool) {
	switch d = d.Part(); d {
	case types.I8, types.I16, types.I32, types.I64:
		return int(signExtend(d, bits)), true
	case types.U8, types.U16, types.U32, types.U64:
		return int(bits), bits <= math.MaxInt64
	case types.F16, types.BF16, types.F32, types.F64, types.F8E4M3FN, types.F8E5M2:
		x := floatValue(d, bits)
		return int(x), math.Abs(x) <= 1<<53 && x == math.Trunc(x)
	}
	return 0, false
}

// LiteralValue returns the number that the bits of an element of dtype d stand for, rounded to
// f64 if it is a large integer: of bool 0 or 1.
func LiteralValue(d types.DType, bits uint64) float64 {
	switch d = d.Part(); {
	case d.IsFloat() || d.IsFloat8():
		return floatValue(d, bits)
	case d.IsSigned():
		return float64(signExtend(d, bits))
	}
	return float64(bits)
}

// FormatLiteral prints an element so that [ParseLiteral] gives its bits again:
// numbers in decimal, bool as true and false, NaN as 0x and its bits.
func FormatLiteral(d types.DType, bits uint64) string {
	switch d = d.Part(); d {
	case types.Bool:
		return strconv.FormatBool(bits != 0)
	case types.I8, types.I16, types.I32, types.I64:
		return strconv.FormatInt(signExtend(d, bits), 10)
	case types.U8, types.U16, types.U32, types.U64:
		return strconv.FormatUint(bits, 10)
	}
	x, size := floatValue(d, bits), 32
	if d == types.F64 {
		size = 64
	}
	if x != x {
		return "0x" + strconv.FormatUint(bits, 16)
	}
	s := strconv.FormatFloat(x, 'g', -1, size)
	if _, err := strconv.Atoi(s); err == nil {
		s += ".0"
	}
	return s
}

func floatValue(d types.DType, bits uint64) float64 {
	switch d {
	case types.F32:
		return float64(math.Float32frombits(uint32(bits)))
	case types.F16:
		return float64(types.Float16(bits).Float32())
	case types.BF16:
		return float64(types.BFloat16(bits).Float32())
	case types.F8E4M3FN, types.F8E5M2:
		return float64(types.Float8Value(d, uint8(bits)))
	}
	return math.Float64frombits(bits)
}

// ParseLiteral reads what [FormatLiteral] prints. A number that the dtype
// cannot hold is an error; a fraction is rounded.
func ParseLiteral(d types.DType, s string) (uint64, error) {
	d = d.Part()
	size := 8 * d.Size()
	switch {
	case d == types.Bool:
		v, err := strconv.ParseBool(s)
		if err != nil || s != "true" && s != "false" {
			return 0, fmt.Errorf("%q is neither true nor false", s)
		}
		return IntLiteralBits(d, int64(map[bool]int{true: 1}[v])), nil
	case len(s) > 2 && s[:2] == "0x":
		bits, err := strconv.ParseUint(s[2:], 16, size)
		if err != nil {
			return 0, fmt.Errorf("%q are not the bits of %v", s, d)
		}
		return bits, nil
	case d.IsFloat() || d.IsFloat8():
		x, err := strconv.ParseFloat(s, max(size, 32))
		if err != nil {
			return 0, fmt.Errorf("%q is not a number of %v", s, d)
		}
		return LiteralBits(d, x), nil
	case d.IsSigned():
		x, err := strconv.ParseInt(s, 10, size)
		if err != nil {
			return 0, fmt.Errorf("%q is not a number of %v", s, d)
		}
		return truncate(d, uint64(x)), nil
	}
	x, err := strconv.ParseUint(s, 10, max(size, 8))
	if err != nil {
		return 0, fmt.Errorf("%q is not a number of %v", s, d)
	}
	return x, nil
}
