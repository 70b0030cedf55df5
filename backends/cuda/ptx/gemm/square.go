package gemm

import (
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/cuda/ptx/internal/body"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Of squares.
const (
	side         = 32       // of the square that a block computes
	depth        = 16       // of the strips
	across       = 16       // threads along x and y
	stride       = side + 1 // elements between rows of strips: a column meets no bank twice
	elementBytes = 8        // the most that one takes
)

// squareWriter writes the entry of squares.
type squareWriter struct {
	*body.Writer
	s      *Schedule
	c      *kernel.Contraction
	t      types.DType // of products and sums, as the block's memory holds them
	p      body.Point  // of the contraction's stage
	memory string
	tid    string // of across² threads
	nX, nY string
	x, y   string // where the square begins
}

// writeSquares writes the entry of squares of side² sums. For each, a block goes along
// the last axis of K in strips of depth, which it copies into its memory; loops over other
// axes of K are around that. Each thread has the sums of 2·2 points.
// What is outside of a factor counts as 0.
func (s *Schedule) writeSquares(w *body.Writer) {
	c := s.c
	m := &squareWriter{Writer: w, s: s, c: c, t: asm.Held(c.Type), p: w.Point(0), nX: w.Count(0, []int{s.x}), nY: w.Count(0, []int{s.y})}
	if c.Type == types.Bool {
		w.Fail(asm.Unsupported(w.K, "a product of bools"))
		return
	}
	m.memory = w.Op(asm.Long, "mov.u64", asm.Shared)
	tx, ty := w.Special("%tid.x"), w.Special("%tid.y")
	m.tid = w.Mad(ty, asm.Number(across), tx)
	startX, stepX := w.Mul(w.Special("%ctaid.x"), asm.Number(side)), w.Mul(w.Special("%nctaid.x"), asm.Number(side))
	startY, stepY := w.Mul(w.Special("%ctaid.y"), asm.Number(side)), w.Mul(w.Special("%nctaid.y"), asm.Number(side))
	w.Outer(s.outer, m.p, func() {
		w.Loop(startY, m.nY, stepY, func(y string) {
			w.Loop(startX, m.nX, stepX, func(x string) {
				m.x, m.y = x, y
				m.sums(tx, ty)
			})
		})
	})
}

// parts is how many points each thread has along each axis.
const parts = side / across

func (m *squareWriter) sums(tx, ty string) {
	var sums [parts][parts]string
	for i := range sums {
		for j := range sums[i] {
			sums[i][j] = m.Variable(asm.ClassOf(m.t), m.Neutral(kernel.Add, m.t))
		}
	}
	last := m.c.K[len(m.c.K)-1]
	var along func(n int)
	along = func(n int) {
		size := m.Size(m.K.Axis(0, m.c.K[n]).Size)
		if n < len(m.c.K)-1 {
			m.Loop("0", size, "1", func(i string) {
				m.p.At[m.c.K[n]] = i
				along(n + 1)
			})
			return
		}
		m.Loop("0", size, asm.Number(depth), func(from string) {
			m.copy(&m.c.A, 0, m.s.y, m.y, m.nY, last, from, size)
			m.copy(&m.c.B, 1, m.s.x, m.x, m.nX, last, from, size)
			m.Barrier()
			m.Loop("0", asm.Number(depth), "1", func(k string) { m.multiply(&sums, k, tx, ty) })
			m.Barrier()
		})
	}
	along(0)
	for i := range sums {
		for j := range sums[i] {
			m.finish(sums[i][j], m.Add(m.y, m.Add(ty, asm.Number(int64(i*across)))), m.Add(m.x, m.Add(tx, asm.Number(int64(j*across)))))
		}
	}
}

// place returns the address of an element of a strip: row k, column i.
func (m *squareWriter) place(strip int, k, i string) string {
	at := m.Add(m.memory, asm.Number(int64(strip*depth*stride*elementBytes)))
	return m.Mad(m.Mad(k, asm.Number(stride), i), asm.Number(int64(m.t.Size())), at)
}

// copy computes a factor at side·depth points, along an axis from one place and
// along K from another. Threads beside each other have neighbours in memory.
func (m *squareWriter) copy(f *kernel.Factor, strip, axis int, from, size string, kAxis int, fromK, sizeK string) {
	m.Loop(m.tid, asm.Number(side*depth), asm.Number(across*across), func(n string) {
		k, i := m.Op(asm.Long, "shr.u64", n, "5"), m.Op(asm.Long, "and.b64", n, asm.Number(side-1))
		if f.Load != kernel.None && body.Neighbours(m.K, f.Load) == kAxis {
			k, i = m.Op(asm.Long, "and.b64", n, asm.Number(depth-1)), m.Op(asm.Long, "shr.u64", n, "4")
		}
		at, atK := m.Add(from, i), m.Add(fromK, k)
		inside := m.Both(m.Op(asm.Predicate, "setp.lt.s64", at, size), m.Op(asm.Predicate, "setp.lt.s64", atK, sizeK))
		address := m.place(strip, k, i)
		m.Store("shared", m.t, address, m.Neutral(kernel.Add, m.t), m.Op(asm.Predicate, "not.pred", inside))
		m.When(inside, func() {
			p := body.Point{At: append([]string(nil), m.p.At...)}
			p.At[axis], p.At[kAxis] = at, atK
			s := &body.Stage{Number: 0, Point: p}
			for _, id := range f.Body {
				m.Instr(s, id)
			}
			m.Store("shared", m.t, address, m.Vals[f.Value], "")
		})
	})
}

// multiply adds what row k of the strips gives.
func (m *squareWriter) multiply(sums *[parts][parts]string, k, tx, ty string) {
	var a, b [parts]string
	for i := range parts {
		a[i] = m.Load("shared", m.t, m.place(0, k, m.Add(ty, asm.Number(int64(i*across)))), "", "")
		b[i] = m.Load("shared", m.t, m.place(1, k, m.Add(tx, asm.Number(int64(i*across)))), "", "")
	}
	for i := range parts {
		for j := range parts {
			r, c, name := sums[i][j], asm.ClassOf(m.t), asm.KindOf(m.t)
			if m.t.IsFloat() {
				m.Line("fma.rn.%s %s, %s, %s, %s", name, r, a[i], b[j], r)
			} else {
				m.Line("mad.lo.%s %s, %s, %s, %s", name, r, a[i], b[j], r)
				m.Set(c, r, m.Rounded(m.t, r))
			}
		}
	}
}

// finish runs the stages after the contraction's at a point.
func (m *squareWriter) finish(sum, y, x string) {
	inside := m.Both(m.Op(asm.Predicate, "setp.lt.s64", x, m.nX), m.Op(asm.Predicate, "setp.lt.s64", y, m.nY))
	m.When(inside, func() {
		m.Vals[m.c.Sum] = m.Rounded(m.c.Type, sum)
		for s := range m.K.Stages[1:] {
			p := m.Extended(s+1, m.p)
			p.At[m.s.x], p.At[m.s.y] = x, y
			m.Body(&body.Stage{Number: s + 1, Point: p})
		}
	})
}
