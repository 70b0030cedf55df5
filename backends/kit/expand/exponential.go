package expand

import (
	"math"

	"ltc/backends/kit/approx"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// ln2 returns log 2 as a sum: products of the first part with exponents are exact.
// Both are positive, so that infinite exponents stay infinite.
func (b *builder) ln2() (high, low kernel.ID) {
	if b.is64() {
		return b.num(approx.Ln2High64), b.num(approx.Ln2Low64)
	}
	return b.num(approx.Ln2High32), b.num(approx.Ln2Low32)
}

// whole is an integer as a float and as an integer of the same width.
type whole struct {
	float, integer kernel.ID
	// biased has the sum of the integer and twice an exponent's bias in its lower half
	// and nothing in the next bits; none if it is not at hand.
	biased kernel.ID
}

// magic returns a number so large that adding it rounds off what is behind the point:
// the lowest bits of the sum are an integer and n.
func (b *builder) magic(n int64) float64 { return pick(b, 0x1.8p23, 0x1.8p52) + float64(n) }

// nearest returns x·y rounded to integers of less than 2^21, or 2^50. The integers of
// NaN are any.
func (b *builder) nearest(x, y kernel.ID) whole {
	bias, _ := b.format()
	magic := b.magic(2 * bias)
	bits := int64(math.Float64bits(magic))
	if !b.is64() {
		bits = int64(math.Float32bits(float32(magic)))
	}
	m := b.num(magic)
	s := b.fma(x, y, m)
	biased := b.asInt(s)
	return whole{b.sub(s, m), b.addi(biased, -bits), biased}
}

// scale returns x·2^n, rounded once, for sizes of n of up to twice the largest
// exponent.
func (b *builder) scale(x kernel.ID, n whole) kernel.ID {
	if b.Scales {
		return b.op(kernel.Scale, x, n.float)
	}
	// Half of the way each: the first step is exact. What lies above an exponent's
	// bits is shifted out.
	bias, fraction := b.format()
	biased := n.biased
	if biased == kernel.None {
		biased = b.addi(n.integer, 2*bias)
	}
	half := b.shr(biased, 1)
	x = b.mul(x, b.asFloat(b.shl(half, fraction)))
	return b.mul(x, b.asFloat(b.shl(b.sub(biased, half), fraction)))
}

// powerOfTwo returns 2^n for an integer n that is the exponent of a normal float.
func (b *builder) powerOfTwo(n kernel.ID) kernel.ID {
	bias, fraction := b.format()
	return b.asFloat(b.shl(b.addi(n, bias), fraction))
}

// reduce returns n and r with x = n·ln 2 + r.
func (b *builder) reduce(x kernel.ID) (n whole, r kernel.ID) {
	high, low := b.ln2()
	n = b.nearest(x, b.num(math.Log2E))
	return n, b.fnma(n.float, low, b.fnma(n.float, high, x))
}

// leastExp and mostExp are where an exponential is 0, and infinite.
func (b *builder) leastExp() float64 { return pick(b, -104.0, -746) }
func (b *builder) mostExp() float64  { return pick(b, 89.0, 710) }

// exponential of r near 0, less 1.
func (b *builder) expNearZero(r kernel.ID) kernel.ID {
	return b.fma(b.mul(r, r), b.horner(r, pick(b, approx.Exp32, approx.Exp64)), r)
}

// floatExponential is 2^n·e^r with x = n·ln 2 + r.
func floatExponential(b *builder, x []kernel.ID) kernel.ID {
	switch {
	case b.use.To == types.BF16 && !b.is64():
		return b.shortExp(x[0], approx.Exp2BF16)
	case b.use.To == types.F16 && !b.is64():
		return b.shortExp(x[0], approx.Exp2F16)
	case b.use.NotPositive:
		return b.expBelow(x[0])
	}
	high, _, n := b.expParts(x[0])
	return b.scale(high, n)
}

// shortExp is (2ⁿ·2^r)² with x/(2 ln 2) = n + r: the square is what may be subnormal
// or infinite, so that 2ⁿ never is. c has the coefficients of r, r², …
func (b *builder) shortExp(x kernel.ID, c []float64) kernel.ID {
	bias, fraction := b.format()
	half, magic := b.num(math.Log2E/2), b.magic(bias)
	x = b.within(x, -104, 90)
	sum := b.fma(x, half, b.num(magic))
	r := b.fma(x, half, b.neg(b.addn(sum, -magic)))
	power := b.asFloat(b.shl(b.asInt(sum), fraction))
	root := b.mul(b.fma(b.horner(r, c), r, b.num(1)), power)
	return b.mul(root, root)
}

// expBelow is for x of which none is above 0, as a number less the largest of its row;
// the bits are those of the exponential. 2^n is a factor by itself. It carries a constant
// extra factor, so that it is a normal number for every n. The last product takes the
// extra factor out, so that subnormal results are rounded once.
func (b *builder) expBelow(x kernel.ID) kernel.ID {
	x = b.atLeast(x, b.leastExp())
	if b.Scales {
		high, _, n := b.expWithin(x)
		return b.scale(high, n)
	}
	bias, fraction := b.format()
	more := pick[int64](b, 65, 513) // with the bias even, so that halves are rounded as elsewhere
	high, low := b.ln2()
	m := b.num(b.magic(bias + more))
	s := b.fma(x, b.num(math.Log2E), m)
	n := b.sub(s, m)
	e := b.expNearZero(b.fnma(n, low, b.fnma(n, high, x)))
	power := b.asFloat(b.shl(b.asInt(s), fraction))
	return b.mul(b.fma(e, power, power), b.num(math.Ldexp(1, -int(more))))
}

// expParts returns e^x as 2^n·(high+low), 0 for very small x and infinite for very
// large ones; low is what rounding took from high.
func (b *builder) expParts(x kernel.ID) (high, low kernel.ID, n whole) {
	return b.expWithin(b.within(x, b.leastExp(), b.mostExp()))
}

// expWithin is expParts of x that are not so small, and not so large.
func (b *builder) expWithin(x kernel.ID) (high, low kernel.ID, n whole) {
	if !b.is64() && b.Scales && b.Lookup >= 32 {
		return b.expSixteenths(x)
	}
	n, r := b.reduce(x)
	e := b.expNearZero(r)
	high = b.addn(e, 1)
	return high, b.sub(e, b.addn(high, -1)), n
}

// expSixteenths counts n in sixteenths, whose fraction chooses from a table: less is
// left for the polynomial. Scaling ignores the fraction.
func (b *builder) expSixteenths(x kernel.ID) (high, low kernel.ID, n whole) {
	ln2High, ln2Low := b.ln2()
	m := b.num(0x1.8p19) // leaves the last bit for 1/16
	s := b.fma(x, b.num(math.Log2E), m)
	n = whole{b.sub(s, m), kernel.None, kernel.None}
	r := b.fnma(n.float, ln2Low, b.fnma(n.float, ln2High, x))
	e := b.fma(b.mul(r, r), b.horner(r, approx.ExpNear32), r)
	f := b.lookup(approx.SixteenthsTable, 0, b.asInt(s))
	high = b.fma(f, e, f)
	low = b.add(b.fma(f, e, b.sub(f, high)), b.lookup(approx.SixteenthsTable, 1, b.asInt(s)))
	return high, low, n
}

// floatExponentialMinusOne has the sign of x.
func floatExponentialMinusOne(b *builder, x []kernel.ID) kernel.ID {
	high, low, n := b.expm1Parts(x[0])
	return b.copysign(b.scale(b.add(high, low), n), x[0]) // -0
}

// expm1Parts returns e^x - 1 as 2^n·(high+low): 2^n·((1-2^-n) + p) with p = e^r - 1,
// where the sum is one with what is rounded off: 1-2^-n is -1, about 0 or 1/2 and above.
func (b *builder) expm1Parts(x kernel.ID) (high, low kernel.ID, n whole) {
	n, r := b.reduce(b.within(x, pick(b, -20.0, -40), b.mostExp()))
	z := b.mul(b.mul(r, r), b.horner(r, pick(b, approx.Exp32, approx.Exp64)))
	p := b.add(r, z)
	pLow := b.sub(z, b.sub(p, r))
	var inverse kernel.ID
	if b.Scales {
		inverse = b.scale(b.num(1), whole{b.neg(n.float), kernel.None, kernel.None})
	} else {
		inverse = b.powerOfTwo(b.neg(b.op(kernel.Minimum, n.integer, b.int(64)))) // more make no difference
	}
	one := b.sub(b.num(1), inverse)
	high = b.add(one, p)
	return high, b.add(b.add(b.sub(one, high), p), pLow), n
}

// floatLogistic is 1/(1+e) with e = e^-|x|, but e/(1+e) for negative x. The quotient
// of rounded parts is set right by what was rounded off.
func floatLogistic(b *builder, x []kernel.ID) kernel.ID {
	one, zero := b.num(1), b.num(0)
	high, low, n := b.expParts(b.neg(b.abs(x[0])))
	e, eLow := b.scale(high, n), b.scale(low, n)
	negative := b.is(kernel.CompareLT, x[0], 0)
	sum := b.add(one, e)
	sumLow := b.add(b.add(b.sub(one, sum), e), eLow)
	above, aboveLow := b.sel(negative, e, one), b.sel(negative, eLow, zero)
	return b.ratio(above, aboveLow, sum, sumLow)
}
