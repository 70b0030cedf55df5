package expand

import (
	"math"

	"ltc/backends/kit/approx"
	"ltc/backends/kit/kernel"
)

var floatAtan2 = inDouble((*builder).atan2)

// atan2 is the angle of (x, y): with c = i/8 near the quotient q of the smaller by the
// larger size, arctan q = arctan c + arctan u, u = (q-c)/(1+q·c).
func (b *builder) atan2(single bool, yx []kernel.ID) kernel.ID {
	y, x := yx[0], yx[1]
	zero, one := b.num(0), b.num(1)
	ax, ay := b.abs(x), b.abs(y)
	steep := b.compare(kernel.CompareGT, ay, ax)
	large, small := b.sel(steep, ay, ax), b.sel(steep, ax, ay)
	// Of two zeros the quotient is 0, of two infinities 1.
	infinite := b.is(kernel.CompareEQ, large, math.Inf(1))
	both := b.is(kernel.CompareEQ, small, math.Inf(1))
	small = b.sel(infinite, b.sel(both, one, zero), small)
	large = b.sel(b.or(infinite, b.is(kernel.CompareEQ, large, 0)), one, large)
	if !single { // so that nothing below is subnormal that counts, or overflows
		tiny, huge := b.is(kernel.CompareLT, large, 0x1p-800), b.is(kernel.CompareGT, large, 0x1p1000)
		scale := b.sel(tiny, b.num(0x1p200), b.sel(huge, b.num(0x1p-100), one))
		large, small = b.mul(large, scale), b.mul(small, scale)
	}
	i := b.nearest(b.div(small, large), b.num(8))
	c := b.muln(i.float, 1.0/8)
	u := b.div(b.fnma(c, large, small), b.fma(c, small, large))
	z := b.mul(u, u)
	low := b.fma(b.mul(z, u), b.horner(z, approx.Atan64), u)
	high := b.lookup(approx.AtanTable, 0, i.integer)
	back := b.negative(x)
	if single {
		a := b.add(high, low)
		a = b.sel(steep, b.sub(b.num(approx.HalfPi), a), a)
		a = b.sel(back, b.sub(b.num(2*approx.HalfPi), a), a)
		return b.angleSpecial(x, y, a)
	}
	low = b.add(low, b.lookup(approx.AtanTable, 1, i.integer))
	// base ± (high + low): base is 0, π/2 or π.
	base := b.sel(steep, b.num(approx.HalfPi), b.sel(back, b.num(2*approx.HalfPi), zero))
	baseLow := b.sel(steep, b.num(approx.HalfPiRest), b.sel(back, b.num(2*approx.HalfPiRest), zero))
	minus := b.xor(steep, back)
	high, low = b.sel(minus, b.neg(high), high), b.sel(minus, b.neg(low), low)
	sum, rest := b.fastTwoSum(base, high)
	return b.angleSpecial(x, y, b.add(sum, b.add(low, b.add(rest, baseLow))))
}

// angleSpecial returns a with the sign of y, or NaN if x or y is.
func (b *builder) angleSpecial(x, y, a kernel.ID) kernel.ID {
	return b.copysign(b.sel(b.isNaN(x, y), b.num(math.NaN()), a), y)
}
