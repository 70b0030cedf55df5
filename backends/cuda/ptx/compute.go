package ptx

import (
	"strings"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// compute writes an op that depends on its arguments alone.
func (w *writer) compute(id kernel.ID, i *kernel.Instr) string {
	from := w.k.Instrs[i.Args[0]].Type
	args := make([]string, len(i.Args))
	for n, a := range i.Args {
		args[n] = w.vals[a]
	}
	t := i.Type
	switch i.Op {
	case kernel.BitcastConvert:
		v := w.ofBits(t, w.bitsOf(from, args[0]))
		if t.IsInteger() {
			return w.rounded(t, v)
		}
		return v
	case kernel.Convert:
		return w.convert(from, t, args[0])
	case kernel.Select:
		return w.choose(t, args[0], args[1], args[2])
	case kernel.Clamp:
		v := w.combined(kernel.Maximum, t, args[0], args[1])
		return w.combined(kernel.Minimum, t, v, args[2])
	case kernel.CompareEQ, kernel.CompareNE, kernel.CompareLT, kernel.CompareLE, kernel.CompareGT, kernel.CompareGE:
		return w.compare(i.Op, from, args[0], args[1])
	case kernel.IsFinite:
		return w.op(predicate, "setp.lt."+kindOf(from), w.op(classOf(from), "abs."+kindOf(from), args[0]), float(from, inf))
	}
	v := ""
	switch {
	case i.Op.Combines():
		v = w.combined(i.Op, t, args[0], args[1])
	case t.IsFloat():
		v = w.floating(id, i, args)
	case t == types.Bool:
		v = w.op(predicate, "not.pred", args[0]) // all else that takes bools combines
	default:
		v = w.integer(i, args)
	}
	if v == "" {
		w.fail(unsupported(w.k, "%v of %v: it is not written yet", i.Op, t))
		return float(t, 0)
	}
	return w.rounded(t, v)
}

// choose returns a where p holds, else b.
func (w *writer) choose(t types.DType, p, a, b string) string {
	if t == types.Bool {
		return w.op(predicate, "or.pred", w.op(predicate, "and.pred", p, a), w.op(predicate, "and.pred", w.op(predicate, "not.pred", p), b))
	}
	name := untyped(t)
	if t.IsFloat() {
		name = kindOf(t)
	}
	return w.op(classOf(t), "selp."+name, a, b, p)
}

func (w *writer) compare(op kernel.Op, t types.DType, a, b string) string {
	name := strings.TrimPrefix(op.String(), "compare_")
	name = strings.ToLower(name)
	if t == types.Bool {
		a, b, t = w.bitsOf(t, a), w.bitsOf(t, b), types.U32
	}
	if t.IsFloat() && name == "ne" {
		name = "neu"
	}
	return w.op(predicate, "setp."+name+"."+kindOf(t), a, b)
}

// combined returns a and b combined, not yet rounded.
func (w *writer) combined(op kernel.Op, t types.DType, a, b string) string {
	c, name := classOf(t), kindOf(t)
	if t == types.Bool { // sums are or, products and
		switch op {
		case kernel.Add, kernel.Maximum, kernel.Or:
			return w.op(c, "or.pred", a, b)
		case kernel.Xor:
			return w.op(c, "xor.pred", a, b)
		}
		return w.op(c, "and.pred", a, b)
	}
	switch op {
	case kernel.And:
		return w.op(c, "and."+untyped(t), a, b)
	case kernel.Or:
		return w.op(c, "or."+untyped(t), a, b)
	case kernel.Xor:
		return w.op(c, "xor."+untyped(t), a, b)
	case kernel.Add:
		if t.IsFloat() {
			return w.op(c, "add.rn."+name, a, b)
		}
		return w.op(c, "add."+name, a, b)
	case kernel.Multiply:
		if t.IsFloat() {
			return w.op(c, "mul.rn."+name, a, b)
		}
		return w.op(c, "mul.lo."+name, a, b)
	}
	pick := "max"
	if op == kernel.Minimum {
		pick = "min"
	}
	switch t {
	case types.F64: // which has no instruction that NaNs pass
		v := w.op(c, pick+".f64", a, b)
		return w.choose(t, w.op(predicate, "setp.eq.f64", v, v), w.nanOf(t, a, b, v), v)
	case types.F16, types.BF16, types.F32:
		return w.op(c, pick+".NaN.f32", a, b)
	}
	return w.op(c, pick+"."+name, a, b)
}

// nanOf returns a or b where one is NaN, else v.
func (w *writer) nanOf(t types.DType, a, b, v string) string {
	v = w.choose(t, w.op(predicate, "setp.neu.f64", a, a), a, v)
	return w.choose(t, w.op(predicate, "setp.neu.f64", b, b), b, v)
}

// integer computes with integers; none if the op is not written.
func (w *writer) integer(i *kernel.Instr, args []string) string {
	t, c, name, bits := i.Type, classOf(i.Type), kindOf(i.Type), untyped(i.Type)
	a := args[0]
	switch i.Op {
	case kernel.Abs:
		if !t.IsSigned() {
			return a
		}
		return w.op(c, "abs."+name, a)
	case kernel.Negate:
		return w.op(c, "neg.s"+bits[1:], a)
	case kernel.Not:
		return w.op(c, "not."+bits, a)
	case kernel.Sign:
		zero := w.op(predicate, "setp.eq."+name, a, "0")
		one := w.choose(t, zero, "0", "1")
		if !t.IsSigned() {
			return one
		}
		return w.choose(t, w.op(predicate, "setp.lt."+name, a, "0"), "-1", one)
	case kernel.Popcnt:
		return w.widened(t, w.op(word, "popc."+bits, w.unsignedBits(t, a)))
	case kernel.CountLeadingZeros:
		n := w.op(word, "clz."+bits, w.unsignedBits(t, a))
		if unused := 32 - 8*t.Size(); unused > 0 {
			n = w.op(word, "sub.u32", n, number(int64(unused)))
		}
		return w.widened(t, n)
	case kernel.Subtract:
		return w.op(c, "sub."+name, a, args[1])
	case kernel.ShiftLeft:
		return w.op(c, "shl."+bits, a, w.amount(t, args[1]))
	case kernel.ShiftRightLogical:
		return w.op(c, "shr.u"+bits[1:], w.unsignedBits(t, a), w.amount(t, args[1]))
	case kernel.ShiftRightArithmetic:
		switch t {
		case types.U8:
			a = w.op(word, "cvt.s32.s8", a)
		case types.U16:
			a = w.op(word, "cvt.s32.s16", a)
		}
		return w.op(c, "shr.s"+bits[1:], a, w.amount(t, args[1]))
	case kernel.Divide:
		return w.divide(t, a, args[1])
	case kernel.Remainder:
		return w.remainder(t, a, args[1])
	case kernel.Power:
		return w.integerPower(t, a, args[1])
	}
	return ""
}

// widened returns a word's number as an integer of a type.
func (w *writer) widened(t types.DType, v string) string {
	if classOf(t) == long {
		return w.op(long, "cvt.u64.u32", v)
	}
	return v
}

// amount returns by how many bits to shift: instructions take a word, and shift
// everything out if it is more than there is.
func (w *writer) amount(t types.DType, v string) string {
	if classOf(t) == long {
		return w.op(word, "cvt.u32.u64", w.op(long, "min.u64", v, "64"))
	}
	return v
}
