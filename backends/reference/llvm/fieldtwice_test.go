package llvm

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/internal/trials"
)

// overwritten stores to the places 0, 0 and 2 of each record: as many stores as there are
// places from the first to the last.
const overwritten = `kernel overwritten(x: f32[n0, 3] strides [*, 1], out y: f32[n0, 3] strides [*, 1]) {
  for i < n0
  stage {
    %a = load x[i, 0]
    %b = load x[i, 1]
    %c = load x[i, 2]
    store y[i, 0], %a
    store y[i, 0], %b
    store y[i, 2], %c
  }
}
`

// Of two stores to one place the later one counts, also where records are stored at once.
func TestLaterStoreToAFieldCounts(t *testing.T) {
	trials.Sequential(t)
	kernels, err := kernel.ParseAll(overwritten)
	require.NoError(t, err)
	require.NoError(t, kernel.Verify(kernels[0]))
	before := kerneltest.NewMemory(kernels[0], []int64{100}, kerneltest.Dense, 0)
	before.Fill(rand.New(rand.NewPCG(1, 2)))
	want, err := before.Run(evaluate)
	require.NoError(t, err)
	for _, c := range compilers(t) {
		got, err := before.Run(in(compile(t, c, kernels[0])[0], 1))
		require.NoError(t, err)
		require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), c.machine.Level)
	}
}
