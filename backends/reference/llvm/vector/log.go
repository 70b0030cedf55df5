package vector

import (
	"math"

	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/approx"
	"ltc/ir/types"
)

// log is k·ln 2 + log m with x = m·2^k.
func (b *Builder) log(_ types.DType, x value.Value) value.Value {
	if width(x.Type()) == 32 && b.Machine.permutes() {
		k, m := b.split(x)
		r, base := b.inverse(m, k)
		return b.logSpecial(x, b.logNear(r, base, k))
	}
	k, m := b.split(x)
	f := b.faddn(m, -1)
	return b.logSpecial(x, b.logRational(f, k, b.num(x.Type(), 0)))
}

// log1p is the logarithm of the sum u+v of two floats that is 1+x exactly.
func (b *Builder) log1p(_ types.DType, x value.Value) value.Value {
	t := x.Type()
	one := b.num(t, 1)
	u := b.fadd(x, one)
	// What u lacks, by Knuth's sum; only where u is a normal number.
	w := b.fsub(u, x)
	v := b.fadd(b.fsub(x, b.fsub(u, w)), b.fsub(one, w))
	k, m := b.split(u)
	normal := b.and(b.fcmpn(enum.FPredOGT, u, 0), b.fcmpn(enum.FPredOLT, u, math.Inf(1)))
	var r value.Value
	if width(t) == 32 && b.Machine.permutes() {
		v = b.scale(v, whole{float: b.fneg(k.float), integer: b.negated(k.integer)})
		v = b.sel(normal, v, b.num(t, 0))
		r, base, c := b.inverseOf(m, k)
		r = b.logNear(b.fma(v, c, r), base, k)
		return b.sel(b.fcmpn(enum.FPredOEQ, x, 0), x, b.logSpecial(u, r))
	}
	v = b.sel(normal, v, b.num(t, 0))
	// Where k is 0, x itself is m-1; else v/u is added to the logarithm of u.
	near := b.fcmpn(enum.FPredOEQ, k.float, 0)
	f := b.sel(near, x, b.faddn(m, -1))
	low := b.sel(near, b.num(t, 0), b.fdiv(v, u))
	r = b.logRational(f, k, low)
	return b.sel(b.fcmpn(enum.FPredOEQ, x, 0), x, b.logSpecial(u, r))
}

func (b *Builder) negated(i value.Value) value.Value {
	if i == nil {
		return nil
	}
	return b.sub(b.int(i.Type(), 0), i)
}

// split returns k and m with x = m·2^k for positive finite x; m is from 3/4 to
// 3/2 for lanes of f32 on machines with permutations, else from √½ to √2. With
// AVX-512, k of 0 and infinity is infinite, and m of negative numbers is NaN.
func (b *Builder) split(x value.Value) (whole, value.Value) {
	t := x.Type()
	single := width(t) == 32
	if single && b.Machine.wide() {
		exponent := func(x value.Value) value.Value {
			return b.pieces(16, func(p []value.Value) value.Value {
				t := p[0].Type()
				return b.Call("llvm.x86.avx512.mask.getexp.ps.512", t, p[0], b.num(t, 0), b.int(ll.I16, -1), b.int(ll.I32, 4))
			}, x)
		}
		const interval, negativeIsNaN = 3, 2 << 2
		m := b.pieces(16, func(p []value.Value) value.Value {
			t := p[0].Type()
			return b.Call("llvm.x86.avx512.mask.getmant.ps.512", t, p[0], b.int(ll.I32, interval|negativeIsNaN), b.num(t, 0), b.int(ll.I16, -1), b.int(ll.I32, 4))
		}, x)
		return whole{float: b.fsub(exponent(x), exponent(m))}, m
	}
	least, up, fraction := 0x1p-1022, 54.0, int64(52)
	from := int64(math.Float64bits(math.Sqrt2 / 2))
	if single {
		least, up, fraction = 0x1p-126, 25, 23
		from = int64(math.Float32bits(math.Sqrt2 / 2))
		if b.Machine.permutes() {
			from = int64(math.Float32bits(0.75))
		}
	}
	small := b.fcmpn(enum.FPredOLT, x, least)
	i := b.asInt(b.sel(small, b.fmuln(x, math.Exp2(up)), x))
	k := b.ashrn(b.addn(i, -from), fraction)
	m := b.asFloat(b.sub(i, b.shln(k, fraction)))
	k = b.add(k, b.sel(small, b.int(k.Type(), -int64(up)), b.int(k.Type(), 0)))
	return whole{float: b.smallToFloat(k), integer: k}, m
}

