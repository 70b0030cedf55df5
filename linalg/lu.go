package linalg

import (
	"ltc/internal/functions"
	"ltc/lazy"
)

// panel returns the width of the blocks of a matrix of so many columns: 32, or more where there would be
// over 16 blocks, so that programs stay small.
func panel(columns int) int { return max(32, (columns+15)/16) }

func checkLUFactor(x *lazy.Tensor) (demand, reason string) {
	return checkMatrix(x, lUFactorMatrix, lUFactorClosed)
}

// LUFactor returns for each matrix of the last two axes L, without its diagonal of ones, below U, with
// P·x = L·U. To give P·x, row i was swapped with row pivots[i], which count from 1 and are i32, one after
// the other. The pivot is the first largest element of its column, of
// complex numbers by the sum of the absolute values of the parts. A singular matrix has zeros on the
// diagonal of U.
func LUFactor(x *lazy.Tensor) (lu, pivots *lazy.Tensor) {
	lu, pivots, _ = recordLUFactor(x)
	return lu, pivots
}

// LU returns for each matrix of the last two axes the permutation P, the L with a unit diagonal and the
// upper triangular U with x = P·L·U.
func LU(x *lazy.Tensor) (p, l, u *lazy.Tensor) {
	ys := lazy.RecordAs("linalg.lu", func() []*lazy.Tensor { return functions.All(lu(x)) }, x)
	return ys[0], ys[1], ys[2]
}

func lu(x *lazy.Tensor) (p, l, u *lazy.Tensor) {
	lu, _, order := recordLUFactor(x)
	l, u = triangles(lu)
	m := x.OpenDim(-2)
	// Column i of P has its 1 in row order[i].
	p = count(x.Trace(), 0, m, 1).Equal(order.Unsqueeze(-2).Convert(lazy.I32)).Convert(x.DType())
	return p, l, u
}

// triangles returns L[…, m, k] and U[…, k, n] of both in one, k being the smaller dimension.
func triangles(lu *lazy.Tensor) (l, u *lazy.Tensor) {
	m, n := rowsAndColumns(lu)
	k := min(m, n)
	l = lu.Narrow(-1, 0, k).Tril(-1).Add(lazy.Eye(lu.Trace(), lu.DType(), m, k))
	return l, lu.Narrow(-2, 0, k).Triu(0)
}

func computeLUFactor(x *lazy.Tensor) (lu, pivots, order *lazy.Tensor) {
	batch := batchOf(x, 2)
	ys := functions.WideAll(func(x ...*lazy.Tensor) []*lazy.Tensor {
		lu, pivots, order := factor(stack(x[0], 2))
		return []*lazy.Tensor{lu, pivots, order}
	}, x)
	return unstack(ys[0], batch), unstack(ys[1], batch), unstack(ys[2], batch)
}

// factor decomposes a[batch, m, n] by panels of columns, from the left to the right: Golub and Van
// Loan, "Matrix Computations", section 3.4.
func factor(a *lazy.Tensor) (lu, pivots, order *lazy.Tensor) {
	tr := a.Trace()
	batch, m, n := a.OpenDim(0), a.OpenDim(1), a.OpenDim(2)
	k := min(m, n)
	order = lazy.Iota(tr, lazy.I64, 1, batch, m)
	if k == 0 {
		return a, lazy.Zeros(tr, lazy.I32, batch, 0), order
	}
	var found []*lazy.Tensor
	for first := 0; first < k; first += panel(k) {
		next := min(first+panel(k), k)
		block, moved, piv := luPanel(a.Narrow(2, first, next-first), first)
		found = append(found, piv)
		order = order.GatherAlong(moved, 1)
		parts := []*lazy.Tensor{block}
		if first > 0 {
			parts = []*lazy.Tensor{rowsInOrder(a.Narrow(2, 0, first), moved), block}
		}
		if next < n {
			rest := rowsInOrder(a.Narrow(2, next, n-next), moved)
			above := rest.Narrow(1, 0, first)
			u := block.Narrow(1, first, next-first).TriangularSolve(rest.Narrow(1, first, next-first), false, false, false, true)
			below := rest.Narrow(1, next, m-next).Sub(block.Narrow(1, next, m-next).MatMul(u))
			parts = append(parts, lazy.Concatenate(1, above, u, below))
		}
		a = parts[0]
		if len(parts) > 1 {
			a = lazy.Concatenate(2, parts...)
		}
	}
	return a, lazy.Concatenate(1, found...), order
}

