package vector

import (
	"math"

	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/approx"
	"ltc/ir/types"
)

// ln2Parts returns log 2 as a sum: products of the first part with exponents
// are exact. Both are positive, so that infinite exponents stay infinite.
func ln2Parts(t ll.Type) (high, low float64) {
	if width(t) == 32 {
		return approx.Ln2High32, approx.Ln2Low32
	}
	return approx.Ln2High64, approx.Ln2Low64
}

// exp is 2^n·e^r with x = n·ln 2 + r.
func (b *Builder) exp(_ types.DType, x value.Value) value.Value {
	high, _, n := b.expParts(x, false)
	return b.scale(high, n)
}

// ExpBelow adds e^x for x of which none is more than 0, as a number less the largest
// of its row; NaN stays. The bits are those that [Builder.Unary] gives.
func (b *Builder) ExpBelow(x Value) (Value, error) {
	if !x.DType.IsFloat() {
		return Value{}, &UnsupportedError{"exponential", x.DType}
	}
	return b.rounded(b.expBelow(x.V), x.DType), nil
}

// expBelow has no largest x to look for, and no largest exponent: 2^n is a factor by
// itself, though too large by so much that it is a normal number for all n, and what it
// is too large by is one that is the same for all. What is rounded to a subnormal number
// is so once, in the last product.
func (b *Builder) expBelow(x value.Value) value.Value {
	t := x.Type()
	c, least, more := approx.Exp32, -104.0, int64(65) // with the bias even, so that halves are rounded as elsewhere
	if width(t) == 64 {
		c, least, more = approx.Exp64, -746, 513
	}
	x = b.atLeast(x, least)
	if b.Machine.wide() {
		high, _, n := b.expWithin(x, false)
		return b.scale(high, n)
	}
	bias, fraction := format(t)
	s, r := b.reduceInPlace(x, bias+more)
	e := b.fma(b.fmul(r, r), b.horner(r, c), r)
	power := b.asFloat(b.shln(b.asInt(s), fraction))
	return b.fmul(b.fma(e, power, power), b.num(t, math.Ldexp(1, -int(more))))
}

// reduceInPlace is [Builder.reduceLn2], but that the lowest bits of what it returns are
// those of n and a number that is added.
func (b *Builder) reduceInPlace(x value.Value, add int64) (s, r value.Value) {
	t := x.Type()
	magic := 0x1.8p23
	if width(t) == 64 {
		magic = 0x1.8p52
	}
	high, low := ln2Parts(t)
	m := b.num(t, magic+float64(add))
	s = b.fma(x, b.num(t, math.Log2E), m)
	n := b.fsub(s, m)
	return s, b.fnma(n, b.num(t, low), b.fnma(n, b.num(t, high), x))
}

// expParts returns e^x as 2^n·(high+low), 0 for very small x and infinite for
// very large ones. low is what rounding took from high, if it is asked for;
// else nil.
func (b *Builder) expParts(x value.Value, tail bool) (high, low value.Value, n whole) {
	if width(x.Type()) == 64 {
		return b.expWithin(b.within(x, -746, 710), tail)
	}
	return b.expWithin(b.within(x, -104, 89), tail)
}

// expWithin is expParts of x that are not so small, and not so large.
func (b *Builder) expWithin(x value.Value, tail bool) (high, low value.Value, n whole) {
	switch {
	case width(x.Type()) == 64:
		return b.expReduced(x, approx.Exp64, tail)
	case b.Machine.wide():
		return b.expSixteenths(x, tail)
	}
	return b.expReduced(x, approx.Exp32, tail)
}

func (b *Builder) expReduced(x value.Value, c []float64, tail bool) (high, low value.Value, n whole) {
	n, r := b.reduceLn2(x)
	e := b.fma(b.fmul(r, r), b.horner(r, c), r)
	high = b.faddn(e, 1)
	if tail {
		low = b.fsub(e, b.faddn(high, -1))
	}
	return high, low, n
}

