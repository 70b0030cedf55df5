package ptx

// pieceBatch is how many chunks of 16 bits an element a thread loads before it stores the
// first of them: their latencies overlap.
const pieceBatch = 2

// chunkCopy is a chunk of elements of 16 bits that a thread copies to the block's memory.
// Behind its first bytes zeros are left, or everywhere if the chunk is not inside.
type chunkCopy struct {
	to, from      string // registers
	bytes, inside string // a word and a predicate
}

// copyPieces copies chunks that begin at whichever element, by the widest accesses that
// this allows. Chunks that begin at multiples of four bytes are copied asynchronously.
// Others are loaded: the first and the last element, and three words between them.
// Nothing outside of a chunk is read.
func (m *tensor) copyPieces(all []chunkCopy) {
	type chunk struct {
		chunkCopy
		words string // whether it is copied by words
		odd   string // whether it is loaded whole
		rest  string // whether neither is so
		loads []string
	}
	var chunks []*chunk
	for _, c := range all {
		words := m.op(predicate, "setp.eq.u64", m.op(long, "and.b64", c.from, number(copyWord-1)), "0")
		others := m.op(predicate, "not.pred", words)
		whole := m.both(c.inside, m.op(predicate, "setp.ge.s32", c.bytes, number(chunkBytes)))
		x := &chunk{chunkCopy: c, words: words}
		x.odd = m.both(others, whole)
		x.rest = m.both(others, m.op(predicate, "not.pred", whole))
		chunks = append(chunks, x)
	}
	for _, c := range chunks {
		for i, at := range []int{0, 2, 6, 10, 14} {
			r := m.variable(word, "0")
			m.line("@%s ld.global.%s %s, [%s]", c.odd, [...]string{"u16", "u32", "u32", "u32", "u16"}[i], r, plusOffset(c.from, at))
			c.loads = append(c.loads, r)
		}
	}
	for _, c := range chunks {
		m.copyWords(c.to, 0, c.from, copyWord, c.bytes, c.inside, c.words)
	}
	for _, c := range chunks {
		var words []string
		for i := range 4 {
			// The upper half of a register, or the lower half of the first, and the lower half of the next.
			low := c.loads[0]
			if i > 0 {
				low = m.shr(c.loads[i], 16)
			}
			words = append(words, m.op(word, "or.b32", low, m.op(word, "shl.b32", c.loads[i+1], "16")))
		}
		m.line("@%s st.shared.v4.b32 [%s], {%s}", c.odd, c.to, list(words))
	}
	for _, c := range chunks {
		m.when(c.rest, func() {
			most := m.op(word, "selp.b32", c.bytes, "0", c.inside)
			m.loop("0", number(chunkBytes), number(copyWord), func(n string) {
				at := m.op(word, "cvt.u32.u64", n)
				from := m.add(c.from, n)
				half := func(off int) string {
					r := m.variable(word, "0")
					m.line("@%s ld.global.u16 %s, [%s]", m.op(predicate, "setp.lt.s32", m.plus(at, off), most), r, plusOffset(from, off))
					return r
				}
				low, high := half(0), half(2)
				m.line("st.shared.b32 [%s], %s", m.sum(c.to, at), m.op(word, "or.b32", low, m.op(word, "shl.b32", high, "16")))
			})
		})
	}
}

// eachBatch runs body with the numbers, from one thread's first, of so many rows that are
// each rows apart, some at a time.
func (m *tensor) eachBatch(rows, each int, body func(rows []string)) {
	batch := min(pieceBatch, max(rows/each, 1))
	m.loop("0", number(int64(rows)), number(int64(each*batch)), func(n string) {
		var list []string
		for b := range batch {
			list = append(list, m.add(n, number(int64(b*each))))
		}
		body(list)
	})
}

// pieces copies chunks beside the threads, by the widest accesses that their addresses
// allow.
func (m *tensor) pieces(s *factor, into, from string) {
	_, _, each := m.mine(s)
	to, rows, bytes := m.mineOf(s, into, from)
	m.eachBatch(s.rows, each, func(list []string) {
		var all []chunkCopy
		for _, n := range list {
			at := m.op(word, "cvt.u32.u64", n)
			all = append(all, chunkCopy{
				to:     m.sum(to, m.times(at, s.pitch)),
				from:   m.mad(n, s.rowStep, s.source),
				bytes:  bytes,
				inside: m.op(predicate, "setp.gt.u32", rows, at),
			})
		}
		m.copyPieces(all)
	})
}

// pieces copies chunks beside the threads, by the widest accesses that their addresses
// allow.
func (s *stripe) pieces(m *attention, place, left string) {
	row, chunk := s.mine(m)
	inRow := ""
	if s.wide() > s.chunks() {
		inRow = m.op(predicate, "setp.lt.u32", chunk, number(int64(s.chunks())))
	}
	m.when(inRow, func() {
		bytes := s.bytesOf(m, chunk)
		to := m.sum(place, m.plus(m.times(row, s.pitch), s.at), m.times(chunk, chunkBytes))
		m.eachBatch(s.rows, attentionThreads/s.wide(), func(list []string) {
			var all []chunkCopy
			for _, n := range list {
				at := m.op(word, "cvt.u32.u64", n)
				all = append(all, chunkCopy{
					to:     m.sum(to, m.times(at, s.pitch)),
					from:   m.mad(n, s.step, s.source),
					bytes:  bytes,
					inside: m.op(predicate, "setp.lt.s32", m.sum(row, at), left),
				})
			}
			m.copyPieces(all)
		})
	})
}
