package loops

import (
	"math"
	"math/bits"
	"unsafe"

	"ltc/ir/types"
)

// Convert converts elements between any two types. Between types of the
// same size the result may be the memory of the operand.
func Convert(from, to DType) Loop1 {
	switch {
	case from.IsComplex() || to.IsComplex():
		return convertComplex(from, to)
	case from.isMini():
		return miniTo(from, to)
	}
	switch from {
	case I1, U8, U2, U4:
		return convertFrom[uint8](to)
	case I8, I2, I4:
		return convertFrom[int8](to)
	case I16:
		return convertFrom[int16](to)
	case I32:
		return convertFrom[int32](to)
	case I64:
		return convertFrom[int64](to)
	case U16:
		return convertFrom[uint16](to)
	case U32:
		return convertFrom[uint32](to)
	case U64:
		return convertFrom[uint64](to)
	case F16:
		return widenThen[types.Float16](to)
	case BF16:
		return widenThen[types.BFloat16](to)
	case F32:
		return convertFrom[float32](to)
	default:
		return convertFrom[float64](to)
	}
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
	case I8:
		return Erase1(toInt[S, int8]())
	case I16:
		return Erase1(toInt[S, int16]())
	case I32:
		return Erase1(toInt[S, int32]())
	case I64:
		return Erase1(toInt[S, int64]())
	case U8:
		return Erase1(toInt[S, uint8]())
	case U16:
		return Erase1(toInt[S, uint16]())
	case U32:
		return Erase1(toInt[S, uint32]())
	case U64:
		return Erase1(toInt[S, uint64]())
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

// forRounding returns a float64 that rounds to any narrower float as x does. Of
// integers of more than 53 bits that is not the nearest, which may lie half way
// between two floats where x does not: bits that are cut off leave the last one
// set (rounding to odd).
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

func toInt[S number, D Integer]() func(o []D, a []S) {
	if !isFloat[S]() {
		return Cast[S, D] // wraps
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
	return func(o []D, a []S) {
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
	}
}

// widenThen converts from a 16-bit type by way of f32.
func widenThen[H half](to DType) Loop1 {
	if to == F32 {
		return Erase1(func(o []float32, a []H) { widen(o, a) })
	}
	k, size := convertFrom[float32](to), to.Size()
	return func(o, a unsafe.Pointer, n int) {
		in := unsafe.Slice((*H)(a), n)
		c := chunkPool.Get().(*chunks)
		for i := 0; i < n; i += Chunk {
			m := min(Chunk, n-i)
			widen(c.a[:m], in[i:])
			k(unsafe.Add(o, i*size), unsafe.Pointer(&c.a), m)
		}
		chunkPool.Put(c)
	}
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
	if d.isMini() {
		return miniFinite(d)
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
