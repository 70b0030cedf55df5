package triangular

import (
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/reference/llvm/vector"
)

// system writes the function of a system.
func (g *emitter) system() {
	a, work := g.ArgPointer(0, g.DType), g.ArgPointer(3, g.DType)
	n, sides := g.ArgIndex(4), g.ArgIndex(5)
	row, column := g.ArgIndex(8), g.ArgIndex(9)
	backward := g.Block.NewICmp(enum.IPredNE, g.ArgIndex(10), g.n(0))
	unit := g.Block.NewICmp(enum.IPredNE, g.ArgIndex(11), g.n(0))
	b, out := matrix{g.ArgPointer(1, g.DType), sides}, matrix{g.ArgPointer(2, g.DType), sides}
	if g.Turned {
		b.stride, out.stride = n, n
	}
	// Rows before the first and behind the last one are to spare.
	x := matrix{g.At(work, g.n(g.Rows()*g.Lanes())), g.n(g.Lanes())}
	first := g.Block.NewSelect(backward, g.sub(n, g.n(1)), g.n(0))
	stride := g.Block.NewSelect(backward, g.n(-g.Lanes()), g.n(g.Lanes()))
	top := g.At(x.at, g.mul(first, x.stride))
	g.each(g.ArgIndex(6), g.ArgIndex(7), 1, func(strip value.Value) {
		side := g.mul(strip, g.n(g.Lanes()))
		for r := range g.Rows() {
			g.Store(g.At(x.at, g.n(-(r+1)*g.Lanes())), g.zero())
			g.Store(g.place(x, g.add(n, g.n(r)), g.n(0)), g.zero())
		}
		if g.Turned {
			g.each(g.n(0), n, g.Lanes(), func(i value.Value) { g.turnIn(b, side, sides, i, n, x, i, g.n(0)) })
		} else {
			g.each(g.n(0), n, 1, func(i value.Value) { g.copyIn(b, i, side, sides, x, i, g.n(0)) })
		}
		g.each(g.n(0), n, g.Rows(), func(i value.Value) { g.solve(a, row, column, n, i, top, stride, unit) })
		if g.Turned {
			g.each(g.n(0), n, g.Lanes(), func(i value.Value) { g.turnOut(x, i, g.n(0), out, side, sides, i, n, nil) })
		} else {
			l := g.part(side, sides)
			g.each(g.n(0), n, 1, func(i value.Value) { g.StoreLanes(g.place(out, i, side), g.row(g.place(x, i, g.n(0))), l) })
		}
	})
}

// solve computes the panel of X whose first row is i, in the order of solving. In the place
// of rows and columns of A behind the last one it reads that.
func (g *emitter) solve(a vector.Pointer, row, column, n, i value.Value, top vector.Pointer, stride, unit value.Value) {
	last := g.sub(n, g.n(1))
	var rows, columns []value.Value
	var factors []vector.Pointer
	for r := range g.Rows() {
		at := g.min(g.add(i, g.n(r)), last)
		rows, columns = append(rows, g.mul(at, row)), append(columns, g.mul(at, column))
		factors = append(factors, g.At(a, rows[r]))
	}
	p := g.load(g.At(top, g.mul(i, stride)), stride)
	g.subtract(p, factors, column, top, stride, i)
	one := g.Const(g.DType, g.Lanes(), 1)
	g.divide(p, func(r, q int) vector.Value {
		v := g.splat(g.At(factors[r], columns[q]))
		if r == q {
			v.V = g.Block.NewSelect(unit, one.V, v.V)
		}
		return v
	})
}
