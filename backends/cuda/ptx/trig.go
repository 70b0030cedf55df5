package ptx

import (
	"math"

	"ltc/backends/kit/approx"
	"ltc/ir/types"
)

// turn makes a function of an angle: of a number n of quarter turns and the sine
// and cosine of the rest.
type turn func(f floats, n, sin, cos string) string

func turnSine(f floats, n, sin, cos string) string {
	return f.turned(n, f.choose(f.odd(n), cos, sin))
}

func turnCosine(f floats, n, sin, cos string) string {
	return f.turned(f.ints("add.s", n, "1"), f.choose(f.odd(n), sin, cos))
}

func turnTangent(f floats, n, sin, cos string) string {
	odd := f.odd(n)
	return f.op("div.rn", f.choose(odd, f.op("neg", cos), sin), f.choose(odd, sin, cos))
}

// odd reports whether an integer is.
func (f floats) odd(n string) string {
	return f.writer.op(predicate, "setp.ne."+f.integer("s"), f.ints("and.b", n, "1"), "0")
}

// turned returns y, negated if the second bit of n is set.
func (f floats) turned(n, y string) string {
	width := int64(32)
	if f.t == types.F64 {
		width = 64
	}
	return f.ofInt(f.ints("xor.b", f.asInt(y), f.ints("shl.b", f.ints("and.b", n, "2"), number(width-2))))
}

func (f floats) sine(x string) string {
	return f.choose(f.is("eq", x, 0), x, f.angle(turnSine, x))
}

func (f floats) cosine(x string) string { return f.angle(turnCosine, x) }

func (f floats) tangent(x string) string {
	return f.choose(f.is("eq", x, 0), x, f.exactly(turnTangent, x))
}

// farAngle is up to where f32 counts quarter turns.
const farAngle = 1 << 13

// angle computes in f32 where that will do.
func (f floats) angle(of turn, x string) string {
	if f.t == types.F64 {
		return f.exactly(of, x)
	}
	n := f.whole("rni", f.mul(x, f.num(2/math.Pi)))
	minus := f.op("neg", n)
	first := f.fma(minus, f.num(approx.HalfPi32[0]), x) // exact
	p, pLow := f.twoProduct(minus, f.num(approx.HalfPi32[1]))
	r, low := f.twoSum(first, p)
	low = f.fma(minus, f.num(approx.HalfPi32[2]), f.add(low, pLow))
	// sin(r+l) = sin r + l·cos r, cos(r+l) = cos r - l·r
	one, half := f.num(1), f.num(0.5)
	z := f.mul(r, r)
	w := f.fnma(z, half, one)
	rest := f.fnma(z, half, f.sub(one, w)) // of w, exact
	s := f.add(r, f.fma(f.mul(z, r), f.horner(z, approx.Sine32), f.mul(low, w)))
	c := f.add(w, f.fma(f.mul(z, z), f.horner(z, approx.Cosine32), f.fnma(r, low, rest)))
	y := f.variable(classOf(f.t), of(f, f.toInt(n), s, c))
	f.when(f.writer.op(predicate, "setp.geu.f32", f.op("abs", x), f.num(farAngle)), func() {
		f.set(classOf(f.t), y, f.exactly(of, x))
	})
	return y
}

// exactly computes in f64.
func (f floats) exactly(of turn, x string) string {
	d, x := f.double(x)
	n, r, low := d.quarterTurns(x)
	s, c := d.sinCos(r, low)
	return f.ofDouble(of(d, n, s, c))
}

// sinCos returns the sine and cosine of r+low.
func (f floats) sinCos(r, low string) (sin, cos string) {
	z := f.mul(r, r)
	half := f.mul(z, f.num(0.5))
	// sin(r+l) = sin r + l·cos r, cos(r+l) = cos r - l·r
	sin = f.add(r, f.fma(f.mul(z, r), f.horner(z, approx.Sine64), f.fnma(half, low, low)))
	w := f.sub(f.num(1), half)
	rest := f.sub(f.sub(f.num(1), w), half)
	tail := f.fnma(r, low, f.mul(f.mul(z, z), f.horner(z, approx.Cosine64)))
	return sin, f.add(w, f.add(rest, tail))
}

// largeAngle is from where on quarter turns are counted bit by bit.
const largeAngle = 1 << 20

