package asm

import (
	"errors"
	"fmt"
	"math"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Unsupported says what there is no text for, and why.
func Unsupported(k *kernel.Kernel, format string, args ...any) error {
	return fmt.Errorf("ptx: kernel %s: %s: %w", k.Name, fmt.Sprintf(format, args...), errors.ErrUnsupported)
}

// ClassOf returns which registers hold values of a type. f16 and bf16 are held
// as f32, integers of 8 and 16 bits as words of the same number.
func ClassOf(t types.DType) Class {
	switch t {
	case types.Bool:
		return Predicate
	case types.U64, types.I64:
		return Long
	case types.F64:
		return Double
	case types.F16, types.BF16, types.F32:
		return Single
	}
	return Word
}

// KindOf returns the letters by which instructions name a type that they compute
// with.
func KindOf(t types.DType) string {
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

// Untyped returns the letters of bits as wide as registers of a type.
func Untyped(t types.DType) string {
	switch ClassOf(t) {
	case Long, Double:
		return "b64"
	case Predicate:
		return "pred"
	}
	return "b32"
}

// Constant returns a value by its bits.
func (w *Writer) Constant(t types.DType, bits uint64) string {
	switch t {
	case types.Bool:
		return w.Op(Predicate, "setp.ne.u32", Number(int64(bits)), "0")
	case types.F16:
		return Bits32(float64(types.Float16(bits).Float32()))
	case types.BF16:
		return Bits32(float64(types.BFloat16(bits).Float32()))
	case types.F32:
		return fmt.Sprintf("0f%08X", uint32(bits))
	case types.F64:
		return fmt.Sprintf("0d%016X", bits)
	case types.I8:
		return Number(int64(int8(bits)))
	case types.I16:
		return Number(int64(int16(bits)))
	case types.I32:
		return Number(int64(int32(bits)))
	case types.U64:
		if int64(bits) < 0 {
			return fmt.Sprintf("0x%X", bits)
		}
	}
	return Number(int64(bits))
}

// Float returns a float of a type, with the registers' precision.
func Float(t types.DType, x float64) string {
	if t == types.F64 {
		return bits64(x)
	}
	return Bits32(x)
}

// Rounded rounds a float to its type, and wraps an integer to it, where registers
// hold more of it.
func (w *Writer) Rounded(t types.DType, v string) string {
	switch t {
	case types.F16:
		return w.roundedFrom(v, w.Op(Single, "cvt.f32.f16", w.Op(Half, "cvt.rn.f16.f32", v)))
	case types.BF16:
		// The upper half of a pair, with zeros below, is the f32 of the number.
		return w.roundedFrom(v, w.Op(Single, "mov.b32", w.Pair(t, v, Bits32(0))))
	case types.U8:
		return w.Op(Word, "and.b32", v, "255")
	case types.U16:
		return w.Op(Word, "and.b32", v, "65535")
	case types.I8:
		return w.Op(Word, "cvt.s32.s8", v)
	case types.I16:
		return w.Op(Word, "cvt.s32.s16", v)
	}
	return v
}

// roundedFrom notes of a rounded number which it was, so that what stores it rounds two
// of them in one instruction; nothing need then have been rounded before.
func (w *Writer) roundedFrom(v, rounded string) string {
	w.unrounded[rounded] = v
	return rounded
}

// Upper returns the float whose upper half are the bits of a word's lower.
func (w *Writer) Upper(v string) string {
	return w.Op(Single, "mov.b32", w.Op(Word, "shl.b32", v, "16"))
}

// BitsOf returns a value as bits, in a word or a long.
func (w *Writer) BitsOf(t types.DType, v string) string {
	switch t {
	case types.Bool:
		return w.Op(Word, "selp.b32", "1", "0", v)
	case types.F16:
		return w.Op(Word, "cvt.u32.u16", w.Op(Half, "cvt.rn.f16.f32", v))
	case types.BF16:
		return w.Op(Word, "cvt.u32.u16", w.Op(Half, "cvt.rn.bf16.f32", v))
	case types.F32:
		return w.Op(Word, "mov.b32", v)
	case types.F64:
		return w.Op(Long, "mov.b64", v)
	}
	return v
}

// OfBits returns the value whose bits are in a word or a long.
func (w *Writer) OfBits(t types.DType, v string) string {
	switch t {
	case types.Bool:
		return w.Op(Predicate, "setp.ne.u32", v, "0")
	case types.F16:
		return w.Op(Single, "cvt.f32.f16", w.Op(Half, "cvt.u16.u32", v))
	case types.BF16:
		return w.Upper(v)
	case types.F32:
		return w.Op(Single, "mov.b32", v)
	case types.F64:
		return w.Op(Double, "mov.b64", v)
	}
	return v
}

// UnsignedBits returns the bits of an integer, with zeros above them.
func (w *Writer) UnsignedBits(t types.DType, v string) string {
	switch t {
	case types.I8:
		return w.Rounded(types.U8, v)
	case types.I16:
		return w.Rounded(types.U16, v)
	}
	return v
}

// InMemory is how instructions name what lies in memory.
var InMemory = map[int]string{1: "u8", 2: "u16", 4: "u32", 8: "u64"}

// MemoryType returns the letters by which loads and stores name elements, and the
// registers they use.
func MemoryType(t types.DType) (string, Class) {
	switch t {
	case types.F32:
		return "f32", Single
	case types.F64:
		return "f64", Double
	case types.U64, types.I64:
		return "u64", Long
	case types.I8:
		return "s8", Word
	case types.I16:
		return "s16", Word
	}
	return InMemory[t.Size()], Word
}

// Load reads an element from a space of memory. Where a guard does not hold it is
// what stands for elements outside.
func (w *Writer) Load(space string, t types.DType, address, guard, outside string) string {
	name, c := MemoryType(t)
	r := w.Fresh(c)
	if guard != "" {
		if c == Word {
			outside = w.BitsOf(t, outside)
		}
		w.Set(c, r, outside)
	}
	w.Line("%sld.%s.%s %s, [%s]", On(guard), space, name, r, address)
	if c == Word {
		return w.OfBits(t, r)
	}
	return r
}

// Store writes an element where a guard, if any, holds.
func (w *Writer) Store(space string, t types.DType, address, v, guard string) {
	name, c := MemoryType(t)
	if c == Word {
		v = w.BitsOf(t, v)
	}
	w.Line("%sst.%s.%s [%s], %s", On(guard), space, name, address, v)
}

// Neutral returns the value that a reduction begins with.
func (w *Writer) Neutral(op kernel.Op, t types.DType) string {
	if t.IsFloat() { // as registers hold it
		switch op {
		case kernel.Multiply:
			return Float(t, 1)
		case kernel.Maximum:
			return Float(t, math.Inf(-1))
		case kernel.Minimum:
			return Float(t, math.Inf(1))
		}
		return Float(t, 0)
	}
	return w.Constant(t, kernel.Neutral(op, t))
}

// Held returns the type with which registers' values of a type are kept in the
// block's memory.
func Held(t types.DType) types.DType {
	if t == types.F16 || t == types.BF16 {
		return types.F32
	}
	return t
}

// Pair returns two f16 or bf16 as bits, the first in the upper half of a word.
func (w *Writer) Pair(t types.DType, upper, lower string) string {
	if t == types.F16 {
		return w.Op(Word, "cvt.rn.f16x2.f32", upper, lower)
	}
	return w.Op(Word, "cvt.rn.bf16x2.f32", upper, lower)
}

// Exactly returns the f32 that a value was rounded from, if it was.
func (w *Writer) Exactly(v string) string {
	if from, ok := w.unrounded[v]; ok {
		return from
	}
	return v
}

// AsLong returns an integer as an i64.
func (w *Writer) AsLong(t types.DType, v string) string {
	switch {
	case t == types.I64 || t == types.U64:
		return v
	case t.IsSigned():
		return w.Op(Long, "cvt.s64.s32", v)
	}
	return w.Op(Long, "cvt.u64.u32", v)
}
