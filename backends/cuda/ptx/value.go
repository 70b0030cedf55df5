package ptx

import (
	"errors"
	"fmt"
	"math"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// unsupported says what there is no text for, and why.
func unsupported(k *kernel.Kernel, format string, args ...any) error {
	return fmt.Errorf("ptx: kernel %s: %s: %w", k.Name, fmt.Sprintf(format, args...), errors.ErrUnsupported)
}

// classOf returns which registers hold values of a type. f16 and bf16 are held
// as f32, integers of 8 and 16 bits as words of the same number.
func classOf(t types.DType) class {
	switch t {
	case types.Bool:
		return predicate
	case types.U64, types.I64:
		return long
	case types.F64:
		return double
	case types.F16, types.BF16, types.F32:
		return single
	}
	return word
}

// kindOf returns the letters by which instructions name a type that they compute
// with.
func kindOf(t types.DType) string {
	switch t {
	case types.Bool:
		return "pred"
	case types.U64:
		return "u64"
	case types.I64:
		return "s64"
	case types.I8, types.I16, types.I32:
		return "s32"
	case types.F64:
		return "f64"
	case types.F16, types.BF16, types.F32:
		return "f32"
	}
	return "u32"
}

// untyped returns the letters of bits as wide as registers of a type.
func untyped(t types.DType) string {
	switch classOf(t) {
	case long, double:
		return "b64"
	case predicate:
		return "pred"
	}
	return "b32"
}

// constant returns a value by its bits.
func (w *writer) constant(t types.DType, bits uint64) string {
	switch t {
	case types.Bool:
		return w.op(predicate, "setp.ne.u32", number(int64(bits)), "0")
	case types.F16:
		return bits32(float64(types.Float16(bits).Float32()))
	case types.BF16:
		return bits32(float64(types.BFloat16(bits).Float32()))
	case types.F32:
		return fmt.Sprintf("0f%08X", uint32(bits))
	case types.F64:
		return fmt.Sprintf("0d%016X", bits)
	case types.I8:
		return number(int64(int8(bits)))
	case types.I16:
		return number(int64(int16(bits)))
	case types.I32:
		return number(int64(int32(bits)))
	case types.U64:
		if int64(bits) < 0 {
			return fmt.Sprintf("0x%X", bits)
		}
	}
	return number(int64(bits))
}

// float returns a float of a type, with the registers' precision.
func float(t types.DType, x float64) string {
	if t == types.F64 {
		return bits64(x)
	}
	return bits32(x)
}

// rounded rounds a float to its type, and wraps an integer to it, where registers
// hold more of it.
func (w *writer) rounded(t types.DType, v string) string {
	switch t {
	case types.F16:
		return w.roundedFrom(v, w.op(single, "cvt.f32.f16", w.op(half, "cvt.rn.f16.f32", v)))
	case types.BF16:
		// The upper half of a pair, with zeros below, is the f32 of the number.
		return w.roundedFrom(v, w.op(single, "mov.b32", w.pair(t, v, bits32(0))))
	case types.U8:
		return w.op(word, "and.b32", v, "255")
	case types.U16:
		return w.op(word, "and.b32", v, "65535")
	case types.I8:
		return w.op(word, "cvt.s32.s8", v)
	case types.I16:
		return w.op(word, "cvt.s32.s16", v)
	}
	return v
}

// roundedFrom notes of a rounded number which it was, so that what stores it rounds two
// of them in one instruction; nothing need then have been rounded before.
func (w *writer) roundedFrom(v, rounded string) string {
	w.unrounded[rounded] = v
	return rounded
}

// upper returns the float whose upper half are the bits of a word's lower.
func (w *writer) upper(v string) string {
	return w.op(single, "mov.b32", w.op(word, "shl.b32", v, "16"))
}

// bitsOf returns a value as bits, in a word or a long.
func (w *writer) bitsOf(t types.DType, v string) string {
	switch t {
	case types.Bool:
		return w.op(word, "selp.b32", "1", "0", v)
	case types.F16:
		return w.op(word, "cvt.u32.u16", w.op(half, "cvt.rn.f16.f32", v))
	case types.BF16:
		return w.op(word, "cvt.u32.u16", w.op(half, "cvt.rn.bf16.f32", v))
	case types.F32:
		return w.op(word, "mov.b32", v)
	case types.F64:
		return w.op(long, "mov.b64", v)
	}
	return v
}

// ofBits returns the value whose bits are in a word or a long.
func (w *writer) ofBits(t types.DType, v string) string {
	switch t {
	case types.Bool:
		return w.op(predicate, "setp.ne.u32", v, "0")
	case types.F16:
		return w.op(single, "cvt.f32.f16", w.op(half, "cvt.u16.u32", v))
	case types.BF16:
		return w.upper(v)
	case types.F32:
		return w.op(single, "mov.b32", v)
	case types.F64:
		return w.op(double, "mov.b64", v)
	}
	return v
}

// unsignedBits returns the bits of an integer, with zeros above them.
func (w *writer) unsignedBits(t types.DType, v string) string {
	switch t {
	case types.I8:
		return w.rounded(types.U8, v)
	case types.I16:
		return w.rounded(types.U16, v)
	}
	return v
}

// inMemory is how instructions name what lies in memory.
var inMemory = map[int]string{1: "u8", 2: "u16", 4: "u32", 8: "u64"}

// memoryType returns the letters by which loads and stores name elements, and the
// registers they use.
func memoryType(t types.DType) (string, class) {
	switch t {
	case types.F32:
		return "f32", single
	case types.F64:
		return "f64", double
	case types.U64, types.I64:
		return "u64", long
	case types.I8:
		return "s8", word
	case types.I16:
		return "s16", word
	}
	return inMemory[t.Size()], word
}

// load reads an element from a space of memory. Where a guard does not hold it is
// what stands for elements outside.
func (w *writer) load(space string, t types.DType, address, guard, outside string) string {
	name, c := memoryType(t)
	r := w.fresh(c)
	if guard != "" {
		if c == word {
			outside = w.bitsOf(t, outside)
		}
		w.set(c, r, outside)
	}
	w.line("%sld.%s.%s %s, [%s]", on(guard), space, name, r, address)
	if c == word {
		return w.ofBits(t, r)
	}
	return r
}

// store writes an element where a guard, if any, holds.
func (w *writer) store(space string, t types.DType, address, v, guard string) {
	name, c := memoryType(t)
	if c == word {
		v = w.bitsOf(t, v)
	}
	w.line("%sst.%s.%s [%s], %s", on(guard), space, name, address, v)
}

// neutral returns the value that a reduction begins with.
func (w *writer) neutral(op kernel.Op, t types.DType) string {
	if t.IsFloat() { // as registers hold it
		switch op {
		case kernel.Multiply:
			return float(t, 1)
		case kernel.Maximum:
			return float(t, math.Inf(-1))
		case kernel.Minimum:
			return float(t, math.Inf(1))
		}
		return float(t, 0)
	}
	return w.constant(t, kernel.Neutral(op, t))
}