// quarterTurns returns n, modulo 4, and r+low with x = n·π/2 + r + low, for an f64.
func (f floats) quarterTurns(x string) (n, r, low string) {
	whole := f.whole("rni", f.mul(x, f.num(2/math.Pi)))
	part := func(i int) string { return f.mul(whole, f.num(approx.HalfPi64[i])) } // exact
	r, low = f.twoSum(f.sub(x, part(0)), f.op("neg", part(1)))
	low, second := f.twoSum(low, f.op("neg", part(2)))
	low = f.add(low, f.fnma(whole, f.num(approx.HalfPi64[3]), second))
	r, low = f.fastTwoSum(r, low)
	n, r, low = f.variable(long, f.toInt(whole)), f.variable(double, r), f.variable(double, low)
	f.when(f.writer.op(predicate, "setp.geu.f64", f.op("abs", x), f.num(largeAngle)), func() {
		m, s, t := f.largeTurns(x)
		f.set(long, n, m)
		f.set(double, r, s)
		f.set(double, low, t)
	})
	return n, r, low
}

// largeTurns is quarterTurns for an |x| of largeAngle or more, by the bits of 2/π
// that count (Payne and Hanek); r is NaN for an infinite x, and for NaN.
func (f floats) largeTurns(x string) (n, r, low string) {
	op := func(opcode string, args ...string) string { return f.writer.op(long, opcode, args...) }
	amount := func(v string) string { return f.writer.op(word, "cvt.u32.u64", v) }
	// |x| = mantissa·2^(e-52)
	raw := f.asInt(x)
	e := op("add.s64", op("and.b64", op("shr.u64", raw, "52"), "2047"), "-1023")
	mantissa := op("or.b64", op("and.b64", raw, number(1<<52-1)), number(1<<52))
	// x·2/π modulo 4: of 2/π, the bits from weight 2^(2+52-e) down. The table
	// starts 64 bits before the point, so these are from bit first on. An infinite
	// x has e = 1024: still within the table, with the words after.
	first := op("add.s64", e, number(64-52-2))
	at := f.words("two_over_pi", approx.TwoOverPi, op("shr.u64", first, "6"))
	shift := amount(op("and.b64", first, "63"))
	back := f.writer.op(word, "sub.u32", "64", shift) // what is shifted by 64 is 0
	var a [3]string                                   // 192 bits, highest first
	for i := range a {
		a[i] = op("or.b64", op("shl.b64", at(i), shift), op("shr.u64", at(i+1), back))
	}
	// Their product with the mantissa, modulo 2^192.
	p2, high2 := op("mul.lo.u64", mantissa, a[2]), op("mul.hi.u64", mantissa, a[2])
	p1 := op("add.u64", op("mul.lo.u64", mantissa, a[1]), high2)
	carry := f.writer.op(long, "selp.b64", "1", "0", f.writer.op(predicate, "setp.lt.u64", p1, high2))
	p0 := op("add.u64", op("mad.lo.u64", mantissa, a[0], carry), op("mul.hi.u64", mantissa, a[1]))
	// Two bits before the point, 190 behind it.
	topHigh := op("or.b64", op("shl.b64", p0, "2"), op("shr.u64", p1, "62"))
	topLow := op("or.b64", op("shl.b64", p1, "2"), op("shr.u64", p2, "62"))
	// From 1/2 on, a quarter turn more and a negative rest.
	more := op("shr.u64", topHigh, "63")
	n = op("add.u64", op("shr.u64", p0, "62"), more)
	negated := f.writer.op(predicate, "setp.ne.u64", more, "0")
	borrow := f.writer.op(long, "selp.b64", "1", "0", f.writer.op(predicate, "setp.eq.u64", topLow, "0"))
	restHigh := op("selp.b64", op("add.u64", op("not.b64", topHigh), borrow), topHigh, negated)
	restLow := op("selp.b64", op("neg.s64", topLow), topLow, negated)
	negative := op("xor.b64", more, op("shr.u64", raw, "63"))
	// The rest is size·2^-128, with its first bit at the top after the shift.
	none := f.writer.op(predicate, "setp.eq.u64", restHigh, "0")
	zeros := f.writer.op(word, "selp.b32", f.writer.op(word, "add.u32", f.writer.op(word, "clz.b64", restLow), "64"), f.writer.op(word, "clz.b64", restHigh), none)
	rest := f.writer.op(word, "sub.u32", "64", zeros) // below 0 it is more than 64
	beyond := f.writer.op(word, "sub.u32", zeros, "64")
	sizeHigh := op("or.b64", op("or.b64", op("shl.b64", restHigh, zeros), op("shr.u64", restLow, rest)), op("shl.b64", restLow, beyond))
	sizeLow := op("shl.b64", restLow, zeros)
	// 53 bits and the 64 that follow; both are exact or nearly so.
	toFloat := func(v string) string { return f.writer.op(double, "cvt.rn.f64.u64", v) }
	h := toFloat(op("shr.u64", sizeHigh, "11"))
	l := toFloat(op("or.b64", op("shl.b64", sizeHigh, "53"), op("shr.u64", sizeLow, "11")))
	unit := f.power(op("sub.s64", "-53", op("cvt.u64.u32", zeros)))
	h = f.mul(h, unit)
	l = f.mul(f.mul(l, f.num(0x1p-64)), unit)
	// times π/2
	r, low = f.twoProduct(h, f.num(approx.HalfPi))
	low = f.add(low, f.fma(h, f.num(approx.HalfPiRest), f.mul(l, f.num(approx.HalfPi))))
	r, low = f.fastTwoSum(r, low)
	sign := op("shl.b64", negative, "63")
	signed := func(v string) string { return f.ofInt(op("xor.b64", f.asInt(v), sign)) }
	n = op("selp.b64", op("neg.s64", n), n, f.writer.op(predicate, "setp.lt.s64", raw, "0"))
	r = f.choose(f.is("lt", f.op("abs", x), inf), signed(r), f.num(math.NaN()))
	return n, r, signed(low)
}

