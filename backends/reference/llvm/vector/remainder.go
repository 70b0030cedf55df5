package vector

import (
	"math"

	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/ir/types"
)

var modulo = inDouble(func(b *Builder, _ bool, xs ...value.Value) value.Value {
	return b.remainder(xs[0], xs[1])
})

func floatRemainder(b *Builder, _ types.DType, x, y value.Value) value.Value { return modulo(b, x, y) }

// remainder is x - y·n for the integer n next to x/y towards 0, exactly: some 40
// bits of the quotient at a time. Each difference is a multiple of the divisor's
// last bit and less than the divisor, so it has no more bits than that.
func (b *Builder) remainder(x, y value.Value) value.Value {
	t := x.Type()
	zero := b.num(t, 0)
	inf := math.Inf(1)
	ax, ay := b.fabs(x), b.fabs(y)
	proper := b.and(b.fcmpn(enum.FPredOLT, ax, inf), b.fcmpn(enum.FPredOGT, ay, 0))
	ordinary := b.and(proper, b.fcmpn(enum.FPredOLT, ay, inf))
	rest, divisor := b.sel(ordinary, ax, zero), b.sel(ordinary, ay, b.num(t, 1))
	scale := b.num(t, 1)
	if !b.Machine.FMA() { // products are exact below 2^996
		scale = b.sel(b.fcmpn(enum.FPredOGT, divisor, 0x1p900), b.num(t, 0x1p-100), scale)
		rest, divisor = b.fmul(rest, scale), b.fmul(divisor, scale)
	}
	least := b.exponent(divisor)
	rest = b.While([]value.Value{rest}, func(v []value.Value) value.Value {
		return b.Any(Value{b.fcmp(enum.FPredOGE, v[0], divisor), types.Bool})
	}, func(v []value.Value) []value.Value {
		rest := v[0]
		n := b.addn(b.sub(b.exponent(rest), least), -40)
		n = b.sel(b.icmpn(enum.IPredSGT, n, 0), n, b.int(n.Type(), 0))
		up := b.scaleUp(divisor, n)
		q := b.toIntegers("trunc", b.fdiv(rest, up))
		next := b.fsubProduct(rest, q, up)
		// The quotient may have been rounded up to an integer.
		next = b.sel(b.fcmpn(enum.FPredOLT, next, 0), b.fadd(next, up), next)
		return []value.Value{b.sel(b.fcmp(enum.FPredOGE, rest, divisor), next, rest)}
	})[0]
	rest = b.fdiv(rest, scale)
	rest = b.sel(ordinary, b.copysign(rest, x), x) // of an infinite y: x
	nan := b.or(b.not(proper), b.fcmp(enum.FPredUNO, x, y))
	return b.sel(nan, b.num(t, math.NaN()), rest)
}

// fsubProduct returns z-x·y, which is exact if it can be.
func (b *Builder) fsubProduct(z, x, y value.Value) value.Value {
	if b.Machine.FMA() {
		return b.fnma(x, y, z)
	}
	p, rest := b.twoProduct(x, y)
	return b.fsub(b.fsub(z, p), rest)
}

// exponent returns the exponents of finite f64 lanes above 0, all of them too large by
// the same number.
func (b *Builder) exponent(x value.Value) value.Value {
	small := b.fcmpn(enum.FPredOLT, x, 0x1p-1022)
	e := b.lshrn(b.asInt(b.sel(small, b.fmuln(x, 0x1p54), x)), 52)
	return b.sub(e, b.sel(small, b.int(e.Type(), 54), b.int(e.Type(), 0)))
}

// scaleUp returns x·2^n of f64 lanes, half of the way each, for n from 0 to 2046.
func (b *Builder) scaleUp(x, n value.Value) value.Value {
	half := b.lshrn(n, 1)
	for _, part := range []value.Value{half, b.sub(n, half)} {
		x = b.fmul(x, b.asFloat(b.shln(b.addn(part, 1023), 52)))
	}
	return x
}
