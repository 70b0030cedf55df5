package linalg

import (
	"fmt"

	"ltc/internal/functions"
	"ltc/lazy"
)

func checkQR(x *lazy.Tensor, _ bool) (demand, reason string) {
	return checkMatrix(x, qrMatrix, qrClosed)
}

func checkReflect(x *lazy.Tensor) (demand, reason string) {
	return checkMatrix(x, reflectMatrix, reflectClosed)
}

func computeReflect(x *lazy.Tensor) (reflectors, tau *lazy.Tensor) {
	batch := batchOf(x, 2)
	ys := functions.WideAll(func(x ...*lazy.Tensor) []*lazy.Tensor {
		v, tau := reflect(stack(x[0], 2))
		return []*lazy.Tensor{v, tau}
	}, x)
	return unstack(ys[0], batch), unstack(ys[1], batch)
}

func computeQR(x *lazy.Tensor, complete bool) (q, r *lazy.Tensor) {
	batch := batchOf(x, 2)
	ys := functions.WideAll(func(x ...*lazy.Tensor) []*lazy.Tensor {
		q, r := orthogonal(stack(x[0], 2), complete)
		return []*lazy.Tensor{q, r}
	}, x)
	return unstack(ys[0], batch), unstack(ys[1], batch)
}

// orthogonal returns Q and R of a[batch, m, n].
func orthogonal(a *lazy.Tensor, complete bool) (q, r *lazy.Tensor) {
	m, n := rowsAndColumns(a)
	k := min(m, n)
	v, tau := reflect(a)
	columns := k
	if complete {
		columns = m
	}
	q = eye(a, m, columns)
	if k > 0 {
		q = newReflectors(v.Narrow(2, 0, k), tau, 0).apply(q, false)
	}
	return q, v.Narrow(1, 0, columns).Triu(0)
}

// reflect decomposes a[batch, m, n] by panels of columns.
func reflect(a *lazy.Tensor) (v, tau *lazy.Tensor) {
	batch, m, n := a.OpenDim(0), a.OpenDim(1), a.OpenDim(2)
	k := min(m, n)
	if k == 0 {
		return a, lazy.Zeros(a.Trace(), a.DType(), batch, 0)
	}
	var done, taus []*lazy.Tensor
	for first := 0; first < k; first += panel(k) {
		w := min(panel(k), k-first)
		block, t := reflectPanel(a.Narrow(2, 0, w), first)
		done, taus = append(done, block), append(taus, t)
		if rest := a.OpenDim(2) - w; rest > 0 {
			a = newReflectors(block, t, first).apply(a.Narrow(2, w, rest), true)
			if first+w == k {
				done = append(done, a)
			}
		}
	}
	return lazy.Concatenate(2, done...), lazy.Concatenate(1, taus...)
}

// reflectPanel reflects the columns of p[batch, m, w] to zeros below the diagonal that begins in row
// first, with the signs of LAPACK's geqrf. The diagonal becomes real, so that reflectors of complex columns
// apply as their adjoints do.
func reflectPanel(p *lazy.Tensor, first int) (v, tau *lazy.Tensor) {
	batch, m, w := p.OpenDim(0), p.OpenDim(1), p.OpenDim(2)
	step := func(tr *lazy.Trace, k *lazy.Tensor, state []*lazy.Tensor) []*lazy.Tensor {
		p, taus := state[0], state[1]
		row := k.AddScalar(float64(first))
		i, j := count(tr, 1, 1, m, 1), count(tr, 2, 1, 1, w)
		column := columnAt(p, k)
		below, alpha := i.Greater(row), rowAt(column, row)
		// Elements are divided by the largest: their squares could overflow.
		most := i.Less(row).ScalarWhere(0, column.Abs()).MaxKeep(1)
		scale := most.EqualScalar(0).ScalarWhere(1, most)
		rest := squaresOf(below.WhereScalar(column.Div(scale), 0)).SumKeep(1)
		flat := rest.EqualScalar(0)
		a := alpha.Div(scale)
		if isComplex(a) {
			flat = flat.And(a.Imag().EqualScalar(0))
		}
		length := flat.ScalarWhere(1, squaresOf(a).Add(rest)).Sqrt() // divisors that are not 0 keep NaNs out of gradients
		beta := real(a).LessScalar(0).Where(length, length.Neg())
		beta = flat.Where(real(a), beta)
		tau := flat.ScalarWhere(0, beta.Sub(a).Div(flat.ScalarWhere(1, beta)))
		v := below.WhereScalar(flat.ScalarWhere(0, column.Div(scale).Div(flat.ScalarWhere(1, a.Sub(beta)))), 0)
		full := i.Equal(row).ScalarWhere(1, v)
		products := full.Conj().Mul(p).SumKeep(1)
		p = j.Greater(k).Where(p.Sub(full.Mul(tau.Conj().Mul(products))),
			j.Equal(k).Where(below.Where(v, i.Equal(row).Where(beta.Mul(scale).Convert(p.DType()), p)), p))
		taus = count(tr, 1, 1, w).Equal(k).Where(tau.Squeeze(2), taus)
		return []*lazy.Tensor{p, taus}
	}
	ys := lazy.For(w, step, p, lazy.Zeros(p.Trace(), p.DType(), batch, w))
	return ys[0], ys[1]
}

