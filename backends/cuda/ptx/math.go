package ptx

import (
	"math"

	"ltc/backends/kit/approx"
	"ltc/ir/types"
)

// The exponential and its like, of instructions that are exact or rounded to
// nearest, in f32 and f64; docs/math.md says how far off they are. f16 and bf16 are
// those of f32, rounded. Polynomials and tables are those of the compiler for CPUs.

// format is what differs between f32 and f64.
type format struct {
	fraction, bias  int64 // bits of the fraction; what is added to exponents
	normal, up      float64
	rootHalf        int64   // the bits of √½
	least, most     float64 // where exp is 0, or infinite
	expm1, tanh     float64 // where they are -1, or 1
	ln2High, ln2Low float64 // log 2 as a sum: products of the first with exponents are exact
	exp, artanh     []float64
}

var (
	single32 = format{fraction: 23, bias: 127, normal: 0x1p-126, up: 25, rootHalf: int64(math.Float32bits(math.Sqrt2 / 2)),
		least: -104, most: 89, expm1: -20, tanh: 9.1, ln2High: approx.Ln2High32, ln2Low: approx.Ln2Low32, exp: approx.Exp32, artanh: approx.Artanh32}
	double64 = format{fraction: 52, bias: 1023, normal: 0x1p-1022, up: 54, rootHalf: int64(math.Float64bits(math.Sqrt2 / 2)),
		least: -746, most: 710, expm1: -40, tanh: 19.1, ln2High: approx.Ln2High64, ln2Low: approx.Ln2Low64, exp: approx.Exp64, artanh: approx.Artanh64}
)

func (f floats) format() *format {
	if f.t == types.F64 {
		return &double64
	}
	return &single32
}

// within returns x between two constants; NaN stays.
func (f floats) within(x string, low, high float64) string {
	x = f.choose(f.is("lt", x, low), f.num(low), x)
	return f.choose(f.is("gt", x, high), f.num(high), x)
}

// reduced returns n and r with x = n·ln 2 + r.
func (f floats) reduced(x string) (n, r string) {
	c := f.format()
	n = f.whole("rni", f.mul(x, f.num(math.Log2E)))
	minus := f.op("neg", n)
	return n, f.fma(minus, f.num(c.ln2Low), f.fma(minus, f.num(c.ln2High), x))
}

// power returns 2^n for an integer n that is the exponent of a normal float.
func (f floats) power(n string) string {
	c := f.format()
	return f.ofInt(f.ints("shl.b", f.ints("add.s", n, number(c.bias)), number(c.fraction)))
}

// scale returns x·2^n, rounded once, for sizes of n of up to twice the largest
// exponent: half of the way each, the first step is exact.
func (f floats) scale(x, n string) string {
	half := f.ints("shr.s", n, "1")
	return f.mul(f.mul(x, f.power(half)), f.power(f.ints("sub.s", n, half)))
}

// expParts returns e^x as 2^n·(high+low), for a float x within bounds.
func (f floats) expParts(x string) (high, low, n string) {
	c := f.format()
	n, r := f.reduced(f.within(x, c.least, c.most))
	e := f.fma(f.mul(r, r), f.horner(r, c.exp), r)
	high = f.add(e, f.num(1))
	return high, f.sub(e, f.add(high, f.num(-1))), f.toInt(n)
}

// exp is 2^n·e^r with x = n·ln 2 + r.
func (f floats) exp(x string) string {
	c := f.format()
	n, r := f.reduced(f.within(x, c.least, c.most))
	e := f.fma(f.mul(r, r), f.horner(r, c.exp), r)
	return f.scale(f.add(e, f.num(1)), f.toInt(n))
}

// expm1 has the sign of x.
func (f floats) expm1(x string) string {
	high, low, n := f.expm1Parts(x)
	return f.sign(x, f.scale(f.add(high, low), n))
}

// expm1Parts returns e^x - 1 as 2^n·(high+low): 2^n·((1-2^-n) + p) with p = e^r - 1,
// where the sum is one with what is rounded off.
func (f floats) expm1Parts(x string) (high, low, n string) {
	c := f.format()
	whole, r := f.reduced(f.within(x, c.expm1, c.most))
	z := f.mul(f.mul(r, r), f.horner(r, c.exp))
	p := f.add(r, z)
	pLow := f.sub(z, f.sub(p, r))
	n = f.toInt(whole)
	inverse := f.power(f.ints("neg.s", f.ints("min.s", n, "64"))) // more make no difference
	one := f.sub(f.num(1), inverse)
	high = f.add(one, p)
	return high, f.add(f.add(f.sub(one, high), p), pLow), n
}

// quotient returns (x+xLow)/(y+yLow), set right by what was rounded off.
func (f floats) quotient(x, xLow, y, yLow string) string {
	inverse := f.op("rcp.rn", y)
	q := f.mul(x, inverse)
	rest := f.add(f.fnma(q, y, x), xLow)
	return f.fma(f.fnma(q, yLow, rest), inverse, q)
}

// logistic is 1/(1+e) with e = e^-|x|, but e/(1+e) for negative x.
func (f floats) logistic(x string) string {
	one, zero := f.num(1), f.num(0)
	high, low, n := f.expParts(f.op("neg", f.op("abs", x)))
	e, eLow := f.scale(high, n), f.scale(low, n)
	negative := f.is("lt", x, 0)
	sum := f.add(one, e)
	sumLow := f.add(f.add(f.sub(one, sum), e), eLow)
	above, aboveLow := f.choose(negative, e, one), f.choose(negative, eLow, zero)
	return f.quotient(above, aboveLow, sum, sumLow)
}

