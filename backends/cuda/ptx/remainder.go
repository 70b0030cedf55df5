package ptx

import (
	"math"

	"ltc/ir/types"
)

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
	least := f.exponent(divisor)
	f.while(func() string { return f.writer.op(predicate, "setp.ge.f64", rest, divisor) }, func() {
		n := f.ints("max.s", f.ints("add.s", f.ints("sub.s", f.exponent(rest), least), "-52"), "0")
		up := f.scaleUp(divisor, n)
		q := f.whole("rzi", f.op("div.rn", rest, up))
		next := f.fnma(q, up, rest)
		// The quotient may have been rounded up to an integer.
		f.set(double, rest, f.choose(f.is("lt", next, 0), f.add(next, up), next))
	})
	r := f.choose(ordinary, f.sign(x, rest), x) // of an infinite y: x
	nan := f.writer.op(predicate, "or.pred", f.writer.op(predicate, "not.pred", proper), f.writer.op(predicate, "setp.nan.f64", x, y))
	return f.choose(nan, f.num(math.NaN()), r)
}

// exponent returns the exponent of a finite f64 above 0, too large by the same number
// for all.
func (f floats) exponent(x string) string {
	small := f.is("lt", x, 0x1p-1022)
	e := f.ints("shr.u", f.ints("mov.b", f.choose(small, f.mul(x, f.num(0x1p54)), x)), "52")
	return f.ints("sub.s", e, f.writer.op(long, "selp.b64", "54", "0", small))
}

// scaleUp returns x·2^n of an f64, half of the way each, for n from 0 to 2046.
func (f floats) scaleUp(x, n string) string {
	half := f.ints("shr.s", n, "1")
	for _, part := range []string{half, f.ints("sub.s", n, half)} {
		x = f.mul(x, f.writer.op(double, "mov.b64", f.ints("shl.b", f.ints("add.s", part, "1023"), "52")))
	}
	return x
}
