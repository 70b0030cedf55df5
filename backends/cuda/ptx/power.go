package ptx

import (
	"math"

	"ltc/backends/kit/approx"
	"ltc/ir/types"
)

// cbrt is 2^k·∛m with x = m·2^(3k), m from 1 to 8: a polynomial, then Halley's
// method, which triples the bits, the last time from a root whose square is exact.
func (f floats) cbrt(x string) string {
	if f.t != types.F64 {
		d, x := f.double(x)
		return f.ofDouble(d.cbrt(x))
	}
	a := f.op("abs", x)
	small := f.is("lt", a, 0x1p-1022)
	i := f.asInt(f.choose(small, f.mul(a, f.num(0x1p54)), a))
	e := f.ints("shr.u", i, "52")
	k := f.ints("shr.u", f.ints("mul.lo.u", e, number(0x5556)), "16") // e/3, e below 2^11
	e = f.ints("sub.s", e, f.ints("mul.lo.u", k, "3"))
	m := f.ofInt(f.ints("or.b", f.ints("and.b", i, number(1<<52-1)), f.ints("shl.b", f.ints("add.s", e, "1023"), "52")))
	// m·2^(3k) is a, as 1023 is 3·341.
	y := f.horner(m, approx.CubeRoot64)
	cube := f.mul(f.mul(y, y), y)
	y = f.mul(y, f.op("div.rn", f.fma(m, f.num(2), cube), f.fma(cube, f.num(2), m)))
	y = f.ofInt(f.ints("and.b", f.ints("add.s", f.asInt(y), number(1<<27)), number(-1<<28)))
	q := f.op("div.rn", m, f.mul(y, y))
	y = f.fma(y, f.op("div.rn", f.sub(q, y), f.add(f.add(y, y), q)), y)
	scale := f.ints("add.s", k, number(1023-341))
	scale = f.ints("sub.s", scale, f.writer.op(long, "selp.b64", "18", "0", small))
	y = f.mul(y, f.ofInt(f.ints("shl.b", scale, "52")))
	ordinary := f.writer.op(predicate, "and.pred", f.is("ne", x, 0), f.is("lt", a, inf))
	return f.choose(ordinary, f.sign(x, y), x)
}

// raise is e^(y·log|x|), with the cases of package math's Pow. The logarithm and
// the product have twice the precision.
func (f floats) raise(x, y string) string {
	if f.t != types.F64 {
		d, x := f.double(x)
		_, y := f.double(y)
		return f.ofDouble(d.raise(x, y))
	}
	zero, one, infinity := f.num(0), f.num(1), f.num(inf)
	a := f.op("abs", x)
	high, low := f.logDouble(a)
	e, rest := f.twoProduct(y, high)
	rest = f.fma(y, low, rest)
	rest = f.choose(f.is("lt", f.op("abs", e), 1000), rest, zero) // else it may be NaN
	n, z := f.reduced(f.within(e, double64.least, double64.most))
	z = f.add(z, rest)
	p := f.fma(f.mul(z, z), f.horner(z, approx.Exp64), z)
	r := f.scale(f.add(p, one), f.toInt(n))
	above := f.is("gt", y, 0)
	r = f.choose(f.is("eq", a, 0), f.choose(above, zero, infinity), r)
	r = f.choose(f.is("eq", a, inf), f.choose(above, infinity, zero), r)
	// An infinite y: 1 for |x| = 1.
	r = f.choose(f.is("eq", a, 1), one, r)

	whole := func(v string) string { return f.writer.op(predicate, "setp.eq.f64", f.whole("rmi", v), v) }
	half := f.mul(y, f.num(0.5))
	integer := whole(y)
	both := func(p, q string) string { return f.writer.op(predicate, "and.pred", p, q) }
	not := func(p string) string { return f.writer.op(predicate, "not.pred", p) }
	odd := both(integer, not(whole(half)))
	negative := f.writer.op(predicate, "setp.lt.s64", f.asInt(x), "0")
	r = f.choose(both(negative, odd), f.op("neg", r), r)
	ordinary := both(f.is("lt", x, 0), f.is("gt", x, -inf))
	nan := f.writer.op(predicate, "or.pred", f.writer.op(predicate, "setp.nan.f64", x, y), both(ordinary, not(integer)))
	r = f.choose(nan, f.num(math.NaN()), r)
	always := f.writer.op(predicate, "or.pred", f.is("eq", x, 1), f.is("eq", y, 0))
	return f.choose(always, one, r)
}

