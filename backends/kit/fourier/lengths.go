package fourier

import (
	"math"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// LocalBytes returns how many bytes of locals a kernel has, as [kernel.LocalBytes] does, which
// transforms n elements by passes and keeps so many signals of n complex elements besides.
func LocalBytes(radices []int, n, signals int, t types.DType) int {
	pair := func(elements int) int { return 2 * int(kernel.Aligned(int64(elements*t.Size()))) }
	bytes, done := signals*pair(n), 1
	for _, r := range radices[:len(radices)-1] {
		done *= r
		bytes += pair(localRows(done) * (n / done))
	}
	return bytes
}

// localRows returns how many rows the locals of a pass have that leaves so many transforms. One
// is more than the pass stores, so that elements of one place do not lie a power of two apart in
// all of them.
func localRows(transforms int) int { return transforms + 1 }

// LeastLocalBytes returns what [LocalBytes] is not below, whatever the radices are.
func LeastLocalBytes(n int, t types.DType) int {
	passes := 1
	for most := mostRadix; most < n; most *= mostRadix {
		passes++
	}
	return (passes - 1) * 2 * n * t.Size()
}

// Halves returns the factors of n that are nearest to its root, the larger one first.
func Halves(n int) (n1, n2 int) {
	for n2 = int(math.Sqrt(float64(n))); n%n2 != 0; {
		n2--
	}
	return n / n2, n2
}

// Roots returns exp(s·2πijk/n) for j = 0…n1-1 and k = 0…n2-1, with n = n1·n2 and s = -1, or 1 for
// the inverse: real parts, then imaginary ones.
func Roots(n1, n2 int, inverse bool) []float64 {
	n := n1 * n2
	all := make([]float64, 2*n)
	for j := range n1 {
		for k := range n2 {
			re, im := Root(j*k%n, n)
			if !inverse {
				im = -im
			}
			all[j*n2+k], all[n+j*n2+k] = re, im
		}
	}
	return all
}

// longestSearched is the longest convolution whose length is chosen by what its passes cost.
// Longer ones are no one kernel.
const longestSearched = 1 << 15

// Padded returns the length of the transforms that make a convolution of one of length n: the
// cheapest one, or of long ones the shortest one.
func Padded(n, lanes int) int {
	most := 16
	for most < 2*n-1 {
		most *= 2
	}
	best, least := most, math.Inf(1)
	for _, odd := range []int{1, 3, 5, 9, 15} {
		m := 16 * odd
		for m < 2*n-1 {
			m *= 2
		}
		cost := float64(m)
		if m <= longestSearched {
			cost *= instructionsOf(m, lanes)
		}
		if m <= most && cost < least {
			best, least = m, cost
		}
	}
	return best
}

// Chirp returns what makes a convolution of length m of a transform of length n. Elements times
// the factors, exp(s·πik²/n) for k below n and 0 from there on, are transformed, multiplied with
// the filter and transformed back, without a factor. What comes of it, times the factors, is the
// transform. Both are real parts, then imaginary ones.
func Chirp(n, m int, inverse bool) (factors, filter []float64) {
	factors, filter = make([]float64, 2*m), make([]float64, 2*m)
	wave := make([]complex128, m)
	for k := range n {
		re, im := Root(k*k%(2*n), 2*n)
		if !inverse {
			im = -im
		}
		factors[k], factors[m+k] = re, im
		back := complex(re/float64(m), -im/float64(m))
		wave[k] = back
		if k > 0 {
			wave[m-k] = back
		}
	}
	for k, v := range transformed(wave) {
		filter[k], filter[m+k] = real(v), imag(v)
	}
	return factors, filter
}

// transformed returns the transform of x, whose length has small prime factors.
func transformed(x []complex128) []complex128 {
	roots := make([]complex128, len(x))
	for k := range roots {
		re, im := Root(k, len(x))
		roots[k] = complex(re, -im)
	}
	out := make([]complex128, len(x))
	transformEach(out, x, 1, roots)
	return out
}

// transformEach writes to out the transform of every so manyth element of x.
func transformEach(out, x []complex128, step int, roots []complex128) {
	n := len(out)
	if n == 1 {
		out[0] = x[0]
		return
	}
	r := 2
	for n%r != 0 {
		r++
	}
	m := n / r
	for j := range r {
		transformEach(out[j*m:(j+1)*m], x[j*step:], step*r, roots)
	}
	parts := make([]complex128, r)
	for k := range m {
		for j := range parts {
			parts[j] = out[j*m+k]
		}
		for q := range r {
			sum, at := parts[0], (k+q*m)*step
			for j := 1; j < r; j++ {
				sum += parts[j] * roots[j*at%len(roots)]
			}
			out[k+q*m] = sum
		}
	}
}
