package expand

import (
	"math"

	"ltc/backends/kit/kernel"
)

func floatCeil(b *builder, x []kernel.ID) kernel.ID { return b.neg(b.floor(b.neg(x[0]))) }

// floatRoundNearestEven adds a number so large that the sum has no bits behind the
// point. What is as large is an integer.
func floatRoundNearestEven(b *builder, x []kernel.ID) kernel.ID {
	size, large := b.abs(x[0]), pick(b, 0x1p23, 0x1p52)
	r := b.copysign(b.addn(b.addn(size, large), -large), x[0])
	return b.sel(b.is(kernel.CompareLT, size, large), r, x[0])
}

// floatRoundNearestAfz adds the largest number below ½: the sum with ½ less than that
// could be rounded up to the next integer.
func floatRoundNearestAfz(b *builder, x []kernel.ID) kernel.ID {
	below := pick(b, float64(math.Nextafter32(0.5, 0)), math.Nextafter(0.5, 0))
	return b.copysign(b.floor(b.addn(b.abs(x[0]), below)), x[0])
}

// floatSign keeps NaN and the sign of zero.
func floatSign(b *builder, x []kernel.ID) kernel.ID {
	r := b.sel(b.is(kernel.CompareGT, x[0], 0), b.num(1), x[0])
	return b.sel(b.is(kernel.CompareLT, x[0], 0), b.num(-1), r)
}

func floatIsFinite(b *builder, x []kernel.ID) kernel.ID {
	return b.is(kernel.CompareLT, b.abs(x[0]), math.Inf(1))
}

var floatRemainder = inDouble((*builder).remainder)

// remainder is exactly x - y·n, for the integer n next to x/y towards 0. A loop takes
// 52 or 53 bits of the quotient at a time, as many as one f64 quotient has. The largest
// quotient has 2098 bits, so the divisor never has to be scaled by more than scaleUp
// can. Each difference is a multiple of the divisor's last bit and less than the
// divisor, so it has no more bits than the divisor.
func (b *builder) remainder(_ bool, xs []kernel.ID) kernel.ID {
	x, y := xs[0], xs[1]
	ax, ay := b.abs(x), b.abs(y)
	proper := b.and(b.is(kernel.CompareLT, ax, math.Inf(1)), b.is(kernel.CompareGT, ay, 0))
	ordinary := b.and(proper, b.is(kernel.CompareLT, ay, math.Inf(1)))
	rest, divisor := b.sel(ordinary, ax, b.num(0)), b.sel(ordinary, ay, b.num(1))
	again := func(b *builder, v []kernel.ID) kernel.ID { return b.compare(kernel.CompareGE, v[0], v[1]) }
	rest = b.loop([]kernel.ID{rest}, []kernel.ID{divisor, b.exponent(divisor)}, again, func(b *builder, v []kernel.ID) kernel.ID {
		rest, divisor, least := v[0], v[1], v[2]
		n := b.op(kernel.Maximum, b.addi(b.sub(b.exponent(rest), least), -52), b.int(0))
		up := b.scaleUp(divisor, n)
		next := b.lessProduct(rest, b.floor(b.div(rest, up)), up)
		// The quotient may have been rounded up to an integer.
		return b.sel(b.is(kernel.CompareLT, next, 0), b.add(next, up), next)
	})
	r := b.sel(ordinary, b.copysign(rest, x), x) // of an infinite y: x
	return b.sel(b.or(b.not(proper), b.isNaN(x, y)), b.num(math.NaN()), r)
}

// lessProduct returns z-x·y, which is exact if it can be, for x·y of at most the size of
// z, or little more.
func (b *builder) lessProduct(z, x, y kernel.ID) kernel.ID {
	if b.FMA {
		return b.fnma(x, y, z)
	}
	// Products are exact below 2^996.
	large := b.is(kernel.CompareGT, z, 0x1p900)
	scale, back := b.sel(large, b.num(0x1p-100), b.num(1)), b.sel(large, b.num(0x1p100), b.num(1))
	p, rest := b.twoProduct(x, b.mul(y, scale))
	return b.mul(b.sub(b.sub(b.mul(z, scale), p), rest), back)
}

// exponent returns the exponent of a finite f64 above 0, too large by the same number
// for all.
func (b *builder) exponent(x kernel.ID) kernel.ID {
	small := b.is(kernel.CompareLT, x, 0x1p-1022)
	e := b.shr(b.asInt(b.sel(small, b.muln(x, 0x1p54), x)), 52)
	return b.sub(e, b.sel(small, b.int(54), b.int(0)))
}

// scaleUp returns x·2^n of an f64, half of the way each, for n from 0 to 2046.
func (b *builder) scaleUp(x, n kernel.ID) kernel.ID {
	half := b.shr(n, 1)
	return b.mul(b.mul(x, b.powerOfTwo(half)), b.powerOfTwo(b.sub(n, half)))
}
