package asm

import "ltc/ir/types"

// Instructions do not define division of integers by 0, and of the lowest integer by -1.
// The quotient by 0 has all bits set and the remainder is the dividend. The lowest integer
// divided by -1 is itself.

// divisor returns the divisor to use instead of y, 1 where division is not defined. It also
// returns the predicates that y is 0 and, of signed integers, that it is -1; none if y is a
// literal of which neither holds.
func (w *Writer) divisor(t types.DType, y string) (safe, zero, minus string) {
	if n, known := Literal(y); known && n != 0 && n != -1 {
		return y, "", ""
	}
	name := KindOf(t)
	zero = w.Op(Predicate, "setp.eq."+name, y, "0")
	bad := zero
	if t.IsSigned() {
		minus = w.Op(Predicate, "setp.eq."+name, y, "-1")
		bad = w.Op(Predicate, "or.pred", zero, minus)
	}
	return w.Choose(t, bad, "1", y), zero, minus
}

func (w *Writer) divide(t types.DType, x, y string) string {
	safe, zero, minus := w.divisor(t, y)
	q := w.Op(ClassOf(t), "div."+KindOf(t), x, safe)
	if minus != "" {
		q = w.Choose(t, minus, w.Op(ClassOf(t), "neg.s"+Untyped(t)[1:], x), q)
	}
	if zero != "" {
		q = w.Choose(t, zero, "-1", q)
	}
	return q
}

func (w *Writer) remainder(t types.DType, x, y string) string {
	safe, zero, _ := w.divisor(t, y)
	r := w.Op(ClassOf(t), "rem."+KindOf(t), x, safe) // by 1 it is 0
	if zero != "" {
		r = w.Choose(t, zero, x, r)
	}
	return r
}
