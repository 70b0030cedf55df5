package attention

import (
	"fmt"

	"ltc/backends/cuda/ptx/internal/asm"
)

// stripe is a range of rows of an operand of attention, and where they are in the block's
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

func (m *writer) stripe(base, step string, rows, features, at int) *stripe {
	s := &stripe{step: step, rows: rows, features: features, at: at}
	s.pitch = pitch(s.padded())
	row, chunk := s.mine(m)
	s.within = m.Mad(m.Wide(row), step, m.Wide(m.Times(chunk, asm.ChunkBytes)))
	s.source = m.Variable(asm.Long, m.Add(base, s.within))
	both := m.Op(asm.Long, "or.b64", base, step)
	s.aligned = m.Op(asm.Predicate, "setp.eq.u64", m.Op(asm.Long, "and.b64", both, asm.Number(asm.ChunkBytes-1)), "0")
	s.words = m.Op(asm.Predicate, "setp.eq.u64", m.Op(asm.Long, "and.b64", both, asm.Number(asm.CopyWord-1)), "0")
	return s
}

// padded is the features with the zeros behind them.
func (s *stripe) padded() int { return int(asm.RoundUp(int64(s.features), 16)) }

func (s *stripe) bytes() int { return s.rows * s.pitch }

// chunks is how many chunks of 8 elements a row has.
func (s *stripe) chunks() int { return s.padded() / 8 }

// wide is how many threads there are for the chunks of a row, a power of two.
func (s *stripe) wide() int { return asm.NextPower(s.chunks()) }

// mine returns the row and the chunk of the thread's first copy; the others are of
// rows that are as far apart as all threads reach.
func (s *stripe) mine(m *writer) (row, chunk string) {
	return m.Shr(m.tid, asm.Log2(s.wide())), m.And(m.tid, s.wide()-1)
}

// copy copies to a place, which is the block's memory or a tile on, as many rows as
// there are, zeros behind them and behind what each has, and goes on to the rows
// after.
func (s *stripe) copy(m *writer, place, left string) {
	m.Either(s.aligned, func() { s.async(m, place, left) }, func() { s.pieces(m, place, left) })
	m.Line("add.s64 %s, %s, %s", s.source, s.source, m.Mul(s.step, asm.Number(int64(s.rows))))
}

// store copies rows back, by chunks, words or elements, as rows begin.
func (s *stripe) store(m *writer, left string) {
	units := func(bytes int) func() {
		c, name := asm.Half, "b16"
		if bytes == asm.CopyWord {
			c, name = asm.Word, "b32"
		}
		return func() {
			s.units(m, m.memory, bytes, func(row, from, to string) {
				m.When(m.Op(asm.Predicate, "setp.lt.s32", row, left), func() {
					v := m.Fresh(c)
					m.Line("ld.shared.%s %s, [%s]", name, v, to)
					m.Line("st.global.%s [%s], %s", name, from, v)
				})
			})
		}
	}
	switch {
	case s.features%2 != 0:
		units(2)()
		return
	case s.features%8 != 0:
		m.Either(s.words, units(asm.CopyWord), units(2))
		return
	}
	m.Either(s.aligned, func() {
		s.each(m, m.memory, func(row, from, to string) {
			m.When(m.Op(asm.Predicate, "setp.lt.s32", row, left), func() {
				r := []string{m.Fresh(asm.Word), m.Fresh(asm.Word), m.Fresh(asm.Word), m.Fresh(asm.Word)}
				m.Line("ld.shared.v4.b32 {%s}, [%s]", asm.List(r), to)
				m.Line("st.global.v4.b32 [%s], {%s}", from, asm.List(r))
			})
		}, s.features/8)
	}, func() { m.Either(s.words, units(asm.CopyWord), units(2)) })
}

