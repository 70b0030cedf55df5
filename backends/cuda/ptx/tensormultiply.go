package ptx

import (
	"strings"

	"ltc/ir/types"
)

// multiply adds the products of a strip, which begins at an address. See the PTX
// ISA, "Matrix fragments for mma", for what lies in which registers.
func (m *tensor) multiply(strip string) {
	a := m.sum(strip, m.warpStart(m.a, m.warp[0]))
	b := m.sum(strip, m.warpStart(m.b, m.warp[1]))
	for step := range stripBytes / fragmentBytes {
		var rows [][]string
		for i := range m.sums {
			rows = append(rows, m.fragment(m.a, a, step, 16*i, m.warp[0], true))
		}
		for j := 0; j < len(m.sums[0]); j += 2 {
			columns := m.fragment(m.b, b, step, 8*j, m.warp[1], false)
			for i, row := range rows {
				m.mma(&m.sums[i][j], row, columns[:2])
				m.mma(&m.sums[i][j+1], row, columns[2:])
			}
		}
	}
}

// fragmentBytes is what a product of fragments takes along K: two chunks.
const fragmentBytes = 2 * chunkBytes

func (m *tensor) mma(sums *[4]string, a, b []string) {
	shape := map[types.DType]string{types.BF16: "m16n8k16.row.col.f32.bf16.bf16.f32", types.F16: "m16n8k16.row.col.f32.f16.f16.f32", types.F32: "m16n8k8.row.col.f32.tf32.tf32.f32"}[m.t]
	d := strings.Join(sums[:], ", ")
	m.line("mma.sync.aligned.%s {%s}, {%s}, {%s}, {%s}", shape, d, strings.Join(a, ", "), strings.Join(b, ", "), d)
}

// warpStart returns where the part of a warp that begins at a row or column of the
// tile lies, if that is a number of rows, and the factor.
func (m *tensor) warpStart(s *factor, first string) string {
	if !s.alongK {
		return number(int64(s.at))
	}
	return m.plus(m.times(first, s.pitch), s.at)
}

// fragment loads, for a step of two chunks along K, what mma takes of 16 rows of
// the first factor or of 16 columns of the second, from one of the warp's on.
func (m *tensor) fragment(s *factor, start string, step, from int, first string, rows bool) []string {
	if m.t == types.F32 && !s.alongK {
		return m.scattered(s, start, step, from, first, rows)
	}
	// Four squares: of the first factor those of the rows, then of the chunks, one
	// after the other, of the second those of the chunks and then the columns.
	in, square := m.and(m.lane, 7), m.shr(m.lane, 3)
	low, high := m.and(square, 1), m.shr(square, 1)
	across, along := low, high
	if !rows {
		across, along = high, low
	}
	var off string
	var extra int
	trans := ""
	if s.alongK { // rows of the squares are across, and 16 of them keep the swizzle
		row := m.sum(in, m.times(across, 8))
		off = m.offset(s, row, m.plus(along, 2*step))
		extra = from * s.chunks * chunkBytes
	} else { // rows of the squares are along K
		trans = ".trans"
		row := m.sum(in, m.times(along, 8))
		off = m.offset(s, row, m.sum(m.shr(first, 3), m.plus(across, from/8)))
		extra = step * 16 * s.chunks * chunkBytes
	}
	r := []string{m.fresh(word), m.fresh(word), m.fresh(word), m.fresh(word)}
	m.line("ldmatrix.sync.aligned.m8n8.x4%s.shared.b16 {%s}, [%s+%d]", trans, strings.Join(r, ", "), m.sum(start, off), extra)
	if m.t == types.F32 {
		m.rounding(r)
	}
	return r
}

// scattered loads elements of four bytes one by one: ldmatrix transposes only what
// has two.
func (m *tensor) scattered(s *factor, start string, step, from int, first string, rows bool) []string {
	groups, thread := m.shr(m.lane, 2), m.and(m.lane, 3)
	within := m.times(m.and(groups, 3), 4)
	r := make([]string, 4)
	for n := range r {
		across, along := n%2, n/2
		if !rows {
			across, along = along, across
		}
		off := m.offset(s, thread, m.sum(m.shr(first, 2), m.plus(m.shr(groups, 2), from/4+2*across)))
		r[n] = m.fresh(word)
		m.line("ld.shared.b32 %s, [%s+%d]", r[n], m.sum(start, off, within), (8*step+4*along)*s.pitch)
	}
	m.rounding(r)
	return r
}

// rounding rounds floats to tf32.
func (m *tensor) rounding(r []string) {
	for _, x := range r {
		m.line("cvt.rna.tf32.f32 %s, %s", x, x)
	}
}