// reflectors is the product Q = I - V·T·Vᴴ of reflectors: the compact WY form of Schreiber and Van Loan
// (1989), "A storage-efficient WY representation for products of Householder transformations". The
// inverse of T is the upper triangle of VᴴV with 1/tau on its diagonal: Puglisi (1992), "Modification of
// the Householder method based on the compact WY representation". T is thus (I + U)⁻¹·diag(tau), where U
// has the rows of VᴴV above the diagonal times tau: a tau of 0 needs no case, and has its gradient.
type reflectors struct{ v, tau, u *lazy.Tensor }

// newReflectors takes the vectors below the diagonal of v that begins in row first. A reflector with
// tau = 0 is none.
func newReflectors(v, tau *lazy.Tensor, first int) reflectors {
	m, w := rowsAndColumns(v)
	tr := v.Trace()
	i, j := count(tr, 0, m, 1), count(tr, 1, 1, w).AddScalar(float64(first))
	v = i.Greater(j).Where(v, i.Equal(j).Convert(v.DType()))
	tau = tau.Unsqueeze(-1)
	return reflectors{v, tau, adjoint(v).MatMul(v).Triu(1).Mul(tau)}
}

// apply returns Q·x, or Qᴴ·x if transpose.
func (r reflectors) apply(x *lazy.Tensor, transpose bool) *lazy.Tensor {
	y := adjoint(r.v).MatMul(x)
	if transpose {
		y = r.u.Conj().TriangularSolve(y, false, true, true, true).Mul(r.tau.Conj())
	} else {
		y = r.u.TriangularSolve(r.tau.Mul(y), false, true, false, true)
	}
	return x.Sub(r.v.MatMul(y))
}

func checkHouseholderProduct(x, tau *lazy.Tensor) (demand, reason string) {
	if demand, reason = checkMatrix(x, householderProductTall, householderProductClosed); demand != "" {
		return demand, reason
	}
	m, n := rowsAndColumns(x)
	if n > m {
		return householderProductTall, fmt.Sprintf("x has the shape %v, with more columns than rows", x.OpenShape())
	}
	if tau.Rank() != x.Rank()-1 || tau.OpenDim(-1) > n || !x.OpenShape()[:x.Rank()-2].Equal(tau.OpenShape()[:tau.Rank()-1]) {
		return householderProductTau, fmt.Sprintf("tau has the shape %v", tau.OpenShape())
	}
	return "", ""
}

func computeHouseholderProduct(x, tau *lazy.Tensor) *lazy.Tensor {
	return functions.WideAll(func(t ...*lazy.Tensor) []*lazy.Tensor {
		x, tau := t[0], t[1]
		m, n := rowsAndColumns(x)
		k := tau.OpenDim(-1)
		if m == 0 || k == 0 {
			return []*lazy.Tensor{eye(x, m, n)}
		}
		return []*lazy.Tensor{newReflectors(x.Narrow(-1, 0, k), tau, 0).apply(eye(x, m, n), false)}
	}, x, tau)[0]
}

// gradQR is that of Roberts and Roberts (2020), "QR and LQ decomposition matrix backpropagation
// algorithms for square, wide, and deep matrices", arXiv:2009.10071, equations 5 and 7.
func gradQR(x *lazy.Tensor, y, ct []*lazy.Tensor, complete bool) []*lazy.Tensor {
	m, n := rowsAndColumns(x)
	if m == 0 || n == 0 {
		return []*lazy.Tensor{x.MulScalar(0)}
	}
	if complete && m > n {
		return []*lazy.Tensor{nil}
	}
	return functions.WideAll(func(t ...*lazy.Tensor) []*lazy.Tensor {
		x, q, r, gq, gr := t[0], t[1], t[2], t[3], t[4]
		gr = gr.Triu(0)
		if m >= n {
			return []*lazy.Tensor{gradTallQR(q, r, gq, gr)}
		}
		// The columns beyond are Q times those of R.
		gRest := gr.Narrow(-1, m, n-m)
		gq = gq.Add(x.Narrow(-1, m, n-m).MatMul(adjoint(gRest)))
		g := gradTallQR(q, r.Narrow(-1, 0, m), gq, gr.Narrow(-1, 0, m))
		return []*lazy.Tensor{lazy.Concatenate(-1, g, q.MatMul(gRest))}
	}, x, y[0], y[1], ct[0], ct[1])
}

// gradTallQR is (gq + Q·copyltu(M)) R⁻ᴴ of M = R·grᴴ - gqᴴ·Q, whose lower triangle copyltu mirrors, with a
// real diagonal.
func gradTallQR(q, r, gq, gr *lazy.Tensor) *lazy.Tensor {
	lower := r.MatMul(adjoint(gr)).Sub(adjoint(gq).MatMul(q))
	mirrored := lower.Tril(0).Add(adjoint(lower.Tril(-1)))
	if isComplex(mirrored) {
		mirrored = mirrored.Add(adjoint(mirrored)).MulScalar(0.5)
	}
	return r.Conj().TriangularSolve(gq.Add(q.MatMul(mirrored)), true, true, true, false)
}