// split returns k and m with x = m·2^k for positive finite x, m from √½ to √2.
func (f floats) split(x string) (k, m string) {
	c := f.format()
	small := f.is("lt", x, c.normal)
	i := f.asInt(f.choose(small, f.mul(x, f.num(math.Exp2(c.up))), x))
	n := f.ints("shr.s", f.ints("sub.s", i, number(c.rootHalf)), number(c.fraction))
	m = f.ofInt(f.ints("sub.s", i, f.ints("shl.b", n, number(c.fraction))))
	return f.add(f.fromInt(n), f.choose(small, f.num(-c.up), f.num(0))), m
}

// logNear returns k·ln 2 + log(1+a) + low for a from √½-1 to √2-1: log(1+a) is
// 2·artanh s with s = a/(2+a), which is a - a²/2 + s·(a²/2 + R(s²)), where only
// small terms are rounded before the last sum.
func (f floats) logNear(a, k, low string) string {
	c := f.format()
	s := f.op("div.rn", a, f.add(a, f.num(2)))
	z := f.mul(s, s)
	r := f.mul(z, f.horner(z, c.artanh))
	squared := f.mul(f.mul(a, f.num(0.5)), a)
	inner := f.fma(s, f.add(squared, r), f.fma(k, f.num(c.ln2Low), low))
	return f.fma(k, f.num(c.ln2High), f.sub(a, f.sub(squared, inner)))
}

// logSpecial returns r, but what the logarithm of 0, infinity, NaN and negative
// numbers is where x is one of these.
func (f floats) logSpecial(x, r string) string {
	r = f.choose(f.is("lt", x, inf), r, x)
	r = f.choose(f.is("eq", x, 0), f.num(-inf), r)
	return f.choose(f.is("lt", x, 0), f.num(math.NaN()), r)
}

func (f floats) log(x string) string {
	k, m := f.split(x)
	return f.logSpecial(x, f.logNear(f.add(m, f.num(-1)), k, f.num(0)))
}

// log1p is the logarithm of u = 1+x as rounded, and of what rounding took from it.
func (f floats) log1p(x string) string {
	u, v := f.twoSum(x, f.num(1))
	k, m := f.split(u)
	normal := f.writer.op(predicate, "and.pred", f.is("gt", u, 0), f.is("lt", u, inf))
	v = f.choose(normal, v, f.num(0))
	near := f.is("eq", k, 0) // where x itself is m-1
	a := f.choose(near, x, f.add(m, f.num(-1)))
	low := f.choose(near, f.num(0), f.op("div.rn", v, u))
	r := f.logSpecial(u, f.logNear(a, k, low))
	return f.choose(f.is("eq", x, 0), x, r)
}

// tanh is p/(p+2) with p = e^2|x| - 1.
func (f floats) tanh(x string) string {
	a := f.within(f.op("abs", x), 0, f.format().tanh)
	high, low, n := f.expm1Parts(f.add(a, a))
	p, pLow := f.scale(high, n), f.scale(low, n)
	sum, sumLow := f.twoSum(p, f.num(2))
	return f.sign(x, f.quotient(p, pLow, sum, f.add(sumLow, pLow)))
}

// Polynomials of erf in f32, which need no table.
var (
	// erf x = x + x·(…x²), |x| < 1, interpolated at Chebyshev's points.
	erfNear = []float64{0x1.06eba7f7972aep-3, -0x1.81273ea2b3778p-2, 0x1.ce2d184de7383p-4, -0x1.b7fb37fbd0488p-6, 0x1.54163514e307bp-8, -0x1.a46b3ff3170a4p-11, 0x1.4a9dab0dc28f6p-14}
	// log (1 - erf x) = …(x-5/2), 0.97 ≤ x ≤ 4, likewise.
	erfFar = []float64{-0x1.f3a2dc8b122aap+2, -0x1.569251fd14961p+2, -0x1.e346070b9ef32p-1, -0x1.63cfdde4b4a33p-7, 0x1.1bcaedaac84a7p-9, -0x1.b88ce37272c00p-12, 0x1.44984b59563e0p-14, -0x1.be9e5c5fa5457p-17, 0x1.b19af88162caap-20}
)

func (f floats) erf(x string) string {
	if f.t == types.F64 {
		return f.erfTable(x)
	}
	z := f.mul(x, x)
	near := f.fma(x, f.horner(z, erfNear), x)
	a := f.within(f.op("abs", x), 0, 4)
	far := f.sub(f.num(1), f.exp(f.horner(f.add(a, f.num(-2.5)), erfFar)))
	return f.choose(f.is("lt", f.op("abs", x), 1), near, f.sign(x, far))
}

// erfTable is a polynomial around the nearest multiple of a step, up to where it
// rounds to 1.
func (f floats) erfTable(x string) string {
	const step = 25.0 / 64
	a := f.within(f.op("abs", x), 0, 6.05)
	n := f.whole("rni", f.mul(a, f.num(1/step)))
	d := f.fnma(n, f.num(step), a) // exact
	rows := f.table("erf", approx.Erf64, f.toInt(n))
	r := rows(len(approx.Erf64) - 1)
	for k := len(approx.Erf64) - 2; k > 0; k-- {
		r = f.fma(r, d, rows(k))
	}
	return f.sign(x, f.fma(r, d, f.choose(f.is("eq", n, 0), d, rows(0))))
}
