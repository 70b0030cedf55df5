package ptx

import (
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// product is where code that writes a Product is.
type product struct {
	*writer
	c      *kernel.Contraction
	t      types.DType // of products and sums, as the block's memory holds them
	p      point       // of the contraction's stage
	memory string
	tid    string // of across² threads
	nX, nY string
	x, y   string // where the square begins
}

// products writes Product: for each square of side² sums, a block goes along the
// last of the contraction's axes in strips of depth, which it copies into its
// memory; other axes of K come around it. Each thread has the sums of 2·2 points.
// What is outside of a factor counts as 0.
func (w *writer) products() {
	c := w.s.product
	m := &product{writer: w, c: c, t: held(c.Type), p: w.point(0), nX: w.product(0, []int{w.s.X}), nY: w.product(0, []int{w.s.Across})}
	if c.Type == types.Bool {
		w.fail(unsupported(w.k, "a product of bools"))
		return
	}
	m.memory = w.op(long, "mov.u64", shared)
	tx, ty := w.special("%tid.x"), w.special("%tid.y")
	m.tid = w.mad(ty, number(across), tx)
	startX, stepX := w.mul(w.special("%ctaid.x"), number(side)), w.mul(w.special("%nctaid.x"), number(side))
	startY, stepY := w.mul(w.special("%ctaid.y"), number(side)), w.mul(w.special("%nctaid.y"), number(side))
	w.outer(m.p, func() {
		w.loop(startY, m.nY, stepY, func(y string) {
			w.loop(startX, m.nX, stepX, func(x string) {
				m.x, m.y = x, y
				m.square(tx, ty)
			})
		})
	})
}

// parts is how many points each thread has along each axis.
const parts = side / across

func (m *product) square(tx, ty string) {
	var sums [parts][parts]string
	for i := range sums {
		for j := range sums[i] {
			sums[i][j] = m.variable(classOf(m.t), m.neutral(kernel.Add, m.t))
		}
	}
	last := m.c.K[len(m.c.K)-1]
	var along func(n int)
	along = func(n int) {
		size := m.size(m.k.Axis(0, m.c.K[n]).Size)
		if n < len(m.c.K)-1 {
			m.loop("0", size, "1", func(i string) {
				m.p.at[m.c.K[n]] = i
				along(n + 1)
			})
			return
		}
		m.loop("0", size, number(depth), func(from string) {
			m.copy(&m.c.A, 0, m.s.Across, m.y, m.nY, last, from, size)
			m.copy(&m.c.B, 1, m.s.X, m.x, m.nX, last, from, size)
			m.barrier()
			m.loop("0", number(depth), "1", func(k string) { m.multiply(&sums, k, tx, ty) })
			m.barrier()
		})
	}
	along(0)
	for i := range sums {
		for j := range sums[i] {
			m.finish(sums[i][j], m.add(m.y, m.add(ty, number(int64(i*across)))), m.add(m.x, m.add(tx, number(int64(j*across)))))
		}
	}
}

// place returns the address of an element of a strip: row k, column i.
func (m *product) place(strip int, k, i string) string {
	at := m.add(m.memory, number(int64(strip*depth*tileStride*slotBytes)))
	return m.mad(m.mad(k, number(tileStride), i), number(int64(m.t.Size())), at)
}

// copy computes a factor at side·depth points, along an axis from one place and
// along K from another. Threads beside each other have neighbours in memory.
func (m *product) copy(f *kernel.Factor, strip, axis int, from, size string, kAxis int, fromK, sizeK string) {
	m.loop(m.tid, number(side*depth), number(across*across), func(n string) {
		k, i := m.op(long, "shr.u64", n, "5"), m.op(long, "and.b64", n, number(side-1))
		if f.Load != kernel.None && neighbours(m.k, f.Load) == kAxis {
			k, i = m.op(long, "and.b64", n, number(depth-1)), m.op(long, "shr.u64", n, "4")
		}
		at, atK := m.writer.add(from, i), m.writer.add(fromK, k)
		inside := m.both(m.writer.op(predicate, "setp.lt.s64", at, size), m.writer.op(predicate, "setp.lt.s64", atK, sizeK))
		address := m.place(strip, k, i)
		m.store("shared", m.t, address, m.neutral(kernel.Add, m.t), m.op(predicate, "not.pred", inside))
		m.when(inside, func() {
			p := point{at: append([]string(nil), m.p.at...)}
			p.at[axis], p.at[kAxis] = at, atK
			s := &stage{number: 0, at: p}
			for _, id := range f.Body {
				m.instr(s, id)
			}
			m.store("shared", m.t, address, m.vals[f.Value], "")
		})
	})
}

// multiply adds what row k of the strips gives.
func (m *product) multiply(sums *[parts][parts]string, k, tx, ty string) {
	var a, b [parts]string
	for i := range parts {
		a[i] = m.load("shared", m.t, m.place(0, k, m.add(ty, number(int64(i*across)))), "", "")
		b[i] = m.load("shared", m.t, m.place(1, k, m.add(tx, number(int64(i*across)))), "", "")
	}
	for i := range parts {
		for j := range parts {
			r, c, name := sums[i][j], classOf(m.t), kindOf(m.t)
			if m.t.IsFloat() {
				m.line("fma.rn.%s %s, %s, %s, %s", name, r, a[i], b[j], r)
			} else {
				m.line("mad.lo.%s %s, %s, %s, %s", name, r, a[i], b[j], r)
				m.set(c, r, m.rounded(m.t, r))
			}
		}
	}
}

// finish runs the stages after the contraction's at a point.
func (m *product) finish(sum, y, x string) {
	inside := m.both(m.op(predicate, "setp.lt.s64", x, m.nX), m.op(predicate, "setp.lt.s64", y, m.nY))
	m.when(inside, func() {
		m.vals[m.c.Sum] = m.rounded(m.c.Type, sum)
		for s := range m.k.Stages[1:] {
			p := m.extended(s+1, m.p)
			p.at[m.s.X], p.at[m.s.Across] = x, y
			m.body(&stage{number: s + 1, at: p})
		}
	})
}
