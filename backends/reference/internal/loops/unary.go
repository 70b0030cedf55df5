package loops

import (
	"math"
	"math/bits"
	"unsafe"

	"ltc/mlir"
	"ltc/stablehlo"
)

// Unary returns the kernel of an op on elements of type d; nil if the
// op has no such elements.
func Unary(op mlir.Code, d DType) Loop1 {
	if f := ByInteger(d, ints1[int8], ints1[int16], ints1[int32], ints1[int64], ints1[uint8], ints1[uint16], ints1[uint32], ints1[uint64]); f != nil {
		return f(op)
	}
	switch {
	case d == I1:
		return Erase1(boolUnary(op))
	case d == F32:
		return Erase1(floatUnary[float32](op))
	case d == F64:
		return Erase1(floatUnary[float64](op))
	case d.isNarrow():
		return inFloat32(d, floatUnary[float32](op))
	case d == C64:
		return Erase1(complexUnary[complex64](op))
	case d == C128:
		return Erase1(complexUnary[complex128](op))
	case d.IsSmallInt():
		return smallUnary(op, d)
	}
	return nil
}

func ints1[T Integer](op mlir.Code) Loop1 { return Erase1(intUnary[T](op)) }

func boolUnary(op mlir.Code) func(o, a []uint8) {
	if op != stablehlo.Not {
		return nil
	}
	return func(o, a []uint8) {
		a = a[:len(o)]
		for i := range o {
			o[i] = a[i] ^ 1
		}
	}
}

func intUnary[T Integer](op mlir.Code) func(o, a []T) {
	switch op {
	case stablehlo.Abs:
		return each1(func(x T) T {
			if x < 0 {
				return -x
			}
			return x
		})
	case stablehlo.Negate:
		return each1(func(x T) T { return -x })
	case stablehlo.Not:
		return each1(func(x T) T { return ^x })
	case stablehlo.Popcnt:
		mask := ^uint64(0) >> (64 - 8*unsafe.Sizeof(T(0)))
		return each1(func(x T) T { return T(bits.OnesCount64(uint64(x) & mask)) })
	case stablehlo.CountLeadingZeros:
		unused := 64 - 8*int(unsafe.Sizeof(T(0)))
		mask := ^uint64(0) >> unused
		return each1(func(x T) T { return T(bits.LeadingZeros64(uint64(x)&mask) - unused) })
	case stablehlo.Sign:
		return each1(func(x T) T {
			switch {
			case x < 0:
				return ^T(0)
			case x > 0:
				return 1
			}
			return 0
		})
	}
	return nil
}

func floatUnary[T Float](op mlir.Code) func(o, a []T) {
	switch op {
	case stablehlo.Negate:
		return func(o, a []T) {
			a = a[:len(o)]
			for i := range o {
				o[i] = -a[i]
			}
		}
	case stablehlo.Sqrt:
		return func(o, a []T) {
			a = a[:len(o)]
			for i := range o {
				o[i] = T(math.Sqrt(float64(a[i])))
			}
		}
	case stablehlo.Abs:
		return func(o, a []T) {
			a = a[:len(o)]
			for i := range o {
				o[i] = T(math.Abs(float64(a[i])))
			}
		}
	}
	if f, ok := realFunctions[op]; ok {
		if unsafe.Sizeof(T(0)) == 8 {
			return inFloat64[T](f.f64)
		}
		return inFloat64[T](f.small())
	}
	return nil
}
