package loops

import (
	"ltc/ir/types"
)

// ReducePrecision rounds elements to a format of fewer bits and back; nil if they are no
// floats.
func ReducePrecision(d DType, exponent, mantissa int) Loop1 {
	switch {
	case d == F16:
		return Erase1(reducePrecision[types.Float16](5, 10, exponent, mantissa))
	case d == BF16:
		return Erase1(reducePrecision[types.BFloat16](8, 7, exponent, mantissa))
	case d == F32:
		return Erase1(reducePrecision[uint32](8, 23, exponent, mantissa))
	case d == F64:
		return Erase1(reducePrecision[uint64](11, 52, exponent, mantissa))
	case d.isNarrow(): // as the f32 of that value
		return inFloat32(d, func(o, a []float32) {
			reducePrecision[uint32](8, 23, exponent, mantissa)(bitsOf(o), bitsOf(a))
		})
	}
	return nil
}

// reducePrecision works on the bits of a type of the given numbers of exponent
// and mantissa bits. The mantissa is rounded to nearest, ties to even. Then,
// where the new format has fewer exponent bits, what is above its range becomes
// infinite and what is below it 0 of its sign: the format has no subnormal
// numbers.
func reducePrecision[T ~uint16 | ~uint32 | ~uint64](oldExponent, oldMantissa, exponent, mantissa int) func(o, a []T) {
	sign := T(1) << (oldExponent + oldMantissa)
	inf := T(1)<<oldExponent - 1
	low, high := T(0), inf // the least and the largest exponent that stay
	if exponent < oldExponent {
		bias, newBias := T(1)<<(oldExponent-1)-1, T(1)<<(exponent-1)-1
		low, high = bias-newBias+1, bias+newBias
	}
	inf <<= oldMantissa
	var last T // the last bit that stays, if any goes
	if mantissa < oldMantissa {
		last = 1 << (oldMantissa - mantissa)
	}
	return func(o, a []T) {
		for i, x := range a {
			s, v := x&sign, x&^sign
			if v > inf {
				o[i] = x // NaN
				continue
			}
			if last != 0 {
				if v&last != 0 {
					v++ // a tie goes up to the even one
				}
				v += last>>1 - 1
				v &^= last - 1
			}
			switch e := v >> oldMantissa; {
			case e > high:
				v = inf
			case e < low:
				v = 0
			}
			o[i] = s | v
		}
	}
}
