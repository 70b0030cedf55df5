package loops

import (
	"math"
	"unsafe"

	"ltc/internal/minifloat"
)

// Floats of fewer than 16 bits, and tf32, are computed in f32 and rounded
// after each op. f32 has more than twice the bits of any of them and two more,
// so that a sum, product, quotient or root rounded to it and then to them is
// what one rounding would give.

// miniOf returns the format of such a type.
func miniOf(d DType) minifloat.Format {
	format, _, ok := minifloat.Of(d.String())
	if !ok {
		panic("reference: no format of " + d.String())
	}
	return format
}

// widenMini returns the conversion of such a type to f32.
func widenMini(d DType) Loop1 {
	if d == TF32 {
		return Erase1(func(o []float32, a []uint32) {
			a = a[:len(o)]
			for i := range o {
				o[i] = math.Float32frombits(a[i] << 13)
			}
		})
	}
	var values [256]float32 // by bits
	for i, format := 0, miniOf(d); i < len(values); i++ {
		values[i] = float32(format.Value(uint64(i) & (1<<d.Bits() - 1)))
	}
	return Erase1(func(o []float32, a []uint8) {
		a = a[:len(o)]
		for i := range o {
			o[i] = values[a[i]]
		}
	})
}

// toMini rounds once, from f64.
func toMini[F number](d DType) Loop1 {
	if d == TF32 {
		return Erase1(roundMini[F, uint32](miniOf(d)))
	}
	return Erase1(roundMini[F, uint8](miniOf(d)))
}

func roundMini[F number, S uint8 | uint32](format minifloat.Format) func(o []S, a []F) {
	return func(o []S, a []F) {
		a = a[:len(o)]
		for i := range o {
			o[i] = S(format.Bits(forRounding(a[i])))
		}
	}
}

func bitsOf(a []float32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(a))), len(a))
}
