package vector

import (
	"fmt"

	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/approx"
	"ltc/ir/types"
)

// erf is a polynomial around the nearest multiple of a step, up to where it
// rounds to 1.
func (b *Builder) erf(_ types.DType, x value.Value) value.Value {
	t := x.Type()
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

// tanh is a polynomial around a center that the leading bits of |x| and 1, or 1.5,
// choose, up to where it rounds to 1.
func (b *Builder) tanh(_ types.DType, x value.Value) value.Value {
	t := x.Type()
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
