package asm

import (
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Convert returns a number as one of another type: to floats rounded to nearest,
// to integers toward 0 and then the nearest there is, 0 for NaN; between integers
// modulo 2^n. A bool is whether a number is not 0.
func (w *Writer) Convert(from, to types.DType, v string) string {
	switch {
	case from == to:
		return v
	case to == types.Bool:
		if from.IsFloat() {
			return w.Op(Predicate, "setp.neu."+KindOf(from), v, Float(from, 0))
		}
		return w.Op(Predicate, "setp.ne."+KindOf(from), v, "0")
	case from == types.Bool && to.IsFloat():
		return w.Choose(to, v, Float(to, 1), Float(to, 0))
	case from == types.Bool:
		return w.Choose(to, v, "1", "0")
	case from.IsFloat() && to.IsFloat():
		return w.floatToFloat(from, to, v)
	case from.IsFloat():
		return w.floatToInteger(from, to, v)
	case to.IsFloat():
		return w.integerToFloat(from, to, v)
	}
	return w.integerToInteger(from, to, v)
}

func (w *Writer) floatToFloat(from, to types.DType, v string) string {
	switch {
	case to == types.F64:
		return w.Op(Double, "cvt.f64.f32", v)
	case from == types.F64 && to == types.F32:
		return w.Op(Single, "cvt.rn.f32.f64", v)
	case from == types.F64 && to == types.F16:
		return w.Op(Single, "cvt.f32.f16", w.Op(Half, "cvt.rn.f16.f64", v))
	case from == types.F64:
		return w.oddly(types.BF16, Double, "f64", v)
	}
	return w.Rounded(to, v)
}

// oddly rounds to f32 toward 0, where the last bit is set if something was lost,
// and then to bf16: as if rounded once.
func (w *Writer) oddly(to types.DType, c Class, name, v string) string {
	f := w.Op(Single, "cvt.rz.f32."+name, v)
	var lost string
	if c == Double {
		lost = w.Op(Predicate, "setp.neu.f64", w.Op(Double, "cvt.f64.f32", f), v)
	} else {
		lost = w.Op(Predicate, "setp.ne."+name, w.Op(Long, "cvt.rzi."+name+".f32", f), v)
	}
	bits := w.Op(Word, "or.b32", w.Op(Word, "mov.b32", f), w.Op(Word, "selp.b32", "1", "0", lost))
	return w.Rounded(to, w.Op(Single, "mov.b32", bits))
}

func (w *Writer) floatToInteger(from, to types.DType, v string) string {
	c, name := ClassOf(to), KindOf(to)
	r := w.Op(c, "cvt.rzi."+name+"."+KindOf(from), v)
	if to.Size() < 4 {
		if to.IsSigned() {
			r = w.Op(c, "max.s32", r, Number(-1<<(8*to.Size()-1)))
		}
		r = w.Op(c, "min."+name, r, Number(int64(kernel.Neutral(kernel.Minimum, to))))
	}
	if c == Long || from == types.F64 { // for which instructions do not make NaN 0
		r = w.Choose(to, w.Op(Predicate, "setp.eq."+KindOf(from), v, v), r, "0")
	}
	return r
}

func (w *Writer) integerToFloat(from, to types.DType, v string) string {
	name := KindOf(from)
	switch {
	case to == types.F64:
		return w.Op(Double, "cvt.rn.f64."+name, v)
	case to == types.F32 || from.Size() == 1:
		return w.Op(Single, "cvt.rn.f32."+name, v)
	case from.Size() == 2:
		return w.Rounded(to, w.Op(Single, "cvt.rn.f32."+name, v))
	case to == types.F16: // through f64, which rounds what no f16 can be
		return w.Op(Single, "cvt.f32.f16", w.Op(Half, "cvt.rn.f16.f64", w.Op(Double, "cvt.rn.f64."+name, v)))
	case ClassOf(from) == Word:
		return w.oddly(to, Double, "f64", w.Op(Double, "cvt.rn.f64."+name, v))
	}
	return w.oddly(to, Long, name, v)
}

func (w *Writer) integerToInteger(from, to types.DType, v string) string {
	switch f, t := ClassOf(from), ClassOf(to); {
	case f == Word && t == Long:
		return w.AsLong(from, v)
	case f == Long && t == Word:
		v = w.Op(Word, "cvt.u32.u64", v)
	}
	return w.Rounded(to, v)
}
