package ptx

import (
	"fmt"
	"strings"
)

// stripe is some rows of an operand of attention, and where they lie in the block's
// memory.
type stripe struct {
	source   string // a variable: where the thread's first chunk is in the device's memory
	within   string // how far that is behind the first row
	step     string // how many bytes rows are apart there
	rows     int
	features int
	at       int // in the block's memory
	pitch    int
	aligned  string // a predicate: whether all rows begin at multiples of a chunk
}

func (m *attention) stripe(base, step string, rows, features, at int) *stripe {
	s := &stripe{step: step, rows: rows, features: features, at: at}
	s.pitch = pitch(s.padded())
	row, chunk := s.mine(m)
	s.within = m.mad(m.wide(row), step, m.wide(m.times(chunk, chunkBytes)))
	s.source = m.variable(long, m.add(base, s.within))
	both := m.op(long, "and.b64", m.op(long, "or.b64", base, step), number(chunkBytes-1))
	s.aligned = m.op(predicate, "setp.eq.u64", both, "0")
	return s
}

// padded is the features with the zeros behind them.
func (s *stripe) padded() int { return int(roundUp(int64(s.features), 16)) }

func (s *stripe) bytes() int { return s.rows * s.pitch }

// chunks is how many chunks of 8 elements a row has.
func (s *stripe) chunks() int { return s.padded() / 8 }

// wide is how many threads there are for the chunks of a row, a power of two.
func (s *stripe) wide() int { return nextPower(s.chunks()) }

// mine returns the row and the chunk of the thread's first copy; the others are of
// rows that are as far apart as all threads reach.
func (s *stripe) mine(m *attention) (row, chunk string) {
	return m.shr(m.tid, log2(s.wide())), m.and(m.tid, s.wide()-1)
}

// copy copies to a place, which is the block's memory or a tile on, as many rows as
// there are, zeros behind them and behind what each has, and goes on to the rows
// after.
func (s *stripe) copy(m *attention, place, left string) {
	m.either(s.aligned, func() { s.async(m, place, left) }, func() {
		s.elements(m, place, func(row, column, from, to string) {
			inside := m.both(m.op(predicate, "setp.lt.s32", row, left), m.op(predicate, "setp.lt.u32", column, number(int64(s.features))))
			v := m.variable(half, "0")
			m.line("@%s ld.global.b16 %s, [%s]", inside, v, from)
			m.line("st.shared.b16 [%s], %s", to, v)
		})
	})
	m.line("add.s64 %s, %s, %s", s.source, s.source, m.mul(s.step, number(int64(s.rows))))
}

// store copies rows back.
func (s *stripe) store(m *attention, left string) {
	elements := func() {
		s.elements(m, m.memory, func(row, column, from, to string) {
			inside := m.both(m.op(predicate, "setp.lt.s32", row, left), m.op(predicate, "setp.lt.u32", column, number(int64(s.features))))
			m.when(inside, func() {
				v := m.fresh(half)
				m.line("ld.shared.b16 %s, [%s]", v, to)
				m.line("st.global.b16 [%s], %s", from, v)
			})
		})
	}
	if s.features%8 != 0 {
		elements()
		return
	}
	m.either(s.aligned, func() {
		s.each(m, m.memory, func(row, from, to string) {
			m.when(m.op(predicate, "setp.lt.s32", row, left), func() {
				r := []string{m.fresh(word), m.fresh(word), m.fresh(word), m.fresh(word)}
				m.line("ld.shared.v4.b32 {%s}, [%s]", list(r), to)
				m.line("st.global.v4.b32 [%s], {%s}", from, list(r))
			})
		}, s.features/8)
	}, elements)
}

// either writes what is run if a predicate holds, and what else.
func (w *writer) either(p string, holds, other func()) {
	slow, done := w.label(), w.label()
	w.line("@!%s bra %s", p, slow)
	w.open()
	holds()
	w.close()
	w.line("bra %s", done)
	w.place(slow)
	w.open()
	other()
	w.close()
	w.place(done)
}

// async copies chunks beside the threads.
func (s *stripe) async(m *attention, place, left string) {
	_, chunk := s.mine(m)
	bytes := number(chunkBytes)
	if s.features < s.padded() { // of the last chunks, as many as there are features
		bytes = m.op(word, "sub.s32", number(int64(2*s.features)), m.times(chunk, chunkBytes))
		bytes = m.op(word, "max.s32", m.op(word, "min.s32", bytes, number(chunkBytes)), "0")
	}
	s.each(m, place, func(row, from, to string) {
		taken := m.op(word, "selp.b32", bytes, "0", m.op(predicate, "setp.lt.s32", row, left))
		m.line("cp.async.cg.shared.global [%s], [%s], %d, %s", to, from, chunkBytes, taken)
	}, s.chunks())
}

// each runs body for the chunks of the thread, of so many in each row.
func (s *stripe) each(m *attention, place string, body func(row, from, to string), chunks int) {
	apart := attentionThreads / s.wide()
	row, chunk := s.mine(m)
	inside := ""
	if s.wide() > chunks {
		inside = m.op(predicate, "setp.lt.u32", chunk, number(int64(chunks)))
	}
	m.when(inside, func() {
		from := s.source
		to := m.sum(place, m.times(row, s.pitch), m.times(chunk, chunkBytes))
		for n := 0; n < s.rows; n += apart {
			if n > 0 {
				from = m.add(from, m.mul(s.step, number(int64(apart))))
			}
			body(m.plus(row, n), from, fmt.Sprintf("%s+%d", to, s.at+n*s.pitch))
		}
	})
}

// elements runs body for the elements of the thread.
func (s *stripe) elements(m *attention, place string, body func(row, column, from, to string)) {
	wide := nextPower(s.padded())
	base := m.op(long, "sub.s64", s.source, s.within)
	m.loop(m.wide(m.tid), number(int64(s.rows*wide)), number(attentionThreads), func(n string) {
		e := m.op(word, "cvt.u32.u64", n)
		row, column := m.shr(e, log2(wide)), m.and(e, wide-1)
		mine := ""
		if wide > s.padded() {
			mine = m.op(predicate, "setp.lt.u32", column, number(int64(s.padded())))
		}
		m.when(mine, func() {
			from := m.mad(m.wide(row), s.step, m.mad(m.wide(column), "2", base))
			to := m.sum(place, m.plus(m.times(row, s.pitch), s.at), m.times(column, 2))
			body(row, column, from, to)
		})
	})
}

func list(r []string) string { return strings.Join(r, ", ") }
