package loops

import (
	"math"
	"unsafe"

	"ltc/backends/reference/internal/scalarmath"
	"ltc/mlir"
	"ltc/stablehlo"
)

// Binary returns the kernel of an op on elements of type d; nil if the
// op has no such elements.
func Binary(op mlir.Code, d DType) Loop2 {
	if f := ByInteger(d, ints2[int8], ints2[int16], ints2[int32], ints2[int64], ints2[uint8], ints2[uint16], ints2[uint32], ints2[uint64]); f != nil {
		return f(op)
	}
	switch {
	case d == I1:
		return Erase2(boolBinary(op))
	case d == F32:
		return Erase2(float32Binary(op))
	case d == F64:
		return Erase2(floatBinary[float64](op))
	case d == F16 || d == BF16:
		return inFloat32x2(d, float32Binary(op))
	case d.isNarrow():
		return inFloat32x2(d, floatBinary[float32](op))
	case d == C64:
		return Erase2(complexBinary[complex64](op))
	case d == C128:
		return Erase2(complexBinary[complex128](op))
	case d.IsSmallInt():
		return smallBinary(op, d)
	}
	return nil
}

func ints2[T Integer](op mlir.Code) Loop2 { return Erase2(intBinary[T](op)) }

// boolBinary: booleans add like or and multiply like and.
func boolBinary(op mlir.Code) func(o, a, b []uint8) {
	switch op {
	case stablehlo.Add, stablehlo.Or, stablehlo.Maximum:
		return func(o, a, b []uint8) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = a[i] | b[i]
			}
		}
	case stablehlo.Multiply, stablehlo.And, stablehlo.Minimum:
		return func(o, a, b []uint8) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = a[i] & b[i]
			}
		}
	case stablehlo.Xor:
		return func(o, a, b []uint8) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = a[i] ^ b[i]
			}
		}
	}
	return nil
}

// arithmetic holds what integers and floats have in common. The loops are
// written out: a call per element would cost more than the op.
func arithmetic[T number](op mlir.Code) func(o, a, b []T) {
	switch op {
	case stablehlo.Add:
		return func(o, a, b []T) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = a[i] + b[i]
			}
		}
	case stablehlo.Subtract:
		return func(o, a, b []T) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = a[i] - b[i]
			}
		}
	case stablehlo.Multiply:
		return func(o, a, b []T) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = a[i] * b[i]
			}
		}
	case stablehlo.Maximum: // NaN if either is; -0 is less than 0
		return func(o, a, b []T) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = max(a[i], b[i])
			}
		}
	case stablehlo.Minimum:
		return func(o, a, b []T) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = min(a[i], b[i])
			}
		}
	}
	return nil
}

func floatBinary[T Float](op mlir.Code) func(o, a, b []T) {
	switch op {
	case stablehlo.Divide:
		return func(o, a, b []T) {
			a, b = a[:len(o)], b[:len(o)]
			for i := range o {
				o[i] = a[i] / b[i]
			}
		}
	case stablehlo.Remainder: // truncated: the sign is the dividend's
		return inFloat64x2[T](math.Mod)
	case stablehlo.Power:
		if unsafe.Sizeof(T(0)) == 8 {
			return inFloat64x2[T](scalarmath.Pow)
		}
		return inFloat64x2[T](math.Pow)
	case stablehlo.Atan2:
		return inFloat64x2[T](scalarmath.Atan2)
	}
	return arithmetic[T](op)
}

func intBinary[T Integer](op mlir.Code) func(o, a, b []T) {
	width := T(8 * unsafe.Sizeof(T(0))) // fits every T
	switch op {
	case stablehlo.Divide:
		return each2(divide[T])
	case stablehlo.Remainder:
		return each2(remainder[T])
	case stablehlo.Power:
		return each2(power[T])
	case stablehlo.And:
		return each2(func(a, b T) T { return a & b })
	case stablehlo.Or:
		return each2(func(a, b T) T { return a | b })
	case stablehlo.Xor:
		return each2(func(a, b T) T { return a ^ b })
	case stablehlo.ShiftLeft:
		return each2(func(a, b T) T {
			if b < 0 || b >= width {
				return 0
			}
			return a << b
		})
	case stablehlo.ShiftRightLogical:
		mask := ^uint64(0) >> (64 - 8*unsafe.Sizeof(T(0)))
		return each2(func(a, b T) T {
			if b < 0 || b >= width {
				return 0
			}
			return T(uint64(a) & mask >> uint64(b))
		})
	case stablehlo.ShiftRightArithmetic:
		return each2(func(a, b T) T { return shiftArithmetic(a, b, width) })
	}
	return arithmetic[T](op)
}

func divide[T Integer](a, b T) T {
	if b == 0 {
		return ^T(0)
	}
	return a / b // the lowest integer by -1 is itself, as Go has it
}

func remainder[T Integer](a, b T) T {
	if b == 0 {
		return a
	}
	return a % b
}

// power multiplies modulo 2^width. Of negative exponents, only powers of 1 and
// -1 are integers; all others give 0.
func power[T Integer](a, b T) T {
	if b < 0 {
		switch {
		case a == 1:
			return 1
		case a == ^T(0):
			return 1 - 2*(b&1)
		}
		return 0
	}
	r := T(1)
	for ; b > 0; b >>= 1 {
		if b&1 == 1 {
			r *= a
		}
		a *= a
	}
	return r
}

// shiftArithmetic repeats the highest bit, of unsigned integers too.
func shiftArithmetic[T Integer](a, b, width T) T {
	if b < 0 || b >= width {
		b = width - 1
	}
	high := T(1) << (width - 1)
	if a&high == 0 || a < 0 {
		return a >> b
	}
	return ^(^a >> b) // an unsigned a with the highest bit set
}
