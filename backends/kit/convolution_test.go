package kit_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/internal/test/kittest"
)

// Convolutions of few products add them up one by one, each rounded, in the order and
// with the bits of the evaluator; those of more are contractions.
func TestFewProductsAreAddedOneByOne(t *testing.T) {
	for _, c := range []struct {
		name, elem, image, kernel, out, numbers, window string
		groups                                          int
		contraction                                     bool
	}{
		{"one feature", "f32", "2x9x1", "3x1x4", "2x7x4", "[b, 0, f]x[0, i, o]->[b, 0, f]", "", 1, false},
		{"windows of 2 by 2", "f64", "2x5x6x1", "2x2x1x3", "2x4x5x3", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "", 1, false},
		{"depthwise", "f32", "2x9x3", "3x1x12", "2x5x12", "[b, 0, f]x[0, i, o]->[b, 0, f]", "rhs_dilate = [2]", 3, false},
		{"features, strides, padding", "bf16", "2x9x3", "2x3x4", "2x7x4", "[b, 0, f]x[0, i, o]->[b, 0, f]", "stride = [2], pad = [[1, 4]]", 1, false},
		{"half", "f16", "1x9x2", "3x2x1", "1x7x1", "[b, 0, f]x[0, i, o]->[b, 0, f]", "", 1, false},
		{"seven products", "f32", "1x20x1", "7x1x5", "1x14x5", "[b, 0, f]x[0, i, o]->[b, 0, f]", "", 1, false},
		{"eight products", "f32", "1x20x1", "8x1x5", "1x13x5", "[b, 0, f]x[0, i, o]->[b, 0, f]", "", 1, true},
		{"integers", "i32", "2x9x1", "3x1x4", "2x7x4", "[b, 0, f]x[0, i, o]->[b, 0, f]", "", 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := fmt.Sprintf(`func.func @main(%%x: tensor<%[1]sx%[4]s>, %%w: tensor<%[2]sx%[4]s>) -> tensor<%[3]sx%[4]s> {
    %%0 = stablehlo.convolution(%%x, %%w) dim_numbers = %[5]s, window = {%[6]s} {batch_group_count = 1 : i64, feature_group_count = %[7]d : i64} : (tensor<%[1]sx%[4]s>, tensor<%[2]sx%[4]s>) -> tensor<%[3]sx%[4]s>
    return %%0 : tensor<%[3]sx%[4]s>
  }`, c.image, c.kernel, c.out, c.elem, c.numbers, c.window, c.groups)
			most := 0.0
			if c.contraction && c.elem != "i32" {
				most = 1e-6
			}
			p := kittest.SameWithin(t, text, kittest.Compile(t, text), most)
			require.Empty(t, p.HostSteps())
			products := 0
			for _, k := range p.Kernels {
				if _, ok := kernel.AsContraction(k); ok {
					products++
				}
			}
			require.Equal(t, c.contraction, products > 0, "%v", p)
		})
	}
}

// What surrounds a convolution of few products is computed with it, and its products are
// kept from being rounded with their sum.
func TestFewProductsFuse(t *testing.T) {
	p := kittest.Same(t, `func.func @main(%x: tensor<2x9x1xf32>, %w: tensor<2x1x1xf32>) -> tensor<2x8x1xf32> {
    %0 = stablehlo.negate %x : tensor<2x9x1xf32>
    %1 = stablehlo.convolution(%0, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x1xf32>, tensor<2x1x1xf32>) -> tensor<2x8x1xf32>
    %2 = stablehlo.tanh %1 : tensor<2x8x1xf32>
    return %2 : tensor<2x8x1xf32>
  }`)
	require.Len(t, p.Kernels, 1)
	require.Equal(t, `kernel k(x0: f32[n0, n1] strides [*, 1], x1: f32[], x2: f32[n0, n1] strides [*, 1], x3: f32[], out y4: f32[n0, n1] strides [*, 1]) {
  for i0 < n0
  for i1 < n1
  stage {
    %0 = constant 0.0 : f32
    %1 = load x0[i0, i1]
    %2 = negate %1 : f32
    %3 = load x1[]
    %4 = multiply %2, %3 : f32
    %5 = bitcast_convert %4 : f32
    %6 = add %0, %5 : f32
    %7 = load x2[i0, i1]
    %8 = negate %7 : f32
    %9 = load x3[]
    %10 = multiply %8, %9 : f32
    %11 = bitcast_convert %10 : f32
    %12 = add %6, %11 : f32
    %13 = tanh %12 : f32
    store y4[i0, i1], %13
  }
}
`, p.Kernels[0].String())
}

// The copy of an image whose channels are put last has as many channels as the image if
// these are few: kernels for any number of channels move one element at a time.
func TestFewChannelsAreLiteral(t *testing.T) {
	for channels, want := range map[int]kernel.Size{1: kernel.Sym(2), 3: 3, 4: 4, 5: kernel.Sym(3)} {
		text := fmt.Sprintf(`func.func @main(%%x: tensor<2x%[1]dx9x10xf32>) -> tensor<2x11x12x%[1]dxf32> {
    %%zero = stablehlo.constant dense<0.0> : tensor<f32>
    %%0 = stablehlo.pad %%x, %%zero, low = [0, 0, 1, 1], high = [0, 0, 1, 1], interior = [0, 0, 0, 0] : (tensor<2x%[1]dx9x10xf32>, tensor<f32>) -> tensor<2x%[1]dx11x12xf32>
    %%1 = stablehlo.transpose %%0, dims = [0, 2, 3, 1] : (tensor<2x%[1]dx11x12xf32>) -> tensor<2x11x12x%[1]dxf32>
    return %%1 : tensor<2x11x12x%[1]dxf32>
  }`, channels)
		p := kittest.Same(t, text)
		require.Len(t, p.Kernels, 1)
		axes := p.Kernels[0].Axes
		require.Equal(t, want, axes[len(axes)-1].Size, "%v", p.Kernels[0])
	}
}
