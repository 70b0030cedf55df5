package expand

import (
	"math"

	"ltc/backends/kit/approx"
	"ltc/backends/kit/kernel"
)

// floatRsqrt is off by less than 1.5 units.
func floatRsqrt(b *builder, x []kernel.ID) kernel.ID {
	return b.div(b.num(1), b.op(kernel.Sqrt, x[0]))
}

var floatCbrt = inDouble((*builder).cbrt)

// cbrt is 2^k·∛m with x = m·2^(3k) and m from 1 to 8. A polynomial approximates ∛m, and
// each iteration of Halley's method triples its bits. If f32 will not do, a second and
// last iteration begins with a root whose square is exact.
func (b *builder) cbrt(single bool, xs []kernel.ID) kernel.ID {
	x := xs[0]
	a := b.abs(x)
	small := b.is(kernel.CompareLT, a, 0x1p-1022)
	if !single {
		a = b.sel(small, b.muln(a, 0x1p54), a)
	}
	i := b.asInt(a)
	e := b.shr(i, 52)
	k := b.shr(b.mul(e, b.int(0x5556)), 16) // e/3, e below 2^11
	e = b.sub(e, b.mul(k, b.int(3)))
	m := b.asFloat(b.or(b.andi(i, 1<<52-1), b.shl(b.addi(e, 1023), 52)))
	// m·2^(3k) is a, as 1023 is 3·341.
	y := b.horner(m, approx.CubeRoot64)
	cube := b.mul(b.mul(y, y), y)
	y = b.mul(y, b.div(b.fma(m, b.num(2), cube), b.fma(cube, b.num(2), m)))
	scale := b.addi(k, 1023-341)
	if !single {
		y = b.asFloat(b.andi(b.addi(b.asInt(y), 1<<27), -1<<28))
		q := b.div(m, b.mul(y, y))
		y = b.fma(y, b.div(b.sub(q, y), b.add(b.add(y, y), q)), y)
		scale = b.sub(scale, b.sel(small, b.int(18), b.int(0)))
	}
	y = b.mul(y, b.asFloat(b.shl(scale, 52)))
	ordinary := b.and(b.is(kernel.CompareNE, x, 0), b.is(kernel.CompareLT, b.abs(x), math.Inf(1)))
	return b.sel(ordinary, b.copysign(y, x), x)
}
