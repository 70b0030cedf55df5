package llvm

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/llvm/vector"
)

// Convolutions of images with a border of 0, which is not in memory, are what the evaluator
// computes, for any strides of operands. Images whose elements lie together in rows are copied in
// parts, others are padded as a whole.
func TestConvolutionsWithBorders(t *testing.T) {
	const text = `kernel k(x0: f32[n0, n1, n2, n3] strides [*, *, *, %[1]s], x1: f32[n4, n1, %[5]d, %[5]d] strides [*, *, *, 1], x2: f32[n4] strides [*], out y3: f32[n0, n4, n5, n6] strides [*, *, *, 1]) {
  for b < n0
  for o < n4
  for i < n5
  for j < n6
  stage c < n1 k < %[5]d l < %[5]d {
    %%0 = constant 0.0 : f32
    %%1 = load x0[b%[4]s, c, %[2]d*i + k - 2, %[2]d*j %[3]s*l - 3] else %%0
    %%2 = load x1[o, c, k, l]
    %%3 = multiply %%1, %%2 : f32
    %%4 = reduce add %%3
  }
  stage {
    %%5 = load x2[o]
    %%6 = add %%4, %%5 : f32
    store y3[b, o, i, j], %%6
  }
}`
	for _, c := range []struct {
		name, row      string
		step           int
		between, batch string
		window         int
	}{
		{"long rows", "1", 1, "+ 1", "", 4},
		{"every second", "1", 2, "+ 1", "", 7},
		{"apart", "*", 1, "+ 1", "", 4},
		{"backwards", "1", 1, "- 2", "", 4},
		{"a batch with a border", "1", 1, "+ 1", " - 1", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, err := kernel.Parse(fmt.Sprintf(text, c.row, c.step, c.between, c.batch, c.window))
			require.NoError(t, err)
			for _, comp := range compilers(t) {
				code := compile(t, comp, k)[0].(kernel.Preparer)
				for _, sizes := range [][]int64{
					{2, 5, 9, 40, 19, 7, 33}, {1, 40, 6, 33, 3, 2, 36}, {1, 3, 0, 40, 8, 4, 33}, {1, 3, 9, 0, 8, 4, 33}, {2, 1, 1, 1, 5, 9, 40}, {1, 0, 5, 40, 8, 4, 33},
				} {
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
					dense, err := code.Prepare(t.Context(), sizes, before.Strides, nil)
					require.NoError(t, err)
					for i, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread, kerneltest.Reverse} {
						there := before.Like(layout, 0xFF)
						made, err := code.Prepare(t.Context(), sizes, there.Strides, nil)
						require.NoError(t, err)
						q := made.(*spread)
						require.Equal(t, sizes[1] == 0, q.own != nil, "%v", sizes)
						if sizes[1] == 5 && i == 0 { // of long rows
							images := comp.machine.Level == vector.AVX2 || comp.machine.Level >= vector.AVX512
							require.Equal(t, images && c.batch == "", !q.border.whole, comp.machine.Level)
						}
						for parts := 1; parts <= 3; parts += 2 {
							for _, code := range []kernel.Code{made, dense} {
								got, err := there.Run(in(code, parts))
								require.NoError(t, err)
								require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%v %v", sizes, comp.machine.Level)
							}
						}
					}
				}
			}
		})
	}
}
