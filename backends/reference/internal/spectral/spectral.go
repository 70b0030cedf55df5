// Package spectral decomposes small matrices: their singular values, and the eigenvalues of Hermitian ones. It finds
// the eigenvalues of all others, too. It has the algorithms of package linalg, whose composites it computes in the place of
// their bodies: code for these takes a second to compile. Its central function is [Register].
//
// The package imports only ltc/backends, ltc/ir/types, ltc/mlir and ltc/soa.
package spectral

import (
	"math"
	"math/cmplx"
)

// element is an element of a matrix while it is decomposed.
type element interface{ float64 | complex128 }

// arithmetic is what differs between real and complex numbers.
type arithmetic[T element] struct {
	of      func(x float64) T
	conj    func(x T) T
	real    func(x T) float64
	imag    func(x T) float64
	abs     func(x T) float64
	dot     func(x, y []T) T    // Σ x·conj(y)
	squares func(x []T) float64 // Σ |x|²
	// rotate replaces x by c·x - s·y, and y by c·y + conj(s)·x.
	rotate func(x, y []T, c float64, s T)
	// phase returns p as its second result times its first one: 1 for a real number.
	phase func(p T) (T, float64)
}

var reals = arithmetic[float64]{
	of:      func(x float64) float64 { return x },
	conj:    func(x float64) float64 { return x },
	real:    func(x float64) float64 { return x },
	imag:    func(float64) float64 { return 0 },
	abs:     math.Abs,
	dot:     dotReal,
	squares: func(x []float64) float64 { return dotReal(x, x) },
	rotate: func(x, y []float64, c, s float64) {
		y = y[:len(x)]
		for i, a := range x {
			b := y[i]
			x[i], y[i] = c*a-s*b, c*b+s*a
		}
	},
	phase: func(p float64) (float64, float64) { return 1, p },
}

// dotReal has four sums, which a processor adds to at a time.
func dotReal(x, y []float64) float64 {
	var a, b, c, d float64
	y = y[:len(x)]
	for len(x) >= 4 {
		a += x[0] * y[0]
		b += x[1] * y[1]
		c += x[2] * y[2]
		d += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		a += v * y[i]
	}
	return (a + b) + (c + d)
}

var complexes = arithmetic[complex128]{
	of:   func(x float64) complex128 { return complex(x, 0) },
	conj: cmplx.Conj,
	real: func(x complex128) float64 { return real(x) },
	imag: func(x complex128) float64 { return imag(x) },
	abs:  cmplx.Abs,
	dot: func(x, y []complex128) (sum complex128) {
		for i, v := range x {
			sum += v * cmplx.Conj(y[i])
		}
		return sum
	},
	squares: func(x []complex128) (sum float64) {
		for _, v := range x {
			sum += real(v)*real(v) + imag(v)*imag(v)
		}
		return sum
	},
	rotate: func(x, y []complex128, c float64, s complex128) {
		back, by := cmplx.Conj(s), complex(c, 0)
		for i, a := range x {
			b := y[i]
			x[i], y[i] = by*a-s*b, by*b+back*a
		}
	},
	phase: func(p complex128) (complex128, float64) {
		size := cmplx.Abs(p)
		return p / complex(size, 0), size
	},
}

// matrix has its elements by rows.
type matrix[T element] struct {
	rows, columns int
	data          []T
}

func newMatrix[T element](rows, columns int) matrix[T] {
	return matrix[T]{rows, columns, make([]T, rows*columns)}
}

func (a matrix[T]) row(i int) []T  { return a.data[i*a.columns:][:a.columns] }
func (a matrix[T]) at(i, j int) *T { return &a.data[i*a.columns+j] }

// adjoint returns the conjugate transpose.
func (f *arithmetic[T]) adjoint(a matrix[T]) matrix[T] {
	b := newMatrix[T](a.columns, a.rows)
	for i := range a.rows {
		for j, v := range a.row(i) {
			*b.at(j, i) = f.conj(v)
		}
	}
	return b
}

// eye returns a matrix with ones on its diagonal.
func (f *arithmetic[T]) eye(rows, columns int) matrix[T] {
	a := newMatrix[T](rows, columns)
	for i := range min(rows, columns) {
		*a.at(i, i) = f.of(1)
	}
	return a
}

// largest returns the largest modulus of an element; NaN if one is no finite number.
func (f *arithmetic[T]) largest(a matrix[T]) float64 {
	most := 0.0
	for _, v := range a.data {
		most = max(most, f.abs(v))
	}
	if math.IsInf(most, 0) {
		return math.NaN()
	}
	return most
}

// scaled returns a divided by its largest modulus, and that.
func (f *arithmetic[T]) scaled(a matrix[T]) (matrix[T], float64) {
	scale := f.largest(a)
	if scale == 0 {
		scale = 1
	}
	b := newMatrix[T](a.rows, a.columns)
	for i, v := range a.data {
		b.data[i] = v / f.of(scale)
	}
	return b, scale
}

// product returns a·b.
func product[T element](a, b matrix[T]) matrix[T] {
	y := newMatrix[T](a.rows, b.columns)
	for i := range a.rows {
		to := y.row(i)
		for k, v := range a.row(i) {
			for j, w := range b.row(k) {
				to[j] += v * w
			}
		}
	}
	return y
}

