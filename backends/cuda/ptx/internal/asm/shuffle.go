package asm

import "ltc/ir/types"

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
