package llvm

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
)

// Points that are written out do not share what a stage hands on to the next one:
// the parts of a concatenation that goes to a view whose components lie anywhere.
func TestLocalsOfPointsThatAreWrittenOut(t *testing.T) {
	k, err := kernel.Parse(`kernel k(x0: f64[2, 3, 2, 2] strides [*, *, *, 1], out y1: f64[2, 3, 2, 2] strides [*, *, *, *], out y2: f64[2, 3, 2, 2] strides [*, *, *, *]) {
  for i0 < 2
  for i1 < 3
  local t0: f64[2, 2]
  stage j0 < 2 j1 < 2 {
    %0 = load x0[i0, i1, j0, j1]
    %1 = add %0, %0 : f64
    store t0[j0, j1], %1
    store y1[i0, i1, j0, j1], %1
  }
  stage j0 < 2 j1 < 2 {
    %4 = load t0[j0, j1]
    store y2[i0, i1, j0, j1], %4
  }
}
`)
	require.NoError(t, err)
	for _, c := range compilers(t) {
		code := compile(t, c, k)[0]
		before := kerneltest.NewMemory(k, nil, kerneltest.Dense, 0)
		before.Fill(rand.New(rand.NewPCG(1, 1)))
		want, err := before.Run(evaluate)
		require.NoError(t, err)
		for _, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread, kerneltest.Reverse} {
			for parts := 1; parts <= 3; parts++ {
				got, err := before.Like(layout, 0xFF).Run(in(code, parts))
				require.NoError(t, err)
				require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%v%s", c.machine.Level, schedule(code))
			}
		}
	}
}
