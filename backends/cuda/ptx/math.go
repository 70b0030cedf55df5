package ptx

import "math"

// The exponential and its like in f32, of instructions that are exact or rounded
// to nearest. How far off they are at most, in units in the last place, as the
// tests measure:
//
//	exp       1.0
//	expm1     2.0
//	log       1.0
//	log1p     1.5
//	logistic  2.5
//	tanh      2.5
//	erf       2.5
//	rsqrt     1.5
//
// f16 and bf16 are these, rounded. f64 has none of them yet.

// log 2 as a sum: products of the first with exponents are exact.
const (
	ln2High = 0x1.62e4p-01
	ln2Low  = 0x1.7f7d1cp-20
)

var (
	// e^r = 1 + r + r²·(…), |r| ≤ ln 2/2; the coefficients of the CPU's exp32.
	expTail = []float64{0x1.fffffcp-02, 0x1.55549p-03, 0x1.5558ap-05, 0x1.123aa8p-07, 0x1.6a5f8p-10}
	// 2·artanh s = 2s + s³·(…s²), |s| ≤ 3-√8; those of its artanh32.
	artanhTail = []float64{0x1.55557ap-01, 0x1.995ecep-02, 0x1.31e10cp-02}
	// erf x = x + x·(…x²), |x| < 1, interpolated at Chebyshev's points.
	erfNear = []float64{0x1.06eba7f7972aep-3, -0x1.81273ea2b3778p-2, 0x1.ce2d184de7383p-4, -0x1.b7fb37fbd0488p-6, 0x1.54163514e307bp-8, -0x1.a46b3ff3170a4p-11, 0x1.4a9dab0dc28f6p-14}
	// log (1 - erf x) = …(x-5/2), 0.97 ≤ x ≤ 4, likewise.
	erfFar = []float64{-0x1.f3a2dc8b122aap+2, -0x1.569251fd14961p+2, -0x1.e346070b9ef32p-1, -0x1.63cfdde4b4a33p-7, 0x1.1bcaedaac84a7p-9, -0x1.b88ce37272c00p-12, 0x1.44984b59563e0p-14, -0x1.be9e5c5fa5457p-17, 0x1.b19af88162caap-20}
)

// within returns x between two constants; NaN stays.
func (f floats) within(x string, low, high float64) string {
	return f.op("min.NaN", f.op("max.NaN", x, f.num(low)), f.num(high))
}

// reduced returns n and e^r - 1 with x = n·ln 2 + r.
func (f floats) reduced(x string) (n, p string) {
	n = f.whole("rni", f.mul(x, f.num(math.Log2E)))
	minus := f.op("neg", n)
	r := f.fma(minus, f.num(ln2Low), f.fma(minus, f.num(ln2High), x))
	return n, f.fma(f.mul(r, r), f.horner(r, expTail), r)
}

// power returns 2^n for a word n from -126 to 127.
func (f floats) power(n string) string {
	e := f.writer.op(word, "shl.b32", f.writer.op(word, "add.s32", n, "127"), "23")
	return f.writer.op(single, "mov.b32", e)
}

func (f floats) toWord(n string) string { return f.writer.op(word, "cvt.rni.s32.f32", n) }

// exp is 2^n·e^r; 2^n is two factors, since it may be no normal number.
func (f floats) exp(x string) string {
	n, p := f.reduced(f.within(x, -104, 89))
	i := f.toWord(n)
	first := f.writer.op(word, "shr.s32", i, "1")
	rest := f.writer.op(word, "sub.s32", i, first)
	return f.mul(f.mul(f.add(p, f.num(1)), f.power(first)), f.power(rest))
}

// expm1 is 2·(h·p + h - 1/2) with h = 2^(n-1), and the sign of x.
func (f floats) expm1(x string) string {
	n, p := f.reduced(f.within(x, -18, 89))
	h := f.power(f.writer.op(word, "add.s32", f.toWord(n), "-1"))
	r := f.fma(p, h, f.add(h, f.num(-0.5)))
	return f.op("copysign", x, f.add(r, r))
}

// split returns k and m with x = m·2^k for positive finite x, m from √½ to √2.
func (f floats) split(x string) (k, m string) {
	small := f.is("lt", x, 0x1p-126)
	i := f.writer.op(word, "mov.b32", f.choose(small, f.mul(x, f.num(0x1p25)), x))
	from := int64(math.Float32bits(math.Sqrt2 / 2))
	n := f.writer.op(word, "shr.s32", f.writer.op(word, "sub.s32", i, number(from)), "23")
	m = f.writer.op(single, "mov.b32", f.writer.op(word, "sub.s32", i, f.writer.op(word, "shl.b32", n, "23")))
	k = f.writer.op(single, "cvt.rn.f32.s32", n)
	return f.add(k, f.choose(small, f.num(-25), f.num(0))), m
}

// logNear returns k·ln 2 + log(1+a) + low for a from √½-1 to √2-1: log(1+a) is
// 2·artanh s with s = a/(2+a), which is a - a²/2 + s·(a²/2 + R(s²)), where only
// small terms are rounded before the last sum.
func (f floats) logNear(a, k, low string) string {
	s := f.op("div.rn", a, f.add(a, f.num(2)))
	z := f.mul(s, s)
	r := f.mul(z, f.horner(z, artanhTail))
	squared := f.mul(f.mul(a, f.num(0.5)), a)
	inner := f.fma(s, f.add(squared, r), f.fma(k, f.num(ln2Low), low))
	return f.fma(k, f.num(ln2High), f.sub(a, f.sub(squared, inner)))
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
	one := f.num(1)
	u := f.add(x, one)
	w := f.sub(u, x)
	v := f.add(f.sub(x, f.sub(u, w)), f.sub(one, w))
	k, m := f.split(u)
	normal := f.writer.op(predicate, "and.pred", f.is("gt", u, 0), f.is("lt", u, inf))
	v = f.choose(normal, v, f.num(0))
	near := f.is("eq", k, 0) // where x itself is m-1
	a := f.choose(near, x, f.add(m, f.num(-1)))
	low := f.choose(near, f.num(0), f.op("div.rn", v, u))
	r := f.logSpecial(u, f.logNear(a, k, low))
	return f.choose(f.is("eq", x, 0), x, r)
}

// logistic is 1/(1+e^-x), or e^x/(1+e^x) for negative x.
func (f floats) logistic(x string) string {
	e := f.exp(f.op("neg", f.op("abs", x)))
	return f.op("div.rn", f.choose(f.is("lt", x, 0), e, f.num(1)), f.add(e, f.num(1)))
}

// tanh is p/(p+2) with p = e^2|x| - 1.
func (f floats) tanh(x string) string {
	a := f.within(f.op("abs", x), 0, 9.1)
	p := f.expm1(f.add(a, a))
	return f.op("copysign", x, f.op("div.rn", p, f.add(p, f.num(2))))
}

func (f floats) erf(x string) string {
	z := f.mul(x, x)
	near := f.fma(x, f.horner(z, erfNear), x)
	a := f.within(f.op("abs", x), 0, 4)
	far := f.sub(f.num(1), f.exp(f.horner(f.add(a, f.num(-2.5)), erfFar)))
	return f.choose(f.is("lt", f.op("abs", x), 1), near, f.op("copysign", x, far))
}
