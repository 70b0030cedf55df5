package numeric

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/reference/internal/loops"
)

// DFT against the defining sum, at lengths with large and small factors.
func TestDFT(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 3, 4, 5, 6, 8, 12, 30, 49, 64, 97, 2 * 53, 1001} {
		x, y, temp, roots := make([]complex128, n), make([]complex128, n), make([]complex128, n), make([]complex128, n)
		for i := range x {
			x[i], roots[i] = complex(r.NormFloat64(), r.NormFloat64()), cmplx.Conj(UnityRoot(i, n))
		}
		DFT(new(loops.Budget), y, x, 1, temp, roots)
		for k, got := range y {
			want := 0i
			for i, v := range x {
				want += v * cmplx.Exp(complex(0, -2*math.Pi*float64(i*k%n)/float64(n)))
			}
			require.Less(t, cmplx.Abs(got-want), 1e-11, "element %d of %d", k, n)
		}
	}
}

// A transform of a prime length, which takes long, ends when the run is cancelled.
func TestCancelDFT(t *testing.T) {
	done := make(chan struct{})
	close(done)
	b := loops.Budget{Done: done, Fuel: loops.Tank}
	in, out := make([]complex128, 131071), make([]complex128, 131071)
	require.False(t, DFT(&b, out, in, 1, make([]complex128, len(in)), make([]complex128, len(in))))
	require.Negative(t, b.Fuel)
}