// reduceLn2 returns n and r with x = n·ln 2 + r.
func (b *Builder) reduceLn2(x value.Value) (n whole, r value.Value) {
	t := x.Type()
	high, low := ln2Parts(t)
	n = b.nearest(x, b.num(t, math.Log2E))
	r = b.fnma(n.float, b.num(t, high), x)
	return n, b.fnma(n.float, b.num(t, low), r)
}

// expSixteenths counts n in sixteenths, whose fraction chooses from a table:
// less is left for the polynomial. Scaling ignores the fraction.
func (b *Builder) expSixteenths(x value.Value, tail bool) (high, low value.Value, n whole) {
	t := x.Type()
	ln2High, ln2Low := ln2Parts(t)
	m := b.num(t, 0x1.8p19) // leaves the last bit for 1/16
	s := b.fma(x, b.num(t, math.Log2E), m)
	n.float = b.fsub(s, m)
	r := b.fnma(n.float, b.num(t, ln2High), x)
	r = b.fnma(n.float, b.num(t, ln2Low), r)
	e := b.fma(b.fmul(r, r), b.horner(r, approx.ExpNear32), r)
	f := b.lookup("ltc.sixteenths.0", approx.Sixteenths32[0], b.asInt(s))
	high = b.fma(f, e, f)
	if tail {
		low = b.fadd(b.fma(f, e, b.fsub(f, high)), b.lookup("ltc.sixteenths.1", approx.Sixteenths32[1], b.asInt(s)))
	}
	return high, low, n
}

// expm1 is 2^n·((1-2^-n) + p) with p = e^r - 1.
func (b *Builder) expm1(_ types.DType, x value.Value) value.Value {
	t := x.Type()
	c, lo, hi := approx.Exp32, -20.0, 89.0
	if width(t) == 64 {
		c, lo, hi = approx.Exp64, -40, 710
	}
	n, r := b.reduceLn2(b.within(x, lo, hi))
	z := b.fmul(b.fmul(r, r), b.horner(r, c))
	p := b.fadd(r, z)
	pLow := b.fsub(z, b.fsub(p, r))
	var inverse value.Value
	if b.Machine.wide() {
		inverse = b.scale(b.num(t, 1), whole{float: b.fneg(n.float)})
	} else {
		most := b.int(n.integer.Type(), 64) // more make no difference
		m := b.sel(b.icmp(enum.IPredSLT, n.integer, most), n.integer, most)
		inverse = b.powerOfTwo(b.negated(m))
	}
	// The sum with what is rounded off: one is -1, about 0 or 1/2 and above.
	one := b.fsub(b.num(t, 1), inverse)
	sum := b.fadd(one, p)
	sumLow := b.fadd(b.fsub(one, sum), p)
	y := b.scale(b.fadd(sum, b.fadd(sumLow, pLow)), n)
	return b.copysign(y, x) // -0
}

// logistic is 1/(1+e) with e = e^-|x|, but e/(1+e) for negative x. The quotient
// of rounded parts is set right by what was rounded off.
func (b *Builder) logistic(_ types.DType, x value.Value) value.Value {
	t := x.Type()
	one, zero := b.num(t, 1), b.num(t, 0)
	high, low, n := b.expParts(b.fneg(b.fabs(x)), true)
	e, eLow := b.scale(high, n), b.scale(low, n)
	negative := b.fcmpn(enum.FPredOLT, x, 0)
	sum := b.fadd(one, e)
	sumLow := b.fadd(b.fadd(b.fsub(one, sum), e), eLow)
	above, aboveLow := b.sel(negative, e, one), b.sel(negative, eLow, zero)
	return b.ratio(above, aboveLow, sum, sumLow)
}

