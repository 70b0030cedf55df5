package ptx

import (
	"math"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// The ops of floats. f16 and bf16 are computed with as f32.

var (
	floatAbs, floatNegate                  = instruction("abs"), instruction("neg")
	floatAdd, floatSubtract, floatMultiply = instruction("add.rn"), instruction("sub.rn"), instruction("mul.rn")
	floatCeil, floatFloor                  = toWhole("rpi"), toWhole("rmi")
	floatRoundNearestEven                  = toWhole("rni")
	floatMaximum, floatMinimum             = extreme("max"), extreme("min")
	floatSqrt                              = instruction("sqrt.rn")
	opFMA                                  = instruction("fma.rn")
)

// toWhole is the code of a conversion to whole numbers.
func toWhole(how string) code {
	return func(w *writer, o operation) string { return o.floats(w).whole(how, o.args[0]) }
}

// extreme is the code of the larger or smaller of two: NaN if one is.
func extreme(opcode string) code {
	return func(w *writer, o operation) string {
		a, b := o.args[0], o.args[1]
		if o.t != types.F64 {
			return w.op(single, opcode+".NaN.f32", a, b)
		}
		v := w.op(double, opcode+".f64", a, b) // f64 has no instruction that NaNs pass
		return w.choose(o.t, w.op(predicate, "setp.eq.f64", v, v), w.nanOf(o.t, a, b, v), v)
	}
}

// nanOf returns a or b where one is NaN, else v.
func (w *writer) nanOf(t types.DType, a, b, v string) string {
	v = w.choose(t, w.op(predicate, "setp.neu.f64", a, a), a, v)
	return w.choose(t, w.op(predicate, "setp.neu.f64", b, b), b, v)
}

func floatRoundNearestAfz(w *writer, o operation) string {
	f, x := o.floats(w), o.args[0]
	below := math.Nextafter(0.5, 0)
	if o.t != types.F64 {
		below = float64(math.Nextafter32(0.5, 0))
	}
	return f.whole("rzi", f.op("add.rn", x, f.op("copysign", x, f.num(below))))
}

func floatSign(w *writer, o operation) string {
	f, x := o.floats(w), o.args[0]
	r := f.choose(f.is("gt", x, 0), f.num(1), x)
	return f.choose(f.is("lt", x, 0), f.num(-1), r)
}

func floatDivide(w *writer, o operation) string {
	f := o.floats(w)
	if o.id != kernel.None && w.byRow(o.id) {
		return f.shortQuotient(o.args[0], o.args[1])
	}
	if o.args[0] == f.num(1) {
		return f.op("rcp.rn", o.args[1])
	}
	return f.op("div.rn", o.args[0], o.args[1])
}

// floatCopySign has the size of the first argument and the second's sign, which the
// instruction takes first.
func floatCopySign(w *writer, o operation) string {
	return o.floats(w).op("copysign", o.args[1], o.args[0])
}

func floatRemainder(w *writer, o operation) string {
	return o.floats(w).remainder(o.args[0], o.args[1])
}

// floats returns what writes instructions on floats of the operation's type.
func (o operation) floats(w *writer) floats { return floats{w, o.t} }

// floats writes instructions on floats of a type.
type floats struct {
	*writer
	t types.DType
}

func (f floats) op(opcode string, args ...string) string {
	return f.writer.op(classOf(f.t), opcode+"."+kindOf(f.t), args...)
}

func (f floats) num(x float64) string { return float(f.t, x) }

func (f floats) choose(p, a, b string) string { return f.writer.choose(f.t, p, a, b) }

// is compares with a constant.
func (f floats) is(how, x string, with float64) string {
	return f.writer.op(predicate, "setp."+how+"."+kindOf(f.t), x, f.num(with))
}

// whole rounds to a whole number.
func (f floats) whole(how, x string) string {
	return f.op("cvt."+how+"."+kindOf(f.t), x)
}

func (f floats) fma(a, b, c string) string { return f.op("fma.rn", a, b, c) }
func (f floats) add(a, b string) string    { return f.op("add.rn", a, b) }
func (f floats) mul(a, b string) string    { return f.op("mul.rn", a, b) }

// fnma returns c - a·b, rounded once.
func (f floats) fnma(a, b, c string) string { return f.fma(f.op("neg", a), b, c) }

// sign returns the size of y with the sign of x.
func (f floats) sign(x, y string) string { return f.op("copysign", x, y) }

// double returns what writes instructions on f64s, and x as one.
func (f floats) double(x string) (floats, string) {
	d := floats{f.writer, types.F64}
	if f.t == types.F64 {
		return d, x
	}
	return d, f.writer.op(double, "cvt.f64.f32", x)
}

// ofDouble returns an f64 with the registers' precision.
func (f floats) ofDouble(x string) string {
	if f.t == types.F64 {
		return x
	}
	return f.writer.op(single, "cvt.rn.f32.f64", x)
}

// integer returns the name of integers, signed or not, as wide as the floats.
func (f floats) integer(kind string) string {
	if f.t == types.F64 {
		return kind + "64"
	}
	return kind + "32"
}

// ints computes with integers as wide as the floats: opcode lacks the width.
func (f floats) ints(opcode string, args ...string) string {
	c := word
	if f.t == types.F64 {
		c = long
	}
	return f.writer.op(c, f.integer(opcode), args...)
}
