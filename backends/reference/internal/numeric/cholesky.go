package numeric

import (
	"math"
	"math/cmplx"

	"ltc/backends/reference/internal/loops"
)

// Element is an element of the matrices of [Cholesky] and [Solve].
type Element interface{ float64 | complex128 }

// Arithmetic is what differs between real and complex matrices.
type Arithmetic[T Element] struct {
	conj func(T) T
	root func(T) T // of a number whose imaginary part counts as 0
}

// The arithmetic of real and of complex matrices.
var (
	Real    = Arithmetic[float64]{func(x float64) float64 { return x }, math.Sqrt}
	Complex = Arithmetic[complex128]{cmplx.Conj, func(x complex128) complex128 { return complex(math.Sqrt(real(x)), 0) }}
)

// Cholesky reads one triangle of each n×n matrix of from. It writes the factor to the same triangle
// of all, whose other elements are 0 and stay so. Of a matrix that is not positive definite, NaNs
// come out.
func Cholesky[T Element](b *loops.Budget, all, from []T, n int, lower bool, ops Arithmetic[T]) {
	for ; len(all) > 0; all, from = all[n*n:], from[n*n:] {
		// l is computed as if lower; in the upper triangle lies its adjoint.
		at := func(i, j int) int { return i*n + j }
		conj := func(x T) T { return x }
		if !lower {
			at, conj = func(i, j int) int { return j*n + i }, ops.conj
		}
		l := func(i, j int) T { return conj(all[at(i, j)]) }
		for j := range n {
			for i := j; i < n; i++ {
				if b.Due(8 * (j + 1)) {
					return
				}
				sum := conj(from[at(i, j)])
				for k := range j {
					sum -= l(i, k) * ops.conj(l(j, k))
				}
				if i == j {
					sum = ops.root(sum)
				} else {
					sum /= l(j, j)
				}
				all[at(i, j)] = conj(sum)
			}
		}
	}
}
