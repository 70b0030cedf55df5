package linalg

import (
	"fmt"

	"ltc/internal/functions"
	"ltc/lazy"
)

func checkCholesky(x *lazy.Tensor, _ bool) (demand, reason string) {
	return checkSquare(x, choleskySquare, "")
}

func computeCholesky(x *lazy.Tensor, upper bool) *lazy.Tensor { return x.Cholesky(upper) }

func checkSolveTriangular(x, b *lazy.Tensor, _, right, _ bool) (demand, reason string) {
	if demand, reason = checkSquare(x, solveTriangularSquare, ""); demand != "" {
		return demand, reason
	}
	return checkSides(x, b, right, solveTriangularInner, solveTriangularBatch)
}

func computeSolveTriangular(x, b *lazy.Tensor, upper, right, unit bool) *lazy.Tensor {
	x, b = together(x, b)
	return x.TriangularSolve(b, right, upper, false, unit)
}

func checkCholeskySolve(x, b *lazy.Tensor, _ bool) (demand, reason string) {
	if demand, reason = checkSquare(x, choleskySolveSquare, ""); demand != "" {
		return demand, reason
	}
	return checkSides(x, b, false, choleskySolveInner, choleskySolveBatch)
}

func computeCholeskySolve(x, b *lazy.Tensor, upper bool) *lazy.Tensor {
	return functions.Wide(func(t ...*lazy.Tensor) *lazy.Tensor {
		x, b := together(t[0], t[1])
		c := x.Conj()
		if upper { // xᴴ·x·y = b
			return x.TriangularSolve(c.TriangularSolve(b, false, true, true, false), false, true, false, false)
		}
		return c.TriangularSolve(x.TriangularSolve(b, false, false, false, false), false, false, true, false)
	}, x, b)
}

func checkCholeskyInverse(x *lazy.Tensor, _ bool) (demand, reason string) {
	return checkSquare(x, choleskyInverseSquare, choleskyInverseClosed)
}

func computeCholeskyInverse(x *lazy.Tensor, upper bool) *lazy.Tensor {
	return computeCholeskySolve(x, eye(x, x.OpenDim(-1), x.OpenDim(-1)), upper)
}

// computeSolveFactored takes the order into b before substitution, or into the solution behind it.
func computeSolveFactored(_, lu, order, b *lazy.Tensor, transpose bool) *lazy.Tensor {
	return functions.WideAll(func(t ...*lazy.Tensor) []*lazy.Tensor {
		lu, order, b := t[0], t[1], t[2]
		if transpose {
			y := lu.TriangularSolve(lu.TriangularSolve(b, false, true, true, false), false, false, true, true)
			return []*lazy.Tensor{rowsInOrder(y, order.ArgSort(-1))}
		}
		y := lu.TriangularSolve(rowsInOrder(b, order), false, false, false, true)
		return []*lazy.Tensor{lu.TriangularSolve(y, false, true, false, false)}
	}, lu, order, b)[0]
}

// gradSolveFactored is w = x⁻ᵀ ct for b, and -w·yᵀ for x: Giles (2008), section 2.3.1. It is that of
// conjugates.
func gradSolveFactored(x, lu, order, _, y, ct *lazy.Tensor, transpose bool) []*lazy.Tensor {
	w := recordSolveFactored(x, lu, order, ct.Conj(), !transpose)
	g := w.MatMul(transposed(y))
	if transpose {
		g = transposed(g)
	}
	return []*lazy.Tensor{g.Neg().Conj(), nil, nil, w.Conj()}
}

// solve returns the solution of x·y = b, for x and b of one batch.
func solve(x, b *lazy.Tensor, transpose bool) *lazy.Tensor {
	return functions.Wide(func(t ...*lazy.Tensor) *lazy.Tensor {
		lu, _, order := recordLUFactor(t[0])
		return recordSolveFactored(t[0], lu.Stop(), order, t[1], transpose)
	}, x, b)
}

// isVector reports whether b is one right side, for each matrix of x, rather than a matrix of them.
func isVector(x, b *lazy.Tensor) bool {
	return b.Rank() == 1 || b.Rank() == x.Rank()-1 && b.OpenShape().Equal(x.OpenShape()[:x.Rank()-1])
}

func checkSolve(x, b *lazy.Tensor, right bool) (demand, reason string) {
	if demand, reason = checkSquare(x, solveSquare, solveClosed); demand != "" {
		return demand, reason
	}
	if b.Rank() > 0 && isVector(x, b) {
		b, right = b.Unsqueeze(-1), false
	}
	return checkSides(x, b, right, solveInner, solveBatch)
}

func computeSolve(x, b *lazy.Tensor, right bool) *lazy.Tensor {
	vector := isVector(x, b)
	if vector {
		b = b.Unsqueeze(-1)
	} else if right {
		b = transposed(b)
	}
	x, b = together(x, b)
	y := solve(x, b, right)
	switch {
	case vector:
		return y.Squeeze(-1)
	case right:
		return transposed(y)
	}
	return y
}

func checkLUSolve(x, pivots, b *lazy.Tensor) (demand, reason string) {
	if demand, reason = checkSquare(x, lUSolveSquare, lUSolveClosed); demand != "" {
		return demand, reason
	}
	if !pivots.OpenShape().Equal(x.OpenShape()[:x.Rank()-1]) {
		return lUSolvePivots, fmt.Sprintf("pivots have the shape %v, must have %v", pivots.OpenShape(), x.OpenShape()[:x.Rank()-1])
	}
	if b.Rank() != x.Rank() || !b.OpenShape()[:b.Rank()-1].Equal(x.OpenShape()[:x.Rank()-1]) {
		return lUSolveInner, fmt.Sprintf("b has the shape %v", b.OpenShape())
	}
	return "", ""
}

