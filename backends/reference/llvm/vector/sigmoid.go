package vector

import (
	"fmt"
	"math"

	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/approx"
	"ltc/ir/types"
)

// erf is a polynomial around the nearest multiple of a step, up to where it
// rounds to 1; for f32 only where the machine looks up 16 numbers at once.
func (b *Builder) erf(_ types.DType, x value.Value) value.Value {
	t := x.Type()
	if width(t) == 32 && !b.Machine.wide() {
		return b.erfOfExp(x)
	}
	name, rows, step, end := "ltc.erf", approx.Erf32, 33.0/128, 3.99
	if width(t) == 64 {
		rows, step, end = approx.Erf64, 25.0/64, 6.05
	}
	a := b.atMost(b.fabs(x), end)
	i := b.nearest(a, b.num(t, 1/step))
	d := b.fnma(i.float, b.num(t, step), a) // exact
	at0 := b.fcmpn(enum.FPredOEQ, i.float, 0)
	return b.copysign(b.sums(name, rows, i.integer, d, at0), x)
}

// erfOfExp is 1 - e^-(a + a·w), with w a polynomial of a = |x|, which is small
// where what is rounded off it would count.
func (b *Builder) erfOfExp(x value.Value) value.Value {
	a := b.atMost(b.fabs(x), 3.99)
	s, p := b.expNear(b.fneg(b.fma(a, b.horner(a, approx.ErfExponent32), a)))
	return b.signed(b.fnma(s, p, b.fsub(b.num(x.Type(), 1), s)), x)
}

// tanhOfExp is y/(y+2) with y = e^2|x| - 1.
func (b *Builder) tanhOfExp(x value.Value) value.Value {
	t := x.Type()
	end := 9.1
	if width(t) == 64 {
		end = 19.1
	}
	a := b.atMost(b.fabs(x), end)
	s, p := b.expNear(b.fadd(a, a))
	y := b.fma(s, p, b.faddn(s, -1))
	two := b.num(t, 2)
	sum := b.fadd(two, y)
	sumLow := b.fadd(b.fsub(two, sum), y) // for large y, for which it is wrong, it does not count
	return b.signed(b.ratio(y, nil, sum, sumLow), x)
}

// expNear returns 2^n and p = e^r - 1 with x = n·ln 2 + r, for |x| < 40. It is for erf
// and tanh, in which n times what log 2 of f32 lacks, 1.9e-9, is less than 1/30 of a
// unit in the last place: the larger |n|, the less of it is left.
func (b *Builder) expNear(x value.Value) (s, p value.Value) {
	t := x.Type()
	c := approx.Exp32
	bias, fraction := format(t)
	if width(t) == 64 || !b.Machine.FMA() {
		if width(t) == 64 {
			c = approx.Exp64
		}
		n, r := b.reduceLn2(x)
		return b.powerOfTwo(n.integer), b.fma(b.fmul(r, r), b.horner(r, c), r)
	}
	m := b.num(t, 0x1.8p23+float64(bias)) // the lowest bits of the sum are an exponent's
	biased := b.fma(x, b.num(t, math.Log2E), m)
	r := b.fnma(b.fsub(biased, m), b.num(t, math.Ln2), x)
	return b.asFloat(b.shln(b.asInt(biased), fraction)), b.fma(b.fmul(r, r), b.horner(r, c), r)
}

// signed returns x, of which no sign is set, with the sign of y.
func (b *Builder) signed(x, y value.Value) value.Value {
	i := b.asInt(y)
	sign := b.int(i.Type(), -1<<(width(y.Type())-1))
	return b.asFloat(b.or(b.asInt(x), b.and(i, sign)))
}

// tanh is a polynomial around a center that the leading bits of |x| and 1, or 1.5,
// choose, up to where it rounds to 1, where the machine looks up 16 numbers at once.
func (b *Builder) tanh(_ types.DType, x value.Value) value.Value {
	t := x.Type()
	if !b.Machine.wide() {
		return b.tanhOfExp(x)
	}
	name, rows, sum, shift, end := "ltc.tanh", approx.Tanh32, 1.0, int64(23-2), 9.1
	if width(t) == 64 {
		rows, sum, shift, end = approx.Tanh64, 1.5, 52-2, 19.1
	}
	a := b.atMost(b.fabs(x), end)
	i := b.lshrn(b.asInt(b.faddn(a, sum)), shift)
	center := b.lookup(name+".center", rows[0], i)
	d := b.fsub(a, center) // exact
	at0 := b.fcmpn(enum.FPredOEQ, center, 0)
	return b.copysign(b.sums(name, rows[1:], i, d, at0), x)
}

// sums returns rows[0] + rows[1]·x + rows[2]·x² + …, with coefficients that i
// looks up; x instead of the first where at0 is set.
func (b *Builder) sums(name string, rows [][]float64, i, x, at0 value.Value) value.Value {
	row := func(k int) value.Value { return b.lookup(fmt.Sprintf("%s.%d", name, k), rows[k], i) }
	r := row(len(rows) - 1)
	for k := len(rows) - 2; k > 0; k-- {
		r = b.fma(r, x, row(k))
	}
	return b.fma(r, x, b.sel(at0, x, row(0)))
}

// atMost returns the smaller of x and a constant; NaN stays.
func (b *Builder) atMost(x value.Value, most float64) value.Value {
	m := b.num(x.Type(), most)
	return b.sel(b.fcmp(enum.FPredOLT, m, x), m, x)
}
