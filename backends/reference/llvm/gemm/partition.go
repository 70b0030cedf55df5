package gemm

import "sync/atomic"

// mostParts is how many parts a product is cut into at most; others are empty.
const mostParts = 1024

// grid is how a product is cut into parts: along each dimension in pieces of so
// many matrices, blocks of rows and panels of columns. K is never cut: sums do
// not depend on the grid.
type grid struct{ batches, rows, columns int }

// box is a part.
type box struct{ b0, b1, m0, m1, n0, n1 int }

// cuts is into how many pieces a product is cut along each dimension.
type cuts struct{ batches, rows, columns uint16 }

// known is the cuts for a number of parts that were asked for last, in 16 bits each;
// 0 if there are none. To find them takes a microsecond or two, and each part asks.
// Plans that differ in strides alone share it.
type known struct{ atomic.Uint64 }

func (k *known) of(parts int) (cuts, bool) {
	x := k.Load()
	return cuts{uint16(x >> 32), uint16(x >> 16), uint16(x)}, x != 0 && x>>48 == uint64(parts)
}

func (k *known) keep(parts int, c cuts) {
	k.Store(uint64(parts)<<48 | uint64(c.batches)<<32 | uint64(c.rows)<<16 | uint64(c.columns))
}

// grid returns the cut that takes the least time, in which each part packs its
// own share of B and of A.
func (q *Plan) grid(parts int) grid {
	parts = min(parts, mostParts)
	c, ok := q.cuts.of(parts)
	if !ok {
		c, _ = q.bestCuts(parts)
		q.cuts.keep(parts, c)
	}
	return q.gridOf(c)
}

func (q *Plan) gridOf(c cuts) grid {
	p := &q.p
	return grid{ceil(p.Batch, int(c.batches)), ceil(ceil(p.M, q.core.rows), int(c.rows)), ceil(ceil(p.N, q.core.columns()), int(c.columns))}
}

// CutsFreely reports whether n parts are about as much work as fewer: what they
// pack more often than these is 3 % of it at most.
func (q *Plan) CutsFreely(fewer, n int) bool {
	if n > mostParts {
		return false
	}
	_, a := q.bestCuts(min(fewer, mostParts))
	_, b := q.bestCuts(n)
	return float64(b)*float64(n) <= 1.03*float64(a)*float64(fewer)
}

// leastSegment is the least bytes of a part of a row of B that is read as fast as whole rows.
const leastSegment = 8 << 10

// ofSegments returns how many times as long shorter parts of rows of B take as whole rows: prefetchers
// fetch beyond their ends. One row of A that meets a B from memory waits for nothing else. Other few
// rows do something meanwhile; so does what computes B.
func (q *Plan) ofSegments() int {
	p := &q.p
	switch {
	case q.orderB() != AcrossK || p.PrologueB.set() || !q.vector && (!q.directB || p.M > q.core.rows):
		return 1
	case q.vector && p.K*p.N*p.Batch*p.B.Size() > q.l2():
		return 4
	}
	return 2
}

// bestCuts returns the cuts into so many parts at most, and what one of these costs: its products,
// and to pack its operands, or to read them as they lie.
func (q *Plan) bestCuts(parts int) (best cuts, least int) {
	const packB, packA, read = 32, 16, 8 // as many products take as long as that of an element
	c, p := q.core, &q.p
	ofB, ofA, ofEdge := packB, packA, 0
	if q.directB || q.vector || p.PackedB && !q.widens {
		ofB = read
	}
	if q.directB && !q.few && p.N%c.columns() != 0 { // the columns behind the last panel are packed
		ofEdge = read / 2 * c.columns()
	}
	if q.directA {
		ofA = read
	}
	ofSegments := q.ofSegments()
	rows, columns := ceil(p.M, c.rows), ceil(p.N, c.columns())
	best, least = cuts{1, 1, 1}, 0
	for tb := 1; tb <= min(parts, max(p.Batch, 1)); tb++ {
		for tn := 1; tn <= min(parts/tb, max(columns, 1)); tn++ {
			tm := max(min(parts/tb/tn, rows), 1)
			some := cuts{uint16(tb), uint16(tm), uint16(tn)}
			g := q.gridOf(some)
			m, n := min(g.rows*c.rows, p.M), g.columns*c.columns()
			ofB := ofB
			if some.columns > 1 && n*p.B.Size() < leastSegment {
				ofB *= ofSegments
			}
			if cost := g.batches * (m*n + ofB*n + ofEdge + ofA*m); least == 0 || cost < least {
				best, least = some, cost
			}
		}
	}
	return best, least
}

// part returns part i of so many, false if nothing is left for it.
func (q *Plan) part(i, parts int) (box, bool) {
	c, p := q.core, &q.p
	if p.Batch == 0 || p.M == 0 || p.N == 0 {
		return box{}, false
	}
	g := q.grid(parts)
	rows, columns := ceil(ceil(p.M, c.rows), g.rows), ceil(ceil(p.N, c.columns()), g.columns)
	n, m, b := i%columns, i/columns%rows, i/columns/rows
	x := box{b * g.batches, min((b+1)*g.batches, p.Batch), m * g.rows * c.rows, min((m+1)*g.rows*c.rows, p.M),
		n * g.columns * c.columns(), min((n+1)*g.columns*c.columns(), p.N)}
	return x, x.b0 < p.Batch
}

func ceil(n, unit int) int { return (n + unit - 1) / unit }
