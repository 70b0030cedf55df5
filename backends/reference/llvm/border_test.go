package llvm

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/llvm/vector"
	"ltc/internal/trials"
)

// Convolutions of images with a border of 0, which is not in memory, are what the evaluator
// computes, for any strides of operands. Images whose elements lie together in rows are copied in
// parts, others are padded as a whole.
func TestConvolutionsWithBorders(t *testing.T) {
	trials.Sequential(t)
	const text = `kernel k(x0: f32[n0, n1, n2, n3] strides [*, *, *, %[1]s], x1: f32[n4, n1, %[5]d, %[6]d] strides [*, *, *, 1], x2: f32[n4] strides [*], out y3: f32[n0, n4, n5, n6] strides [*, *, *, 1]) {
  for b < n0
  for o < n4
  for i < n5
  for j < n6
  stage c < n1 k < %[5]d l < %[6]d {
    %%0 = constant 0.0 : f32
    %%1 = load x0[b%[4]s, c, %[2]d*i + k - 2, %[7]d*j %[3]s*l - %[8]d] else %%0
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
		tall           bool
	}{
		{"long rows", "1", 1, "+ 1", "", 4, false},
		{"every second", "1", 2, "+ 1", "", 7, false},
		{"apart", "*", 1, "+ 1", "", 4, false},
		{"backwards", "1", 1, "- 2", "", 4, false},
		{"a batch with a border", "1", 1, "+ 1", " - 1", 4, false},
		{"rows of one element", "1", 1, "+ 1", "", 15, true},
		{"every second row of one element", "1", 2, "+ 1", "", 15, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			across, step, low, all := c.window, c.step, 3, [][]int64{
				{2, 5, 9, 40, 19, 7, 33}, {1, 40, 6, 33, 3, 2, 36}, {1, 3, 0, 40, 8, 4, 33}, {1, 3, 9, 0, 8, 4, 33}, {2, 1, 1, 1, 5, 9, 40}, {1, 0, 5, 40, 8, 4, 33},
			}
			if c.tall {
				across, step, low, all = 1, 1, 0, [][]int64{{2, 5, 120, 1, 19, 64, 1}, {1, 3, 0, 1, 8, 64, 1}}
			}
			k, err := kernel.Parse(fmt.Sprintf(text, c.row, c.step, c.between, c.batch, c.window, across, step, low))
			require.NoError(t, err)
			for _, comp := range compilers(t) {
				code := compile(t, comp, k)[0].(kernel.Preparer)
				for _, sizes := range all {
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
					for i, layout := range []kerneltest.Layout{
						kerneltest.Dense, ofImage(k, kerneltest.Spread), ofImage(k, kerneltest.Reverse), ofImage(k, func(int64) int64 { return 0 }),
						kerneltest.Spread, kerneltest.Reverse,
					} {
						there, want := before.Like(layout, 0xFF), want
						if i == 3 { // elements in the same place, which are equal
							want, err = there.Run(evaluate)
							require.NoError(t, err)
						}
						made, err := code.Prepare(t.Context(), sizes, there.Strides, nil)
						require.NoError(t, err)
						q := made.(*spread)
						require.Equal(t, sizes[1] == 0, q.own != nil, "%v", sizes)
						if sizes[1] == 5 && i < 4 { // of a result with long rows
							images := comp.machine.Level == vector.AVX2 || comp.machine.Level >= vector.AVX512
							copies := c.batch == "" && !(c.row == "*" && i > 0) && !(c.tall && c.step == 2)
							require.Equal(t, images && copies, !q.border.whole, "%v, layout %d", comp.machine.Level, i)
						}
						for parts := 1; parts <= 3; parts += 2 {
							for _, code := range []kernel.Code{made, dense} {
								got, err := there.Run(in(code, parts))
								require.NoError(t, err)
								require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%v %v, layout %d", sizes, comp.machine.Level, i)
							}
						}
					}
				}
			}
		})
	}
}

// ofImage is a layout of the first operand of a kernel. Others are dense.
func ofImage(k *kernel.Kernel, layout kerneltest.Layout) kerneltest.Layout {
	own, all, calls := 0, k.StrideArgs(), 0
	for _, class := range k.Params[0].Strides {
		if class == kernel.AnyStride {
			own++
		}
	}
	return func(stride int64) int64 {
		calls++
		if (calls-1)%all < own { // operands come in their order
			return layout(stride)
		}
		return stride
	}
}

// Each part pads all of an image whose rows are apart: a large one has few parts.
func TestPartsOfBorders(t *testing.T) {
	trials.Sequential(t)
	k, err := kernel.Parse(`kernel k(x0: f32[n0, n1, n2, n3] strides [*, *, *, *], x1: f32[n4, n1, 3, 3] strides [*, *, *, 1], out y2: f32[n0, n4, n2, n3] strides [*, *, *, 1]) {
  for b < n0
  for o < n4
  for i < n2
  for j < n3
  stage c < n1 k < 3 l < 3 {
    %0 = constant 0.0 : f32
    %1 = load x0[b, c, i + k - 1, j + l - 1] else %0
    %2 = load x1[o, c, k, l]
    %3 = multiply %1, %2 : f32
    %4 = reduce add %3
  }
  stage {
    store y2[b, o, i, j], %4
  }
}`)
	require.NoError(t, err)
	for _, comp := range compilers(t) {
		code := compile(t, comp, k)[0].(kernel.Preparer)
		for _, c := range []struct{ batch, step, parts int64 }{{1, 2, 8}, {16, 2, 3}, {256, 2, 1}} {
			const n, features = 128, 64
			made, err := code.Prepare(t.Context(), []int64{c.batch, features, n, n, features},
				[]int64{features * n * n * c.step, n * n * c.step, n * c.step, c.step, 9 * features, 9, 3, features * n * n, n * n, n}, nil)
			require.NoError(t, err)
			require.True(t, made.(*spread).border.whole)
			require.EqualValues(t, c.parts, made.Parts([]int64{c.batch, features, n, n, features}, 8), "%d images, %v", c.batch, comp.machine.Level)
		}
	}
}
