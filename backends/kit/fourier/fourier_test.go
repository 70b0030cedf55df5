package fourier

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
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

// Radices are chosen once for each divisor and first radix, also of lengths with many divisors.
func TestRadicesOfManyDivisors(t *testing.T) {
	for _, n := range []int{720720, 1 << 20, 1036800} {
		divisors := 0
		for d := 1; d <= n; d++ {
			if n%d == 0 {
				divisors++
			}
		}
		s := search{lanes: 16, known: map[state]choice{}}
		s.passes(state{left: n})
		require.LessOrEqual(t, s.choices, divisors*mostRadix, "%d", n)
	}
	require.Nil(t, Radices(17*16, 16), "no radix has the factor 17")
}

// No radices need less than the least memory.
func TestLeastLocalBytes(t *testing.T) {
	for n := 1; n <= 1<<13; n++ {
		if Smooth(n) {
			require.LessOrEqual(t, LeastLocalBytes(n, types.F32), LocalBytes(Radices(n, 16), n, 0, types.F32), "%d", n)
		}
	}
}

// The bytes of locals are those that the kernel of the passes has.
func TestLocalBytes(t *testing.T) {
	for _, d := range []types.DType{types.F32, types.F64} {
		for _, n := range []int{1, 16, 60, 100, 1000, 4096, 9009} {
			b := kernel.NewBuilder("fft")
			radices := Radices(n, 16)
			p := Passes{N: n, Radices: radices, DType: d}
			p.Load = func(kernel.Index) Complex { return Complex{b.Bits(d, 0), b.Bits(d, 0)} }
			p.Store = func(kernel.Index, Complex) {}
			p.Table = func(dims []int, _ []float64) int { return b.Param(kernel.Dense("w", types.Of(d, dims...), false)) }
			p.Write(b)
			made, ok := kernel.LocalBytes(b.Kernel(), nil)
			require.True(t, ok)
			require.EqualValues(t, made, LocalBytes(radices, n, 0, d), "%v, %d", d, n)
		}
	}
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
