package fuse_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/internal/test/kittest"
)

// The sums of a product are cut into as many parts as the target wants, along the first
// axis that they are over. What adds them has what follows the product, or is part of
// the rows that follow.
func TestProductParts(t *testing.T) {
	const (
		plain   = "return %0 : $Y"
		bias    = "%1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<20x$T>) -> $Y\n  %2 = stablehlo.add %0, %1 : $Y\n  %3 = stablehlo.add %2, %r : $Y\n  return %3 : $Y"
		softmax = "%z = stablehlo.constant dense<0.0> : tensor<f32>\n  %1 = stablehlo.exponential %0 : $Y\n  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [1] : ($Y, tensor<f32>) -> tensor<24xf32>\n  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<24xf32>) -> $Y\n  %4 = stablehlo.divide %1, %3 : $Y\n  return %4 : $Y"
	)
	for _, c := range []struct {
		name, dims, x, w, y string
		element, sum, tail  string
		parts, steps        int
	}{
		{"two parts", "contracting_dims = [1] x [0]", "24x48", "48x20", "24x20", "f32", "f32", plain, 2, 2},
		{"parts named one by one", "contracting_dims = [1] x [0]", "24x48", "48x20", "24x20", "f32", "f32", plain, 3, 2},
		{"many", "contracting_dims = [1] x [0]", "24x48", "48x20", "24x20", "f32", "f32", plain, 12, 2},
		{"a number that does not divide", "contracting_dims = [1] x [0]", "24x48", "48x20", "24x20", "f32", "f32", plain, 5, 1},
		{"parts of one element", "contracting_dims = [1] x [0]", "24x4", "4x20", "24x20", "f32", "f32", plain, 4, 1},
		{"transposed", "contracting_dims = [0] x [1]", "48x24", "20x48", "24x20", "f32", "f32", plain, 4, 2},
		{"two axes", "contracting_dims = [0, 2] x [0, 1]", "4x24x12", "4x12x20", "24x20", "f32", "f32", plain, 2, 2},
		{"all of the first of two axes", "contracting_dims = [0, 2] x [0, 1]", "4x24x12", "4x12x20", "24x20", "f32", "f32", plain, 4, 2},
		{"batches", "batching_dims = [0] x [0], contracting_dims = [2] x [1]", "3x24x48", "3x48x20", "3x24x20", "f32", "f32", plain, 4, 2},
		{"bf16", "contracting_dims = [1] x [0]", "24x48", "48x20", "24x20", "bf16", "f32", plain, 4, 2},
		{"f64", "contracting_dims = [1] x [0]", "24x48", "48x20", "24x20", "f64", "f64", plain, 4, 2},
		{"i32", "contracting_dims = [1] x [0]", "24x48", "48x20", "24x20", "i32", "i32", plain, 4, 2},
		{"bias and residual", "contracting_dims = [1] x [0]", "24x48", "48x20", "24x20", "f32", "f32", bias, 4, 2},
		{"softmax", "contracting_dims = [1] x [0]", "24x48", "48x20", "24x20", "f32", "f32", softmax, 4, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := "tensor<" + c.y + "x" + c.sum + ">"
			text := strings.NewReplacer("$X", "tensor<"+c.x+"x"+c.element+">", "$W", "tensor<"+c.w+"x"+c.element+">", "$Y", y, "$T", c.sum, "$D", c.dims).Replace(
				"func.func @main(%x: $X, %w: $W, %b: tensor<20x$T>, %r: $Y) -> $Y {\n  %0 = stablehlo.dot_general %x, %w, $D : ($X, $W) -> $Y\n  " +
					strings.NewReplacer("$Y", y, "$T", c.sum).Replace(c.tail) + "\n}")
			p := kittest.CompileFor(t, text, fuse.Options{ProductParts: func(k *kernel.Kernel) int64 {
				_, ok := kernel.AsContraction(k)
				require.True(t, ok)
				return int64(c.parts)
			}})
			require.Len(t, kittest.SameAs(t, text, p).Steps, c.steps)
			want := 0
			if c.steps > 1 {
				want = c.parts
			}
			require.Equal(t, want, p.Steps[0].Launch().Parts)
		})
	}
}
