package triangular

import (
	"github.com/llir/llvm/ir/value"

	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// panel is a block of adjacent rows whose sums are in registers.
type panel struct {
	sums []vector.Value
	at   []vector.Pointer // of each row
}

// load reads the strip of a panel, whose rows are stride elements apart.
func (g *emitter) load(first vector.Pointer, stride value.Value) *panel {
	p := &panel{}
	for r := range g.Rows() {
		if r > 0 {
			first = g.At(first, stride)
		}
		p.at = append(p.at, first)
		p.sums = append(p.sums, g.row(first))
	}
	return p
}

// subtract takes from each row r of a panel the sum of multiples of count rows: of row j of
// a strip, which begins at x, by the element at factors[r] + j*column.
func (g *emitter) subtract(p *panel, factors []vector.Pointer, column value.Value, x vector.Pointer, stride, count value.Value) {
	start := []value.Value{g.n(0), g.n(0)}
	for _, s := range p.sums {
		start = append(start, s.V)
	}
	_, end := g.For(vector.Loop{From: g.n(0), To: count, Step: g.n(1)}, start, func(_ value.Value, now []value.Value) []value.Value {
		next := []value.Value{g.add(now[0], column), g.add(now[1], stride)}
		row := g.row(g.At(x, now[1]))
		for r := range p.sums {
			sum := vector.Value{V: now[2+r], DType: g.DType}
			next = append(next, g.lessProduct(sum, g.splat(g.At(factors[r], now[0])), row).V)
		}
		return next
	})
	for r := range p.sums {
		p.sums[r].V = end[2+r]
	}
}

// divide solves a panel by its own triangle: element gives the factor of row q in row r, and
// that of row r itself what row r is divided by, in all lanes. It stores the rows.
func (g *emitter) divide(p *panel, element func(r, q int) vector.Value) {
	for r := range p.sums {
		for q := range r {
			p.sums[r] = g.lessProduct(p.sums[r], element(r, q), p.sums[q])
		}
		p.sums[r] = g.over(p.sums[r], element(r, r))
		g.Store(p.at[r], p.sums[r])
	}
}

// factorise factors a panel whose lane r is the diagonal in row r, and stores the rows.
func (g *emitter) factorise(p *panel) {
	for r := range p.sums {
		pivot := g.Splat(g.root(g.Lane(p.sums[r], r)), g.Lanes())
		p.sums[r] = g.over(p.sums[r], pivot)
		g.Store(p.at[r], p.sums[r])
		// The diagonal is the root itself, as if x/√x were that.
		g.Store(g.At(p.at[r], g.n(r)), g.Slice(pivot, 0, 1))
		for q := r + 1; q < len(p.sums); q++ {
			p.sums[q] = g.lessProduct(p.sums[q], g.Repeat(p.sums[r], q), p.sums[r])
		}
	}
}

// factor writes the function of a factor.
func (g *emitter) factor() {
	n, stride := g.ArgIndex(3), g.ArgIndex(4)
	from, to := g.ArgIndex(5), g.ArgIndex(6)
	a := matrix{g.ArgPointer(0, g.DType), n}
	out := matrix{g.ArgPointer(1, g.DType), n}
	u := matrix{g.ArgPointer(2, g.DType), stride}
	g.If(g.less(from, g.n(1)), func() {
		g.pad(u, n, stride)
		if g.Turned {
			g.each(g.n(0), n, g.Lanes(), func(i value.Value) {
				g.each(g.n(0), g.add(i, g.n(1)), g.Lanes(), func(j value.Value) { g.turnIn(a, i, n, j, n, u, j, i) })
			})
		} else {
			g.each(g.n(0), n, 1, func(i value.Value) {
				g.each(g.strip(i), n, g.Lanes(), func(j value.Value) { g.copyIn(a, i, j, n, u, i, j) })
			})
		}
	})
	g.each(from, g.min(to, n), g.Rows(), func(k value.Value) { g.rows(u, k, n) })
	g.If(g.less(g.sub(n, g.n(1)), to), func() { g.result(u, n, out) })
}

// strip is where the strip of a column begins.
func (g *emitter) strip(column value.Value) value.Value {
	return g.Block.NewAnd(column, g.Index(-int64(g.Lanes())))
}

// pad zeros what of scratch memory no element of the matrix goes to.
func (g *emitter) pad(u matrix, n, stride value.Value) {
	last := g.sub(stride, g.n(g.Lanes()))
	g.each(g.n(0), n, 1, func(i value.Value) { g.Store(g.place(u, i, last), g.zero()) })
	g.each(n, g.add(n, g.n(g.Rows())), 1, func(i value.Value) {
		g.each(g.n(0), stride, g.Lanes(), func(j value.Value) { g.Store(g.place(u, i, j), g.zero()) })
	})
}

// rows computes the panel of U whose first row is k.
func (g *emitter) rows(u matrix, k, n value.Value) {
	var factors []vector.Pointer // the elements of row 0 in the panel's columns
	for r := range g.Rows() {
		factors = append(factors, g.At(u.at, g.add(k, g.n(r))))
	}
	p := g.load(g.place(u, k, k), u.stride)
	g.subtract(p, factors, u.stride, g.At(u.at, k), u.stride, k)
	g.factorise(p)
	diagonal := g.place(u, k, k)
	g.each(g.add(k, g.n(g.Lanes())), n, g.Lanes(), func(c value.Value) {
		p := g.load(g.place(u, k, c), u.stride)
		g.subtract(p, factors, u.stride, g.At(u.at, c), u.stride, k)
		g.divide(p, func(r, q int) vector.Value {
			return g.splat(g.At(diagonal, g.add(g.mul(g.n(q), u.stride), g.n(r))))
		})
	})
}

// result writes the factor, and zeros beside it.
func (g *emitter) result(u matrix, n value.Value, out matrix) {
	keep := func(v vector.Value, before value.Value) vector.Value { // zeros the lanes before one
		none := vector.Value{V: g.Mask(g.Lanes(), g.max(g.n(0), g.min(before, g.n(g.Lanes())))), DType: types.Bool}
		return g.Select(none, g.zero(), v)
	}
	if !g.Turned {
		g.each(g.n(0), n, 1, func(i value.Value) {
			g.each(g.n(0), n, g.Lanes(), func(j value.Value) {
				v := keep(g.row(g.place(u, i, j)), g.sub(i, j))
				g.StoreLanes(g.place(out, i, j), v, g.part(j, n))
			})
		})
		return
	}
	g.each(g.n(0), n, g.Lanes(), func(i value.Value) {
		g.each(g.n(0), i, g.Lanes(), func(j value.Value) { g.turnOut(u, j, i, out, i, n, j, n, nil) })
		g.turnOut(u, i, i, out, i, n, i, n, func(r int, v vector.Value) vector.Value {
			rest := vector.Value{V: g.Mask(g.Lanes(), g.n(r+1)), DType: types.Bool}
			return g.Select(rest, v, g.zero())
		})
		end := g.min(n, g.add(i, g.n(g.Lanes())))
		g.each(g.add(i, g.n(g.Lanes())), n, g.Lanes(), func(j value.Value) {
			l := g.part(j, n)
			g.each(i, end, 1, func(row value.Value) { g.StoreLanes(g.place(out, row, j), g.zero(), l) })
		})
	})
}