// smallToFloat converts integers of less than 2^22, or 2^51, to floats of the
// same width; all that a machine may lack is the conversion of 64 bits.
func (b *Builder) smallToFloat(i value.Value) value.Value {
	t := b.floats(i.Type())
	if width(t) == 32 || b.Machine.wide() {
		return b.Block.NewSIToFP(i, t)
	}
	magic := 0x1.8p52
	return b.faddn(b.asFloat(b.addn(i, int64(math.Float64bits(magic)))), -magic)
}

// inverse returns r = m·c-1 and log 1/c + k·(the higher part of ln 2).
func (b *Builder) inverse(m value.Value, k whole) (r, base value.Value) {
	r, base, _ = b.inverseOf(m, k)
	return r, base
}

func (b *Builder) inverseOf(m value.Value, k whole) (r, base, c value.Value) {
	t := m.Type()
	i := b.lshrn(b.asInt(m), 23-4)
	c = b.lookup("ltc.inverses.0", approx.Inverses32[0], i)
	high, _ := ln2Parts(t)
	base = b.fma(k.float, b.num(t, high), b.lookup("ltc.inverses.1", approx.Inverses32[1], i))
	return b.fma(m, c, b.num(t, -1)), base, c
}

// logNear returns base + k·(the lower part of ln 2) + log(1+r) for r near 0.
func (b *Builder) logNear(r, base value.Value, k whole) value.Value {
	t := r.Type()
	_, low := ln2Parts(t)
	p := b.fma(b.fmul(r, r), b.horner(r, approx.LogNear32), r)
	return b.fadd(base, b.fma(k.float, b.num(t, low), p))
}

// logRational returns k·ln 2 + log(1+f) + low for f from √½-1 to √2-1:
// log(1+f) = 2·artanh s with s = f/(2+f), which is f - f²/2 + s·(f²/2+R(s²)),
// where only small terms are rounded before the last sum.
func (b *Builder) logRational(f value.Value, k whole, low value.Value) value.Value {
	t := f.Type()
	c := approx.Artanh64
	if width(t) == 32 {
		c = approx.Artanh32
	}
	s := b.fdiv(f, b.faddn(f, 2))
	z := b.fmul(s, s)
	r := b.fmul(z, b.horner(z, c))
	half := b.fmul(b.fmuln(f, 0.5), f)
	high, lo := ln2Parts(t)
	low = b.fma(k.float, b.num(t, lo), low)
	inner := b.fma(s, b.fadd(half, r), low)
	return b.fma(k.float, b.num(t, high), b.fsub(f, b.fsub(half, inner)))
}

// logSpecial returns r, but what the logarithm of 0, infinity, NaN and negative
// numbers is where x is one of these.
func (b *Builder) logSpecial(x, r value.Value) value.Value {
	t := x.Type()
	if width(t) == 32 && b.Machine.wide() {
		return r // as split leaves it
	}
	inf := math.Inf(1)
	r = b.sel(b.fcmpn(enum.FPredOLT, x, inf), r, x)
	r = b.sel(b.fcmpn(enum.FPredOEQ, x, 0), b.num(t, -inf), r)
	return b.sel(b.fcmpn(enum.FPredOLT, x, 0), b.num(t, math.NaN()), r)
}
