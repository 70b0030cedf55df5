package triangular

import (
	"github.com/llir/llvm/ir/value"

	"ltc/backends/reference/llvm/vector"
)

// part is the lanes of a strip from a column on that are before the last one.
func (g *emitter) part(column, columns value.Value) vector.Lanes {
	left := g.min(g.sub(columns, column), g.n(g.Lanes()))
	return vector.Lanes{N: g.Lanes(), Mask: g.Mask(g.Lanes(), left)}
}

// copyIn copies the strip of a row to scratch memory, with zeros behind the last column.
func (g *emitter) copyIn(from matrix, row, column, columns value.Value, to matrix, toRow, toColumn value.Value) {
	g.Store(g.place(to, toRow, toColumn), g.LoadLanes(g.place(from, row, column), g.part(column, columns)))
}

// turnIn copies a square of a matrix to scratch memory, transposed. In the place of rows
// behind the last one is that, and of columns zeros.
func (g *emitter) turnIn(from matrix, row, rows, column, columns value.Value, to matrix, toRow, toColumn value.Value) {
	l, last := g.part(column, columns), g.sub(rows, g.n(1))
	v := make([]vector.Value, g.Lanes())
	for r := range v {
		v[r] = g.LoadLanes(g.place(from, g.min(g.add(row, g.n(r)), last), column), l)
	}
	for c, x := range g.Transpose(v) {
		g.Store(g.place(to, g.add(toRow, g.n(c)), toColumn), x)
	}
}

// turnOut copies a square of scratch memory to the rows and columns of a matrix that there
// are, transposed. edit, if it is not nil, is called for what goes to each row.
func (g *emitter) turnOut(from matrix, fromRow, fromColumn value.Value, to matrix, row, rows, column, columns value.Value, edit func(r int, v vector.Value) vector.Value) {
	l := g.part(column, columns)
	v := make([]vector.Value, g.Lanes())
	for r := range v {
		v[r] = g.row(g.place(from, g.add(fromRow, g.n(r)), fromColumn))
	}
	for r, x := range g.Transpose(v) {
		if edit != nil {
			x = edit(r, x)
		}
		at := g.add(row, g.n(r))
		g.If(g.less(at, rows), func() { g.StoreLanes(g.place(to, at, column), x, l) })
	}
}
