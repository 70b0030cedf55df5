package autodiff

import (
	"ltc/ir"
	"ltc/ir/types"
)

// triangle is x with zeros outside of a triangle of its matrices: on the diagonal, too, if strict.
func (e emitter) triangle(x *ir.Node, upper, strict bool) *ir.Node {
	i, j := e.places(x, -2), e.places(x, -1)
	if upper {
		i, j = j, i
	}
	direction := "GE"
	if strict {
		direction = "GT"
	}
	return e.where(e.compare(direction, i, j), x)
}

// places counts along an axis of x, from the last if negative.
func (e emitter) places(x *ir.Node, axis int) *ir.Node {
	return e.node(ir.OpIota, nil, []ir.Attr{ir.IotaDType: {Int: int64(types.I32)}, ir.IotaShape: {Ints: x.Type.Shape}, ir.IotaAxis: {Int: int64(x.Type.Rank() + axis)}})
}

// solve is TriangularSolve of x and b.
func (e emitter) solve(x, b *ir.Node, right, upper, transpose, unit bool) *ir.Node {
	flag := func(v bool) ir.Attr {
		if v {
			return ir.Attr{Int: 1}
		}
		return ir.Attr{}
	}
	return e.node(ir.OpTriangularSolve, []*ir.Node{x, b}, []ir.Attr{ir.TriangularSolveRight: flag(right), ir.TriangularSolveUpper: flag(upper), ir.TriangularSolveTranspose: flag(transpose), ir.TriangularSolveUnit: flag(unit)})
}

// gradCholesky is L⁻ᵀ Φ(Lᵀ ct) L⁻¹ made symmetric, where Φ takes the lower triangle and half of
// the diagonal: I. Murray (2016), "Differentiation of the Cholesky decomposition",
// arXiv:1602.07527, equation 10. Complex matrices have conjugate transposes in place of transposes,
// and Φ takes the real part of the diagonal, as PyTorch's cholesky_backward does.
func gradCholesky(t *tape, n, ct *ir.Node) {
	l, g := n, t.conj(ct)
	if n.Attrs[ir.CholeskyUpper].Int != 0 {
		l, g = t.conjTranspose(n), t.conjTranspose(g)
	}
	p := t.op(ir.OpMatMul, t.conjTranspose(l), g)
	p = t.op(ir.OpAdd, t.triangle(p, false, false), t.conjTranspose(t.triangle(p, false, true))) // Φ + Φᵀ
	if p.Type.DType.IsComplex() {
		p = t.scale(t.op(ir.OpAdd, p, t.conjTranspose(p)), 0.5)
	}
	s := t.solve(t.conj(l), p, false, false, true, false)
	t.add(0, t.conj(t.scale(t.solve(l, s, true, false, false, false), 0.5)))
}

// conjTranspose is the conjugate transpose of each matrix.
func (e emitter) conjTranspose(x *ir.Node) *ir.Node { return e.swap(e.conj(x)) }

// gradTriangularSolve is, for x·y = b, w = x⁻ᵀ ct for b, and the triangle of -w yᵀ for x: M. Giles
// (2008), "An extended collection of matrix derivative results for forward and reverse mode
// algorithmic differentiation", section 2.3.1.
func gradTriangularSolve(t *tape, n, ct *ir.Node) {
	flag := func(a int) bool { return n.Attrs[a].Int != 0 }
	right, upper, transpose, unit := flag(ir.TriangularSolveRight), flag(ir.TriangularSolveUpper), flag(ir.TriangularSolveTranspose), flag(ir.TriangularSolveUnit)
	w := t.solve(n.In[0], ct, right, upper, !transpose, unit)
	t.add(1, w)
	if !t.wants(0) {
		return
	}
	// The outer product is that of w and y over the right sides, turned for transposed ones.
	u, v := w, n
	if right != transpose {
		u, v = n, w
	}
	if right {
		u = t.swap(u)
	} else {
		v = t.swap(v)
	}
	t.add(0, t.op(ir.OpNeg, t.triangle(t.op(ir.OpMatMul, u, v), upper, unit)))
}
