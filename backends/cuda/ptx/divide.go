package ptx

import "ltc/ir/types"

// Integers by what may be 0, or -1, of which instructions are not defined: the
// quotient by 0 has all bits set and the remainder is the dividend, and the lowest
// integer divided by -1 is itself.

// divisor returns what to divide by instead of y, 1 where that is not defined, and
// the predicates that y is 0 and, of signed integers, that it is -1; none if y is a
// literal of which neither holds.
func (w *writer) divisor(t types.DType, y string) (safe, zero, minus string) {
	if n, known := literal(y); known && n != 0 && n != -1 {
		return y, "", ""
	}
	name := kindOf(t)
	zero = w.op(predicate, "setp.eq."+name, y, "0")
	bad := zero
	if t.IsSigned() {
		minus = w.op(predicate, "setp.eq."+name, y, "-1")
		bad = w.op(predicate, "or.pred", zero, minus)
	}
	return w.choose(t, bad, "1", y), zero, minus
}

func (w *writer) divide(t types.DType, x, y string) string {
	safe, zero, minus := w.divisor(t, y)
	q := w.op(classOf(t), "div."+kindOf(t), x, safe)
	if minus != "" {
		q = w.choose(t, minus, w.op(classOf(t), "neg.s"+untyped(t)[1:], x), q)
	}
	if zero != "" {
		q = w.choose(t, zero, "-1", q)
	}
	return q
}

func (w *writer) remainder(t types.DType, x, y string) string {
	safe, zero, _ := w.divisor(t, y)
	r := w.op(classOf(t), "rem."+kindOf(t), x, safe) // by 1 it is 0
	if zero != "" {
		r = w.choose(t, zero, x, r)
	}
	return r
}
