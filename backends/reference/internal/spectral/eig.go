package spectral

import (
	"cmp"
	"context"
	"math"
	"math/cmplx"
	"slices"
)

// eig returns the eigenvalues and the eigenvectors, as columns, of a, which is real if the flag says so. Of a Schur
// form a = V·T·Vᴴ they are the diagonal of T, and V times the eigenvectors of T. It returns early once ctx has ended.
func eig(ctx context.Context, a matrix[complex128], realMatrix bool) (values []complex128, vectors matrix[complex128]) {
	n := a.rows
	values = make([]complex128, n)
	for _, x := range a.data {
		if cmplx.IsNaN(x) || cmplx.IsInf(x) {
			for i := range a.data {
				a.data[i] = cmplx.NaN()
			}
			for i := range values {
				values[i] = cmplx.NaN()
			}
			return values, a
		}
	}
	t, scale := scaledByParts(a)
	v := complexes.eye(n, n)
	hessenberg(t, v)
	if realMatrix {
		realSchur(ctx, t, v)
	} else {
		schur(ctx, t, v)
	}
	vectors = product(v, triangularVectors(t))
	for j := range n {
		values[j] = *t.at(j, j)
		unitColumn(vectors, j)
		for i := range n {
			switch x := vectors.at(i, j); {
			case realMatrix && imag(values[j]) == 0:
				*x = complex(real(*x), 0)
			case realMatrix && imag(values[j]) < 0: // behind its conjugate
				*x = cmplx.Conj(*vectors.at(i, j-1))
			}
		}
	}
	return byRealPart(values, vectors, scale)
}

// scaledByParts returns a divided by the largest part of its elements, whose moduli may overflow.
func scaledByParts(a matrix[complex128]) (b matrix[complex128], scale float64) {
	for _, x := range a.data {
		scale = max(scale, math.Abs(real(x)), math.Abs(imag(x)))
	}
	if scale == 0 {
		scale = 1
	}
	b = newMatrix[complex128](a.rows, a.columns)
	for i, x := range a.data {
		b.data[i] = complex(real(x)/scale, imag(x)/scale)
	}
	return b, scale
}

// byRealPart returns the eigenvalues times scale, and their vectors, sorted by the real part; those of one real part
// by the imaginary part, of which the largest is first.
func byRealPart(values []complex128, vectors matrix[complex128], scale float64) ([]complex128, matrix[complex128]) {
	n := len(values)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := values[a], values[b]
		return cmp.Or(cmp.Compare(real(x), real(y)), cmp.Compare(imag(y), imag(x)))
	})
	sorted, columns := make([]complex128, n), newMatrix[complex128](n, n)
	for j, from := range order {
		sorted[j] = values[from] * complex(scale, 0)
		for i := range n {
			*columns.at(i, j) = *vectors.at(i, from)
		}
	}
	return sorted, columns
}

// hessenberg makes h zero below the diagonal under the main one, and v what it was multiplied with, h = v·h'·vᴴ:
// by Householder's reflections.
func hessenberg(h, v matrix[complex128]) {
	n := h.rows
	x, sums := make([]complex128, n), make([]complex128, n)
	for k := range n - 2 {
		most := 0.0
		for i := k + 1; i < n; i++ {
			most = max(most, cmplx.Abs(*h.at(i, k)))
		}
		if most == 0 {
			continue
		}
		for i := k + 1; i < n; i++ {
			x[i] = *h.at(i, k) / complex(most, 0)
		}
		length := math.Sqrt(complexes.squares(x[k+1:]))
		phase := complex128(1)
		if x[k+1] != 0 {
			phase = x[k+1] / complex(cmplx.Abs(x[k+1]), 0)
		}
		x[k+1] += phase * complex(length, 0)
		factor := complex(2/complexes.squares(x[k+1:]), 0)
		clear(sums)
		for i := k + 1; i < n; i++ {
			by := cmplx.Conj(x[i])
			for j, w := range h.row(i) {
				sums[j] += by * w
			}
		}
		for i := k + 1; i < n; i++ {
			by := x[i] * factor
			for j, row := 0, h.row(i); j < n; j++ {
				row[j] -= by * sums[j]
			}
		}
		for _, m := range []matrix[complex128]{h, v} {
			for i := range n {
				row, sum := m.row(i), complex128(0)
				for j := k + 1; j < n; j++ {
					sum += row[j] * x[j]
				}
				sum *= factor
				for j := k + 1; j < n; j++ {
					row[j] -= sum * cmplx.Conj(x[j])
				}
			}
		}
		for i := k + 2; i < n; i++ {
			*h.at(i, k) = 0
		}
	}
}

// taxicab is the sum of the absolute values of the parts.
func taxicab(x complex128) float64 { return math.Abs(real(x)) + math.Abs(imag(x)) }

