package numeric

import (
	"math"

	"ltc/backends/reference/internal/loops"
)

// UnityRoot returns exp(2πik/n) for 0 <= k < n; quarters of a turn are exact.
func UnityRoot(k, n int) complex128 {
	quarter := 4 * k / n
	sin, cos := math.Sincos(math.Pi / 2 * float64(4*k-quarter*n) / float64(n))
	switch quarter {
	case 0:
		return complex(cos, sin)
	case 1:
		return complex(-sin, cos)
	case 2:
		return complex(-cos, -sin)
	}
	return complex(sin, -cos)
}

// longFactor is the factor of a length from which on one turn of a loop of [DFT]
// takes too long for a run that is cancelled.
const longFactor = 128

// DFT writes to out the discrete Fourier transform of every stride-th element
// of in. With p the least prime factor of the length, it transforms each p-th
// element and combines the p results (Cooley and Tukey, 1965). Temp has room for p elements. Roots are
// the powers of the root of unity of the whole length. It returns false when the run is
// cancelled.
func DFT(b *loops.Budget, out, in []complex128, stride int, temp, roots []complex128) bool {
	n := len(out)
	switch n {
	case 1:
		out[0] = in[0]
		return true
	case 2:
		x, y := in[0], in[stride]
		out[0], out[1] = x+y*roots[0], x+y*roots[len(roots)/2]
		return !b.Due(16)
	}
	p := leastFactor(n)
	m := n / p
	for r := range p {
		if p > longFactor && b.Due(4) || !DFT(b, out[r*m:(r+1)*m], in[r*stride:], stride*p, temp, roots) {
			return false
		}
	}
	step := len(roots) / n
	if p == 2 {
		const most = loops.Tank / 16
		for first := 0; first < m; first += most {
			last := min(first+most, m)
			if b.Due(16 * (last - first)) {
				return false
			}
			combine2(out, roots, step, first, last)
		}
		return true
	}
	for k := range m {
		if b.Due(4 * p * p) {
			return false
		}
		for r := range p {
			temp[r] = out[r*m+k]
		}
		for q := range p {
			if p > longFactor && b.Due(4*p) {
				return false
			}
			j := k + q*m
			sum := temp[0]
			for r, w := 1, j; r < p; r++ {
				sum += temp[r] * roots[w*step]
				if w += j; w >= n {
					w -= n
				}
			}
			out[j] = sum
		}
	}
	return true
}

// combine2 combines the two transforms of half the length that out is of, for some of the
// elements of a half: what [DFT] does for p = 2.
func combine2(out, roots []complex128, step, first, last int) {
	m := len(out) / 2
	low, high := out[:m], out[m:][:m]
	for k := first; k < last; k++ {
		x, y := low[k], high[k]
		low[k], high[k] = x+y*roots[k*step], x+y*roots[(k+m)*step]
	}
}

func leastFactor(n int) int {
	for p := 2; p*p <= n; p++ {
		if n%p == 0 {
			return p
		}
	}
	return n
}
