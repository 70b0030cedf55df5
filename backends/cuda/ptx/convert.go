package ptx

import (
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// convert returns a number as one of another type: to floats rounded to nearest,
// to integers toward 0 and then the nearest there is, 0 for NaN; between integers
// modulo 2^n. A bool is whether a number is not 0.
func (w *writer) convert(from, to types.DType, v string) string {
	switch {
	case from == to:
		return v
	case to == types.Bool:
		if from.IsFloat() {
			return w.op(predicate, "setp.neu."+kindOf(from), v, float(from, 0))
		}
		return w.op(predicate, "setp.ne."+kindOf(from), v, "0")
	case from == types.Bool && to.IsFloat():
		return w.choose(to, v, float(to, 1), float(to, 0))
	case from == types.Bool:
		return w.choose(to, v, "1", "0")
	case from.IsFloat() && to.IsFloat():
		return w.floatToFloat(from, to, v)
	case from.IsFloat():
		return w.floatToInteger(from, to, v)
	case to.IsFloat():
		return w.integerToFloat(from, to, v)
	}
	return w.integerToInteger(from, to, v)
}

func (w *writer) floatToFloat(from, to types.DType, v string) string {
	switch {
	case to == types.F64:
		return w.op(double, "cvt.f64.f32", v)
	case from == types.F64 && to == types.F32:
		return w.op(single, "cvt.rn.f32.f64", v)
	case from == types.F64 && to == types.F16:
		return w.op(single, "cvt.f32.f16", w.op(half, "cvt.rn.f16.f64", v))
	case from == types.F64:
		return w.oddly(types.BF16, double, "f64", v)
	}
	return w.rounded(to, v)
}

// oddly rounds to f32 toward 0, where the last bit is set if something was lost,
// and then to bf16: as if rounded once.
func (w *writer) oddly(to types.DType, c class, name, v string) string {
	f := w.op(single, "cvt.rz.f32."+name, v)
	var lost string
	if c == double {
		lost = w.op(predicate, "setp.neu.f64", w.op(double, "cvt.f64.f32", f), v)
	} else {
		lost = w.op(predicate, "setp.ne."+name, w.op(long, "cvt.rzi."+name+".f32", f), v)
	}
	bits := w.op(word, "or.b32", w.op(word, "mov.b32", f), w.op(word, "selp.b32", "1", "0", lost))
	return w.rounded(to, w.op(single, "mov.b32", bits))
}

func (w *writer) floatToInteger(from, to types.DType, v string) string {
	c, name := classOf(to), kindOf(to)
	r := w.op(c, "cvt.rzi."+name+"."+kindOf(from), v)
	if to.Size() < 4 {
		if to.IsSigned() {
			r = w.op(c, "max.s32", r, number(-1<<(8*to.Size()-1)))
		}
		r = w.op(c, "min."+name, r, number(int64(kernel.Neutral(kernel.Minimum, to))))
	}
	if c == long || from == types.F64 { // for which instructions do not make NaN 0
		r = w.choose(to, w.op(predicate, "setp.eq."+kindOf(from), v, v), r, "0")
	}
	return r
}

func (w *writer) integerToFloat(from, to types.DType, v string) string {
	name := kindOf(from)
	switch {
	case to == types.F64:
		return w.op(double, "cvt.rn.f64."+name, v)
	case to == types.F32 || from.Size() == 1:
		return w.op(single, "cvt.rn.f32."+name, v)
	case from.Size() == 2:
		return w.rounded(to, w.op(single, "cvt.rn.f32."+name, v))
	case to == types.F16: // through f64, which rounds what no f16 can be
		return w.op(single, "cvt.f32.f16", w.op(half, "cvt.rn.f16.f64", w.op(double, "cvt.rn.f64."+name, v)))
	case classOf(from) == word:
		return w.oddly(to, double, "f64", w.op(double, "cvt.rn.f64."+name, v))
	}
	return w.oddly(to, long, name, v)
}

func (w *writer) integerToInteger(from, to types.DType, v string) string {
	switch f, t := classOf(from), classOf(to); {
	case f == word && t == long:
		return w.asLong(from, v)
	case f == long && t == word:
		v = w.op(word, "cvt.u32.u64", v)
	}
	return w.rounded(to, v)
}
