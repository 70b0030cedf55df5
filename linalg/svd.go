package linalg

import (
	"ltc/internal/functions"
	"ltc/lazy"
)

func checkSVD(x *lazy.Tensor, _ bool) (demand, reason string) {
	return checkMatrix(x, svdMatrix, svdClosed)
}

func checkSVDVals(x *lazy.Tensor) (demand, reason string) {
	return checkMatrix(x, sVDValsMatrix, sVDValsClosed)
}

func computeSVDVals(x *lazy.Tensor) *lazy.Tensor {
	_, s, _ := SVD(x, false)
	return s
}

func computeSVD(x *lazy.Tensor, full bool) (u, s, vt *lazy.Tensor) {
	batch := batchOf(x, 2)
	ys := functions.WideAll(func(x ...*lazy.Tensor) []*lazy.Tensor {
		a := stack(x[0], 2)
		if m, n := rowsAndColumns(a); m < n {
			u, s, vt := singular(adjoint(a), full)
			return []*lazy.Tensor{adjoint(vt), s, adjoint(u)}
		}
		u, s, vt := singular(a, full)
		return []*lazy.Tensor{u, s, vt}
	}, x)
	return unstack(ys[0], batch), unstack(ys[1], batch), unstack(ys[2], batch)
}

// singular decomposes a[batch, m, n] with m >= n: R of a = Q·R by one-sided Jacobi rotations, which
// make its rows orthogonal, J·R = diag(s)·Vᴴ.
func singular(a *lazy.Tensor, full bool) (u, s, vt *lazy.Tensor) {
	tr := a.Trace()
	batch, m, n := a.OpenDim(0), a.OpenDim(1), a.OpenDim(2)
	if n == 0 {
		columns := 0
		if full {
			columns = m
		}
		return eye(a, m, columns), lazy.Zeros(tr, a.DType().Part(), batch, 0), eye(a, 0, 0)
	}
	scale := a.Abs().MaxKeep(1, 2)
	scale = scale.EqualScalar(0).ScalarWhere(1, scale)
	q, r := orthogonal(a.Div(scale), full)
	r = r.Narrow(1, 0, n)
	// Rows of w and j are rotated alike.
	both := orthogonalRows(lazy.Concatenate(2, r, eye(a, n, n)), n)
	s, order := squaresOf(both.Narrow(2, 0, n)).Sum(2).Sqrt().Sort(1, true)
	both = rowsInOrder(both, order)
	w, j := both.Narrow(2, 0, n), both.Narrow(2, n, n)
	// The rows of w are orthogonal, and fall: the Q of their transposes has them, with signs, and others
	// where they are 0.
	v, signs := orthogonal(adjoint(w), false)
	vt = adjoint(v.Mul(real(signs.Diagonal(0, 1, 2)).LessScalar(0).ScalarWhere(-1, lazy.Ones(tr, a.DType().Part(), batch, n)).Unsqueeze(1)))
	u = q.Narrow(2, 0, n).MatMul(adjoint(j))
	if full && m > n {
		u = lazy.Concatenate(2, u, q.Narrow(2, n, m-n))
	}
	return u, s.Mul(scale.Squeeze(2)), vt
}

// overValues returns x divided by singular values, along their axis; 0 by 0 is 0: a gradient that asks for no vectors.
func overValues(x, s *lazy.Tensor) *lazy.Tensor {
	none := x.EqualScalar(0).And(s.EqualScalar(0))
	return none.ScalarWhere(0, x.Div(none.ScalarWhere(1, s)))
}

// gradSVD is that of J. Townsend (2016), "Differentiating the singular value decomposition",
// section 3, of the columns that a thin decomposition has. Equal singular values add nothing. Of complex
// numbers the phases of both vectors turn together.
func gradSVD(x *lazy.Tensor, y, ct []*lazy.Tensor, _ bool) []*lazy.Tensor {
	m, n := rowsAndColumns(x)
	k := min(m, n)
	if k == 0 {
		return []*lazy.Tensor{x.MulScalar(0)}
	}
	return functions.WideAll(func(t ...*lazy.Tensor) []*lazy.Tensor {
		u, s, vt := t[0].Narrow(-1, 0, k), t[1], t[2].Narrow(-2, 0, k)
		gu, gs, gvt := t[3].Narrow(-1, 0, k), t[4], t[5].Narrow(-2, 0, k)
		squares, turns := s.Square(), adjoint(u).MatMul(gu)
		left := over(turns, squares).Mul(s.Unsqueeze(-2))
		right := over(vt.MatMul(adjoint(gvt)), squares).Mul(s.Unsqueeze(-1))
		if isComplex(u) {
			gs = lazy.Complex(gs, overValues(turns.Diagonal(0, -2, -1).Imag(), s))
		}
		g := u.MatMul(left.Add(right).Add(gs.DiagEmbed(0, -2, -1))).MatMul(vt)
		if m > k { // what gu has outside of the columns of u
			rest := gu.Sub(u.MatMul(turns))
			g = g.Add(overValues(rest, s.Unsqueeze(-2)).MatMul(vt))
		}
		if n > k {
			rest := gvt.Sub(gvt.MatMul(adjoint(vt)).MatMul(vt))
			g = g.Add(u.MatMul(overValues(rest, s.Unsqueeze(-1))))
		}
		return []*lazy.Tensor{g}
	}, y[0], y[1], y[2], ct[0], ct[1], ct[2])
}
