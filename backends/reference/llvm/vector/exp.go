package vector

import (
	"math"

	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/ir/types"
)

// exp is 2^n·(1+r+r²·P(r)) with x = n·ln 2 + r.
func (b *Builder) exp(_ types.DType, x value.Value) value.Value {
	t := x.Type()
	p := expOf(t)
	x = b.within(x, p.lowest, p.highest)
	n := b.nearest(b.num(t, math.Log2E), x)
	r := b.fnma(n.float, b.num(t, p.ln2High), x)
	r = b.fnma(n.float, b.num(t, p.ln2Low), r)
	q := b.horner(r, p.coefficients)
	e := b.faddn(b.fma(b.fmul(r, r), q, r), 1)
	return b.scale(e, n)
}

type expParts struct {
	lowest, highest float64 // beyond which it is 0 or infinite
	ln2High, ln2Low float64 // n·ln2High is exact
	coefficients    []float64
}

func expOf(t ll.Type) expParts {
	if width(t) == 32 {
		return expParts{-104, 89, 0x1.63p-1, -0x1.bd0106p-13,
			[]float64{0.5, 0.16666576266288757, 0.041666556149721146, 0.008363178931176662, 0.0013926184037700295}}
	}
	c := make([]float64, 12)
	f := 2.0
	for i := range c {
		c[i] = 1 / f
		f *= float64(i + 3)
	}
	return expParts{-746, 710, 0x1.62e42feep-1, 0x1.a39ef35793c76p-33, c}
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
