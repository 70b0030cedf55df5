package expand

import (
	"math"

	"ltc/backends/kit/approx"
	"ltc/backends/kit/kernel"
)

var floatPower = inDouble((*builder).power)

// power is e^(y·log|x|), with the cases of package math's Pow. If f32 will not do, the
// logarithm and the product have twice the precision.
func (b *builder) power(single bool, xs []kernel.ID) kernel.ID {
	x, y := xs[0], xs[1]
	zero, one, inf := b.num(0), b.num(1), b.num(math.Inf(1))
	a := b.abs(x)
	var r kernel.ID
	if single {
		k, m := b.split(a)
		l := b.logRational(b.addn(m, -1), k, zero)
		high, _, n := b.expParts(b.mul(y, l))
		r = b.scale(high, n)
	} else {
		high, low := b.logDouble(a)
		e, rest := b.twoProduct(y, high)
		rest = b.fma(y, low, rest)
		rest = b.sel(b.is(kernel.CompareLT, b.abs(e), 1000), rest, zero) // else it may be NaN
		n, z := b.reduce(b.within(e, b.leastExp(), b.mostExp()))
		r = b.scale(b.addn(b.expNearZero(b.add(z, rest)), 1), n)
	}
	above := b.is(kernel.CompareGT, y, 0)
	r = b.sel(b.is(kernel.CompareEQ, a, 0), b.sel(above, zero, inf), r)
	r = b.sel(b.is(kernel.CompareEQ, a, math.Inf(1)), b.sel(above, inf, zero), r)
	// An infinite y: 1 for |x| = 1.
	r = b.sel(b.is(kernel.CompareEQ, a, 1), one, r)

	isWhole := func(v kernel.ID) kernel.ID { return b.compare(kernel.CompareEQ, b.floor(v), v) }
	integer := isWhole(y)
	odd := b.and(integer, b.not(isWhole(b.muln(y, 0.5))))
	r = b.sel(b.and(b.negative(x), odd), b.neg(r), r)
	ordinary := b.and(b.is(kernel.CompareLT, x, 0), b.is(kernel.CompareGT, x, math.Inf(-1)))
	nan := b.or(b.isNaN(x, y), b.and(ordinary, b.not(integer)))
	r = b.sel(nan, b.num(math.NaN()), r)
	return b.sel(b.or(b.is(kernel.CompareEQ, y, 0), b.is(kernel.CompareEQ, x, 1)), one, r)
}

// logDouble returns the logarithm of a positive finite f64 as a sum that is right to
// about 68 bits.
func (b *builder) logDouble(x kernel.ID) (high, low kernel.ID) {
	small := b.is(kernel.CompareLT, x, 0x1p-1022)
	i := b.asInt(b.sel(small, b.muln(x, 0x1p54), x))
	d := b.addi(i, -approx.PowerFrom)
	k := b.sar(d, 52)
	m := b.asFloat(b.sub(i, b.shl(k, 52)))
	k = b.add(k, b.sel(small, b.int(-54), b.int(0)))
	kf := b.smallToFloat(k)
	part := b.shr(d, 52-7)
	c := b.lookup(approx.PowerTable, 0, part)
	logHigh, logLow := b.lookup(approx.PowerTable, 1, part), b.lookup(approx.PowerTable, 2, part)

	// r + rLow = m·c - 1
	p, pLow := b.twoProduct(m, c)
	r, rLow := b.twoSum(b.addn(p, -1), pLow)
	base := b.add(b.muln(kf, approx.PowerLn2High), logHigh) // exact
	sum, rest := b.fastTwoSum(base, r)
	square, squareLow := b.twoProduct(r, b.muln(r, -0.5))
	high, more := b.fastTwoSum(sum, square)
	low = b.fma(kf, b.num(approx.PowerLn2Low), logLow)
	low = b.add(low, b.fma(b.neg(r), rLow, rLow)) // of r - r²/2
	low = b.add(low, b.add(rest, more))
	low = b.add(low, squareLow)
	low = b.add(low, b.mul(b.mul(b.mul(r, r), r), b.horner(r, approx.LogTiny64)))
	return b.fastTwoSum(high, low)
}
