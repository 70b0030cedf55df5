package vector

import (
	"math"

	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/approx"
	"ltc/ir/types"
)

var raise = inDouble(func(b *Builder, single bool, xs ...value.Value) value.Value {
	return b.power(xs[0], xs[1], single)
})

func floatPower(b *Builder, _ types.DType, x, y value.Value) value.Value {
	if c, ok := splatFloat(y); ok {
		if r := b.constantPower(x, c); r != nil {
			return r
		}
	}
	return raise(b, x, y)
}

// constantPower returns powers that are a product, a quotient or a root; else nil.
func (b *Builder) constantPower(x value.Value, y float64) value.Value {
	one := b.num(x.Type(), 1)
	switch y {
	case 0:
		return one
	case 1:
		return x
	case 2:
		return b.fmul(x, x)
	case 3:
		return b.fmul(b.fmul(x, x), x)
	case -1:
		return b.fdiv(one, x)
	case 0.5: // of -0: 0; of -infinity: infinity
		r := b.intrinsic("sqrt", b.faddn(x, 0))
		inf := b.num(x.Type(), math.Inf(1))
		return b.sel(b.fcmpn(enum.FPredOEQ, x, math.Inf(-1)), inf, r)
	}
	return nil
}

// power is e^(y·log|x|), with the cases of package math's Pow. For f64 the
// logarithm and the product have twice the precision.
func (b *Builder) power(x, y value.Value, single bool) value.Value {
	t := x.Type()
	zero, one, inf := b.num(t, 0), b.num(t, 1), b.num(t, math.Inf(1))
	a := b.fabs(x)
	var r value.Value
	if single {
		k, m := b.split(a)
		l := b.logRational(b.faddn(m, -1), k, zero)
		r = b.exp(types.F64, b.fmul(y, l))
	} else {
		high, low := b.logDouble(a)
		e, rest := b.twoProduct(y, high)
		rest = b.fma(y, low, rest)
		rest = b.sel(b.fcmpn(enum.FPredOLT, b.fabs(e), 1000), rest, zero) // else it may be NaN
		n, z := b.reduceLn2(b.within(e, -746, 710))
		z = b.fadd(z, rest)
		p := b.fma(b.fmul(z, z), b.horner(z, approx.Exp64), z)
		r = b.scale(b.faddn(p, 1), n)
	}
	above := b.fcmpn(enum.FPredOGT, y, 0)
	r = b.sel(b.fcmpn(enum.FPredOEQ, a, 0), b.sel(above, zero, inf), r)
	r = b.sel(b.fcmp(enum.FPredOEQ, a, inf), b.sel(above, inf, zero), r)
	// An infinite y: 1 for |x| = 1.
	r = b.sel(b.fcmpn(enum.FPredOEQ, a, 1), one, r)

	half := b.fmuln(y, 0.5)
	integer := b.fcmp(enum.FPredOEQ, b.toIntegers("floor", y), y)
	odd := b.and(integer, b.fcmp(enum.FPredONE, b.toIntegers("floor", half), half))
	negative := b.icmpn(enum.IPredSLT, b.asInt(x), 0)
	r = b.sel(b.and(negative, odd), b.fneg(r), r)
	ordinary := b.and(b.fcmpn(enum.FPredOLT, x, 0), b.fcmpn(enum.FPredOGT, x, math.Inf(-1)))
	nan := b.or(b.fcmp(enum.FPredUNO, x, y), b.and(ordinary, b.not(integer)))
	r = b.sel(nan, b.num(t, math.NaN()), r)
	return b.sel(b.or(b.fcmpn(enum.FPredOEQ, y, 0), b.fcmpn(enum.FPredOEQ, x, 1)), one, r)
}

// logDouble returns the logarithm of positive finite f64 lanes as a sum that is
// right to about 68 bits.
func (b *Builder) logDouble(x value.Value) (high, low value.Value) {
	t := x.Type()
	small := b.fcmpn(enum.FPredOLT, x, 0x1p-1022)
	i := b.asInt(b.sel(small, b.fmuln(x, 0x1p54), x))
	d := b.addn(i, -approx.PowerFrom)
	k := b.ashrn(d, 52)
	m := b.asFloat(b.sub(i, b.shln(k, 52)))
	k = b.add(k, b.sel(small, b.int(k.Type(), -54), b.int(k.Type(), 0)))
	kf := b.smallToFloat(k)
	part := b.lshrn(d, 52-7)
	c := b.lookup("ltc.power.0", approx.PowerParts[0], part)
	logHigh, logLow := b.lookup("ltc.power.1", approx.PowerParts[1], part), b.lookup("ltc.power.2", approx.PowerParts[2], part)

	// r + rLow = m·c - 1
	p, pLow := b.twoProduct(m, c)
	r, rLow := b.twoSum(b.faddn(p, -1), pLow)
	base := b.fadd(b.fmul(kf, b.num(t, approx.PowerLn2High)), logHigh) // exact
	sum, rest := b.fastTwoSum(base, r)
	half := b.fmuln(r, -0.5)
	square, squareLow := b.twoProduct(r, half)
	high, more := b.fastTwoSum(sum, square)
	low = b.fma(kf, b.num(t, approx.PowerLn2Low), logLow)
	low = b.fadd(low, b.fma(b.fneg(r), rLow, rLow)) // of r - r²/2
	low = b.fadd(low, b.fadd(rest, more))
	low = b.fadd(low, squareLow)
	cube := b.fmul(b.fmul(r, r), r)
	low = b.fadd(low, b.fmul(cube, b.horner(r, approx.LogTiny64)))
	return b.fastTwoSum(high, low)
}
