package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/ir/types"
)

// What launches compute and move, from what the kernels say.
func TestWork(t *testing.T) {
	for _, c := range []struct {
		name, text string
		sizes      []int64
		want       kernel.Work
		describe   string
	}{
		{"a chain reads each operand once", `kernel k(x: f32[n0] strides [1], b: f32[], out y: f32[n0] strides [1]) {
  for i < n0
  stage {
    %0 = load x[i]
    %1 = multiply %0, %0 : f32
    %2 = load x[i]
    %3 = load b[]
    %4 = add %1, %3 : f32
    %5 = add %4, %2 : f32
    store y[i], %5
  }
}
`, []int64{100}, kernel.Work{Flops: 300, Bytes: 804}, "multiply, add"},
		{"what one axis changes is computed along it alone", `kernel k(x: f32[n0] strides [1], y: f32[n1] strides [1], out z: f32[n0, n1] strides [*, 1]) {
  for i < n0
  for j < n1
  stage {
    %0 = load x[i]
    %1 = exponential %0 : f32
    %2 = load y[j]
    %3 = add %1, %2 : f32
    store z[i, j], %3
  }
}
`, []int64{3, 5}, kernel.Work{Flops: 3 + 15, Bytes: 4 * (3 + 5 + 15)}, "exponential, add"},
		{"stages read rows again and again, and reduce them", `kernel k(x: f32[n0, n1] strides [*, 1], out y: f32[n0, n1] strides [*, 1]) {
  for i < n0
  stage j < n1 {
    %0 = load x[i, j]
    %1 = reduce maximum %0
  }
  stage j < n1 {
    %2 = load x[i, j]
    %3 = subtract %2, %1 : f32
    store y[i, j], %3
  }
}
`, []int64{4, 6}, kernel.Work{Flops: 48, Bytes: 192}, "reduce maximum, subtract"},
		{"a product is 2mnk", `kernel k(a: bf16[n0, n2] strides [*, 1], b: bf16[n2, n1] strides [*, 1], out y: bf16[n0, n1] strides [*, 1]) {
  for i < n0
  for j < n1
  stage k < n2 {
    %0 = load a[i, k]
    %1 = convert %0 : f32
    %2 = load b[k, j]
    %3 = convert %2 : f32
    %4 = multiply %1, %3 : f32
    %5 = reduce add %4
  }
  stage {
    %6 = convert %5 : bf16
    store y[i, j], %6
  }
}
`, []int64{2, 3, 5}, kernel.Work{Flops: 60, Bytes: 2 * (10 + 15 + 6), Factors: types.BF16}, "matmul bf16 2×3×5"},
		{"part of an operand, at computed places", `kernel k(x: f32[n0] strides [1], at: i32[n1] strides [1], out y: f32[n1] strides [1]) {
  for i < n1
  stage {
    %0 = load at[i]
    %1 = constant 0.0 : f32
    %2 = load x[%0] else %1
    store y[i], %2
  }
}
`, []int64{1000, 10}, kernel.Work{Bytes: 120}, "gather"},
		{"a copy", `kernel k(x: i32[n0] strides [0], out y: i32[n0] strides [1]) {
  for i < n0
  stage {
    %0 = load x[i]
    store y[i], %0
  }
}
`, []int64{10}, kernel.Work{Bytes: 44}, "copy"},
		{"a comparison", `kernel k(x: i32[n0] strides [1], y: i32[n0] strides [1], out z: i32[n0] strides [1]) {
  for i < n0
  stage {
    %0 = load x[i]
    %1 = load y[i]
    %2 = compare_lt %0, %1 : bool
    %3 = convert %2 : i32
    %4 = compare_eq %3, %0 : bool
    %5 = select %4, %0, %1 : i32
    store z[i], %5
  }
}
`, []int64{10}, kernel.Work{Bytes: 120}, "compare, convert, select"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, err := kernel.Parse(c.text)
			require.NoError(t, err)
			require.NoError(t, kernel.Verify(k))
			require.Equal(t, c.want, k.Work(c.sizes))
			require.Equal(t, c.describe, k.Describe(c.sizes))
		})
	}
	for _, g := range kerneltest.Goldens(t) {
		for _, r := range g.Runs {
			require.NotEmpty(t, g.Kernel.Describe(r.Before.Sizes))
			require.GreaterOrEqual(t, g.Kernel.Work(r.Before.Sizes).Bytes, 0.0)
		}
	}
}
