package spectral

import (
	"context"
	"math"
	"math/cmplx"
)

// realSchur makes h, which hessenberg gave of a real matrix, upper triangular, and keeps v. Its diagonal has the eigenvalues.
// The blocks of two rows of the real Schur form say which eigenvalues are conjugates: they are so bit by bit, the one
// with the positive imaginary part first.
func realSchur(ctx context.Context, h, v matrix[complex128]) {
	n := h.rows
	t, q := newMatrix[float64](n, n), newMatrix[float64](n, n)
	for i := range h.data {
		t.data[i], q.data[i] = real(h.data[i]), real(v.data[i])
	}
	doubleShifts(ctx, t, q)
	for i := range h.data {
		h.data[i], v.data[i] = complex(t.data[i], 0), complex(q.data[i], 0)
	}
	for i := 1; i < n; i++ {
		c := *t.at(i, i-1)
		if c == 0 {
			continue
		}
		first, second := blockValues(*t.at(i-1, i-1), *t.at(i-1, i), c, *t.at(i, i))
		turn(h, v, i, first-complex(*t.at(i, i), 0), c)
		*h.at(i-1, i-1), *h.at(i, i-1), *h.at(i, i) = first, 0, second
		i++ // the next row begins a block
	}
}

// blockValues returns the eigenvalues of [[a, b], [c, d]] as LAPACK's dlanv2 does: d+z and d - bc/z. With p = (a-d)/2, z
// is p ± √(p² + bc), and has the sign of p. Of a negative square the eigenvalues are conjugates.
func blockValues(a, b, c, d float64) (first, second complex128) {
	p, bc := (a-d)/2, b*c
	square := p*p + bc
	if square < 0 {
		first = complex(d+p, math.Sqrt(-square))
		return first, cmplx.Conj(first)
	}
	z := p + math.Copysign(math.Sqrt(square), p)
	if z == 0 {
		return complex(d, 0), complex(d, 0)
	}
	return complex(d+z, 0), complex(d-bc/z, 0)
}

// turn rotates rows and columns i-1 and i to the eigenvector (mu, c) of a block, and what is orthogonal to it.
func turn(h, v matrix[complex128], i int, mu complex128, c float64) {
	length := complex(math.Hypot(cmplx.Abs(mu), c), 0)
	x, y := mu/length, complex(c, 0)/length
	upper, lower := h.row(i-1), h.row(i)
	for j := i - 1; j < h.columns; j++ {
		a, b := upper[j], lower[j]
		upper[j], lower[j] = cmplx.Conj(x)*a+y*b, x*b-y*a
	}
	for _, m := range []matrix[complex128]{h, v} {
		for k := range m.rows {
			row := m.row(k)
			a, b := row[i-1], row[i]
			row[i-1], row[i] = a*x+b*y, b*cmplx.Conj(x)-a*y
		}
	}
}

// doubleShifts makes h zero below blocks of one and two rows on its diagonal, and keeps v: the QR algorithm with double
// shifts, Golub and Van Loan, "Matrix Computations", section 7.5.
func doubleShifts(ctx context.Context, h, v matrix[float64]) {
	n := h.rows
	norm := 0.0
	for _, x := range h.data {
		norm = max(norm, math.Abs(x))
	}
	for last, tries, total := n-1, 0, 0; last > 0 && total < 30*n && ctx.Err() == nil; total++ {
		first := last
		for ; first > 0; first-- {
			size := math.Abs(*h.at(first-1, first-1)) + math.Abs(*h.at(first, first))
			if size == 0 {
				size = norm
			}
			if !(math.Abs(*h.at(first, first-1)) > 0x1p-52*size) {
				*h.at(first, first-1) = 0
				break
			}
		}
		if first >= last-1 {
			last, tries = first-1, 0
			total--
			continue
		}
		tries++
		sum, product := doubleShift(h, last, tries)
		chaseReal(h, v, first, last, sum, product)
	}
}

// doubleShift returns the sum and the product of the two shifts of a sweep. They are the eigenvalues of the last two
// rows of the block, or twice the closer one if these are real. Each tenth try has the shifts of LAPACK's dlahqr.
func doubleShift(h matrix[float64], last, tries int) (sum, product float64) {
	a, b, c, d := *h.at(last-1, last-1), *h.at(last-1, last), *h.at(last, last-1), *h.at(last, last)
	if tries%10 == 0 {
		size := math.Abs(c) + math.Abs(*h.at(last-1, last-2))
		other := 0.75*size + d
		return 2 * other, other*other + 0.4375*size*size
	}
	if _, near := blockValues(a, b, c, d); imag(near) == 0 {
		return 2 * real(near), real(near) * real(near)
	}
	return a + d, a*d - b*c
}

// chaseReal reflects rows and columns k to k+2 of a block, for each of its rows k. The first reflection is that of a QR
// factor of the matrix with both shifts. Each next one moves what that leaves below the subdiagonal on by a row.
func chaseReal(h, v matrix[float64], first, last int, sum, product float64) {
	a, b, c, d := *h.at(first, first), *h.at(first, first+1), *h.at(first+1, first), *h.at(first+1, first+1)
	begin := [3]float64{a*(a-sum) + product + b*c, c * (a + d - sum), c * *h.at(first+2, first+1)}
	for k := first; k < last; k++ {
		x := begin[:]
		if k > first {
			x = []float64{*h.at(k, k-1), *h.at(k+1, k-1), 0}
			if k+2 <= last {
				x[2] = *h.at(k+2, k-1)
			}
		}
		if k+2 > last {
			x = x[:2]
		}
		factor := reflection(x)
		if factor == 0 {
			continue
		}
		for j := max(0, k-1); j < h.columns; j++ {
			s := 0.0
			for i, y := range x {
				s += y * *h.at(k+i, j)
			}
			for i, y := range x {
				*h.at(k+i, j) -= factor * s * y
			}
		}
		for i := k + 1; k > first && i < k+len(x); i++ {
			*h.at(i, k-1) = 0
		}
		for _, m := range []matrix[float64]{h, v} {
			for i := range m.rows {
				row, s := m.row(i)[k:k+len(x)], 0.0
				for j, y := range x {
					s += y * row[j]
				}
				for j, y := range x {
					row[j] -= factor * s * y
				}
			}
		}
	}
}

// reflection makes of x the vector u for which 1 - factor·u·uᵀ reflects x to the first axis; the factor is 0 if x is.
func reflection(x []float64) (factor float64) {
	most, squares := 0.0, 0.0
	for _, y := range x {
		most = max(most, math.Abs(y))
	}
	if most == 0 {
		return 0
	}
	for i := range x {
		x[i] /= most
		squares += x[i] * x[i]
	}
	length := math.Copysign(math.Sqrt(squares), x[0])
	squares += length * (length + 2*x[0])
	x[0] += length
	return 2 / squares
}
