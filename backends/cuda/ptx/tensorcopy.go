package ptx

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// factor is one of the two factors of a Tensor, and where its strips lie in the
// block's memory: rows of chunks, in the order that the swizzle says.
type factor struct {
	*kernel.Factor
	load  kernel.ID // [Schedule.load]
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

func (m *tensor) factor(f *kernel.Factor, axis, size, at int) *factor {
	s := &factor{Factor: f, value: f.Value, body: f.Body, axis: axis, size: size, at: at, alongK: true}
	w := m.writer
	if i := &w.k.Instrs[f.Value]; i.Op == kernel.Convert && w.k.Instrs[i.Args[0]].Type == m.t {
		s.value, s.body = i.Args[0], f.Body[:len(f.Body)-1]
	}
	along := -1
	s.load = w.s.load(f)
	source := f.Source
	if source == kernel.None {
		source = s.load
	}
	if source != kernel.None {
		along = neighbours(w.k, source)
		s.alongK = along != axis
	}
	s.direct = s.load != kernel.None && m.typeOf(s) == m.t && (along == axis || along == w.s.Inner) && m.once(s.load, along) && m.copiesGuarded(s)
	s.rows, s.chunks = size, stripBytes/chunkBytes
	if !s.alongK {
		s.rows, s.chunks = strip(m.t), size*m.t.Size()/chunkBytes
	}
	s.pitch = s.chunks * chunkBytes
	if m.tile.groups {
		s.pitch = stripBytes
	}
	if !s.direct || m.tile.boxes {
		return s
	}
	mem := w.k.Instrs[s.load].Mem
	s.unit = slices.Index(w.k.Params[mem.Param].Strides, kernel.UnitStride)
	s.step = func(axis int) string {
		n := "0"
		for d := range mem.Index {
			for _, t := range mem.Index[d].Terms {
				if t.Axis == axis {
					n = w.add(n, w.mul(w.steps[mem.Param][d], number(t.Factor)))
				}
			}
		}
		return w.mul(n, number(int64(m.t.Size())))
	}
	s.kStep, s.rowStep = s.step(w.s.Inner), s.step(axis)
	if !s.alongK {
		s.rowStep = s.kStep
	}
	plain := *mem
	plain.Guard = false
	start, _ := w.operand(&plain, w.point(0))
	for a := range w.point(0).at {
		if a != along {
			if n := s.step(a); n != "0" {
				start = w.op(long, "or.b64", start, n)
			}
		}
	}
	s.aligned = w.op(predicate, "setp.eq.u64", w.op(long, "and.b64", start, number(chunkBytes-1)), "0")
	if m.t.Size() < copyWord {
		s.words = w.op(predicate, "setp.eq.u64", w.op(long, "and.b64", start, number(copyWord-1)), "0")
	}
	return s
}

// flat reports whether rows of a factor are those of a flat tile.
func (m *tensor) flat(s *factor) bool { return m.tile.flat > 0 && s.axis == m.s.Across }

// typeOf returns the type of what a factor's load gives.
func (m *tensor) typeOf(s *factor) types.DType {
	if s.Load != kernel.None {
		return s.Type
	}
	return m.k.Instrs[s.load].Type
}

// copiesGuarded reports whether chunks can be copied as they are though what is outside
// of the operand counts as 0: those of flat tiles whose elements begin with the
// operand's. It holds where nothing is outside.
func (m *tensor) copiesGuarded(s *factor) bool {
	mem := m.k.Instrs[s.load].Mem
	if !mem.Guard {
		return true
	}
	unit := slices.Index(m.k.Params[mem.Param].Strides, kernel.UnitStride)
	return m.flat(s) && unit >= 0 && mem.Index[unit].Offset == 0
}

// once reports whether an axis moves a load along the dimension that is
// contiguous, and no other.
func (m *tensor) once(load kernel.ID, axis int) bool {
	n := 0
	for _, x := range m.k.Instrs[load].Mem.Index {
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
	return log2(8 / wide), wide - 1, 0
}

// offset returns where a chunk of a row is, as a word.
func (m *tensor) offset(s *factor, row, chunk string) string {
	shift, mask, by := s.spread(m.t.Size())
	x := m.and(m.shr(row, shift), mask)
	if by > 0 {
		x = m.op(word, "shl.b32", x, number(int64(by)))
	}
	beyond := "0"
	if per := s.pitch / chunkBytes; per < s.chunks {
		beyond = m.times(m.shr(chunk, log2(per)), s.rows*s.pitch)
		chunk = m.and(chunk, per-1)
	}
	chunk = m.op(word, "xor.b32", chunk, x)
	at := m.sum(m.times(row, s.pitch), m.op(word, "shl.b32", chunk, "4"))
	if beyond != "0" {
		at = m.sum(at, beyond)
	}
	return at
}

// mine returns the row and chunk of the thread's first copy; the others are at the
// same chunk, every so many rows.
func (m *tensor) mine(s *factor) (row, chunk string, each int) {
	return m.shr(m.tid, log2(s.chunks)), m.and(m.tid, s.chunks-1), m.threads[0] / s.chunks
}

// begin computes what all strips of a tile share.
func (s *factor) begin(m *tensor) {
	if !s.direct || m.flat(s) {
		return
	}
	w := m.writer
	tile, size := m.y, m.nY
	if s.axis == w.s.X {
		tile, size = m.x, m.nX
	}
	p := point{at: append([]string(nil), m.p.at...)}
	p.at[s.axis], p.at[w.s.Inner] = tile, "0"
	origin, _ := w.operand(w.k.Instrs[s.load].Mem, p)
	row, chunk, _ := m.mine(s)
	row, chunk = m.wide(row), m.wide(chunk)
	s.source = w.variable(long, w.add(w.mad(row, s.rowStep, origin), w.mul(chunk, number(chunkBytes))))
	if s.alongK {
		s.left = m.remaining(size, w.add(tile, row), int64(s.rows))
	} else {
		s.left = m.remainingBytes(size, w.add(tile, w.mul(chunk, number(m.perChunk()))))
	}
}

func (m *tensor) perChunk() int64 { return int64(chunkBytes / m.t.Size()) }

func (m *tensor) wide(a string) string { return m.op(long, "cvt.u64.u32", a) }

// remaining returns, as a word, how many elements there are at one of so many and
// behind it, at most a number.
func (m *tensor) remaining(size, at string, most int64) string {
	n := m.op(long, "min.s64", m.op(long, "sub.s64", size, at), number(most))
	return m.op(word, "cvt.u32.u64", m.op(long, "max.s64", n, "0"))
}

// remainingBytes returns how many bytes of a chunk that begins at an element are of
// so many.
func (m *tensor) remainingBytes(size, at string) string {
	return m.times(m.remaining(size, at, m.perChunk()), m.t.Size())
}

// copy copies a strip that begins at an element of K to a place.
func (s *factor) copy(m *tensor, into, from string) {
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
	m.either(s.aligned, chunks(chunkBytes), func() {
		if s.words == "" {
			chunks(copyWord)()
			return
		}
		m.either(s.words, chunks(copyWord), func() {
			if m.flat(s) || m.t.Size() != 2 {
				m.compute(s, into, from)
			} else {
				m.pieces(s, into, from)
			}
		})
	})
	if s.source != "" {
		m.line("add.s64 %s, %s, %s", s.source, s.source, m.mul(s.kStep, number(int64(strip(m.t)))))
	}
}

// copyWord is the least that an asynchronous copy moves: chunks are copied so where they
// are not aligned, such as rows of an even number of bf16.
const copyWord = 4

// copyChunk copies a chunk in pieces of a size, and leaves zeros behind its first bytes, or
// everywhere if it is not inside.
func (m *tensor) copyChunk(to string, off int, from string, size int, bytes, inside string) {
	m.copyWords(to, off, from, size, bytes, inside, "")
}

// copyWords is copyChunk where a predicate holds; "" does.
func (m *tensor) copyWords(to string, off int, from string, size int, bytes, inside, holds string) {
	for at := 0; at < chunkBytes; at += size {
		left, level := bytes, "cg"
		if size < chunkBytes {
			left = m.op(word, "min.s32", m.op(word, "max.s32", m.op(word, "sub.s32", bytes, number(int64(at))), "0"), number(int64(size)))
			level = "ca"
		}
		m.line("%scp.async.%s.shared.global [%s+%d], [%s], %d, %s", on(holds), level, to, off+at, plusOffset(from, at), size, m.op(word, "selp.b32", left, "0", inside))
	}
}

// mineOf returns where the thread's first chunk of a strip goes, and, as words, how many
// rows there are from it on and how many bytes its chunks have.
func (m *tensor) mineOf(s *factor, into, from string) (to, rows, bytes string) {
	row, chunk, _ := m.mine(s)
	to = m.sum(into, m.plus(m.offset(s, row, chunk), s.at))
	rows, bytes = s.left, s.left
	if s.alongK {
		bytes = m.remainingBytes(m.depth, m.add(from, m.mul(m.wide(chunk), number(m.perChunk()))))
	} else {
		rows = m.remaining(m.depth, m.add(from, m.wide(row)), int64(s.rows))
	}
	return to, rows, bytes
}

// chunks copies chunks beside the threads, in pieces of a size.
func (m *tensor) chunks(s *factor, into, from string, size int) {
	w := m.writer
	_, _, each := m.mine(s)
	to, rows, bytes := m.mineOf(s, into, from)
	source := s.source
	for n := 0; n < s.rows; n += each {
		if n > 0 {
			source = w.add(source, w.mul(s.rowStep, number(int64(each))))
		}
		m.copyChunk(to, n*s.pitch, source, size, bytes, w.op(predicate, "setp.gt.u32", rows, number(int64(n))))
	}
}

// compute computes a strip element by element. Threads beside each other have
// neighbours in memory.
func (m *tensor) compute(s *factor, into, from string) {
	w := m.writer
	tile, size := m.y, m.nY
	if s.axis == w.s.X {
		tile, size = m.x, m.nX
	}
	length := strip(m.t)
	w.loop(m.wide(m.tid), number(int64(s.size*length)), number(int64(w.threads[0])), func(n string) {
		e := w.op(word, "cvt.u32.u64", n)
		columns := length
		if !s.alongK {
			columns = s.size
		}
		row, column := m.shr(e, log2(columns)), m.and(e, columns-1)
		i, k := row, column
		if !s.alongK {
			i, k = column, row
		}
		at, atK := w.add(tile, m.wide(i)), w.add(from, m.wide(k))
		inside := w.both(w.op(predicate, "setp.lt.s64", at, size), w.op(predicate, "setp.lt.s64", atK, m.depth))
		per := int(m.perChunk())
		within := m.times(m.and(column, per-1), m.t.Size())
		address := m.sum(into, m.plus(m.offset(s, row, m.shr(column, log2(per))), s.at), within)
		w.store("shared", m.t, address, float(m.t, 0), w.op(predicate, "not.pred", inside))
		w.when(inside, func() {
			p := point{at: append([]string(nil), m.p.at...)}
			p.at[s.axis], p.at[w.s.Inner] = at, atK
			if m.flat(s) {
				m.at(i, &p)
			}
			st := &stage{number: 0, at: p}
			for _, id := range s.body {
				w.instr(st, id)
			}
			w.store("shared", m.t, address, w.vals[s.value], "")
		})
	})
}
