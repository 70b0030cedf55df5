package spectral

import (
	"cmp"
	"math"
	"slices"
)

// svd returns the factors of a with as many rows as columns or more: of u all columns if full. R of a = Q·R
// is rotated by J until its rows are orthogonal, J·R = diag(s)·Vᴴ.
func (f *arithmetic[T]) svd(a matrix[T], full bool) (u matrix[T], s []float64, vt matrix[T]) {
	m, n := a.rows, a.columns
	scaled, scale := f.scaled(a)
	q, r := f.orthogonal(scaled, full)
	both := newMatrix[T](n, 2*n)
	for i := range n {
		copy(both.row(i), r.row(i))
		both.row(i)[n+i] = f.of(1)
	}
	f.orthogonalRows(both, n)
	lengths := make([]float64, n)
	for i := range n {
		lengths[i] = math.Sqrt(f.squares(both.row(i)[:n]))
	}
	order := ordered(lengths, -1)
	w, j := newMatrix[T](n, n), newMatrix[T](n, n)
	s = make([]float64, n)
	for i, from := range order {
		copy(w.row(i), both.row(from)[:n])
		copy(j.row(i), both.row(from)[n:])
		s[i] = lengths[from] * scale
	}
	// The rows of w are orthogonal, and fall: the Q of their adjoints has them, with signs, and others where they are 0.
	v, signs := f.orthogonal(f.adjoint(w), false)
	for c := range n {
		if f.real(*signs.at(c, c)) < 0 {
			for i := range n {
				*v.at(i, c) = -*v.at(i, c)
			}
		}
	}
	thin := newMatrix[T](m, n)
	for i := range m {
		copy(thin.row(i), q.row(i)[:n])
	}
	left := product(thin, f.adjoint(j))
	for i := range m {
		copy(q.row(i)[:n], left.row(i))
	}
	return q, s, f.adjoint(v)
}

// ordered returns the places of numbers in their order, which rises for a sign of 1 and falls for -1.
func ordered(all []float64, sign int) []int {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return sign * cmp.Compare(all[a], all[b]) })
	return order
}

// eigh returns the eigenvalues and eigenvectors of Hermitian a, of which it reads the lower triangle. With a
// shift it is positive definite, L·Lᴴ. Rotations of the rows of Lᴴ make these multiples of the vectors' adjoints.
// The eigenvalues are the Rayleigh quotients of the vectors.
func (f *arithmetic[T]) eigh(a matrix[T]) (values []float64, vectors matrix[T]) {
	n := a.rows
	whole := newMatrix[T](n, n)
	for i := range n {
		for j := range i {
			*whole.at(i, j), *whole.at(j, i) = *a.at(i, j), f.conj(*a.at(i, j))
		}
		*whole.at(i, i) = f.of(f.real(*a.at(i, i)))
	}
	if n < 2 {
		for i := range n {
			values = append(values, f.real(*whole.at(i, i)))
		}
		return values, f.eye(n, n)
	}
	whole, scale := f.scaled(whole)
	x := f.root(whole)
	f.orthogonalRows(x, n)
	values = make([]float64, n)
	for i := range n {
		row := x.row(i)
		length := math.Sqrt(f.squares(row))
		for j := range row {
			row[j] /= f.of(length)
		}
	}
	images := product(x, whole)
	for i := range n {
		values[i] = f.real(f.dot(images.row(i), x.row(i)))
	}
	order := ordered(values, 1)
	rows, sorted := newMatrix[T](n, n), make([]float64, n)
	for i, from := range order {
		copy(rows.row(i), x.row(from))
		sorted[i] = values[from] * scale
	}
	return sorted, f.adjoint(rows)
}

// root returns Lᴴ of a with a shift that makes it positive definite: a quarter more than a bound of the largest
// eigenvalue, the norm of the 8th power.
func (f *arithmetic[T]) root(a matrix[T]) matrix[T] {
	n := a.rows
	size := math.Sqrt(f.squares(a.data))
	if size == 0 {
		size = 1
	}
	power := newMatrix[T](n, n)
	for i, v := range a.data {
		power.data[i] = v / f.of(size)
	}
	for range 3 {
		power = product(power, power)
	}
	shift := size * math.Pow(f.squares(power.data), 0.5*0.125) * 1.25
	if shift == 0 {
		shift = 1
	}
	l := newMatrix[T](n, n)
	for j := range n {
		for i := j; i < n; i++ {
			sum := *a.at(i, j)
			if i == j {
				sum += f.of(shift)
			}
			sum -= f.dot(l.row(i)[:j], l.row(j)[:j])
			if i == j {
				*l.at(i, i) = f.of(math.Sqrt(f.real(sum)))
			} else {
				*l.at(i, j) = sum / *l.at(j, j)
			}
		}
	}
	return f.adjoint(l)
}
