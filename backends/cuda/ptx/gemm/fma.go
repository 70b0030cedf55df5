package gemm

import (
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/ir/types"
)

// exact has a thread's sums of f32, which it adds up itself, one fma after the other along K.
// Threads are a grid over the tile, and each has some of its rows and columns.
type exact struct {
	sums [][]string
	at   [2]string // the thread among those along rows and columns
	n    [2]int    // of how many
}

// newExact returns the sums of a thread, 0.
func (m *tileWriter) newExact() *exact {
	x := &exact{n: [2]int{m.tile.rows / m.tile.own[0], m.tile.columns / m.tile.own[1]}}
	x.at = [2]string{m.Shr(m.tid, asm.Log2(x.n[1])), m.And(m.tid, x.n[1]-1)}
	for range m.tile.own[0] {
		var row []string
		for range m.tile.own[1] {
			row = append(row, m.Variable(asm.Single, asm.Bits32(0)))
		}
		x.sums = append(x.sums, row)
	}
	return x
}

// multiplyExact adds the products of a strip, four at a time along K: what a thread
// loads of a factor along it; across it, of four elements each.
func (m *tileWriter) multiplyExact(strip string) {
	x := m.exact
	for k := 0; k < asm.StripBytes/4; k += 4 {
		a := m.four(m.a, strip, k, x.at[0], x.n[0], m.tile.own[0])
		b := m.four(m.b, strip, k, x.at[1], x.n[1], m.tile.own[1])
		for n := range 4 {
			for i, row := range x.sums {
				for j, sum := range row {
					m.Line("fma.rn.f32 %s, %s, %s, %s", sum, a[i][n], b[j][n], sum)
				}
			}
		}
	}
}

// four loads, of each of a thread's rows or columns, the elements from one along K
// on.
func (m *tileWriter) four(s *factor, strip string, k int, at string, n, own int) [][4]string {
	all := make([][4]string, own)
	load := func(off string, extra int) (r [4]string) {
		for i := range r {
			r[i] = m.Fresh(asm.Single)
		}
		m.Line("ld.shared.v4.f32 {%s, %s, %s, %s}, [%s+%d]", r[0], r[1], r[2], r[3], m.Sum(strip, off), s.at+extra)
		return r
	}
	if s.alongK {
		period := max(1, 8/n) // after which rows are swizzled as the first
		for i := range all {
			row := m.Plus(at, i%period*n)
			off := m.offset(s, row, m.Op(asm.Word, "mov.u32", asm.Number(int64(k/4))))
			all[i] = load(off, i/period*period*n*s.pitch)
		}
		return all
	}
	_, mask, by := s.spread(types.F32.Size())
	for e := range 4 {
		off := m.Op(asm.Word, "shl.b32", m.Op(asm.Word, "xor.b32", at, asm.Number(int64((k+e)&mask<<by))), "4")
		for i := 0; i < own; i += 4 {
			for j, v := range load(off, (k+e)*s.pitch+i/4*n*asm.ChunkBytes) {
				all[i+j][e] = v
			}
		}
	}
	return all
}

// keepExact stores the thread's sums in the block's memory, whose rows are so many
// bytes apart.
func (m *tileWriter) keepExact(row int) {
	x := m.exact
	place := func(s *factor, at string, n, i, bytes int) (first string, extra int) {
		if s.alongK {
			return m.Times(at, bytes), i * n * bytes
		}
		return m.Times(at, 4*bytes), (i/4*4*n + i%4) * bytes
	}
	for i := range x.sums {
		y, down := place(m.a, x.at[0], x.n[0], i, row)
		for j, sum := range x.sums[i] {
			at, right := place(m.b, x.at[1], x.n[1], j, 4)
			m.Line("st.shared.f32 [%s+%d], %s", m.Sum(m.memory, y, at), down+right, sum)
		}
	}
}