func computeLUSolve(x, pivots, b *lazy.Tensor) *lazy.Tensor {
	if x.OpenDim(-1) == 0 {
		return b
	}
	return functions.WideAll(func(t ...*lazy.Tensor) []*lazy.Tensor {
		rows := count(t[1].Trace(), 0, t[1].OpenDim(-1))
		at := rows.Gather(t[1].SubScalar(1)) // which looks at them
		x, b := t[0], rowsInOrder(t[2], orderOf(at))
		return []*lazy.Tensor{x.TriangularSolve(x.TriangularSolve(b, false, false, false, true), false, true, false, false)}
	}, x, pivots, b)[0]
}

// orderOf returns the rows that swaps of i and pivots[i], both from 0, put first, second, ….
func orderOf(pivots *lazy.Tensor) *lazy.Tensor {
	batch, n := batchOf(pivots, 1), pivots.OpenDim(-1)
	pivots = stack(pivots, 1)
	b := pivots.OpenDim(0)
	order := lazy.For(n, func(tr *lazy.Trace, k *lazy.Tensor, state []*lazy.Tensor) []*lazy.Tensor {
		order, i := state[0], count(tr, 1, 1, n)
		at := pivots.IndexSelect(k.Reshape(1), 1)
		isOne, isOther := i.Equal(k), i.Equal(at)
		one, other := isOne.WhereScalar(order, 0).MaxKeep(1), isOther.WhereScalar(order, 0).MaxKeep(1)
		return []*lazy.Tensor{isOne.Where(other, isOther.Where(one, order))}
	}, lazy.Iota(pivots.Trace(), lazy.I32, 1, b, n))[0]
	return unstack(order.Convert(lazy.I64), batch)
}

func checkInv(x *lazy.Tensor) (demand, reason string) { return checkSquare(x, invSquare, invClosed) }

func computeInv(x *lazy.Tensor) *lazy.Tensor {
	return solve(x, eye(x, x.OpenDim(-1), x.OpenDim(-1)), false)
}

func checkLstSq(x, b *lazy.Tensor) (demand, reason string) {
	if demand, reason = checkMatrix(x, lstSqMatrix, lstSqClosed); demand != "" {
		return demand, reason
	}
	return checkSides(x, b, false, lstSqInner, lstSqBatch)
}

// computeLstSq solves R·y = Qᵀ·b, or Rᵀ·z = b and y = Q·z for the QR of the transpose.
func computeLstSq(x, b *lazy.Tensor) *lazy.Tensor {
	return functions.Wide(func(t ...*lazy.Tensor) *lazy.Tensor {
		x, b := together(t[0], t[1])
		if m, n := rowsAndColumns(x); m < n {
			q, r := QR(adjoint(x), false)
			return q.MatMul(r.Conj().TriangularSolve(b, false, true, true, false))
		}
		q, r := QR(x, false)
		return r.TriangularSolve(adjoint(q).MatMul(b), false, true, false, false)
	}, x, b)
}

func checkPInv(x *lazy.Tensor, _ float64) (demand, reason string) {
	return checkMatrix(x, pInvMatrix, pInvClosed)
}

// least is the bound up to which singular values count as 0, for a dtype whose epsilon is eps.
func least(x, s *lazy.Tensor, rtol, eps float64) *lazy.Tensor {
	if rtol < 0 {
		rtol = eps * float64(max(x.OpenDim(-2), x.OpenDim(-1)))
	}
	return s.MaxKeep(-1).MulScalar(rtol)
}

func computePInv(x *lazy.Tensor, rtol float64) *lazy.Tensor {
	m, n := rowsAndColumns(x)
	if m == 0 || n == 0 {
		return transposed(x)
	}
	eps := epsilon(x)
	return functions.Wide(func(t ...*lazy.Tensor) *lazy.Tensor {
		u, s, vt := SVD(t[0], false)
		zero := s.LessEqual(least(t[0], s, rtol, eps))
		inverse := zero.ScalarWhere(0, zero.ScalarWhere(1, s).Reciprocal())
		return adjoint(vt).MatMul(inverse.Unsqueeze(-1).Mul(adjoint(u)))
	}, x)
}

// gradPInv is that of Golub and Pereyra (1973), "The differentiation of pseudo-inverses and nonlinear
// least squares problems whose variables separate", equation 4.12, turned around. The rank stays.
func gradPInv(x, y, ct *lazy.Tensor, _ float64) []*lazy.Tensor {
	return functions.WideAll(func(t ...*lazy.Tensor) []*lazy.Tensor {
		x, p, g := t[0], t[1], t[2]
		pt, gt := adjoint(p), adjoint(g)
		first := pt.MatMul(g).MatMul(pt)
		left := gt.MatMul(p).MatMul(pt)
		left = left.Sub(x.MatMul(p.MatMul(left)))
		right := pt.MatMul(p).MatMul(gt)
		right = right.Sub(right.MatMul(p).MatMul(x))
		return []*lazy.Tensor{left.Add(right).Sub(first)}
	}, x, y, ct)
}
