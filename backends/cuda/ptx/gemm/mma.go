package gemm

import (
	"strings"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/ir/types"
)

// multiply adds the products of a strip, which begins at an address. See the PTX
// ISA, "Matrix fragments for mma", for what lies in which registers.
func (m *tileWriter) multiply(strip string) {
	a := m.Sum(strip, m.warpStart(m.a, m.warp[0]))
	b := m.Sum(strip, m.warpStart(m.b, m.warp[1]))
	for step := range asm.StripBytes / asm.FragmentBytes {
		var rows [][]string
		for i := range m.sums {
			rows = append(rows, m.fragment(m.a, a, step, 16*i, m.warp[0], true))
		}
		for j := 0; j < len(m.sums[0]); j += 2 {
			columns := m.fragment(m.b, b, step, 8*j, m.warp[1], false)
			for i, row := range rows {
				m.Mma(m.t, &m.sums[i][j], row, columns[:2])
				m.Mma(m.t, &m.sums[i][j+1], row, columns[2:])
			}
		}
	}
}

// warpStart returns where the part of a warp that begins at a row or column of the
// tile lies, if that is a number of rows, and the factor.
func (m *tileWriter) warpStart(s *factor, first string) string {
	if !s.alongK {
		return asm.Number(int64(s.at))
	}
	return m.Plus(m.Times(first, s.pitch), s.at)
}

// fragment loads, for a step of two chunks along K, what mma takes of 16 rows of
// the first factor or of 16 columns of the second, from one of the warp's on.
func (m *tileWriter) fragment(s *factor, start string, step, from int, first string, rows bool) []string {
	if m.t == types.F32 && !s.alongK {
		return m.scattered(s, start, step, from, first, rows)
	}
	// Four squares: of the first factor those of the rows, then of the chunks, one
	// after the other, of the second those of the chunks and then the columns.
	in, square := m.And(m.lane, 7), m.Shr(m.lane, 3)
	low, high := m.And(square, 1), m.Shr(square, 1)
	across, along := low, high
	if !rows {
		across, along = high, low
	}
	var off string
	var extra int
	trans := ""
	if s.alongK { // rows of the squares are across, and 16 of them keep the swizzle
		row := m.Sum(in, m.Times(across, 8))
		off = m.offset(s, row, m.Plus(along, 2*step))
		extra = from * s.chunks * asm.ChunkBytes
	} else { // rows of the squares are along K
		trans = ".trans"
		row := m.Sum(in, m.Times(along, 8))
		off = m.offset(s, row, m.Sum(m.Shr(first, 3), m.Plus(across, from/8)))
		extra = step * 16 * s.chunks * asm.ChunkBytes
	}
	r := []string{m.Fresh(asm.Word), m.Fresh(asm.Word), m.Fresh(asm.Word), m.Fresh(asm.Word)}
	m.Line("ldmatrix.sync.aligned.m8n8.x4%s.shared.b16 {%s}, [%s+%d]", trans, strings.Join(r, ", "), m.Sum(start, off), extra)
	if m.t == types.F32 {
		m.rounding(r)
	}
	return r
}

// scattered loads elements of four bytes one by one: ldmatrix transposes only what
// has two.
func (m *tileWriter) scattered(s *factor, start string, step, from int, first string, rows bool) []string {
	groups, thread := m.Shr(m.lane, 2), m.And(m.lane, 3)
	within := m.Times(m.And(groups, 3), 4)
	r := make([]string, 4)
	for n := range r {
		across, along := n%2, n/2
		if !rows {
			across, along = along, across
		}
		off := m.offset(s, thread, m.Sum(m.Shr(first, 2), m.Plus(m.Shr(groups, 2), from/4+2*across)))
		r[n] = m.Fresh(asm.Word)
		m.Line("ld.shared.b32 %s, [%s+%d]", r[n], m.Sum(start, off, within), (8*step+4*along)*s.pitch)
	}
	m.rounding(r)
	return r
}

// rounding rounds floats to tf32.
func (m *tileWriter) rounding(r []string) {
	for _, x := range r {
		m.Line("cvt.rna.tf32.f32 %s, %s", x, x)
	}
}

// ringOfGroups is ring with products of warpgroups, of which those of one strip are
// under way while the block waits for the next: two strips of the ring are being
// read, and the others copied. The products of strip n-2 have ended when all have
// waited in iteration n, and its place is copied to again.
func (m *tileWriter) ringOfGroups() {
	ahead := m.tile.stages - 2
	n, from := m.begin()
	left := m.Variable(asm.Long, n)
	into, out := m.Variable(asm.Word, m.memory), m.Variable(asm.Word, m.memory)
	copies := func() {
		m.When(m.Op(asm.Predicate, "setp.gt.s64", left, "0"), func() { m.copyStage(into, from) })
		m.Line("cp.async.commit_group")
		m.next(into)
		m.Line("add.s64 %s, %s, -1", left, left)
	}
	m.Loop("0", asm.Number(int64(ahead)), "1", func(string) { copies() })
	m.Loop("0", n, "1", func(string) {
		m.Line("cp.async.wait_group %d", ahead-1)
		m.Line("fence.proxy.async.shared::cta") // the wide form waits for global memory
		m.Line("wgmma.wait_group.sync.aligned 1")
		m.Barrier()
		m.multiplyGroups(out)
		m.next(out)
		copies()
	})
	m.Line("wgmma.wait_group.sync.aligned 0")
	m.Line("cp.async.wait_all")
	m.Barrier()
}

// multiplyGroups issues the products of a strip.
func (m *tileWriter) multiplyGroups(strip string) {
	group := m.Shr(m.tid, asm.Log2(asm.GroupThreads))
	a := m.Sum(strip, m.Plus(m.Times(group, asm.BlockBytes), m.a.at))
	b := m.Plus(strip, m.b.at)
	m.Line("wgmma.fence.sync.aligned")
	for step := range asm.StripBytes / asm.FragmentBytes {
		m.Wgmma(m.t, m.sums[0], m.descriptor(m.a, a, step), m.descriptor(m.b, b, step), true, m.a.transposed()+", "+m.b.transposed())
	}
	m.Line("wgmma.commit_group.sync.aligned")
}

// transposed is how an instruction says whether a factor lies across K.
func (s *factor) transposed() string {
	if s.alongK {
		return "0"
	}
	return "1"
}

// descriptor returns that of a factor at an address, for a step along K.
func (m *tileWriter) descriptor(s *factor, at string, step int) string {
	by, apart := asm.FragmentBytes, asm.ChunkBytes
	if !s.alongK {
		by, apart = 2*asm.EightRows, asm.BlockBytes
	}
	return m.Descriptor(m.Plus(at, step*by), apart)(0)
}
