package loops

import (
	"math"
	"math/bits"
	"unsafe"

	"ltc/ir/types"
)

// Convert converts elements between any two types; to the same one, it copies. Between types of the
// same size the result may be the memory of the operand.
func Convert(from, to DType) Loop1 {
	switch {
	case from.IsComplex() || to.IsComplex():
		return convertComplex(from, to)
	case from.isNarrow() && to == F32:
		return widener(from)
	case from.isNarrow():
		return ofFloat32(from, convertFrom[float32](to), to.Size())
	case from == F32:
		return convertFrom[float32](to)
	}
	if f := ByInteger(from.Layout(), convertFrom[int8], convertFrom[int16], convertFrom[int32], convertFrom[int64], convertFrom[uint8], convertFrom[uint16], convertFrom[uint32], convertFrom[uint64]); f != nil {
		return f(to)
	}
	return convertFrom[float64](to)
}

func convertFrom[S number](to DType) Loop1 {
	switch to {
	case I1:
		return Erase1(func(o []uint8, a []S) {
			a = a[:len(o)]
			for i := range o {
				o[i] = bit(a[i] != 0)
			}
		})
	case F16:
		return Erase1(func(o []types.Float16, a []S) {
			a = a[:len(o)]
			for i := range o {
				o[i] = types.ToFloat16(forRounding(a[i]))
			}
		})
	case BF16:
		return Erase1(func(o []types.BFloat16, a []S) {
			a = a[:len(o)]
			for i := range o {
				o[i] = types.ToBFloat16(forRounding(a[i]))
			}
		})
	case F32:
		return Erase1(Cast[S, float32])
	case F64:
		return Erase1(Cast[S, float64])
	}
	if f := ByInteger(to, toInt[S, int8], toInt[S, int16], toInt[S, int32], toInt[S, int64], toInt[S, uint8], toInt[S, uint16], toInt[S, uint32], toInt[S, uint64]); f != nil {
		return f()
	}
	if to.IsSmallInt() {
		return toSmallInt[S](to)
	}
	return toMini[S](to)
}

// Cast converts as Go does.
func Cast[S, D number](o []D, a []S) {
	a = a[:len(o)]
	for i := range o {
		o[i] = D(a[i])
	}
}

// forRounding returns a float64 that rounds to any narrower float as x does. For
// integers of more than 53 bits the result is not the nearest float64, which may be
// half way between two narrower floats where x is not. Instead, bits that are cut off
// set the last bit that stays (rounding to odd).
func forRounding[S number](x S) float64 {
	if unsafe.Sizeof(x) < 8 || isFloat[S]() {
		return float64(x)
	}
	u := uint64(x)
	if x < 0 {
		u = -u
	}
	cut := bits.Len64(u) - 53
	if cut <= 0 {
		return float64(x)
	}
	kept := u >> cut
	if kept<<cut != u {
		kept |= 1
	}
	f := math.Ldexp(float64(kept), cut)
	if x < 0 {
		return -f
	}
	return f
}

func isFloat[T number]() bool {
	half := 0.5
	return T(half) != 0
}

func toInt[S number, D Integer]() Loop1 {
	if !isFloat[S]() {
		return Erase1(Cast[S, D]) // wraps
	}
	width := 8 * unsafe.Sizeof(D(0))
	lo, hi := D(0), ^D(0)
	if hi < 0 { // signed
		lo = D(1) << (width - 1)
		hi = ^lo
	}
	limit := math.Ldexp(1, int(width)) // the first value above hi
	if lo < 0 {
		limit = math.Ldexp(1, int(width)-1)
	}
	return Erase1(func(o []D, a []S) {
		a = a[:len(o)]
		for i := range o {
			switch x := float64(a[i]); {
			case x != x:
				o[i] = 0
			case x >= limit:
				o[i] = hi
			case x <= float64(lo):
				o[i] = lo
			default:
				o[i] = D(x)
			}
		}
	})
}

// Finite returns the loop that says which elements are neither infinite nor NaN; nil if they
// are no floats.
func Finite(d DType) Loop1 {
	switch d {
	case F16:
		return Erase1(finite[types.Float16](0x7c00))
	case BF16:
		return Erase1(finite[types.BFloat16](0x7f80))
	case F32:
		return Erase1(finite[uint32](0x7f800000))
	case F64:
		return Erase1(finite[uint64](0x7ff0000000000000))
	}
	if d.isNarrow() {
		return ofFloat32(d, Erase1(finite[uint32](0x7f800000)), 1)
	}
	return nil
}

func finite[T Integer](exponent T) func(o []uint8, a []T) {
	return func(o []uint8, a []T) {
		a = a[:len(o)]
		for i := range o {
			o[i] = bit(a[i]&exponent != exponent)
		}
	}
}
