package asm

import (
	"math/bits"
	"strings"

	"ltc/ir/types"
)

// Numbers of entries' text.

// Ceil returns n / by, rounded up.
func Ceil[N int | int64](n, by N) N { return (n + by - 1) / by }

// RoundUp returns the least multiple of to that is not below n.
func RoundUp[N int | int64](n, to N) N { return Ceil(n, to) * to }

// NextPower returns the least power of two that is not below n.
func NextPower(n int) int { return 1 << bits.Len(uint(n-1)) }

// Log2 returns the logarithm of n, a power of two.
func Log2(n int) int { return bits.TrailingZeros(uint(n)) }

// The arithmetic of words, of which one is a number.

// Plus returns the word a + n.
func (w *Writer) Plus(a string, n int) string {
	if n == 0 {
		return a
	}
	return w.Op(Word, "add.u32", a, Number(int64(n)))
}

// Times returns the word a · n.
func (w *Writer) Times(a string, n int) string {
	return w.Op(Word, "mul.lo.u32", a, Number(int64(n)))
}

// And returns the bits that the word a and n have in common.
func (w *Writer) And(a string, n int) string { return w.Op(Word, "and.b32", a, Number(int64(n))) }

// Shr returns the word a, unsigned, shifted to the right by n bits.
func (w *Writer) Shr(a string, n int) string {
	if n == 0 {
		return a
	}
	return w.Op(Word, "shr.u32", a, Number(int64(n)))
}

// Sum adds words.
func (w *Writer) Sum(a string, more ...string) string {
	for _, b := range more {
		a = w.Op(Word, "add.u32", a, b)
	}
	return a
}

// Ceil returns how many of by, a power of two, hold n.
func (w *Writer) Ceil(n string, by int) string {
	return w.Op(Long, "shr.u64", w.Add(n, Number(int64(by-1))), Number(int64(Log2(by))))
}

// Minus subtracts words.
func (w *Writer) Minus(a, b string) string { return w.Op(Word, "sub.s32", a, b) }

// Wide returns the unsigned word a as a long.
func (w *Writer) Wide(a string) string { return w.Op(Long, "cvt.u64.u32", a) }

// Remaining returns, as a word, how many elements there are at one of so many and
// behind it, at most a number.
func (w *Writer) Remaining(size, at string, most int64) string {
	n := w.Op(Long, "min.s64", w.Op(Long, "sub.s64", size, at), Number(most))
	return w.Op(Word, "cvt.u32.u64", w.Op(Long, "max.s64", n, "0"))
}

// Both returns the predicate that two hold; none always does.
func (w *Writer) Both(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return w.Op(Predicate, "and.pred", a, b)
}

// Either writes what is run if a predicate holds, and what else.
func (w *Writer) Either(p string, holds, other func()) {
	slow, done := w.Label(), w.Label()
	w.Line("@!%s bra %s", p, slow)
	w.Open()
	holds()
	w.Close()
	w.Line("bra %s", done)
	w.Place(slow)
	w.Open()
	other()
	w.Close()
	w.Place(done)
}

// List returns registers as an operand list has them.
func List(r []string) string { return strings.Join(r, ", ") }

// PlusOffset returns the text of an address that is so many bytes on.
func PlusOffset(at string, n int) string {
	if n == 0 {
		return at
	}
	return at + "+" + Number(int64(n))
}

// Exchange returns the value of the lane whose number differs in one bit.
func (w *Writer) Exchange(t types.DType, v, distance string) string {
	shuffle := func(c Class, v string) string {
		r := w.Fresh(c)
		w.Line("shfl.sync.bfly.b32 %s, %s, %s, 31, -1", r, v, distance)
		return r
	}
	switch c := ClassOf(t); c {
	case Predicate:
		return w.OfBits(t, shuffle(Word, w.BitsOf(t, v)))
	case Long, Double:
		low, high := w.Fresh(Word), w.Fresh(Word)
		w.Line("mov.b64 {%s, %s}, %s", low, high, v)
		r := w.Fresh(c)
		w.Line("mov.b64 %s, {%s}", r, List([]string{shuffle(Word, low), shuffle(Word, high)}))
		return r
	default:
		return shuffle(c, v)
	}
}
