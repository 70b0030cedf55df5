package gemm

import (
	"slices"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/cuda/ptx/internal/body"
	"ltc/ir/types"
)

// The epilogue is the stages after the contraction's, at the points of a
// tile. Sums reach it through the block's memory, so that a thread has Lanes neighbours of
// the result. The thread loads and stores them by vectors where memory is aligned and all
// are inside, else one after the other.

// tileSums are the sums of a tile, or of a part of it, in the block's memory, whose sides
// are powers of two, and the threads that share them out.
type tileSums struct {
	at              string // the address of the first
	pitch           int    // bytes between rows
	rows, columns   int
	y, x            string // the first's place in the result; of flat tiles y is a row's number
	thread, threads string // which thread of how many
}

// end runs the epilogue of a tile.
func (m *tileWriter) end() {
	t := m.tile
	row := (t.columns + sumPad) * 4
	if m.exact != nil {
		m.keepExact(row)
	} else {
		m.keep(row)
	}
	m.Barrier()
	m.epilogue(&tileSums{at: m.memory, pitch: row, rows: t.rows, columns: t.columns, y: m.y, x: m.x, thread: m.tid, threads: asm.Number(int64(m.Threads[0]))})
	m.Barrier()
}

// epilogue runs it for some sums.
func (m *tileWriter) epilogue(k *tileSums) {
	n, across := m.Lanes.N, m.Lanes.Axis == m.s.y
	if m.tile.flat > 0 && across || n == 0 {
		n = 1
	}
	m.Loop(m.Wide(k.thread), asm.Number(int64(k.rows*k.columns/n)), k.threads, func(item string) {
		e := m.Op(asm.Word, "cvt.u32.u64", item)
		if across {
			rows := k.rows / n
			m.epilogueLanes(k, n, m.Times(m.And(e, rows-1), n), m.Shr(e, asm.Log2(rows)))
			return
		}
		columns := k.columns / n
		m.epilogueLanes(k, n, m.Shr(e, asm.Log2(columns)), m.Times(m.And(e, columns-1), n))
	})
}

// epilogueLanes runs it for n sums, the first of which is in a row and a column.
func (m *tileWriter) epilogueLanes(k *tileSums, n int, row, column string) {
	y, x := m.Add(k.y, m.Wide(row)), m.Add(k.x, m.Wide(column))
	sum := m.Sum(k.at, m.Times(row, k.pitch), m.Times(column, 4))
	if n == 1 {
		m.epiloguePoint(y, x, row, sum)
		return
	}
	across := m.Lanes.Axis == m.s.y
	first, size, inside, apart := x, m.nX, m.Op(asm.Predicate, "setp.lt.s64", y, m.nY), 4
	if across {
		first, size, inside, apart = y, m.nY, m.Op(asm.Predicate, "setp.lt.s64", x, m.nX), k.pitch
	}
	m.When(inside, func() {
		whole := m.Op(asm.Predicate, "setp.le.s64", m.Add(first, asm.Number(int64(n))), size)
		m.Either(m.Both(whole, m.vectors), func() { m.epilogueVector(n, y, x, row, sum, apart) }, func() {
			m.Loop("0", asm.Number(int64(n)), "1", func(i string) {
				at := m.Sum(sum, m.Times(m.Op(asm.Word, "cvt.u32.u64", i), apart))
				if across {
					m.epiloguePoint(m.Add(y, i), x, "", at)
				} else {
					m.epiloguePoint(y, m.Add(x, i), row, at)
				}
			})
		})
	})
}

// epiloguePoint runs it at a point, if there is one.
func (m *tileWriter) epiloguePoint(y, x, row, sum string) {
	inside := m.Both(m.Op(asm.Predicate, "setp.lt.s64", y, m.nY), m.Op(asm.Predicate, "setp.lt.s64", x, m.nX))
	m.When(inside, func() {
		m.Vals[m.c.Sum] = m.Load("shared", types.F32, sum, "", "")
		at := m.pointOf(y, x, row)
		for s := range m.K.Stages[1:] {
			m.Body(&body.Stage{Number: s + 1, Point: m.Extended(s+1, at)})
		}
	})
}

// pointOf returns the point of a row and a column of the result.
func (m *tileWriter) pointOf(y, x, row string) body.Point {
	at := body.Point{At: slices.Clone(m.p.At), Stores: m.p.Stores}
	at.At[m.s.x], at.At[m.s.y] = x, y
	m.at(row, &at)
	return at
}

// epilogueVector runs it at n points, all inside, whose sums are so many bytes apart.
func (m *tileWriter) epilogueVector(n int, y, x, row, sum string, apart int) {
	sums := make([]string, n)
	for l := range sums {
		sums[l] = m.Fresh(asm.Single)
	}
	if apart == 4 {
		for l := 0; l < n; l += 4 {
			part := sums[l:min(l+4, n)]
			m.Line("ld.shared.v%d.f32 {%s}, [%s+%d]", len(part), asm.List(part), sum, 4*l)
		}
	} else {
		for l, r := range sums {
			m.Line("ld.shared.f32 %s, [%s+%d]", r, sum, l*apart)
		}
	}
	m.InLanes(1, m.pointOf(y, x, row), sums, m.c.Sum)
}

// keep stores the sums of fragments in the block's memory, whose rows are so many
// bytes apart.
func (m *tileWriter) keep(row int) {
	groups, thread := m.Shr(m.lane, 2), m.And(m.lane, 3)
	to := m.Sum(m.memory, m.Times(m.Sum(m.warp[0], groups), row), m.Times(m.Sum(m.warp[1], m.Times(thread, 2)), 4))
	for i := range m.sums {
		for j := range m.sums[i] {
			for h := range 2 {
				m.Line("st.shared.v2.f32 [%s+%d], {%s, %s}", to, (16*i+8*h)*row+8*j*4, m.sums[i][j][2*h], m.sums[i][j][2*h+1])
			}
		}
	}
}
