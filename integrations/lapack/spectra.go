package lapack

import (
	"math"

	"gonum.org/v1/gonum/lapack"
)

// finite reports whether all elements are finite numbers.
func (a array) finite() bool {
	for _, x := range a.data {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// failed makes the results NaN, and info, the last of them, a number.
func (p *problem) failed(info int) error {
	last := len(p.results) - 1
	for _, r := range p.results[:last] {
		for i := range r.data {
			r.data[i] = math.NaN()
		}
	}
	p.results[last].data[0] = float64(info)
	return nil
}

// syevd returns the eigenvectors of a symmetric matrix, if mode says so, and the
// eigenvalues, which ascend. Info is not 0 where these are not found.
func syevd(p *problem) error {
	a, n, stride, err := p.square()
	if err != nil || n == 0 {
		return err
	}
	if err := fits("the list of eigenvalues", p.results[1], n); err != nil {
		return err
	}
	if !a.finite() {
		return p.failed(1)
	}
	job, ok := lapack.EVNone, false
	if p.char("mode") == 'V' {
		job = lapack.EVCompute
	}
	p.optimal(func(work []float64, size int) {
		ok = impl.Dsyev(job, p.triangle(), n, a.data, stride, p.results[1].data, work, size)
	})
	if !ok {
		return p.failed(1)
	}
	return nil
}

// gesdd factors A = U·Σ·Vᵀ. The first result is what was A. Mode is A for all columns of U
// and rows of Vᵀ, S for those of singular values, N for none: U and Vᵀ are zero then. Info is
// -4 where elements of A are not finite, and 1 where singular values are not found.
func gesdd(p *problem) error {
	a, err := p.result(0, 0)
	if err != nil {
		return err
	}
	m, n, stride := a.matrix()
	k := min(m, n)
	mode := p.char("mode")
	u, vt := p.results[2], p.results[3]
	rows, columns := m, n // of what there is of Vᵀ and U
	if mode == 'S' {
		rows, columns = k, k
	} else {
		rows, columns = n, m
	}
	if err := fits("the list of singular values", p.results[1], k); err != nil {
		return err
	}
	if mode != 'N' {
		if err := fits("U", u, m*columns); err != nil {
			return err
		}
		if err := fits("the transpose of V", vt, rows*n); err != nil {
			return err
		}
	}
	switch {
	case k == 0:
		if mode == 'A' {
			identity(u, m)
			identity(vt, n)
		}
		return nil
	case !a.finite():
		return p.failed(-4)
	}
	job, ok := map[byte]lapack.SVDJob{'A': lapack.SVDAll, 'S': lapack.SVDStore, 'N': lapack.SVDNone}[mode], false
	p.optimal(func(work []float64, size int) {
		ok = impl.Dgesvd(job, job, m, n, a.data, stride, p.results[1].data, u.data, max(1, columns), vt.data, max(1, n), work, size)
	})
	if !ok {
		return p.failed(1)
	}
	return nil
}

// identity makes a the identity of order n.
func identity(a array, n int) {
	for i := range n {
		a.data[i*n+i] = 1
	}
}
