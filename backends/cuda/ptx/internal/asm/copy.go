package asm

// pieceBatch is how many chunks of 16 bits an element a thread loads before it stores the
// first of them: their latencies overlap.
const pieceBatch = 2

// ChunkCopy is a chunk of elements of 16 bits that a thread copies to the block's memory.
// Behind its first bytes zeros are left, or everywhere if the chunk is not inside.
type ChunkCopy struct {
	To, From      string // registers
	Bytes, Inside string // a word and a predicate
}

// CopyPieces copies chunks that begin at whichever element, by the widest accesses that
// this allows. Chunks that begin at multiples of four bytes are copied asynchronously.
// Others are loaded: the first and the last element, and three words between them.
// Nothing outside of a chunk is read.
func (w *Writer) CopyPieces(all []ChunkCopy) {
	type chunk struct {
		ChunkCopy
		words string // whether it is copied by words
		odd   string // whether it is loaded whole
		rest  string // whether neither is so
		loads []string
	}
	var chunks []*chunk
	for _, c := range all {
		words := w.Op(Predicate, "setp.eq.u64", w.Op(Long, "and.b64", c.From, Number(CopyWord-1)), "0")
		others := w.Op(Predicate, "not.pred", words)
		whole := w.Both(c.Inside, w.Op(Predicate, "setp.ge.s32", c.Bytes, Number(ChunkBytes)))
		x := &chunk{ChunkCopy: c, words: words}
		x.odd = w.Both(others, whole)
		x.rest = w.Both(others, w.Op(Predicate, "not.pred", whole))
		chunks = append(chunks, x)
	}
	for _, c := range chunks {
		for i, at := range []int{0, 2, 6, 10, 14} {
			r := w.Variable(Word, "0")
			w.Line("@%s ld.global.%s %s, [%s]", c.odd, [...]string{"u16", "u32", "u32", "u32", "u16"}[i], r, PlusOffset(c.From, at))
			c.loads = append(c.loads, r)
		}
	}
	for _, c := range chunks {
		w.copyWords(c.To, 0, c.From, CopyWord, c.Bytes, c.Inside, c.words)
	}
	for _, c := range chunks {
		var words []string
		for i := range 4 {
			// The upper half of a register, or the lower half of the first, and the lower half of the next.
			low := c.loads[0]
			if i > 0 {
				low = w.Shr(c.loads[i], 16)
			}
			words = append(words, w.Op(Word, "or.b32", low, w.Op(Word, "shl.b32", c.loads[i+1], "16")))
		}
		w.Line("@%s st.shared.v4.b32 [%s], {%s}", c.odd, c.To, List(words))
	}
	for _, c := range chunks {
		w.When(c.rest, func() {
			most := w.Op(Word, "selp.b32", c.Bytes, "0", c.Inside)
			w.Loop("0", Number(ChunkBytes), Number(CopyWord), func(n string) {
				at := w.Op(Word, "cvt.u32.u64", n)
				from := w.Add(c.From, n)
				half := func(off int) string {
					r := w.Variable(Word, "0")
					w.Line("@%s ld.global.u16 %s, [%s]", w.Op(Predicate, "setp.lt.s32", w.Plus(at, off), most), r, PlusOffset(from, off))
					return r
				}
				low, high := half(0), half(2)
				w.Line("st.shared.b32 [%s], %s", w.Sum(c.To, at), w.Op(Word, "or.b32", low, w.Op(Word, "shl.b32", high, "16")))
			})
		})
	}
}

// EachBatch runs body with the numbers, from one thread's first, of so many rows that are
// each rows apart, some at a time.
func (w *Writer) EachBatch(rows, each int, body func(rows []string)) {
	batch := min(pieceBatch, max(rows/each, 1))
	w.Loop("0", Number(int64(rows)), Number(int64(each*batch)), func(n string) {
		var list []string
		for b := range batch {
			list = append(list, w.Add(n, Number(int64(b*each))))
		}
		body(list)
	})
}

// CopyWord is the least that an asynchronous copy moves: chunks are copied so where they
// are not aligned, such as rows of an even number of bf16.
const CopyWord = 4

// CopyChunk copies a chunk in pieces of a size, and leaves zeros behind its first bytes, or
// everywhere if it is not inside.
func (w *Writer) CopyChunk(to string, off int, from string, size int, bytes, inside string) {
	w.copyWords(to, off, from, size, bytes, inside, "")
}

// copyWords is copyChunk where a predicate holds; "" does.
func (w *Writer) copyWords(to string, off int, from string, size int, bytes, inside, holds string) {
	for at := 0; at < ChunkBytes; at += size {
		left, level := bytes, "cg"
		if size < ChunkBytes {
			left = w.Op(Word, "min.s32", w.Op(Word, "max.s32", w.Op(Word, "sub.s32", bytes, Number(int64(at))), "0"), Number(int64(size)))
			level = "ca"
		}
		w.Line("%scp.async.%s.shared.global [%s+%d], [%s], %d, %s", On(holds), level, to, off+at, PlusOffset(from, at), size, w.Op(Word, "selp.b32", left, "0", inside))
	}
}
