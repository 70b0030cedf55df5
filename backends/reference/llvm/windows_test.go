package llvm

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/internal/trials"
)

// Windows of depthwise convolutions are summed for several points at once, whatever the number
// of points and of channels, with an activation behind them, and for two sums.
func TestWindowsAreSummedSeveralPointsAtOnce(t *testing.T) {
	trials.Sequential(t)
	for name, c := range map[string]struct{ sums, results string }{
		"sum": {"%3 = reduce add %2", "store y2[i0, i1, i2], %3"},
		"activation": {"%3 = reduce add %2", `%4 = load x3[i2]
    %5 = multiply %3, %4 : f32
    %6 = maximum %5, %4 : f32
    store y2[i0, i1, i2], %6`},
		"sum and maximum": {"%3 = reduce add %2\n    %4 = reduce maximum %0", "%5 = subtract %3, %4 : f32\n    store y2[i0, i1, i2], %5"},
	} {
		for _, window := range []int{3, 7} {
			k, err := kernel.Parse(fmt.Sprintf(`kernel k(x0: f32[n0, n1, n2, %[1]d, %[1]d] strides [*, *, 1, *, *], x1: f32[n2, %[1]d, %[1]d] strides [1, *, *], x3: f32[n2] strides [1], out y2: f32[n0, n1, n2] strides [*, *, 1]) {
  for i0 < n0
  for i1 < n1
  for i2 < n2
  stage j0 < %[1]d j1 < %[1]d {
    %%0 = load x0[i0, i1, i2, j0, j1]
    %%1 = load x1[i2, j0, j1]
    %%2 = multiply %%0, %%1 : f32
    %[2]s
  }
  stage {
    %[3]s
  }
}
`, window, c.sums, c.results))
			require.NoError(t, err)
			for _, comp := range compilers(t) {
				code := compile(t, comp, k)[0]
				require.Contains(t, schedule(code), "windows cut i0", name)
				for _, sizes := range [][]int64{{2, 1, 5}, {1, 4, 16}, {3, 9, 17}, {2, 7, 40}, {1, 3, 0}} {
					before := kerneltest.NewMemory(k, sizes, kerneltest.Dense, 0)
					for p := range 3 { // small integers, whose sums are exact
						values := before.Get(p)
						for i := range values {
							values[i] = uint64(math.Float32bits(float32((i*7+p)%11 - 5)))
						}
						before.Set(p, values)
					}
					want, err := before.Run(evaluate)
					require.NoError(t, err)
					for parts := 1; parts <= 3; parts++ {
						got, err := before.Like(kerneltest.Spread, 0xFF).Run(in(code, parts))
						require.NoError(t, err)
						require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%s %d %v %v", name, window, sizes, comp.machine.Level)
					}
				}
			}
		}
	}
}

// Elements around an image are read as they are said to be. Windows that have some are summed
// by themselves.
func TestWindowsWithBorders(t *testing.T) {
	trials.Sequential(t)
	for _, window := range []int{3, 5} {
		for _, apart := range []int{1, 2, 3} {
			k, err := kernel.Parse(fmt.Sprintf(`kernel k(x0: f32[n0, n1, n2] strides [*, *, 1], x1: f32[%[1]d, %[1]d, n2] strides [*, *, 1], out y2: f32[n3, n4, n2] strides [*, *, 1]) {
  for i0 < n3
  for i1 < n4
  for i2 < n2
  stage j0 < %[1]d j1 < %[1]d {
    %%0 = constant 3.0 : f32
    %%1 = load x0[%[2]d*i0 + j0 - %[3]d, %[2]d*i1 + 2*j1 - %[1]d, i2] else %%0
    %%2 = load x1[j0, j1, i2]
    %%3 = multiply %%1, %%2 : f32
    %%4 = reduce add %%3
  }
  stage {
    store y2[i0, i1, i2], %%4
  }
}
`, window, apart, window/2))
			require.NoError(t, err)
			for _, comp := range compilers(t) {
				code := compile(t, comp, k)[0]
				require.Contains(t, schedule(code), "windows cut i0", comp.machine.Level)
				for _, sizes := range [][]int64{{9, 14, 17, 8, 13}, {1, 1, 16, 4, 9}, {5, 30, 40, 3, 12}, {4, 4, 33, 0, 5}, {3, 0, 16, 2, 7}, {6, 40, 5, 5, 5}} {
					before := kerneltest.NewMemory(k, sizes, kerneltest.Dense, 0)
					for p := range 2 { // small integers, whose sums are exact
						values := before.Get(p)
						for i := range values {
							values[i] = uint64(math.Float32bits(float32((i*7+p)%11 - 5)))
						}
						before.Set(p, values)
					}
					want, err := before.Run(evaluate)
					require.NoError(t, err)
					for parts := 1; parts <= 3; parts++ {
						got, err := before.Like(kerneltest.Spread, 0xFF).Run(in(code, parts))
						require.NoError(t, err)
						require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%d %d %v %v", window, apart, sizes, comp.machine.Level)
					}
				}
			}
		}
	}
}
