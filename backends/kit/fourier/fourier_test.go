package fourier

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"
)

// Radices of a length are few, small, and multiply to it.
func TestRadices(t *testing.T) {
	for n := 1; n <= 1<<13; n++ {
		if !Smooth(n) {
			continue
		}
		product := 1
		for _, r := range Radices(n, 16) {
			require.LessOrEqual(t, r, mostRadix, "%d", n)
			product *= r
		}
		require.Equal(t, n, product)
	}
	require.Equal(t, []int{16, 16}, Radices(256, 16))
	require.Equal(t, []int{16, 4, 16}, Radices(1024, 16), "all vectors are full")
}

// Halves are factors of a length near its root.
func TestHalves(t *testing.T) {
	for n, want := range map[int][2]int{1 << 20: {1 << 10, 1 << 10}, 1 << 15: {1 << 8, 1 << 7}, 40000: {200, 200}, 13 * 13 * 11: {13 * 11, 13}} {
		n1, n2 := Halves(n)
		require.Equal(t, want, [2]int{n1, n2})
	}
}

// A convolution with the filter of a chirp is the transform of any length, by factors that
// package fourier has.
func TestChirp(t *testing.T) {
	for _, n := range []int{17, 101, 503, 1009} {
		for _, inverse := range []bool{false, true} {
			t.Run(fmt.Sprint(n, "/", inverse), func(t *testing.T) {
				m := Padded(n, 16)
				require.True(t, Smooth(m))
				require.GreaterOrEqual(t, m, 2*n-1)
				factors, filter := Chirp(n, m, inverse)
				x := make([]complex128, m)
				for k := range n {
					x[k] = complex(float64(k%7)-3, float64(k%5)-2)
				}
				y := make([]complex128, m)
				for k := range y {
					y[k] = x[k] * complex(factors[k], factors[m+k])
				}
				y = transformed(y)
				for k := range y { // back, by the transform of conjugates
					y[k] = cmplx.Conj(y[k] * complex(filter[k], filter[m+k]))
				}
				y = transformed(y)
				for k := range n {
					got := cmplx.Conj(y[k]) * complex(factors[k], factors[m+k])
					want := complex(0, 0)
					for j := range n {
						re, im := Root(j*k%n, n)
						if !inverse {
							im = -im
						}
						want += x[j] * complex(re, im)
					}
					require.InDelta(t, 0, cmplx.Abs(got-want), 1e-13*float64(n)*math.Sqrt(float64(n)))
				}
			})
		}
	}
}