// bytesOf returns how many bytes of a chunk are features, not the zeros behind them.
func (s *stripe) bytesOf(m *writer, chunk string) string {
	if s.features == s.padded() {
		return asm.Number(asm.ChunkBytes)
	}
	bytes := m.Op(asm.Word, "sub.s32", asm.Number(int64(2*s.features)), m.Times(chunk, asm.ChunkBytes))
	return m.Op(asm.Word, "max.s32", m.Op(asm.Word, "min.s32", bytes, asm.Number(asm.ChunkBytes)), "0")
}

// async copies chunks beside the threads.
func (s *stripe) async(m *writer, place, left string) {
	_, chunk := s.mine(m)
	bytes := s.bytesOf(m, chunk)
	s.each(m, place, func(row, from, to string) {
		taken := m.Op(asm.Word, "selp.b32", bytes, "0", m.Op(asm.Predicate, "setp.lt.s32", row, left))
		m.Line("cp.async.cg.shared.global [%s], [%s], %d, %s", to, from, asm.ChunkBytes, taken)
	}, s.chunks())
}

// each runs body for the chunks of the thread, of so many in each row.
func (s *stripe) each(m *writer, place string, body func(row, from, to string), chunks int) {
	apart := blockThreads / s.wide()
	row, chunk := s.mine(m)
	inside := ""
	if s.wide() > chunks {
		inside = m.Op(asm.Predicate, "setp.lt.u32", chunk, asm.Number(int64(chunks)))
	}
	m.When(inside, func() {
		from := s.source
		to := m.Sum(place, m.Times(row, s.pitch), m.Times(chunk, asm.ChunkBytes))
		for n := 0; n < s.rows; n += apart {
			if n > 0 {
				from = m.Add(from, m.Mul(s.step, asm.Number(int64(apart))))
			}
			body(m.Plus(row, n), from, fmt.Sprintf("%s+%d", to, s.at+n*s.pitch))
		}
	})
}

// units runs body for the units of so many bytes of the thread, of which the features of
// a row are a multiple.
func (s *stripe) units(m *writer, place string, bytes int, body func(row, from, to string)) {
	columns := 2 * s.features / bytes
	wide := asm.NextPower(columns)
	base := m.Op(asm.Long, "sub.s64", s.source, s.within)
	m.Loop(m.Wide(m.tid), asm.Number(int64(s.rows*wide)), asm.Number(blockThreads), func(n string) {
		e := m.Op(asm.Word, "cvt.u32.u64", n)
		row, column := m.Shr(e, asm.Log2(wide)), m.And(e, wide-1)
		mine := ""
		if wide > columns {
			mine = m.Op(asm.Predicate, "setp.lt.u32", column, asm.Number(int64(columns)))
		}
		m.When(mine, func() {
			from := m.Mad(m.Wide(row), s.step, m.Mad(m.Wide(column), asm.Number(int64(bytes)), base))
			to := m.Sum(place, m.Plus(m.Times(row, s.pitch), s.at), m.Times(column, bytes))
			body(row, from, to)
		})
	})
}

// pieces copies chunks beside the threads, by the widest accesses that their addresses
// allow.
func (s *stripe) pieces(m *writer, place, left string) {
	row, chunk := s.mine(m)
	inRow := ""
	if s.wide() > s.chunks() {
		inRow = m.Op(asm.Predicate, "setp.lt.u32", chunk, asm.Number(int64(s.chunks())))
	}
	m.When(inRow, func() {
		bytes := s.bytesOf(m, chunk)
		to := m.Sum(place, m.Plus(m.Times(row, s.pitch), s.at), m.Times(chunk, asm.ChunkBytes))
		m.EachBatch(s.rows, blockThreads/s.wide(), func(list []string) {
			var all []asm.ChunkCopy
			for _, n := range list {
				at := m.Op(asm.Word, "cvt.u32.u64", n)
				all = append(all, asm.ChunkCopy{
					To:     m.Sum(to, m.Times(at, s.pitch)),
					From:   m.Mad(n, s.step, s.source),
					Bytes:  bytes,
					Inside: m.Op(asm.Predicate, "setp.lt.s32", m.Sum(row, at), left),
				})
			}
			m.CopyPieces(all)
		})
	})
}