// orthogonal returns Q, with all its columns if complete, and R of a, which it overwrites. Reflectors have the signs
// of LAPACK's geqrf.
func (f *arithmetic[T]) orthogonal(a matrix[T], complete bool) (q, r matrix[T]) {
	m, k := a.rows, min(a.rows, a.columns)
	tau := make([]T, k)
	products := make([]T, a.columns)
	for c := range k {
		tau[c] = f.reflect(a, c, products)
	}
	columns := k
	if complete {
		columns = m
	}
	q = f.eye(m, columns)
	products = make([]T, columns)
	for c := k - 1; c >= 0; c-- {
		f.apply(a, c, tau[c], q, 0, products)
	}
	r = newMatrix[T](columns, a.columns)
	for i := range min(columns, m) {
		copy(r.row(i)[min(i, a.columns):], a.row(i)[min(i, a.columns):])
	}
	return q, r
}

// reflect makes column c zero below the diagonal, where it puts the reflector's vector, and returns its factor.
func (f *arithmetic[T]) reflect(a matrix[T], c int, products []T) (tau T) {
	scale := 0.0
	for i := c; i < a.rows; i++ {
		scale = max(scale, f.abs(*a.at(i, c)))
	}
	if scale == 0 {
		scale = 1
	}
	rest := 0.0
	for i := c + 1; i < a.rows; i++ {
		v := f.abs(*a.at(i, c)) / scale
		rest += v * v
	}
	alpha := *a.at(c, c) / f.of(scale)
	if rest == 0 && f.imag(alpha) == 0 {
		for i := c + 1; i < a.rows; i++ {
			*a.at(i, c) = 0
		}
		return 0
	}
	size := f.abs(alpha)
	length := math.Sqrt(size*size + rest)
	beta := -length
	if f.real(alpha) < 0 {
		beta = length
	}
	tau = (f.of(beta) - alpha) / f.of(beta)
	for i := c + 1; i < a.rows; i++ {
		*a.at(i, c) = *a.at(i, c) / f.of(scale) / (alpha - f.of(beta))
	}
	f.apply(a, c, f.conj(tau), a, c+1, products)
	*a.at(c, c) = f.of(beta * scale)
	return tau
}

// apply subtracts factor·v·vᴴ·x from the columns of x from first on: v is 1, and what is below the diagonal of column
// c of a.
func (f *arithmetic[T]) apply(a matrix[T], c int, factor T, x matrix[T], first int, products []T) {
	if factor == 0 || first >= x.columns {
		return
	}
	products = products[:x.columns]
	copy(products[first:], x.row(c)[first:])
	for i := c + 1; i < a.rows; i++ {
		v := f.conj(*a.at(i, c))
		for j := first; j < x.columns; j++ {
			products[j] += v * x.row(i)[j]
		}
	}
	for j := first; j < x.columns; j++ {
		products[j] *= factor
		*x.at(c, j) -= products[j]
	}
	for i := c + 1; i < a.rows; i++ {
		v := *a.at(i, c)
		for j := first; j < x.columns; j++ {
			x.row(i)[j] -= v * products[j]
		}
	}
}

// sweeps bounds the sweeps of Jacobi's method, which converges in some ten.
const sweeps = 32

// orthogonalRows rotates the rows of x, each with each other in a sweep, until their first w elements are
// orthogonal.
func (f *arithmetic[T]) orthogonalRows(x matrix[T], w int) {
	n := x.rows
	most := 0x1p-52 * math.Sqrt(float64(n))
	squares := make([]float64, n)
	for range sweeps {
		for i := range n {
			squares[i] = f.squares(x.row(i)[:w])
		}
		far := 0.0
		for k := range n {
			for i := range n {
				if other := (k - i + n) % n; i < other {
					far = max(far, f.rotatePair(x.row(i), x.row(other), w, &squares[i], &squares[other]))
				}
			}
		}
		if !(far > most) {
			return
		}
	}
}

// rotatePair makes the first w elements of two rows orthogonal, and returns the cosine between them before. It
// keeps the sums of their squares, which lose digits until the next sweep.
func (f *arithmetic[T]) rotatePair(x, y []T, w int, squaresX, squaresY *float64) float64 {
	ofX, ofY := *squaresX, *squaresY
	phase, p := f.phase(f.dot(x[:w], y[:w]))
	lengths := math.Sqrt(ofX) * math.Sqrt(ofY)
	if !(lengths > 0 && math.Abs(p) > 0) {
		return 0
	}
	tau := (ofY - ofX) / (2 * p)
	t := 1 / (math.Abs(tau) + math.Hypot(tau, 1))
	if tau < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(t*t+1)
	f.rotate(x, y, c, f.of(t*c)*phase)
	if *squaresX, *squaresY = ofX-t*p, ofY+t*p; min(*squaresX, *squaresY) < 0x1p-20*(ofX+ofY) {
		*squaresX, *squaresY = f.squares(x[:w]), f.squares(y[:w])
	}
	return math.Abs(p) / lengths
}
