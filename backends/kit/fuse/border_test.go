package fuse_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/fuse"
	"ltc/internal/test/kittest"
)

// What is around an image is part of the convolution where the target reads it so, the
// image's features fill tiles and what is there is 0; else it is written out. It is
// what the evaluator computes in any case.
func TestBorders(t *testing.T) {
	for _, c := range []struct {
		name          string
		shape, window string
		attrs         string
		around        string
		transposed    bool
		with, without int // steps
	}{
		{"features of 128 bytes", "2x5x4x32", "3x3x32x4", "", "0.0", false, 1, 2},
		{"few features", "2x5x4x3", "3x3x3x4", "", "0.0", false, 2, 2},
		{"features without a place around them", "2x5x4x96", "3x3x96x4", "", "0.0", false, 1, 2},
		{"something else than 0", "2x5x4x32", "3x3x32x4", "", "1.0", false, 2, 2},
		{"minus 0", "2x5x4x32", "3x3x32x4", "", "-0.0", false, 2, 2},
		{"after a transpose, which pads in one step", "2x32x5x4", "3x3x32x4", "", "0.0", true, 2, 2},
		{"in groups", "2x5x4x64", "3x3x32x4", "feature_group_count = 2 : i64", "0.0", false, 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			var shape [4]int
			_, err := fmt.Sscanf(c.shape, "%dx%dx%dx%d", &shape[0], &shape[1], &shape[2], &shape[3])
			require.NoError(t, err)
			x := ""
			if c.transposed {
				shape = [4]int{shape[0], shape[2], shape[3], shape[1]}
				x = fmt.Sprintf("%%t = stablehlo.transpose %%x, dims = [0, 2, 3, 1] : (tensor<%sxf32>) -> tensor<%dx%dx%dx%dxf32>\n", c.shape, shape[0], shape[1], shape[2], shape[3])
			} else {
				x = fmt.Sprintf("%%t = stablehlo.reshape %%x : (tensor<%[1]sxf32>) -> tensor<%[1]sxf32>\n", c.shape)
			}
			groups := c.attrs
			if groups == "" {
				groups = "feature_group_count = 1 : i64"
			}
			in := fmt.Sprintf("tensor<%dx%dx%dx%dxf32>", shape[0], shape[1], shape[2], shape[3])
			padded := fmt.Sprintf("tensor<%dx%dx%dx%dxf32>", shape[0], shape[1]+2, shape[2]+2, shape[3])
			w, y := "tensor<"+c.window+"xf32>", fmt.Sprintf("tensor<%dx%dx%dx4xf32>", shape[0], shape[1], shape[2])
			text := fmt.Sprintf(`func.func @main(%%x: tensor<%[1]sxf32>, %%w: %[5]s) -> %[6]s {
  %[2]s  %%z = stablehlo.constant dense<%[7]s> : tensor<f32>
  %%p = stablehlo.pad %%t, %%z, low = [0, 1, 1, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (%[3]s, tensor<f32>) -> %[4]s
  %%y = stablehlo.convolution(%%p, %%w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, %[8]s} : (%[4]s, %[5]s) -> %[6]s
  return %%y : %[6]s
}`, c.shape, x, in, padded, w, y, c.around, groups)
			require.Len(t, kittest.Same(t, text).Steps, c.without)
			require.Len(t, kittest.SameAs(t, text, kittest.CompileFor(t, text, fuse.Options{Borders: true})).Steps, c.with)
		})
	}
}

// What is around an image is part of a depthwise convolution, where the target reads it so and
// most of what is padded is the image.
func TestBordersOfWindows(t *testing.T) {
	for _, c := range []struct {
		name        string
		side, apart int
		with        int // steps
	}{
		{"every second", 40, 2, 1},
		{"every place", 40, 1, 1},
		{"a small image", 8, 1, 1},
		{"a smaller one", 6, 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			places := (c.side+2-3)/c.apart + 1
			x, padded := fmt.Sprintf("tensor<1x%[1]dx%[1]dx32xf32>", c.side), fmt.Sprintf("tensor<1x%[1]dx%[1]dx32xf32>", c.side+2)
			y := fmt.Sprintf("tensor<1x%[1]dx%[1]dx32xf32>", places)
			text := fmt.Sprintf(`func.func @main(%%x: %[1]s, %%w: tensor<3x3x1x32xf32>) -> %[3]s {
  %%z = stablehlo.constant dense<0.0> : tensor<f32>
  %%p = stablehlo.pad %%x, %%z, low = [0, 1, 1, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (%[1]s, tensor<f32>) -> %[2]s
  %%y = stablehlo.convolution(%%p, %%w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [%[4]d, %[4]d]} {batch_group_count = 1 : i64, feature_group_count = 32 : i64} : (%[2]s, tensor<3x3x1x32xf32>) -> %[3]s
  return %%y : %[3]s
}`, x, padded, y, c.apart)
			require.Len(t, kittest.Same(t, text).Steps, 2)
			require.Len(t, kittest.SameAs(t, text, kittest.CompileFor(t, text, fuse.Options{WindowBorders: true})).Steps, c.with)
		})
	}
}
