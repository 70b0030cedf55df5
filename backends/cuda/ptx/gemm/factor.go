package gemm

import (
	"slices"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/cuda/ptx/internal/body"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// factor is one of the two factors, and where its strips lie in the
// block's memory: rows of chunks, in the order that the swizzle says.
type factor struct {
	*kernel.Factor
	load  kernel.ID // [loadOf]
	unit  int       // the dimension that is contiguous there
	value kernel.ID // as it was before it became f32, if it was narrower
	body  []kernel.ID
	axis  int // of M or N
	size  int // of the tile along it
	at    int // where in the place of a strip it begins, in bytes
	// alongK is set if rows are of the axis of M or N and go along K, else the other
	// way round: as the operand lies in memory.
	alongK       bool
	rows, chunks int
	// pitch is how many bytes rows are apart. Rows that are longer, for warpgroups,
	// are cut: what is beyond lies behind all rows.
	pitch int
	// direct is set if chunks are copied as they are, where they are aligned: the
	// predicate aligned.
	direct  bool
	aligned string
	words   string // whether they are to copyWord; none: elements are
	// Of direct ones: how far apart, in bytes, elements along the rows' axis are,
	// and the inner axis of K.
	rowStep, kStep string
	step           func(axis int) string // the same of any axis of the stage
	source         string                // a variable: where the thread's first chunk of the next strip is
	// What of a tile is inside, as words: the rows from the thread's first chunk on,
	// if they are not along K; else the bytes of its chunks.
	left string
}

func (m *tileWriter) factor(f *kernel.Factor, axis, size, at int) *factor {
	s := &factor{Factor: f, value: f.Value, body: f.Body, axis: axis, size: size, at: at, alongK: true}
	if i := &m.K.Instrs[f.Value]; i.Op == kernel.Convert && m.K.Instrs[i.Args[0]].Type == m.t {
		s.value, s.body = i.Args[0], f.Body[:len(f.Body)-1]
	}
	along := -1
	s.load = loadOf(m.K, f)
	source := f.Source
	if source == kernel.None {
		source = s.load
	}
	if source != kernel.None {
		along = body.Neighbours(m.K, source)
		s.alongK = along != axis
	}
	s.direct = s.load != kernel.None && m.typeOf(s) == m.t && (along == axis || along == m.s.inner) && m.once(s.load, along) && m.copiesGuarded(s)
	s.rows, s.chunks = size, asm.StripBytes/asm.ChunkBytes
	if !s.alongK {
		s.rows, s.chunks = strip(m.t), size*m.t.Size()/asm.ChunkBytes
	}
	s.pitch = s.chunks * asm.ChunkBytes
	if m.tile.groups {
		s.pitch = asm.StripBytes
	}
	if !s.direct || m.tile.maps {
		return s
	}
	mem := m.K.Instrs[s.load].Mem
	s.unit = slices.Index(m.K.Params[mem.Param].Strides, kernel.UnitStride)
	s.step = func(axis int) string {
		n := "0"
		for d := range mem.Index {
			for _, t := range mem.Index[d].Terms {
				if t.Axis == axis {
					n = m.Add(n, m.Mul(m.Steps[mem.Param][d], asm.Number(t.Factor)))
				}
			}
		}
		return m.Mul(n, asm.Number(int64(m.t.Size())))
	}
	s.kStep, s.rowStep = s.step(m.s.inner), s.step(axis)
	if !s.alongK {
		s.rowStep = s.kStep
	}
	plain := *mem
	plain.Guard = false
	start, _ := m.Operand(&plain, m.Point(0))
	for a := range m.Point(0).At {
		if a != along {
			if n := s.step(a); n != "0" {
				start = m.Op(asm.Long, "or.b64", start, n)
			}
		}
	}
	s.aligned = m.Op(asm.Predicate, "setp.eq.u64", m.Op(asm.Long, "and.b64", start, asm.Number(asm.ChunkBytes-1)), "0")
	if m.t.Size() < asm.CopyWord {
		s.words = m.Op(asm.Predicate, "setp.eq.u64", m.Op(asm.Long, "and.b64", start, asm.Number(asm.CopyWord-1)), "0")
	}
	return s
}

// side returns where a factor's side of the tile begins, and how long the factor is.
func (m *tileWriter) side(s *factor) (tile, size string) {
	if s.axis == m.s.x {
		return m.x, m.nX
	}
	return m.y, m.nY
}

// flat reports whether rows of a factor are those of a flat tile.
func (m *tileWriter) flat(s *factor) bool { return m.tile.flat > 0 && s.axis == m.s.y }

// typeOf returns the type of what a factor's load gives.
func (m *tileWriter) typeOf(s *factor) types.DType {
	if s.Load != kernel.None {
		return s.Type
	}
	return m.K.Instrs[s.load].Type
}

// copiesGuarded reports whether chunks can be copied as they are though what is outside
// of the operand counts as 0: those of flat tiles whose elements begin with the
// operand's. It holds where nothing is outside.
func (m *tileWriter) copiesGuarded(s *factor) bool {
	mem := m.K.Instrs[s.load].Mem
	if !mem.Guard {
		return true
	}
	unit := slices.Index(m.K.Params[mem.Param].Strides, kernel.UnitStride)
	return m.flat(s) && unit >= 0 && mem.Index[unit].Offset == 0
}

// once reports whether an axis moves a load along the dimension that is
// contiguous, and no other.
func (m *tileWriter) once(load kernel.ID, axis int) bool {
	n := 0
	for _, x := range m.K.Instrs[load].Mem.Index {
		for _, t := range x.Terms {
			if t.Axis == axis {
				n++
			}
		}
	}
	return n == 1
}

// spread says which bits of a row's number are added to those of its chunks': eight
// rows of a chunk lie in different banks.
func (s *factor) spread(bytes int) (shift, mask, by int) {
	if bytes == 4 && !s.alongK { // read by element, from four rows at a time
		return 0, min(s.chunks, 8)/2 - 1, 1
	}
	wide := min(s.chunks, 8)
	return asm.Log2(8 / wide), wide - 1, 0
}

// offset returns where a chunk of a row is, as a word.
func (m *tileWriter) offset(s *factor, row, chunk string) string {
	shift, mask, by := s.spread(m.t.Size())
	x := m.And(m.Shr(row, shift), mask)
	if by > 0 {
		x = m.Op(asm.Word, "shl.b32", x, asm.Number(int64(by)))
	}
	beyond := "0"
	if per := s.pitch / asm.ChunkBytes; per < s.chunks {
		beyond = m.Times(m.Shr(chunk, asm.Log2(per)), s.rows*s.pitch)
		chunk = m.And(chunk, per-1)
	}
	chunk = m.Op(asm.Word, "xor.b32", chunk, x)
	at := m.Sum(m.Times(row, s.pitch), m.Op(asm.Word, "shl.b32", chunk, "4"))
	if beyond != "0" {
		at = m.Sum(at, beyond)
	}
	return at
}

// mine returns the row and chunk of the thread's first copy; the others are at the
// same chunk, every so many rows.
func (m *tileWriter) mine(s *factor) (row, chunk string, each int) {
	return m.Shr(m.tid, asm.Log2(s.chunks)), m.And(m.tid, s.chunks-1), m.Threads[0] / s.chunks
}

// begin computes what all strips of a tile share.
func (s *factor) begin(m *tileWriter) {
	if !s.direct || m.flat(s) {
		return
	}
	tile, size := m.side(s)
	p := body.Point{At: append([]string(nil), m.p.At...)}
	p.At[s.axis], p.At[m.s.inner] = tile, "0"
	origin, _ := m.Operand(m.K.Instrs[s.load].Mem, p)
	row, chunk, _ := m.mine(s)
	row, chunk = m.Wide(row), m.Wide(chunk)
	s.source = m.Variable(asm.Long, m.Add(m.Mad(row, s.rowStep, origin), m.Mul(chunk, asm.Number(asm.ChunkBytes))))
	if s.alongK {
		s.left = m.Remaining(size, m.Add(tile, row), int64(s.rows))
	} else {
		s.left = m.remainingBytes(size, m.Add(tile, m.Mul(chunk, asm.Number(m.perChunk()))))
	}
}

func (m *tileWriter) perChunk() int64 { return int64(asm.ChunkBytes / m.t.Size()) }

// remainingBytes returns how many bytes of a chunk that begins at an element are of
// so many.
func (m *tileWriter) remainingBytes(size, at string) string {
	return m.Times(m.Remaining(size, at, m.perChunk()), m.t.Size())
}

// copy copies a strip that begins at an element of K to a place.
func (s *factor) copy(m *tileWriter, into, from string) {
	if !s.direct {
		m.compute(s, into, from)
		return
	}
	chunks := func(bytes int) func() {
		return func() {
			if m.flat(s) {
				m.flatChunks(s, into, from, bytes)
			} else {
				m.chunks(s, into, from, bytes)
			}
		}
	}
	m.Either(s.aligned, chunks(asm.ChunkBytes), func() {
		if s.words == "" {
			chunks(asm.CopyWord)()
			return
		}
		m.Either(s.words, chunks(asm.CopyWord), func() {
			if m.flat(s) || m.t.Size() != 2 {
				m.compute(s, into, from)
			} else {
				m.pieces(s, into, from)
			}
		})
	})
	if s.source != "" {
		m.Line("add.s64 %s, %s, %s", s.source, s.source, m.Mul(s.kStep, asm.Number(int64(strip(m.t)))))
	}
}

// mineOf returns where the thread's first chunk of a strip goes, and, as words, how many
// rows there are from it on and how many bytes its chunks have.
func (m *tileWriter) mineOf(s *factor, into, from string) (to, rows, bytes string) {
	row, chunk, _ := m.mine(s)
	to = m.Sum(into, m.Plus(m.offset(s, row, chunk), s.at))
	rows, bytes = s.left, s.left
	if s.alongK {
		bytes = m.remainingBytes(m.depth, m.Add(from, m.Mul(m.Wide(chunk), asm.Number(m.perChunk()))))
	} else {
		rows = m.Remaining(m.depth, m.Add(from, m.Wide(row)), int64(s.rows))
	}
	return to, rows, bytes
}

// chunks copies chunks beside the threads, in pieces of a size.
func (m *tileWriter) chunks(s *factor, into, from string, size int) {
	_, _, each := m.mine(s)
	to, rows, bytes := m.mineOf(s, into, from)
	source := s.source
	for n := 0; n < s.rows; n += each {
		if n > 0 {
			source = m.Add(source, m.Mul(s.rowStep, asm.Number(int64(each))))
		}
		m.CopyChunk(to, n*s.pitch, source, size, bytes, m.Op(asm.Predicate, "setp.gt.u32", rows, asm.Number(int64(n))))
	}
}

// compute computes a strip element by element. Threads beside each other have
// neighbours in memory.
func (m *tileWriter) compute(s *factor, into, from string) {
	tile, size := m.side(s)
	length := strip(m.t)
	m.Loop(m.Wide(m.tid), asm.Number(int64(s.size*length)), asm.Number(int64(m.Threads[0])), func(n string) {
		e := m.Op(asm.Word, "cvt.u32.u64", n)
		columns := length
		if !s.alongK {
			columns = s.size
		}
		row, column := m.Shr(e, asm.Log2(columns)), m.And(e, columns-1)
		i, k := row, column
		if !s.alongK {
			i, k = column, row
		}
		at, atK := m.Add(tile, m.Wide(i)), m.Add(from, m.Wide(k))
		inside := m.Both(m.Op(asm.Predicate, "setp.lt.s64", at, size), m.Op(asm.Predicate, "setp.lt.s64", atK, m.depth))
		per := int(m.perChunk())
		within := m.Times(m.And(column, per-1), m.t.Size())
		address := m.Sum(into, m.Plus(m.offset(s, row, m.Shr(column, asm.Log2(per))), s.at), within)
		m.Store("shared", m.t, address, asm.Float(m.t, 0), m.Op(asm.Predicate, "not.pred", inside))
		m.When(inside, func() {
			p := body.Point{At: append([]string(nil), m.p.At...)}
			p.At[s.axis], p.At[m.s.inner] = at, atK
			if m.flat(s) {
				m.at(i, &p)
			}
			st := &body.Stage{Number: 0, Point: p}
			for _, id := range s.body {
				m.Instr(st, id)
			}
			m.Store("shared", m.t, address, m.Vals[s.value], "")
		})
	})
}

// pieces copies chunks beside the threads, by the widest accesses that their addresses
// allow.
func (m *tileWriter) pieces(s *factor, into, from string) {
	_, _, each := m.mine(s)
	to, rows, bytes := m.mineOf(s, into, from)
	m.EachBatch(s.rows, each, func(list []string) {
		var all []asm.ChunkCopy
		for _, n := range list {
			at := m.Op(asm.Word, "cvt.u32.u64", n)
			all = append(all, asm.ChunkCopy{
				To:     m.Sum(to, m.Times(at, s.pitch)),
				From:   m.Mad(n, s.rowStep, s.source),
				Bytes:  bytes,
				Inside: m.Op(asm.Predicate, "setp.gt.u32", rows, at),
			})
		}
		m.CopyPieces(all)
	})
}
