package vector

import (
	"math"

	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// Halves reports whether the machine converts between f16 and f32.
func (m Machine) Halves() bool { return m.Level != SSE2 }

// widenHalf returns the values of the f16s whose bits are in h.
func (b *Builder) widenHalf(h value.Value) value.Value {
	x := b.fromHalf(h)
	b.keepHalf(x, h)
	return x
}

// keepHalf notes that h has the bits of the values x.
func (b *Builder) keepHalf(x, h value.Value) {
	if b.narrow16 == nil {
		b.narrow16 = map[value.Value]value.Value{}
	}
	b.narrow16[x] = h
}

func (b *Builder) fromHalf(h value.Value) value.Value {
	if b.Machine.Halves() {
		return b.Block.NewFPExt(b.bitcast(h, like(h.Type(), ll.Half)), like(h.Type(), ll.Float))
	}
	i := b.resize(h, ll.I32, false)
	sign := b.shln(b.andn(i, 0x8000), 16)
	// As bits of an f32, 2^-112 too small; subnormal ones become normal by the
	// product, which is exact.
	size := b.shln(b.andn(i, 0x7fff), 13)
	f := b.asInt(b.fmuln(b.asFloat(size), 0x1p112))
	infinite := b.icmpn(enum.IPredUGE, size, 0x7c00<<13)
	f = b.sel(infinite, b.or(size, b.int(size.Type(), 0x7f800000)), f)
	return b.asFloat(b.or(f, sign))
}

// toHalf returns the bits of f32 lanes rounded to f16 by an instruction. On x86-64
// that is an intrinsic: conversions from f64, which LLVM may find in fptrunc of
// what was one, are calls there.
func (b *Builder) toHalf(x value.Value) value.Value {
	const nearestEven = 0
	i16 := vectorOf(ll.I16, b.Machine.Bits()/32)
	switch {
	case b.Machine.wide():
		return b.pieces(16, func(p []value.Value) value.Value {
			return b.Call("llvm.x86.avx512.mask.vcvtps2ph.512", i16, p[0], b.int(ll.I32, nearestEven), b.int(i16, 0), b.int(ll.I16, -1))
		}, x)
	case b.Machine.Level == AVX2:
		return b.pieces(8, func(p []value.Value) value.Value {
			return b.Call("llvm.x86.vcvtps2ph.256", i16, p[0], b.int(ll.I32, nearestEven))
		}, x)
	}
	return b.bitcast(b.Block.NewFPTrunc(x, like(x.Type(), ll.Half)), like(x.Type(), ll.I16))
}

// narrowHalf returns the bits of f32 lanes that hold values of f16.
func (b *Builder) narrowHalf(x value.Value) value.Value {
	if h := b.narrow16[x]; h != nil {
		return h
	}
	if b.Machine.Halves() {
		return b.toHalf(x)
	}
	i := b.asInt(x)
	sign := b.lshrn(b.andn(i, math.MinInt32), 16)
	a := b.andn(i, math.MaxInt32)
	size := b.lshrn(b.asInt(b.fmuln(b.asFloat(a), 0x1p-112)), 13)
	size = b.sel(b.icmpn(enum.IPredUGE, a, 0x7f800000), b.andn(b.or(b.lshrn(a, 13), b.int(a.Type(), 0x7c00)), 0x7fff), size)
	return b.resize(b.or(size, sign), ll.I16, false)
}

// roundHalf rounds f32 lanes to f16, ties to even.
func (b *Builder) roundHalf(x value.Value) value.Value {
	if b.Machine.Halves() {
		return b.widenHalf(b.toHalf(x))
	}
	// What has the exponent e of an f16, at least -14, has steps of 2^(e-10):
	// adding 2^(e+13) leaves no bits for less.
	i := b.asInt(x)
	t := i.Type()
	a := b.asFloat(b.andn(i, math.MaxInt32))
	exponent := b.andn(i, 0x7f800000)
	least := b.int(t, (127-14)<<23)
	exponent = b.sel(b.icmp(enum.IPredSGT, exponent, least), exponent, least)
	big := b.asFloat(b.addn(exponent, 13<<23))
	// Beyond the exponents of f16 that would overflow: these become infinite.
	r := b.fsub(b.fadd(a, big), big)
	r = b.sel(b.fcmpn(enum.FPredOGE, a, 65520), b.num(x.Type(), math.Inf(1)), r)
	return b.copysign(r, x)
}
