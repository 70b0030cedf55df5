package tiles

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
)

// Larger launches are estimated to take longer, and those without points nothing.
func TestEstimate(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		strides func(n int64) []int64
	}{
		"elementwise": {`kernel k(x: f32[n0] strides [1], out y: f32[n0] strides [1]) {
  for i < n0
  stage {
    %0 = load x[i]
    %1 = multiply %0, %0 : f32
    store y[i], %1
  }
}`, func(int64) []int64 { return nil }},
		"product": {`kernel k(x: f32[n0, n0] strides [*, 1], y: f32[n0, n0] strides [*, 1], out z: f32[n0, n0] strides [*, 1]) {
  for i < n0
  for j < n0
  stage l < n0 {
    %0 = load x[i, l]
    %1 = load y[l, j]
    %2 = multiply %0, %1 : f32
    %3 = reduce add %2
  }
  stage {
    store z[i, j], %3
  }
}`, func(n int64) []int64 { return []int64{n, n, n} }},
	} {
		k, err := kernel.Parse(c.text)
		require.NoError(t, err, name)
		require.NoError(t, kernel.Verify(k), name)
		last := 0.0
		estimate := Compiler{}.Estimate(k)
		require.Zero(t, estimate([]int64{0}, c.strides(0)), name)
		for n := int64(2); n <= 512; n *= 4 {
			e := estimate([]int64{n}, c.strides(n))
			require.Greater(t, e, last, "%s: %d", name, n)
			last = e
		}
	}
}