// schur makes h, which hessenberg gave, upper triangular, and keeps v: the QR algorithm with single shifts.
func schur(ctx context.Context, h, v matrix[complex128]) {
	n := h.rows
	norm := 0.0
	for _, x := range h.data {
		norm = max(norm, taxicab(x))
	}
	for last, tries, total := n-1, 0, 0; last > 0 && total < 30*n && ctx.Err() == nil; total++ {
		first := last
		for ; first > 0; first-- {
			size := taxicab(*h.at(first-1, first-1)) + taxicab(*h.at(first, first))
			if size == 0 {
				size = norm
			}
			if !(taxicab(*h.at(first, first-1)) > 0x1p-52*size) {
				*h.at(first, first-1) = 0
				break
			}
		}
		if first == last {
			last, tries = last-1, 0
			total--
			continue
		}
		d := *h.at(last, last)
		shift := closerEigenvalue(*h.at(last-1, last-1), *h.at(last-1, last), *h.at(last, last-1), d)
		if tries++; tries%10 == 0 {
			shift = d + complex(0.75*cmplx.Abs(*h.at(last, last-1)), 0)
		}
		chase(h, v, first, last, shift)
	}
}

// closerEigenvalue returns the eigenvalue of [[a, b], [c, d]] that is closer to d.
func closerEigenvalue(a, b, c, d complex128) complex128 {
	p, bc := (a-d)*0.5, b*c
	root := cmplx.Sqrt(p*p + bc)
	divisor := p + root
	if other := p - root; cmplx.Abs(other) > cmplx.Abs(divisor) {
		divisor = other
	}
	if divisor == 0 {
		return d
	}
	return d - bc/divisor
}

// chase rotates rows and columns of a block. The first two are rotated by a QR factor of the shifted matrix. Each next
// pair moves what that leaves below the subdiagonal on by a row.
func chase(h, v matrix[complex128], first, last int, shift complex128) {
	n := h.rows
	for k := first; k < last; k++ {
		column := k - 1
		if k == first {
			column = k
		}
		a, b := *h.at(k, column), *h.at(k+1, column)
		if k == first {
			a -= shift
		}
		length := math.Hypot(cmplx.Abs(a), cmplx.Abs(b))
		if length == 0 {
			continue
		}
		a, b = a/complex(length, 0), b/complex(length, 0)
		toUpper, toLower := cmplx.Conj(a), cmplx.Conj(b)
		upper, lower := h.row(k), h.row(k+1)
		for j := max(0, k-1); j < n; j++ {
			x, y := upper[j], lower[j]
			upper[j], lower[j] = toUpper*x+toLower*y, a*y-b*x
		}
		if k > first {
			lower[k-1] = 0
		}
		for i := range min(k+2, last) + 1 {
			row := h.row(i)
			x, y := row[k], row[k+1]
			row[k], row[k+1] = x*a+y*b, y*toUpper-x*toLower
		}
		for i := range n {
			row := v.row(i)
			x, y := row[k], row[k+1]
			row[k], row[k+1] = x*a+y*b, y*toUpper-x*toLower
		}
	}
}

// triangularVectors returns the eigenvectors of upper triangular t as columns, whose elements are at most 1: back
// substitution, in which a divisor that is too small for its digits is replaced.
func triangularVectors(t matrix[complex128]) matrix[complex128] {
	n := t.rows
	x := complexes.eye(n, n)
	least := 0.0
	for i := range n {
		for _, v := range t.row(i)[i:] {
			least = max(least, 0x1p-52*taxicab(v))
		}
	}
	if least == 0 {
		least = 1
	}
	column := make([]complex128, n)
	for j := range n {
		clear(column)
		column[j] = 1
		for i := j - 1; i >= 0; i-- {
			sum := complex128(0)
			for l, v := range t.row(i)[i+1 : j+1] {
				sum += v * column[i+1+l]
			}
			gap := *t.at(j, j) - *t.at(i, i)
			if taxicab(gap) < least {
				gap = complex(least, 0)
			}
			column[i] = sum / gap
			if size := cmplx.Abs(column[i]); size > 1 {
				for l := i; l <= j; l++ {
					column[l] /= complex(size, 0)
				}
			}
		}
		for i := range j + 1 {
			*x.at(i, j) = column[i]
		}
	}
	return x
}

// nearlyLargest is from which share of the largest element on another counts as large: rounding must not choose.
const nearlyLargest = 1 - 0x1p-10

// unitColumn divides a column by its length, and has its first element that is nearly the largest be real and
// positive.
func unitColumn(x matrix[complex128], j int) {
	squares, most := 0.0, 0.0
	for i := range x.rows {
		size := cmplx.Abs(*x.at(i, j))
		squares += size * size
		most = max(most, size)
	}
	i := 0
	for cmplx.Abs(*x.at(i, j)) < most*nearlyLargest {
		i++
	}
	large := *x.at(i, j)
	by := cmplx.Conj(large) / complex(cmplx.Abs(large)*math.Sqrt(squares), 0)
	for i := range x.rows {
		*x.at(i, j) *= by
	}
}
