package vector

import (
	"math"

	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/ir/types"
)

// ln2 split so that products of the first part with exponents are exact.
func ln2Parts(t ll.Type) (high, low float64) {
	if width(t) == 32 {
		return 0x1.63p-1, -0x1.bd0106p-13
	}
	return 0x1.62e42feep-1, 0x1.a39ef35793c76p-33
}

// exp is 2^n·e^r with x = n·ln 2 + r.
func (b *Builder) exp(_ types.DType, x value.Value) value.Value {
	t := x.Type()
	if width(t) == 64 {
		return b.expReduced(b.within(x, -746, 710), exp64)
	}
	x = b.within(x, -104, 89) // to 0, to infinity
	if b.Machine.wide() {
		return b.expSixteenths(x)
	}
	return b.expReduced(x, exp32)
}

func (b *Builder) expReduced(x value.Value, c []float64) value.Value {
	t := x.Type()
	high, low := ln2Parts(t)
	n := b.nearest(x, b.num(t, math.Log2E))
	r := b.fnma(n.float, b.num(t, high), x)
	r = b.fnma(n.float, b.num(t, low), r)
	e := b.fma(b.fmul(r, r), b.horner(r, c), r)
	return b.scale(b.faddn(e, 1), n)
}

// expSixteenths is 2^n·e^r for a number n of sixteenths, whose fraction chooses
// from a table: less is left for the polynomial.
func (b *Builder) expSixteenths(x value.Value) value.Value {
	t := x.Type()
	high, low := ln2Parts(t)
	const magic = 0x1.8p19 // leaves the last bit for 1/16
	m := b.num(t, magic)
	s := b.fma(x, b.num(t, math.Log2E), m)
	n := b.fsub(s, m)
	r := b.fnma(n, b.num(t, high), x)
	r = b.fnma(n, b.num(t, low), r)
	e := b.fma(b.fmul(r, r), b.horner(r, expNear32), r)
	f := b.lookup("ltc.sixteenths", sixteenths32, b.asInt(s))
	return b.scale(b.fma(f, e, f), whole{float: n})
}

// whole is lanes of integers as floats and as integers of the same width.
type whole struct{ float, integer value.Value }

// nearest returns x*y rounded to integers of less than 2^22, or 2^51: adding
// 1.5·2^23, or 1.5·2^52, leaves no bits for less. The integers of NaN are any.
func (b *Builder) nearest(x, y value.Value) whole {
	magic := 0x1.8p23
	bits := int64(math.Float32bits(float32(magic)))
	if width(x.Type()) == 64 {
		magic = 0x1.8p52
		bits = int64(math.Float64bits(magic))
	}
	m := b.num(x.Type(), magic)
	s := b.fma(x, y, m)
	return whole{b.fsub(s, m), b.addn(b.asInt(s), -bits)}
}

// within returns x moved into a range; NaN stays.
func (b *Builder) within(x value.Value, lo, hi float64) value.Value {
	t := x.Type()
	l, h := b.num(t, lo), b.num(t, hi)
	x = b.sel(b.fcmp(enum.FPredOGT, l, x), l, x)
	return b.sel(b.fcmp(enum.FPredOLT, h, x), h, x)
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
	// Half of the way each: the first step is exact.
	half := b.ashrn(n.integer, 1)
	x = b.fmul(x, b.powerOfTwo(half))
	return b.fmul(x, b.powerOfTwo(b.sub(n.integer, half)))
}

// powerOfTwo returns 2^n for integers n that are exponents of normal floats.
func (b *Builder) powerOfTwo(n value.Value) value.Value {
	bias, bits := int64(127), int64(23)
	if width(n.Type()) == 64 {
		bias, bits = 1023, 52
	}
	return b.asFloat(b.shln(b.addn(n, bias), bits))
}
