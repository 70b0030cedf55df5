package asm

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

func intAbs(w *Writer, o operation) string {
	if !o.t.IsSigned() {
		return o.args[0]
	}
	return w.Op(ClassOf(o.t), "abs."+KindOf(o.t), o.args[0])
}

func intNegate(w *Writer, o operation) string {
	return w.Op(ClassOf(o.t), "neg.s"+Untyped(o.t)[1:], o.args[0])
}

func intShiftLeft(w *Writer, o operation) string {
	return w.Op(ClassOf(o.t), "shl."+Untyped(o.t), o.args[0], w.amount(o.t, o.args[1]))
}

func intShiftRightLogical(w *Writer, o operation) string {
	return w.Op(ClassOf(o.t), "shr.u"+Untyped(o.t)[1:], w.UnsignedBits(o.t, o.args[0]), w.amount(o.t, o.args[1]))
}

func intShiftRightArithmetic(w *Writer, o operation) string {
	a := o.args[0]
	switch o.t {
	case types.U8:
		a = w.Op(Word, "cvt.s32.s8", a)
	case types.U16:
		a = w.Op(Word, "cvt.s32.s16", a)
	}
	return w.Op(ClassOf(o.t), "shr.s"+Untyped(o.t)[1:], a, w.amount(o.t, o.args[1]))
}

func intDivide(w *Writer, o operation) string { return w.divide(o.t, o.args[0], o.args[1]) }

func integerRemainder(w *Writer, o operation) string {
	if o.t.IsFloat() {
		return ""
	}
	return w.remainder(o.t, o.args[0], o.args[1])
}

func popcount(w *Writer, o operation) string {
	return w.widened(o.t, w.Op(Word, "popc."+Untyped(o.t), w.UnsignedBits(o.t, o.args[0])))
}

func leadingZeros(w *Writer, o operation) string {
	n := w.Op(Word, "clz."+Untyped(o.t), w.UnsignedBits(o.t, o.args[0]))
	if unused := 32 - 8*o.t.Size(); unused > 0 {
		n = w.Op(Word, "sub.u32", n, Number(int64(unused)))
	}
	return w.widened(o.t, n)
}

// widened returns a word's number as an integer of a type.
func (w *Writer) widened(t types.DType, v string) string {
	if ClassOf(t) == Long {
		return w.Op(Long, "cvt.u64.u32", v)
	}
	return v
}

// amount returns by how many bits to shift: instructions take a word, and shift
// everything out if it is more than there is.
func (w *Writer) amount(t types.DType, v string) string {
	if n, err := strconv.ParseUint(v, 10, 64); err == nil && n <= 64 {
		return v
	}
	if ClassOf(t) == Long {
		return w.Op(Word, "cvt.u32.u64", w.Op(Long, "min.u64", v, "64"))
	}
	return v
}