// logDouble returns the logarithm of a positive finite f64 as a sum that is right to
// about 68 bits.
func (f floats) logDouble(x string) (high, low string) {
	small := f.is("lt", x, 0x1p-1022)
	i := f.asInt(f.choose(small, f.mul(x, f.num(0x1p54)), x))
	d := f.ints("sub.s", i, number(approx.PowerFrom))
	k := f.ints("shr.s", d, "52")
	m := f.ofInt(f.ints("sub.s", i, f.ints("shl.b", k, "52")))
	whole := f.add(f.fromInt(k), f.choose(small, f.num(-54), f.num(0)))
	rows := f.table("power", approx.PowerParts, f.ints("shr.u", d, number(52-7)))
	// r + rLow = m·c - 1
	p, pLow := f.twoProduct(m, rows(0))
	r, rLow := f.twoSum(f.add(p, f.num(-1)), pLow)
	base := f.add(f.mul(whole, f.num(approx.PowerLn2High)), rows(1)) // exact
	sum, rest := f.fastTwoSum(base, r)
	square, squareLow := f.twoProduct(r, f.mul(r, f.num(-0.5)))
	high, more := f.fastTwoSum(sum, square)
	low = f.fma(whole, f.num(approx.PowerLn2Low), rows(2))
	low = f.add(low, f.fnma(r, rLow, rLow)) // of r - r²/2
	low = f.add(low, f.add(rest, more))
	low = f.add(low, squareLow)
	low = f.add(low, f.mul(f.mul(f.mul(r, r), r), f.horner(r, approx.LogTiny64)))
	return f.fastTwoSum(high, low)
}

// remainder is x - y·n for the integer n next to x/y towards 0, exactly: 52 or 53 bits
// of the quotient at a time, as many as one has, so that the largest quotient there is,
// of 2098 bits, leaves to scale what that can. Each difference is a multiple of the divisor's
// last bit and less than the divisor, so it has no more bits than that.
func (f floats) remainder(x, y string) string {
	if f.t != types.F64 {
		d, x := f.double(x)
		_, y := f.double(y)
		return f.ofDouble(d.remainder(x, y))
	}
	both := func(p, q string) string { return f.writer.op(predicate, "and.pred", p, q) }
	ax, ay := f.op("abs", x), f.op("abs", y)
	proper := both(f.is("lt", ax, inf), f.is("gt", ay, 0))
	ordinary := both(proper, f.is("lt", ay, inf))
	rest, divisor := f.variable(double, f.choose(ordinary, ax, f.num(0))), f.choose(ordinary, ay, f.num(1))
	least, _ := f.split(divisor)
	f.while(func() string { return f.writer.op(predicate, "setp.ge.f64", rest, divisor) }, func() {
		most, _ := f.split(rest)
		n := f.add(f.sub(most, least), f.num(-52))
		n = f.choose(f.is("gt", n, 0), n, f.num(0))
		up := f.scale(divisor, f.toInt(n))
		q := f.whole("rzi", f.op("div.rn", rest, up))
		next := f.fnma(q, up, rest)
		// The quotient may have been rounded up to an integer.
		f.set(double, rest, f.choose(f.is("lt", next, 0), f.add(next, up), next))
	})
	r := f.choose(ordinary, f.sign(x, rest), x) // of an infinite y: x
	nan := f.writer.op(predicate, "or.pred", f.writer.op(predicate, "not.pred", proper), f.writer.op(predicate, "setp.nan.f64", x, y))
	return f.choose(nan, f.num(math.NaN()), r)
}
