package vector

import (
	"math"

	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/approx"
	"ltc/ir/types"
)

var cubeRoot = inDouble(func(b *Builder, single bool, xs ...value.Value) value.Value {
	return b.cbrt(xs[0], single)
})

func floatCbrt(b *Builder, _ types.DType, x value.Value) value.Value { return cubeRoot(b, x) }

// cbrt is 2^k·∛m with x = m·2^(3k), m from 1 to 8: a polynomial, then Halley's
// method, which triples the bits; the last time, for f64, from a root whose square
// is exact.
func (b *Builder) cbrt(x value.Value, single bool) value.Value {
	t := x.Type()
	a := b.fabs(x)
	if !single {
		a = b.sel(b.fcmpn(enum.FPredOLT, a, 0x1p-1022), b.fmuln(a, 0x1p54), a)
	}
	i := b.asInt(a)
	e := b.lshrn(i, 52)
	k := b.lshrn(b.mul(e, b.int(e.Type(), 0x5556)), 16) // e/3, e below 2^11
	e = b.sub(e, b.mul(k, b.int(k.Type(), 3)))
	m := b.asFloat(b.or(b.andn(i, 1<<52-1), b.shln(b.addn(e, 1023), 52)))
	// m·2^(3k) is a, as 1023 is 3·341.
	y := b.horner(m, approx.CubeRoot64)
	cube := b.fmul(b.fmul(y, y), y)
	y = b.fmul(y, b.fdiv(b.fma(m, b.num(t, 2), cube), b.fma(cube, b.num(t, 2), m)))
	if !single {
		y = b.asFloat(b.andn(b.addn(b.asInt(y), 1<<27), -1<<28))
		q := b.fdiv(m, b.fmul(y, y))
		y = b.fma(y, b.fdiv(b.fsub(q, y), b.fadd(b.fadd(y, y), q)), y)
	}
	scale := b.addn(k, 1023-341)
	if !single {
		scale = b.sub(scale, b.sel(b.fcmpn(enum.FPredOLT, b.fabs(x), 0x1p-1022), b.int(k.Type(), 18), b.int(k.Type(), 0)))
	}
	y = b.fmul(y, b.asFloat(b.shln(scale, 52)))
	ordinary := b.and(b.fcmpn(enum.FPredONE, x, 0), b.fcmpn(enum.FPredOLT, b.fabs(x), math.Inf(1)))
	return b.sel(ordinary, b.copysign(y, x), x)
}