// atan2 is the angle of (x, y): with c = i/8 near the quotient q of the smaller by
// the larger size, arctan q = arctan c + arctan u, u = (q-c)/(1+q·c).
func (f floats) atan2(y, x string) string {
	if f.t != types.F64 {
		d, y := f.double(y)
		_, x := f.double(x)
		return f.ofDouble(d.atan2(y, x))
	}
	zero, one := f.num(0), f.num(1)
	both := func(p, q string) string { return f.writer.op(predicate, "or.pred", p, q) }
	ax, ay := f.op("abs", x), f.op("abs", y)
	steep := f.writer.op(predicate, "setp.gt.f64", ay, ax)
	large, small := f.choose(steep, ay, ax), f.choose(steep, ax, ay)
	// Of two zeros the quotient is 0, of two infinities 1.
	infinite := f.is("eq", large, inf)
	small = f.choose(infinite, f.choose(f.is("eq", small, inf), one, zero), small)
	large = f.choose(both(infinite, f.is("eq", large, 0)), one, large)
	// So that nothing below is subnormal that counts, or overflows.
	scale := f.choose(f.is("lt", large, 0x1p-800), f.num(0x1p200), f.choose(f.is("gt", large, 0x1p1000), f.num(0x1p-100), one))
	large, small = f.mul(large, scale), f.mul(small, scale)
	i := f.whole("rni", f.mul(f.op("div.rn", small, large), f.num(8)))
	c := f.mul(i, f.num(1.0/8))
	u := f.op("div.rn", f.fnma(c, large, small), f.fma(c, small, large))
	z := f.mul(u, u)
	rows := f.table("atan", approx.AtanEighths64, f.toInt(i))
	low := f.add(f.fma(f.mul(z, u), f.horner(z, approx.Atan64), u), rows(1))
	high := rows(0)
	// base ± (high + low): base is 0, π/2 or π.
	back := f.writer.op(predicate, "setp.lt.s64", f.asInt(x), "0")
	base := f.choose(steep, f.num(approx.HalfPi), f.choose(back, f.num(2*approx.HalfPi), zero))
	baseLow := f.choose(steep, f.num(approx.HalfPiRest), f.choose(back, f.num(2*approx.HalfPiRest), zero))
	minus := f.writer.op(predicate, "xor.pred", steep, back)
	high, low = f.choose(minus, f.op("neg", high), high), f.choose(minus, f.op("neg", low), low)
	sum, rest := f.fastTwoSum(base, high)
	a := f.add(sum, f.add(low, f.add(rest, baseLow)))
	nan := f.writer.op(predicate, "setp.nan.f64", x, y)
	return f.sign(y, f.choose(nan, f.num(math.NaN()), a))
}
