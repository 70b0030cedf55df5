package asm

import (
	"ltc/ir/types"
)

// The ops of floats. f16 and bf16 are computed with as f32.

var (
	floatAbs, floatNegate                  = instruction("abs"), instruction("neg")
	floatAdd, floatSubtract, floatMultiply = instruction("add.rn"), instruction("sub.rn"), instruction("mul.rn")
	floatFloor                             = toWhole("rmi")
	floatMaximum, floatMinimum             = extreme("max"), extreme("min")
	floatSqrt                              = instruction("sqrt.rn")
	opFMA                                  = instruction("fma.rn")
)

// toWhole is the code of a conversion to whole numbers.
func toWhole(how string) code {
	return func(w *Writer, o operation) string { return o.floats(w).whole(how, o.args[0]) }
}

// extreme is the code of the larger or smaller of two: NaN if one is.
func extreme(opcode string) code {
	return func(w *Writer, o operation) string {
		a, b := o.args[0], o.args[1]
		if o.t != types.F64 {
			return w.Op(Single, opcode+".NaN.f32", a, b)
		}
		v := w.Op(Double, opcode+".f64", a, b) // f64 has no instruction that NaNs pass
		return w.Choose(o.t, w.Op(Predicate, "setp.eq.f64", v, v), w.nanOf(o.t, a, b, v), v)
	}
}

// nanOf returns a or b where one is NaN, else v.
func (w *Writer) nanOf(t types.DType, a, b, v string) string {
	v = w.Choose(t, w.Op(Predicate, "setp.neu.f64", a, a), a, v)
	return w.Choose(t, w.Op(Predicate, "setp.neu.f64", b, b), b, v)
}

func floatDivide(w *Writer, o operation) string {
	f := o.floats(w)
	if o.args[0] == f.num(1) {
		return f.op("rcp.rn", o.args[1])
	}
	return f.op("div.rn", o.args[0], o.args[1])
}

// floatCopySign has the size of the first argument and the second's sign, which the
// instruction takes first.
func floatCopySign(w *Writer, o operation) string {
	return o.floats(w).op("copysign", o.args[1], o.args[0])
}

// floats returns what writes instructions on floats of the operation's type.
func (o operation) floats(w *Writer) floats { return floats{w, o.t} }

// floats writes instructions on floats of a type.
type floats struct {
	*Writer
	t types.DType
}

func (f floats) op(opcode string, args ...string) string {
	return f.Writer.Op(ClassOf(f.t), opcode+"."+KindOf(f.t), args...)
}

func (f floats) num(x float64) string { return Float(f.t, x) }

// whole rounds to a whole number.
func (f floats) whole(how, x string) string {
	return f.op("cvt."+how+"."+KindOf(f.t), x)
}
