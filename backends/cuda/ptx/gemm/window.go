package gemm

import (
	"slices"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/cuda/ptx/internal/body"
	"ltc/backends/kit/kernel"
)

// Rows of flat tiles are of all axes of M, one after the other. Those of a convolution are
// the points of its result, of all images, where one row of an image would fill a tile in
// part only. Its image is never written out as a matrix (implicit GEMM). The address of each
// row of the tile in the operand, and its point, are computed once for a tile and kept in
// the block's memory; from there copies go along the window. What a load with a guard finds
// outside is 0, which a copy of no bytes leaves.

// rowBytes is how much of a block's memory says of a row where it begins and at which
// point of the axes it is.
func (t *tile) rowBytes() int {
	if t.flat == 0 {
		return 0
	}
	return addressBytes + indexBytes*t.flat
}

const (
	addressBytes = 8
	indexBytes   = 4
)

// rowAxes are the axes that rows of the tile are of.
func (m *tileWriter) rowAxes() []int {
	if m.tile.flat > 0 {
		return m.c.M
	}
	return []int{m.s.y}
}

// addressOf returns where it is said in which place of A a row of the tile begins; 0
// says that there is none.
func (m *tileWriter) addressOf(row string) string {
	return m.Sum(m.Plus(m.memory, m.tile.rowsAt()), m.Times(row, addressBytes))
}

// indexOf returns where the index of a row along axis n of M is.
func (m *tileWriter) indexOf(row string, n int) string {
	return m.Sum(m.Plus(m.memory, m.tile.rowsAt()+m.tile.rows*(addressBytes+n*indexBytes)), m.Times(row, indexBytes))
}

// rows says, for a flat tile, which rows it has.
func (m *tileWriter) rows() {
	if m.tile.flat == 0 {
		return
	}
	m.Loop(m.Wide(m.tid), asm.Number(int64(m.tile.rows)), asm.Number(int64(m.Threads[0])), func(n string) {
		row := m.Op(asm.Word, "cvt.u32.u64", n)
		at := m.Add(m.y, n)
		p := body.Point{At: slices.Clone(m.p.At)}
		m.Split(0, m.c.M, at, p.At)
		for i, a := range m.c.M {
			m.Line("st.shared.b32 [%s], %s", m.indexOf(row, i), m.Op(asm.Word, "cvt.u32.u64", p.At[a]))
		}
		if !m.a.direct {
			return
		}
		mem := *m.K.Instrs[m.a.load].Mem
		inside := m.Op(asm.Predicate, "setp.lt.s64", at, m.nY)
		for d := range mem.Index {
			if mem.Guard && m.a.unit != d && !m.alongK(&mem.Index[d]) {
				inside = m.Both(inside, m.within(&mem, d, p))
			}
		}
		mem.Guard = false
		address, _ := m.Operand(&mem, p)
		m.Line("st.shared.b64 [%s], %s", m.addressOf(row), m.Op(asm.Long, "selp.b64", address, "0", inside))
	})
	if m.tile.groups {
		m.Barrier() // the ring has one before it copies, that of warpgroups has none
	}
}

// at puts the indices of a row of a flat tile into a point.
func (m *tileWriter) at(row string, p *body.Point) {
	if m.tile.flat == 0 {
		return
	}
	for n, a := range m.c.M {
		p.At[a] = m.Wide(m.loadWord(m.indexOf(row, n)))
	}
}

func (m *tileWriter) loadWord(at string) string {
	r := m.Fresh(asm.Word)
	m.Line("ld.shared.b32 %s, [%s]", r, at)
	return r
}

// alongK reports whether an axis of K moves an index.
func (m *tileWriter) alongK(x *kernel.Index) bool {
	return slices.ContainsFunc(x.Terms, func(t kernel.Term) bool { return slices.Contains(m.c.K, t.Axis) })
}

// within returns the predicate that an access is within a dimension.
func (m *tileWriter) within(mem *kernel.Access, d int, p body.Point) string {
	return m.Op(asm.Predicate, "setp.lt.u64", m.Index(&mem.Index[d], p), m.Size(m.K.Params[mem.Param].Dims[d]))
}

// flatChunks copies chunks of a flat tile's rows beside the threads, in pieces of a size.
func (m *tileWriter) flatChunks(s *factor, into, from string, size int) {
	row, chunk, each := m.mine(s)
	mem := m.K.Instrs[s.load].Mem
	to := m.Sum(into, m.Plus(m.offset(s, row, chunk), s.at))
	first := m.Add(from, m.Mul(m.Wide(chunk), asm.Number(m.perChunk())))
	depth := m.depth
	if mem.Guard {
		depth = m.Op(asm.Long, "min.s64", depth, m.Size(m.K.Params[mem.Param].Dims[s.unit]))
	}
	bytes := m.remainingBytes(depth, first)
	along := m.Mul(first, s.kStep)
	for _, a := range m.outerK() {
		along = m.Mad(m.p.At[a], s.step(a), along)
	}
	for n := 0; n < s.rows; n += each {
		address := m.Fresh(asm.Long)
		m.Line("ld.shared.b64 %s, [%s+%d]", address, m.addressOf(row), n*addressBytes)
		inside := m.Op(asm.Predicate, "setp.ne.s64", address, "0")
		p := body.Point{At: slices.Clone(m.p.At)}
		loaded := map[int]bool{}
		for d := range mem.Index {
			if x := &mem.Index[d]; mem.Guard && d != s.unit && m.alongK(x) {
				for i, a := range m.c.M {
					if !loaded[a] && slices.ContainsFunc(x.Terms, func(t kernel.Term) bool { return t.Axis == a }) {
						loaded[a] = true
						p.At[a] = m.Wide(m.loadWord(asm.PlusOffset(m.indexOf(row, i), n*indexBytes)))
					}
				}
				inside = m.Both(inside, m.within(mem, d, p))
			}
		}
		m.CopyChunk(to, n*s.pitch, m.Add(address, along), size, bytes, inside)
	}
}
