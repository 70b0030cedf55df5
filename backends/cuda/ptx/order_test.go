package ptx_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/ptx"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/ir/types"
)

// Updates whose order shows run in it: the last of those to the same place stays, and
// sums of floats, where that is asked for, have the evaluator's bits.
func TestInOrder(t *testing.T) {
	const rows = `kernel k(x: f32[n0, n1] strides [*, 1], at: i32[n2] strides [1], u: f32[n0, n2] strides [*, 1], out y: f32[n0, n1] strides [*, 1]) {
  for i < n0
  stage j < n1 {
    %0 = load x[i, j]
    store y[i, j], %0
  }
  stage k < n2 {
    %1 = load at[k]
    %2 = load u[i, k]
    store y[i, %1] inside, %2
  }
}`
	const columns = `kernel k(x: f32[n1, n0] strides [*, 1], at: i32[n2] strides [1], u: f32[n2, n0] strides [*, 1], out y: f32[n1, n0] strides [*, 1]) {
  for i < n0
  stage j < n1 {
    %0 = load x[j, i]
    store y[j, i], %0
  }
  stage k < n2 {
    %1 = load at[k]
    %2 = load u[k, i]
    store add y[%1, i] inside, %2
  }
}`
	for _, c := range []struct {
		name, text string
		options    ptx.Options
		schedule   string
	}{
		{"rows", rows, ptx.Options{}, "rows of 256x1 threads, blocks i, stage 0 j, stage 1 in order"},
		{"columns", columns, ptx.Options{Ordered: true}, "columns of 32x1 threads, x i, stage 1 in order"},
		{"atomic", columns, ptx.Options{}, "columns of 32x1 threads, x i"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, err := kernel.Parse(c.text)
			require.NoError(t, err)
			require.NoError(t, kernel.Verify(k))
			s, err := c.options.Plan(k)
			require.NoError(t, err)
			require.Equal(t, c.schedule, s.String())
			before := kerneltest.NewMemory(k, []int64{3, 40, 90}, kerneltest.Spread, 0x5A)
			ordinary(before)
			at := before.Get(1)
			for i := range at { // many to the same place, some to none
				at[i] = uint64(uint32(int32(i*i%7 - 1)))
			}
			before.Set(1, at)
			want, err := before.Run(evaluate)
			require.NoError(t, err)
			run, err := runnerOf(t, k, s, 1<<20)
			require.NoError(t, err)
			got, err := before.Run(run)
			require.NoError(t, err)
			require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}))
		})
	}
}

// Points of a kernel's axes that store to the same places have no schedule.
func TestNotSeparable(t *testing.T) {
	k, err := kernel.Parse(`kernel k(x: f32[n0] strides [1], at: i32[n0] strides [1], out y: f32[n1] strides [1]) {
  for i < n0
  stage {
    %0 = load at[i]
    %1 = load x[i]
    store add y[%0] inside, %1
  }
}`)
	require.NoError(t, err)
	require.Equal(t, types.F32, k.Params[2].DType)
	_, err = ptx.Options{Ordered: true}.Plan(k)
	require.EqualError(t, err, "ptx: kernel k: points of i store to the same places of y, in an order: unsupported operation")
	_, err = ptx.Options{}.Plan(k)
	require.NoError(t, err)
}

// Columns that a table says are apart, so that what is stored along them is separable;
// along an axis that the table is not read with, it is not.
func TestColumnsAreSeparable(t *testing.T) {
	text := `kernel k(t: i64[n1] strides [1], x: f32[n0, n1] strides [*, 1], out y: f32[n0, n1, n1] strides [1, 0, table]) {
  for i < n0
  for j < n1
  stage {
    %0 = load t[j]
    %1 = load x[i, j]
    store y[i, j, %0], %1
  }
}`
	k, err := kernel.Parse(text)
	require.NoError(t, err)
	require.NoError(t, kernel.Verify(k))
	_, err = ptx.Options{}.Plan(k)
	require.NoError(t, err)
	k, err = kernel.Parse(strings.Replace(text, "load t[j]", "load t[0]", 1))
	require.NoError(t, err)
	_, err = ptx.Options{}.Plan(k)
	require.EqualError(t, err, "ptx: kernel k: points of j store to the same places of y, in an order: unsupported operation")
}
