package numeric

import "ltc/backends/reference/internal/loops"

// Triangular is how [Solve] reads its matrices.
type Triangular struct {
	Left, Lower, Unit, Adjoint, Transposed bool
	Count, Rows, Cols, N                   int // rows and columns of the right sides; N of the matrices
}

// Solve replaces the right sides in x with the solutions of op(a)·x = b, or x·op(a) = b, by
// substitution.
func Solve[T Element](b *loops.Budget, x, a []T, t Triangular, ops Arithmetic[T]) {
	size := t.Rows * t.Cols
	entry := func(v T) T { return v }
	if t.Adjoint {
		entry = ops.conj
	}
	// x·op(a) = b is op(a)ᵀ·xᵀ = bᵀ: one more transposition.
	system := substitution[T]{n: t.N, row: t.N, col: 1, forward: t.Lower, unit: t.Unit, entry: entry}
	if t.Transposed == t.Left {
		system.row, system.col, system.forward = 1, t.N, !t.Lower
	}
	systems, apart, step := t.Cols, 1, t.Cols
	if !t.Left {
		systems, apart, step = t.Rows, t.Cols, 1
	}
	for i := range t.Count {
		for k := range systems {
			system.solve(b, a[i*t.N*t.N:][:t.N*t.N], x[i*size+k*apart:], step)
		}
	}
}

// substitution solves a system whose matrix has entry(a[i*row+j*col]) at (i, j).
type substitution[T Element] struct {
	n, row, col   int
	forward, unit bool // a is lower triangular; its diagonal counts as 1
	entry         func(T) T
}

// solve replaces a right side, whose elements lie step apart, by the solution.
func (s *substitution[T]) solve(b *loops.Budget, a, x []T, step int) {
	for k := range s.n {
		i, lo, hi := k, 0, k
		if !s.forward {
			i = s.n - 1 - k
			lo, hi = i+1, s.n
		}
		if b.Due(8 * (hi - lo + 1)) {
			return
		}
		sum := x[i*step]
		for j := lo; j < hi; j++ {
			sum -= s.entry(a[i*s.row+j*s.col]) * x[j*step]
		}
		if !s.unit {
			sum /= s.entry(a[i*s.row+i*s.col])
		}
		x[i*step] = sum
	}
}
