package lapack

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"

	"ltc/internal/diag"
)

var impl gonum.Implementation

// matrix returns the rows and columns of an array, and the elements between rows.
func (a array) matrix() (rows, columns, stride int) {
	return a.shape[0], a.shape[1], max(1, a.shape[1])
}

// square returns the order of a square matrix.
func (a array) square() (n, stride int, err error) {
	if a.shape[0] != a.shape[1] {
		return 0, 0, fmt.Errorf("a matrix of %dx%d, but it should be square", a.shape[0], a.shape[1])
	}
	return a.shape[0], max(1, a.shape[0]), nil
}

// fits checks the lengths of results and operands that follow from others.
func fits(name string, a array, n int) error {
	if len(a.data) != n {
		return fmt.Errorf("%s has %s, but should have %d", name, diag.Count(len(a.data), "element"), n)
	}
	return nil
}

// result copies an operand to a result, which the function then works in.
func (p *problem) result(i, arg int) (array, error) {
	r := p.results[i]
	if err := fits(fmt.Sprintf("result %d", i), r, len(p.args[arg].data)); err != nil {
		return r, err
	}
	copy(r.data, p.args[arg].data)
	r.shape = p.args[arg].shape
	return r, nil
}

// square returns result 0 with the contents of argument 0, a square matrix of n rows that lie
// stride elements apart.
func (p *problem) square() (a array, n, stride int, err error) {
	if a, err = p.result(0, 0); err == nil {
		n, stride, err = a.square()
	}
	return a, n, stride, err
}

// optimal runs a function of LAPACK with the workspace that it asks for.
func (p *problem) optimal(run func(work []float64, n int)) {
	var size [1]float64
	run(size[:], -1)
	n := max(1, int(size[0]))
	run(p.work(n), n)
}

// getrf factors A = P·L·U. Pivots count from 1. Info is the first pivot that is 0, from 1.
func getrf(p *problem) error {
	a, err := p.result(0, 0)
	if err != nil {
		return err
	}
	m, n, stride := a.matrix()
	k := min(m, n)
	if err := fits("the list of pivots", p.results[1], k); err != nil || k == 0 {
		return err
	}
	pivots := make([]int, k)
	impl.Dgetrf(m, n, a.data, stride, pivots)
	for i, at := range pivots {
		p.results[1].data[i] = float64(at + 1)
	}
	for i := range k {
		if a.data[i*stride+i] == 0 {
			p.results[2].data[0] = float64(i + 1)
			break
		}
	}
	return nil
}

// geqrf factors A = Q·R: R, reflectors below it, and their scales.
func geqrf(p *problem) error {
	a, err := p.result(0, 0)
	if err != nil {
		return err
	}
	m, n, stride := a.matrix()
	tau := p.results[1]
	if err := fits("tau", tau, min(m, n)); err != nil || min(m, n) == 0 {
		return err
	}
	p.optimal(func(work []float64, size int) { impl.Dgeqrf(m, n, a.data, stride, tau.data, work, size) })
	return nil
}

// geqp3 factors A·P = Q·R. Columns whose entry in the second operand is not 0 come first.
func geqp3(p *problem) error {
	a, err := p.result(0, 0)
	if err != nil {
		return err
	}
	m, n, stride := a.matrix()
	tau := p.results[2]
	for _, err := range []error{fits("tau", tau, min(m, n)), fits("the list of columns", p.args[1], n), fits("result 1", p.results[1], n)} {
		if err != nil {
			return err
		}
	}
	columns := make([]int, n)
	for i, x := range p.args[1].data {
		if x == 0 {
			columns[i] = -1
		}
	}
	if min(m, n) > 0 {
		p.optimal(func(work []float64, size int) { impl.Dgeqp3(m, n, a.data, stride, columns, tau.data, work, size) })
	} else {
		for i := range columns {
			columns[i] = i
		}
	}
	for i, at := range columns {
		p.results[1].data[i] = float64(at + 1)
	}
	return nil
}

