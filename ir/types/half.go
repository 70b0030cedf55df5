package types

import (
	"math"

	"ltc/internal/minifloat"
)

// Float16 and BFloat16 hold the bits of elements of dtype F16 and BF16 in Go
// slices; convert with their methods and [ToFloat16] and [ToBFloat16].
type (
	Float16  uint16
	BFloat16 uint16
)

// Float32 returns the value of h, exactly.
func (h Float16) Float32() float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10)&0x1f, uint32(h)&0x3ff
	switch {
	case exp == 0x1f: // infinity or NaN
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	case exp != 0:
		return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
	}
	f := float32(frac) * (1.0 / (1 << 24)) // zero or subnormal
	return math.Float32frombits(math.Float32bits(f) | sign)
}

// ToFloat16 rounds x to the nearest Float16, ties to even.
func ToFloat16(x float64) Float16 {
	// The steps of a binary64's exponent that a Float16 has: round to an
	// integer number of units in the last place of the result.
	b := math.Float64bits(x)
	sign := Float16(b>>48) & 0x8000
	switch abs := math.Abs(x); {
	case abs != abs:
		return sign | 0x7e00
	case abs >= 65520: // half way between the largest finite value and 2^16
		return sign | 0x7c00
	case abs < 0x1p-14: // subnormal: units of 2^-24
		return sign | Float16(math.RoundToEven(abs*0x1p24))
	default:
		// 1 <= frac < 2; its 10 fraction bits carry into the exponent.
		frac, exp := math.Frexp(abs)
		return sign | Float16(uint32(math.RoundToEven(frac*0x1p11))+uint32(exp+13)<<10)
	}
}

// Float32 returns the value of h, exactly.
func (h BFloat16) Float32() float32 { return math.Float32frombits(uint32(h) << 16) }

// ToBFloat16 rounds x to the nearest BFloat16, ties to even.
func ToBFloat16(x float64) BFloat16 {
	f := float32(x)
	b := math.Float32bits(f)
	if f != f {
		return BFloat16(b>>16 | 0x40)
	}
	// Rounding twice, to float32 and then to BFloat16, can only go wrong when
	// the first lands exactly half way: undo it there.
	if b&0xffff == 0x8000 && float64(f) != x {
		if math.Abs(float64(f)) > math.Abs(x) {
			return BFloat16(b >> 16)
		}
		return BFloat16(b>>16) + 1
	}
	return BFloat16((b + 0x7fff + b>>16&1) >> 16)
}

// Float8E4M3FN and Float8E5M2 hold the bits of elements of dtype F8E4M3FN and F8E5M2 in Go
// slices; convert with their methods and [ToFloat8E4M3FN] and [ToFloat8E5M2].
type (
	Float8E4M3FN uint8
	Float8E5M2   uint8
)

var e4m3fn, e5m2 = float8Of("f8E4M3FN"), float8Of("f8E5M2")

// float8 is a format of 8 bits, with the value of each of its bit patterns.
type float8 struct {
	minifloat.Format
	values [256]float32
}

func float8Of(name string) *float8 {
	format, _, _ := minifloat.Of(name)
	f := &float8{Format: format}
	for bits := range f.values {
		f.values[bits] = float32(format.Value(uint64(bits)))
	}
	return f
}

// Float32 returns the value of h, exactly.
func (h Float8E4M3FN) Float32() float32 { return e4m3fn.values[h] }

// Float32 returns the value of h, exactly.
func (h Float8E5M2) Float32() float32 { return e5m2.values[h] }

// MaxFloat8E4M3FN is the largest number of F8E4M3FN. A number of larger magnitude becomes it, with its sign.
const MaxFloat8E4M3FN = 448

// ToFloat8E4M3FN rounds x to the nearest Float8E4M3FN, ties to even. Infinities and what is too
// large become ±[MaxFloat8E4M3FN], as with PyTorch.
func ToFloat8E4M3FN(x float64) Float8E4M3FN {
	return Float8E4M3FN(e4m3fn.Bits(min(max(x, -MaxFloat8E4M3FN), MaxFloat8E4M3FN)))
}

// ToFloat8E5M2 rounds x to the nearest Float8E5M2, ties to even. What is too large becomes infinity.
func ToFloat8E5M2(x float64) Float8E5M2 { return Float8E5M2(e5m2.Bits(x)) }

// Float8Value returns the number that the bits of an element of F8E4M3FN or F8E5M2 stand for.
func Float8Value(d DType, bits uint8) float32 {
	if d == F8E5M2 {
		return Float8E5M2(bits).Float32()
	}
	return Float8E4M3FN(bits).Float32()
}

// Float8Bits returns the bits of x as an element of F8E4M3FN or F8E5M2.
func Float8Bits(d DType, x float64) uint8 {
	if d == F8E5M2 {
		return uint8(ToFloat8E5M2(x))
	}
	return uint8(ToFloat8E4M3FN(x))
}