// luPanel eliminates below the diagonal that begins in row first of p[batch, m, w]. It returns the
// panel, the rows of p that its rows were, and the rows that were swapped, from 1.
func luPanel(p *lazy.Tensor, first int) (lu, moved, pivots *lazy.Tensor) {
	batch, m, w := p.OpenDim(0), p.OpenDim(1), p.OpenDim(2)
	step := func(tr *lazy.Trace, k *lazy.Tensor, state []*lazy.Tensor) []*lazy.Tensor {
		p, moved, pivots := state[0], state[1], state[2]
		row := k.AddScalar(float64(first))
		i, j := count(tr, 1, 1, m, 1), count(tr, 2, 1, 1, w)
		column := columnAt(p, k)
		best := i.Less(row).ScalarWhere(-1, taxicab(column)).ArgMax(1).Convert(lazy.I32).Unsqueeze(2)
		isPivot, isRow := i.Equal(best), i.Equal(row)
		swapped := func(x *lazy.Tensor) (y, pivot *lazy.Tensor) {
			pivot = isPivot.WhereScalar(x, 0).SumKeep(1).Convert(x.DType()) // a sum of i32 is i64
			return isRow.Where(pivot, isPivot.Where(rowAt(x, row), x)), pivot
		}
		p, pivotRow := swapped(p)
		moved, _ = swapped(moved)
		pivot := columnAt(pivotRow, k)
		l := columnAt(p, k)
		l = pivot.EqualScalar(0).Where(l, l.Div(pivot))
		update := j.Greater(k).Where(p.Sub(l.Mul(pivotRow)), j.Equal(k).Where(l, p))
		p = i.Greater(row).Where(update, p)
		pivots = count(tr, 1, 1, w).Equal(k).Where(best.Squeeze(2).AddScalar(1), pivots)
		return []*lazy.Tensor{p, moved, pivots}
	}
	tr := p.Trace()
	ys := lazy.For(w, step, p, lazy.Iota(tr, lazy.I32, 1, batch, m, 1), lazy.Zeros(tr, lazy.I32, batch, w))
	return ys[0], ys[1].Squeeze(2).Convert(lazy.I64), ys[2]
}

// taxicab is |x|, of complex numbers the sum of that of the parts: LAPACK's measure of pivots.
func taxicab(x *lazy.Tensor) *lazy.Tensor {
	if isComplex(x) {
		return x.Real().Abs().Add(x.Imag().Abs())
	}
	return x.Abs()
}

// gradLUFactor is that of P·x = L·U for L and U: S. Axen (2021), "Differentiating the LU decomposition",
// sethaxen.com/blog/2021/02/differentiating-the-lu-decomposition, sections 2 to 4. It is that of conjugates.
func gradLUFactor(x *lazy.Tensor, y, ct []*lazy.Tensor) []*lazy.Tensor {
	m, n := rowsAndColumns(x)
	k := min(m, n)
	if k == 0 {
		return []*lazy.Tensor{x.MulScalar(0)}
	}
	g := functions.WideAll(func(t ...*lazy.Tensor) []*lazy.Tensor {
		lu, ct, order := t[0], t[1].Conj(), t[2]
		l, u := triangles(lu)
		gl, gu := ct.Narrow(-1, 0, k).Tril(-1), ct.Narrow(-2, 0, k).Triu(0)
		l1, u1 := l.Narrow(-2, 0, k), u.Narrow(-1, 0, k)
		gl1, gu1 := gl.Narrow(-2, 0, k), gu.Narrow(-1, 0, k)
		forL, forU := transposed(l1).MatMul(gl1), gu1.MatMul(transposed(u1))
		solve := func(b *lazy.Tensor) *lazy.Tensor { return l1.TriangularSolve(b, false, false, true, true) }
		divide := func(b *lazy.Tensor) *lazy.Tensor { return u1.TriangularSolve(b, true, true, true, false) }
		if n > k {
			forL = forL.Sub(gu.Narrow(-1, k, n-k).MatMul(transposed(u.Narrow(-1, k, n-k))))
		}
		if m > k {
			forU = forU.Sub(transposed(l.Narrow(-2, k, m-k)).MatMul(gl.Narrow(-2, k, m-k)))
		}
		g := divide(solve(forL.Tril(-1).Add(forU.Triu(0))))
		if n > k {
			g = lazy.Concatenate(-1, g, solve(gu.Narrow(-1, k, n-k)))
		}
		if m > k {
			g = lazy.Concatenate(-2, g, divide(gl.Narrow(-2, k, m-k)))
		}
		return []*lazy.Tensor{rowsInOrder(g, order.ArgSort(-1)).Conj()}
	}, y[0], ct[0], y[2])
	return g
}