// ratio returns (x+xLow)/(y+yLow), where xLow may be nil for 0, of which the
// quotient of x and y is set right by the others.
func (b *Builder) ratio(x, xLow, y, yLow value.Value) value.Value {
	if b.Machine.FMA() {
		inverse := b.fdiv(b.num(y.Type(), 1), y)
		q := b.fmul(x, inverse)
		rest := b.fnma(q, y, x)
		if xLow != nil {
			rest = b.fadd(rest, xLow)
		}
		return b.fma(b.fnma(q, yLow, rest), inverse, q)
	}
	// What the quotient lacks is not known; what its parts lack is.
	q := b.fdiv(x, y)
	rest := b.fneg(b.fmul(q, yLow))
	if xLow != nil {
		rest = b.fadd(xLow, rest)
	}
	return b.fadd(q, b.fdiv(rest, y))
}

// whole is lanes of integers as floats and as integers of the same width.
type whole struct {
	float, integer value.Value
	// biased has the sum of the integer and twice an exponent's bias in its lower
	// half and nothing in the next bits; nil if it is not at hand.
	biased value.Value
}

// nearest returns x*y rounded to integers of less than 2^21, or 2^50: adding
// 1.5·2^23, or 1.5·2^52, leaves no bits for less. The integers of NaN are any.
func (b *Builder) nearest(x, y value.Value) whole {
	bias, _ := format(x.Type())
	magic := 0x1.8p23 + float64(2*bias)
	bits := int64(math.Float32bits(float32(magic)))
	if width(x.Type()) == 64 {
		magic = 0x1.8p52 + float64(2*bias)
		bits = int64(math.Float64bits(magic))
	}
	m := b.num(x.Type(), magic)
	s := b.fma(x, y, m)
	biased := b.asInt(s)
	return whole{b.fsub(s, m), b.addn(biased, -bits), biased}
}

// within returns x moved into a range; NaN stays.
func (b *Builder) within(x value.Value, lo, hi float64) value.Value {
	return b.atMost(b.atLeast(x, lo), hi)
}

// atLeast returns the larger of x and a constant; NaN stays.
func (b *Builder) atLeast(x value.Value, least float64) value.Value {
	l := b.num(x.Type(), least)
	return b.sel(b.fcmp(enum.FPredOGT, l, x), l, x)
}

// horner returns c[0] + c[1]·x + c[2]·x² + …
func (b *Builder) horner(x value.Value, c []float64) value.Value {
	t := x.Type()
	r := b.num(t, c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		r = b.fma(r, x, b.num(t, c[i]))
	}
	return r
}

// scale returns x·2^n, rounded once, for sizes of n of up to twice the largest
// exponent.
func (b *Builder) scale(x value.Value, n whole) value.Value {
	t := x.Type()
	if b.Machine.wide() {
		name, native, all := "llvm.x86.avx512.mask.scalef.ps.512", 16, ll.Type(ll.I16)
		if width(t) == 64 {
			name, native, all = "llvm.x86.avx512.mask.scalef.pd.512", 8, ll.I8
		}
		return b.pieces(native, func(p []value.Value) value.Value {
			t := p[0].Type()
			return b.Call(name, t, p[0], p[1], b.num(t, 0), b.int(all, -1), b.int(ll.I32, 4))
		}, x, n.float)
	}
	// Half of the way each: the first step is exact. What lies above an exponent's
	// bits is shifted out.
	bias, fraction := format(t)
	biased := n.biased
	if biased == nil {
		biased = b.addn(n.integer, 2*bias)
	}
	half := b.lshrn(biased, 1)
	x = b.fmul(x, b.asFloat(b.shln(half, fraction)))
	return b.fmul(x, b.asFloat(b.shln(b.sub(biased, half), fraction)))
}

// format returns what is added to the exponents of floats, and how many bits lie
// below them.
func format(t ll.Type) (bias, fraction int64) {
	if width(t) == 64 {
		return 1023, 52
	}
	return 127, 23
}

// powerOfTwo returns 2^n for integers n that are exponents of normal floats.
func (b *Builder) powerOfTwo(n value.Value) value.Value {
	bias, bits := format(n.Type())
	return b.asFloat(b.shln(b.addn(n, bias), bits))
}
