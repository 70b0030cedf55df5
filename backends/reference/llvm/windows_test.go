package llvm

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
)

// Windows of depthwise convolutions are summed for several points at once, whatever the number
// of points and of channels, with an activation behind them, and for two sums.
func TestWindowsAreSummedSeveralPointsAtOnce(t *testing.T) {
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
