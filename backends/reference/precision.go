package reference

import (
	"fmt"

	"ltc/ir/types"
)

// prepareReducePrecision rounds to a format of fewer bits and back.
func prepareReducePrecision(b *builder, o *site) error {
	if err := o.arity(1, 1); err != nil {
		return err
	}
	exponent, err1 := intAttr(o.op.Attrs, "exponent_bits", 0)
	mantissa, err2 := intAttr(o.op.Attrs, "mantissa_bits", 0)
	if err := firstError(err1, err2, o.alike(), o.likeResult(0)); err != nil {
		return err
	}
	switch {
	case exponent < 1:
		return fmt.Errorf("exponent_bits = %d, want 1 or more (reduce_precision_c2)", exponent)
	case mantissa < 0:
		return fmt.Errorf("mantissa_bits = %d is negative (reduce_precision_c3)", mantissa)
	}
	var k kernel1
	switch d := o.out[0].dt; {
	case d == f16:
		k = erase1(reducePrecision[types.Float16](5, 10, exponent, mantissa))
	case d == bf16:
		k = erase1(reducePrecision[types.BFloat16](8, 7, exponent, mantissa))
	case d == f32:
		k = erase1(reducePrecision[uint32](8, 23, exponent, mantissa))
	case d == f64:
		k = erase1(reducePrecision[uint64](11, 52, exponent, mantissa))
	case d.isMini(): // as the f32 of that value
		k = miniKernel1(d, func(o, a []float32) {
			reducePrecision[uint32](8, 23, exponent, mantissa)(bitsOf(o), bitsOf(a))
		})
	default:
		return unsupportedf("elements of type %v", d)
	}
	b.emit1(o, k)
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
