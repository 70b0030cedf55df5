package ptx

import (
	"strconv"

	"ltc/ir/types"
)

// The ops of integers, which registers hold in a word or a long.

var (
	intAdd, intSubtract, intMultiply = instruction("add"), instruction("sub"), instruction("mul.lo")
	intMaximum, intMinimum           = instruction("max"), instruction("min")
	intAnd, intOr, intXor            = bitwise("and"), bitwise("or"), bitwise("xor")
)

func intAbs(w *writer, o operation) string {
	if !o.t.IsSigned() {
		return o.args[0]
	}
	return w.op(classOf(o.t), "abs."+kindOf(o.t), o.args[0])
}

func intNegate(w *writer, o operation) string {
	return w.op(classOf(o.t), "neg.s"+untyped(o.t)[1:], o.args[0])
}

func intShiftLeft(w *writer, o operation) string {
	return w.op(classOf(o.t), "shl."+untyped(o.t), o.args[0], w.amount(o.t, o.args[1]))
}

func intShiftRightLogical(w *writer, o operation) string {
	return w.op(classOf(o.t), "shr.u"+untyped(o.t)[1:], w.unsignedBits(o.t, o.args[0]), w.amount(o.t, o.args[1]))
}

func intShiftRightArithmetic(w *writer, o operation) string {
	a := o.args[0]
	switch o.t {
	case types.U8:
		a = w.op(word, "cvt.s32.s8", a)
	case types.U16:
		a = w.op(word, "cvt.s32.s16", a)
	}
	return w.op(classOf(o.t), "shr.s"+untyped(o.t)[1:], a, w.amount(o.t, o.args[1]))
}

func intDivide(w *writer, o operation) string { return w.divide(o.t, o.args[0], o.args[1]) }

func integerRemainder(w *writer, o operation) string {
	if o.t.IsFloat() {
		return ""
	}
	return w.remainder(o.t, o.args[0], o.args[1])
}

func popcount(w *writer, o operation) string {
	return w.widened(o.t, w.op(word, "popc."+untyped(o.t), w.unsignedBits(o.t, o.args[0])))
}

func leadingZeros(w *writer, o operation) string {
	n := w.op(word, "clz."+untyped(o.t), w.unsignedBits(o.t, o.args[0]))
	if unused := 32 - 8*o.t.Size(); unused > 0 {
		n = w.op(word, "sub.u32", n, number(int64(unused)))
	}
	return w.widened(o.t, n)
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
	if n, err := strconv.ParseUint(v, 10, 64); err == nil && n <= 64 {
		return v
	}
	if classOf(t) == long {
		return w.op(word, "cvt.u32.u64", w.op(long, "min.u64", v, "64"))
	}
	return v
}