// orgqr makes the columns of Q of reflectors.
func orgqr(p *problem) error {
	a, err := p.result(0, 0)
	if err != nil {
		return err
	}
	m, n, stride := a.matrix()
	tau := p.args[1].data
	if len(tau) > n || n > m {
		return fmt.Errorf("%s for Q of %dx%d, which should have no more columns than rows, and no fewer than reflectors", diag.Count(len(tau), "reflector"), m, n)
	}
	if n == 0 {
		return nil
	}
	p.optimal(func(work []float64, size int) { impl.Dorgqr(m, n, len(tau), a.data, stride, tau, work, size) })
	return nil
}

// ormqr multiplies a matrix by Q of reflectors, or by its transpose, from the left or right.
func ormqr(p *problem) error {
	c, err := p.result(0, 2)
	if err != nil {
		return err
	}
	side, trans := blas.Right, blas.NoTrans
	m, n, stride := c.matrix()
	order := n
	if p.flag("left") {
		side, order = blas.Left, m
	}
	if p.flag("transpose") {
		trans = blas.Trans
	}
	a, tau := p.args[0], p.args[1].data
	rows, columns, from := a.matrix()
	if rows != order || len(tau) > columns || len(tau) > order {
		return fmt.Errorf("%s, in a matrix of %dx%d, do not fit a matrix of %dx%d", diag.Count(len(tau), "reflector"), rows, columns, m, n)
	}
	if m == 0 || n == 0 || len(tau) == 0 {
		return nil
	}
	p.optimal(func(work []float64, size int) {
		impl.Dormqr(side, trans, m, n, len(tau), a.data, from, tau, c.data, stride, work, size)
	})
	return nil
}

// gehrd makes A a Hessenberg matrix, with the reflectors below it.
func gehrd(p *problem) error {
	a, n, stride, err := p.square()
	if err != nil || n == 0 {
		return err
	}
	low, high := p.integer("low"), p.integer("high")
	if low < 1 || high > int64(n) || low > high {
		return fmt.Errorf("the attributes low and high are %d and %d, but should be rows of %d, from 1, the lower one first", low, high, n)
	}
	tau := p.results[1]
	if err := fits("tau", tau, n-1); err != nil {
		return err
	}
	p.optimal(func(work []float64, size int) {
		impl.Dgehrd(n, int(low)-1, int(high)-1, a.data, stride, tau.data, work, size)
	})
	return nil
}

// sytrd makes a symmetric matrix tridiagonal: diagonal, what is beside it, and reflectors.
func sytrd(p *problem) error {
	a, n, stride, err := p.square()
	if err != nil || n == 0 {
		return err
	}
	d, e, tau := p.results[1], p.results[2], p.results[3]
	for _, err := range []error{fits("the diagonal", d, n), fits("the second diagonal", e, n-1), fits("tau", tau, n-1)} {
		if err != nil {
			return err
		}
	}
	p.optimal(func(work []float64, size int) {
		impl.Dsytrd(p.triangle(), n, a.data, stride, d.data, e.data, tau.data, work, size)
	})
	return nil
}

// triangle returns the triangle of a symmetric matrix that is read.
func (p *problem) triangle() blas.Uplo {
	if p.char("uplo") == 'L' {
		return blas.Lower
	}
	return blas.Upper
}

// gtsv solves tridiagonal systems, by elimination with pivots.
func gtsv(p *problem) error {
	n := len(p.args[1].data)
	// JAX's diagonals are all of n elements: the lower one's first and the upper one's last
	// do not count.
	for i, a := range p.args[:3] {
		if err := fits(fmt.Sprintf("operand %d", i), a, n); err != nil {
			return err
		}
	}
	for i := range 4 {
		if _, err := p.result(i, i); err != nil {
			return err
		}
	}
	b := p.results[3]
	rows, columns, stride := p.args[3].matrix()
	if rows != n {
		return fmt.Errorf("right sides of %s, but the matrix has %d", diag.Count(rows, "row"), n)
	}
	if n == 0 || columns == 0 {
		return nil
	}
	dl, d, du := p.results[0].data, p.results[1].data, p.results[2].data
	if !impl.Dgtsv(n, columns, dl[1:], d, du[:n-1], b.data, stride) {
		for i, x := range d {
			if x == 0 {
				p.results[4].data[0] = float64(i + 1)
				break
			}
		}
	}
	return nil
}
