package linalg

import (
	"math"

	"ltc/internal/functions"
	"ltc/lazy"
)

func checkEigh(x *lazy.Tensor, _ bool) (demand, reason string) {
	return checkSquare(x, eighSquare, eighClosed)
}

func checkEigvalsH(x *lazy.Tensor, _ bool) (demand, reason string) {
	return checkSquare(x, eigvalsHSquare, eigvalsHClosed)
}

func computeEigvalsH(x *lazy.Tensor, upper bool) *lazy.Tensor {
	values, _ := Eigh(x, upper)
	return values
}

func computeEigh(x *lazy.Tensor, upper bool) (values, vectors *lazy.Tensor) {
	batch := batchOf(x, 2)
	ys := functions.WideAll(func(x ...*lazy.Tensor) []*lazy.Tensor {
		a := stack(x[0], 2)
		if upper {
			a = adjoint(a)
		}
		whole := a.Tril(0).Add(adjoint(a.Tril(-1)))
		if isComplex(a) { // the diagonal is real
			whole = whole.Add(adjoint(whole)).MulScalar(0.5)
		}
		values, vectors := eigen(whole)
		return []*lazy.Tensor{values, vectors}
	}, x)
	return unstack(ys[0], batch), unstack(ys[1], batch)
}

// eigen decomposes Hermitian matrices a[batch, n, n]. With a shift they are positive definite, L·Lᴴ. Rotations
// of the rows of Lᴴ make these orthogonal, and multiples of the eigenvectors' adjoints: K. Veselić and V. Hari (1989), "A
// note on a one-sided Jacobi algorithm". The eigenvalues are the vectors' quotients of Rayleigh, which are exact
// to the square of the vectors' errors.
func eigen(a *lazy.Tensor) (values, vectors *lazy.Tensor) {
	batch, n := a.OpenDim(0), a.OpenDim(1)
	if n < 2 {
		return real(a).Reshape(batch, n), eye(a, n, n)
	}
	scale := a.Abs().MaxKeep(1, 2)
	scale = scale.EqualScalar(0).ScalarWhere(1, scale)
	a = a.Div(scale)
	// The norm of the 8th power, of eigenvalues up to 1, bounds that of the largest eigenvalue.
	size := squaresOf(a).SumKeep(1, 2).Sqrt()
	size = size.EqualScalar(0).ScalarWhere(1, size)
	power := a.Div(size)
	for range 3 {
		power = power.MatMul(power)
	}
	shift := size.Mul(squaresOf(power).SumKeep(1, 2).Sqrt().PowScalar(0.125)).MulScalar(1.25)
	shift = shift.EqualScalar(0).ScalarWhere(1, shift)
	l := a.Add(shift.Mul(eye(a, n, n))).Cholesky(false)
	x := orthogonalRows(adjoint(l), n)
	x = x.Div(squaresOf(x).SumKeep(2).Sqrt())
	values, order := real(x.MatMul(a).Mul(x.Conj()).Sum(2)).Sort(1, false)
	return values.Mul(scale.Squeeze(2)), adjoint(rowsInOrder(x, order))
}

// gradEigh is V (diag(gl) + (Vᴴgv - gvᴴV) / 2E) Vᴴ with E = l[j] - l[i]: Giles (2008), "An extended
// collection of matrix derivative results", section 3.1, of the symmetric part.
func gradEigh(_ *lazy.Tensor, y, ct []*lazy.Tensor, _ bool) []*lazy.Tensor {
	return functions.WideAll(func(t ...*lazy.Tensor) []*lazy.Tensor {
		l, v, gl, gv := t[0], t[1], t[2], t[3]
		middle := over(adjoint(v).MatMul(gv), l).MulScalar(0.5)
		return []*lazy.Tensor{v.MatMul(middle.Add(gl.DiagEmbed(0, -2, -1))).MatMul(adjoint(v))}
	}, y[0], y[1], ct[0], ct[1])
}

// over divides p[…, i, j] less the conjugate of p[…, j, i] by l[j] - l[i]. Where they are equal it is 0 if the
// gradient p does not ask for the vectors of both, and else NaN: they are any two of a plane.
func over(p, l *lazy.Tensor) *lazy.Tensor {
	e := l.Unsqueeze(-2).Sub(l.Unsqueeze(-1))
	equal := e.EqualScalar(0)
	asked := p.Tril(-1).Add(p.Triu(1)).NotEqualScalar(0)
	return equal.And(asked).ScalarWhere(math.NaN(), equal.ScalarWhere(0, skew(p).Div(equal.ScalarWhere(1, e))))
}
