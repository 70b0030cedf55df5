package ptx_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
)

// An index that a value says differs along the row, also where the dimension's stride is
// 0: what is loaded there is in no vector that is on its way before the value is known.
func TestIndexAlongZeroStride(t *testing.T) {
	k, err := kernel.Parse(`kernel k(x: i8[4, n1, n1] strides [*, 0, 1], out y: i8[n0, n1] strides [*, 1]) {
  for i < n0
  local row: i8[n1]
  stage j < n1 {
    %0 = constant 0 : i32
    %1 = iota j : i32
    %2 = constant 6 : i32
    %3 = clamp %0, %1, %2 : i32
    %4 = load x[2, %3, j]
    %5 = negate %4 : i8
    store row[j], %5
    store y[i, j], %5
  }
  stage j < n1 {
    %8 = load row[j]
    store y[i, j], %8
  }
}
`)
	require.NoError(t, err)
	run, err := runner(t, k, 1)
	require.NoError(t, err)
	before := kerneltest.NewMemory(k, []int64{3, 8}, kerneltest.Dense, 0)
	want, err := before.Run(evaluate)
	require.NoError(t, err)
	got, err := before.Run(run)
	require.NoError(t, err)
	require.NoError(t, kerneltest.Same(want, got, near))
}
