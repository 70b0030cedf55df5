package eval

import (
	"fmt"
	"testing"
)

// convolve is a program that convolves images with pad on all sides; dims says
// how operands and result lie.
func convolve(lhs, rhs, out, dims string, groups, pad int) string {
	return fmt.Sprintf(`func.func public @main(%%a: tensor<%[1]sxf32>, %%b: tensor<%[2]sxf32>) -> tensor<%[3]sxf32> {
  %%0 = "stablehlo.convolution"(%%a, %%b) <{padding = dense<%[6]d> : tensor<2x2xi64>, dimension_numbers = #stablehlo.conv<%[4]s>, batch_group_count = 1 : i64, feature_group_count = %[5]d : i64}> : (tensor<%[1]sxf32>, tensor<%[2]sxf32>) -> tensor<%[3]sxf32>
  return %%0 : tensor<%[3]sxf32>
}`, lhs, rhs, out, dims, groups, pad)
}

func BenchmarkConvolution(b *testing.B) {
	const first, last = "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
	for _, c := range []struct {
		name, text string
		flops      float64
	}{
		{"3x3x64x64", convolve("1x64x56x56", "64x64x3x3", "1x64x56x56", first, 1, 1), 2 * 56 * 56 * 9 * 64 * 64},
		{"1x1x256x64", convolve("1x56x56x256", "1x1x256x64", "1x56x56x64", last, 1, 0), 2 * 56 * 56 * 256 * 64},
		{"7x7x3x64", convolve("1x112x112x3", "7x7x3x64", "1x112x112x64", last, 1, 3), 2 * 112 * 112 * 49 * 3 * 64},
		{"depthwise3x3x96", convolve("1x96x112x112", "96x1x3x3", "1x96x112x112", first, 96, 1), 2 * 112 * 112 * 9 * 96},
	} {
		b.Run(c.name, func(b *testing.B) {
			benchmark(b, c.text)
			b.ReportMetric(c.flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

func BenchmarkPooling(b *testing.B) {
	benchmark(b, `func.func public @main(%a: tensor<1x64x112x112xf32>) -> tensor<1x64x56x56xf32> {
  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>, padding = dense<[[0, 0], [0, 0], [1, 0], [1, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<1x64x112x112xf32>, tensor<f32>) -> tensor<1x64x56x56xf32>
  return %0 : tensor<1x64x56x56xf32>
}`)
}

func BenchmarkSort(b *testing.B) {
	benchmark(b, `func.func public @main(%a: tensor<100000xf32>) -> tensor<100000xf32> {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<100000xf32>) -> tensor<100000xf32>
  return %0 : tensor<100000xf32>
}`)
}
