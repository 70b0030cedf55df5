package expand

import (
	"math"

	"ltc/backends/kit/approx"
	"ltc/backends/kit/kernel"
)

// floatLog is k·ln 2 + log m with x = m·2^k.
func floatLog(b *builder, xs []kernel.ID) kernel.ID {
	x := xs[0]
	k, m := b.split(x)
	if b.inversesAtHand() {
		r, base, _ := b.inverse(m, k)
		return b.logSpecial(x, b.logNear(r, base, k))
	}
	return b.logSpecial(x, b.logRational(b.addn(m, -1), k, b.num(0)))
}

// floatLogPlusOne is the logarithm of the sum u+v of two floats that is 1+x exactly.
func floatLogPlusOne(b *builder, xs []kernel.ID) kernel.ID {
	x, zero := xs[0], b.num(0)
	u, v := b.twoSum(x, b.num(1)) // v only where u is a normal number
	k, m := b.split(u)
	normal := b.and(b.is(kernel.CompareGT, u, 0), b.is(kernel.CompareLT, u, math.Inf(1)))
	var r kernel.ID
	if b.inversesAtHand() {
		n := whole{b.neg(k.float), kernel.None, kernel.None}
		if k.integer != kernel.None {
			n.integer = b.neg(k.integer)
		}
		v = b.sel(normal, b.scale(v, n), zero)
		near, base, c := b.inverse(m, k)
		r = b.logNear(b.fma(v, c, near), base, k)
	} else {
		v = b.sel(normal, v, zero)
		// Where k is 0, x itself is m-1; else v/u is added to the logarithm of u.
		near := b.is(kernel.CompareEQ, k.float, 0)
		a := b.sel(near, x, b.addn(m, -1))
		r = b.logRational(a, k, b.sel(near, zero, b.div(v, u)))
	}
	return b.sel(b.is(kernel.CompareEQ, x, 0), x, b.logSpecial(u, r))
}

// inversesAtHand reports whether 16 values of 1/m and log m are in registers.
func (b *builder) inversesAtHand() bool { return !b.is64() && b.Lookup >= 32 }

// split returns k and m with x = m·2^k for positive finite x; m is from 3/4 to 3/2
// where inverses are at hand, else from √½ to √2. Of f32, where the target takes
// floats apart, k of 0 and infinity is infinite, and m of negative numbers is NaN.
func (b *builder) split(x kernel.ID) (whole, kernel.ID) {
	if b.splits() {
		m := b.op(kernel.Mantissa, x)
		return whole{b.sub(b.op(kernel.Exponent, x), b.op(kernel.Exponent, m)), kernel.None, kernel.None}, m
	}
	_, fraction := b.format()
	up := pick(b, 25.0, 54)
	from := pick(b, int64(math.Float32bits(math.Sqrt2/2)), int64(math.Float64bits(math.Sqrt2/2)))
	if b.inversesAtHand() {
		from = int64(math.Float32bits(0.75))
	}
	small := b.is(kernel.CompareLT, x, pick(b, 0x1p-126, 0x1p-1022))
	i := b.asInt(b.sel(small, b.muln(x, math.Exp2(up)), x))
	k := b.sar(b.addi(i, -from), fraction)
	m := b.asFloat(b.sub(i, b.shl(k, fraction)))
	k = b.add(k, b.sel(small, b.int(-int64(up)), b.int(0)))
	return whole{b.smallToFloat(k), k, kernel.None}, m
}

// splits reports whether split is by instructions.
func (b *builder) splits() bool { return !b.is64() && b.Scales }

// inverse returns r = m·c-1, log 1/c + k·(the higher part of ln 2), and c.
func (b *builder) inverse(m kernel.ID, k whole) (r, base, c kernel.ID) {
	i := b.shr(b.asInt(m), 23-4)
	c = b.lookup(approx.InversesTable, 0, i)
	high, _ := b.ln2()
	base = b.fma(k.float, high, b.lookup(approx.InversesTable, 1, i))
	return b.fma(m, c, b.num(-1)), base, c
}

// logNear returns base + k·(the lower part of ln 2) + log(1+r) for r near 0.
func (b *builder) logNear(r, base kernel.ID, k whole) kernel.ID {
	_, low := b.ln2()
	p := b.fma(b.mul(r, r), b.horner(r, approx.LogNear32), r)
	return b.add(base, b.fma(k.float, low, p))
}

// logRational returns k·ln 2 + log(1+a) + low for a from √½-1 to √2-1. With
// s = a/(2+a), log(1+a) is 2·artanh s, which is a - a²/2 + s·(a²/2+R(s²)). In that formula
// only small terms are rounded before the last sum.
func (b *builder) logRational(a kernel.ID, k whole, low kernel.ID) kernel.ID {
	s := b.div(a, b.addn(a, 2))
	z := b.mul(s, s)
	r := b.mul(z, b.horner(z, pick(b, approx.Artanh32, approx.Artanh64)))
	squared := b.mul(b.muln(a, 0.5), a)
	ln2High, ln2Low := b.ln2()
	low = b.fma(k.float, ln2Low, low)
	inner := b.fma(s, b.add(squared, r), low)
	return b.fma(k.float, ln2High, b.sub(a, b.sub(squared, inner)))
}

// logSpecial returns r, but what the logarithm of 0, infinity, NaN and negative numbers
// is where x is one of these.
func (b *builder) logSpecial(x, r kernel.ID) kernel.ID {
	if b.splits() {
		return r // as split leaves it
	}
	r = b.sel(b.is(kernel.CompareLT, x, math.Inf(1)), r, x)
	r = b.sel(b.is(kernel.CompareEQ, x, 0), b.num(math.Inf(-1)), r)
	return b.sel(b.is(kernel.CompareLT, x, 0), b.num(math.NaN()), r)
}
