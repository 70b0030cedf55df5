package vector

import (
	"math"

	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/approx"
	"ltc/ir/types"
)

var arctangent = inDouble(func(b *Builder, single bool, xs ...value.Value) value.Value {
	return b.atan2(xs[0], xs[1], single)
})

func floatAtan2(b *Builder, _ types.DType, y, x value.Value) value.Value { return arctangent(b, y, x) }

// atan2 is the angle of (x, y): with c = i/8 near the quotient q of the smaller by
// the larger size, arctan q = arctan c + arctan u, u = (q-c)/(1+q·c).
func (b *Builder) atan2(y, x value.Value, single bool) value.Value {
	t := x.Type()
	zero, one := b.num(t, 0), b.num(t, 1)
	ax, ay := b.fabs(x), b.fabs(y)
	steep := b.fcmp(enum.FPredOGT, ay, ax)
	large, small := b.sel(steep, ay, ax), b.sel(steep, ax, ay)
	// Of two zeros the quotient is 0, of two infinities 1.
	infinite := b.fcmpn(enum.FPredOEQ, large, math.Inf(1))
	both := b.fcmpn(enum.FPredOEQ, small, math.Inf(1))
	small = b.sel(infinite, b.sel(both, one, zero), small)
	large = b.sel(b.or(infinite, b.fcmpn(enum.FPredOEQ, large, 0)), one, large)
	if !single { // so that nothing below is subnormal that counts, or overflows
		tiny, huge := b.fcmpn(enum.FPredOLT, large, 0x1p-800), b.fcmpn(enum.FPredOGT, large, 0x1p1000)
		scale := b.sel(tiny, b.num(t, 0x1p200), b.sel(huge, b.num(t, 0x1p-100), one))
		large, small = b.fmul(large, scale), b.fmul(small, scale)
	}
	i := b.nearest(b.fdiv(small, large), b.num(t, 8))
	c := b.fmuln(i.float, 1.0/8)
	u := b.fdiv(b.fnma(c, large, small), b.fma(c, small, large))
	z := b.fmul(u, u)
	low := b.fma(b.fmul(z, u), b.horner(z, approx.Atan64), u)
	high := b.lookup("ltc.atan.0", approx.AtanEighths64[0], i.integer)
	if single {
		a := b.fadd(high, low)
		a = b.sel(steep, b.fsub(b.num(t, approx.HalfPi), a), a)
		a = b.sel(b.icmpn(enum.IPredSLT, b.asInt(x), 0), b.fsub(b.num(t, 2*approx.HalfPi), a), a)
		return b.angleSpecial(x, y, a)
	}
	low = b.fadd(low, b.lookup("ltc.atan.1", approx.AtanEighths64[1], i.integer))
	// base ± (high + low): base is 0, π/2 or π.
	back := b.icmpn(enum.IPredSLT, b.asInt(x), 0)
	base := b.sel(steep, b.num(t, approx.HalfPi), b.sel(back, b.num(t, 2*approx.HalfPi), zero))
	baseLow := b.sel(steep, b.num(t, approx.HalfPiRest), b.sel(back, b.num(t, 2*approx.HalfPiRest), zero))
	minus := b.xor(steep, back)
	high, low = b.sel(minus, b.fneg(high), high), b.sel(minus, b.fneg(low), low)
	sum, rest := b.fastTwoSum(base, high)
	return b.angleSpecial(x, y, b.fadd(sum, b.fadd(low, b.fadd(rest, baseLow))))
}

// angleSpecial returns a with the sign of y, or NaN if x or y is.
func (b *Builder) angleSpecial(x, y, a value.Value) value.Value {
	nan := b.fcmp(enum.FPredUNO, x, y)
	return b.copysign(b.sel(nan, b.num(x.Type(), math.NaN()), a), y)
}
