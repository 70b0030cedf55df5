package expand

import (
	"math"

	"ltc/backends/kit/approx"
	"ltc/backends/kit/kernel"
)

// floatTanh evaluates a polynomial where the target looks up 16 numbers at once, and an
// exponential elsewhere. The leading bits of |x| and 1, or 1.5, choose the polynomial's
// center, up to where tanh rounds to 1.
func floatTanh(b *builder, xs []kernel.ID) kernel.ID {
	x := xs[0]
	a := b.atMost(b.abs(x), pick(b, 9.1, 19.1))
	switch {
	case b.Lookup >= 64:
		table := pick(b, approx.Tanh32Table, approx.Tanh64Table)
		_, fraction := b.format()
		i := b.shr(b.asInt(b.addn(a, pick(b, 1, 1.5))), fraction-2)
		center := b.lookup(table, 0, i)
		d := b.sub(a, center) // exact
		return b.copysign(b.sums(table, 1, i, d, b.is(kernel.CompareEQ, center, 0)), x)
	case b.Precise: // p/(p+2) with p = e^2|x| - 1
		high, low, n := b.expm1Parts(b.add(a, a))
		p, pLow := b.scale(high, n), b.scale(low, n)
		sum, sumLow := b.twoSum(p, b.num(2))
		return b.copysign(b.ratio(p, pLow, sum, b.add(sumLow, pLow)), x)
	}
	s, p := b.expOfSmall(b.add(a, a))
	y := b.fma(s, p, b.addn(s, -1))
	two := b.num(2)
	sum := b.add(two, y)
	sumLow := b.add(b.sub(two, sum), y) // for large y, for which it is wrong, it does not count
	return b.signed(b.ratio(y, kernel.None, sum, sumLow), x)
}

// expOfSmall returns 2^n and p = e^r - 1 with x = n·ln 2 + r, for |x| < 40. It is for
// erf and tanh. The error of log 2 in f32 is 1.9e-9. In erf and tanh, n times that
// error is less than 1/30 of a unit in the last place: the larger |n|, the less of the
// error is left.
func (b *builder) expOfSmall(x kernel.ID) (s, p kernel.ID) {
	if b.is64() || !b.FMA {
		n, r := b.reduce(x)
		return b.powerOfTwo(n.integer), b.expNearZero(r)
	}
	bias, fraction := b.format()
	m := b.num(b.magic(bias)) // the lowest bits of the sum are an exponent's
	biased := b.fma(x, b.num(math.Log2E), m)
	r := b.fnma(b.sub(biased, m), b.num(math.Ln2), x)
	return b.asFloat(b.shl(b.asInt(biased), fraction)), b.expNearZero(r)
}

// floatErf is a polynomial around the nearest multiple of a step, up to where it
// rounds to 1; for f32 only where the target looks up 16 numbers at once.
func floatErf(b *builder, xs []kernel.ID) kernel.ID {
	x := xs[0]
	switch {
	case b.is64() || b.Lookup >= 64:
	case b.Precise:
		return b.erfByParts(x)
	default:
		return b.erfByExponential(x)
	}
	table, step := pick(b, approx.Erf32Table, approx.Erf64Table), pick(b, 33.0/128, 25.0/64)
	a := b.atMost(b.abs(x), pick(b, 3.99, 6.05))
	i := b.nearest(a, b.num(1/step))
	d := b.fnma(i.float, b.num(step), a) // exact
	return b.copysign(b.sums(table, 0, i.integer, d, b.is(kernel.CompareEQ, i.float, 0)), x)
}

// erfByExponential is 1 - e^-(a + a·w), with w a polynomial of a = |x|, which is small
// where what is rounded off it would count.
func (b *builder) erfByExponential(x kernel.ID) kernel.ID {
	a := b.atMost(b.abs(x), 3.99)
	s, p := b.expOfSmall(b.neg(b.fma(a, b.horner(a, approx.ErfExponent32), a)))
	return b.signed(b.fnma(s, p, b.sub(b.num(1), s)), x)
}

// erfByParts is a polynomial below 1, and 1 less an exponential above.
func (b *builder) erfByParts(x kernel.ID) kernel.ID {
	near := b.fma(x, b.horner(b.mul(x, x), approx.ErfNear32), x)
	a := b.atMost(b.abs(x), 4)
	high, _, n := b.expWithin(b.horner(b.addn(a, -2.5), approx.ErfFar32))
	far := b.copysign(b.sub(b.num(1), b.scale(high, n)), x)
	return b.sel(b.is(kernel.CompareLT, b.abs(x), 1), near, far)
}
