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
	words    string // the same of four bytes
}

func (m *attention) stripe(base, step string, rows, features, at int) *stripe {
	s := &stripe{step: step, rows: rows, features: features, at: at}
	s.pitch = pitch(s.padded())
	row, chunk := s.mine(m)
	s.within = m.mad(m.wide(row), step, m.wide(m.times(chunk, chunkBytes)))
	s.source = m.variable(long, m.add(base, s.within))
	both := m.op(long, "or.b64", base, step)
	s.aligned = m.op(predicate, "setp.eq.u64", m.op(long, "and.b64", both, number(chunkBytes-1)), "0")
	s.words = m.op(predicate, "setp.eq.u64", m.op(long, "and.b64", both, number(copyWord-1)), "0")
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
	m.either(s.aligned, func() { s.async(m, place, left) }, func() { s.pieces(m, place, left) })
	m.line("add.s64 %s, %s, %s", s.source, s.source, m.mul(s.step, number(int64(s.rows))))
}

// store copies rows back, by chunks, words or elements, as rows begin.
func (s *stripe) store(m *attention, left string) {
	units := func(bytes int) func() {
		c, name := half, "b16"
		if bytes == copyWord {
			c, name = word, "b32"
		}
		return func() {
			s.units(m, m.memory, bytes, func(row, from, to string) {
				m.when(m.op(predicate, "setp.lt.s32", row, left), func() {
					v := m.fresh(c)
					m.line("ld.shared.%s %s, [%s]", name, v, to)
					m.line("st.global.%s [%s], %s", name, from, v)
				})
			})
		}
	}
	switch {
	case s.features%2 != 0:
		units(2)()
		return
	case s.features%8 != 0:
		m.either(s.words, units(copyWord), units(2))
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
	}, func() { m.either(s.words, units(copyWord), units(2)) })
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

// bytesOf returns how many bytes of a chunk are features, not the zeros behind them.
func (s *stripe) bytesOf(m *attention, chunk string) string {
	if s.features == s.padded() {
		return number(chunkBytes)
	}
	bytes := m.op(word, "sub.s32", number(int64(2*s.features)), m.times(chunk, chunkBytes))
	return m.op(word, "max.s32", m.op(word, "min.s32", bytes, number(chunkBytes)), "0")
}

// async copies chunks beside the threads.
func (s *stripe) async(m *attention, place, left string) {
	_, chunk := s.mine(m)
	bytes := s.bytesOf(m, chunk)
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

// units runs body for the units of so many bytes of the thread, of which the features of
// a row are a multiple.
func (s *stripe) units(m *attention, place string, bytes int, body func(row, from, to string)) {
	columns := 2 * s.features / bytes
	wide := nextPower(columns)
	base := m.op(long, "sub.s64", s.source, s.within)
	m.loop(m.wide(m.tid), number(int64(s.rows*wide)), number(attentionThreads), func(n string) {
		e := m.op(word, "cvt.u32.u64", n)
		row, column := m.shr(e, log2(wide)), m.and(e, wide-1)
		mine := ""
		if wide > columns {
			mine = m.op(predicate, "setp.lt.u32", column, number(int64(columns)))
		}
		m.when(mine, func() {
			from := m.mad(m.wide(row), s.step, m.mad(m.wide(column), number(int64(bytes)), base))
			to := m.sum(place, m.plus(m.times(row, s.pitch), s.at), m.times(column, bytes))
			body(row, from, to)
		})
	})
}

func list(r []string) string { return strings.Join(r, ", ") }
