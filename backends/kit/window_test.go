package kit_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/kittest"
)

// Windows of all kinds compute what the evaluator does: strides, padding that
// adds or takes away, elements and windows that stand apart.
func TestWindows(t *testing.T) {
	for name, c := range map[string]struct{ attrs, out, op, init string }{
		"pool":     {"window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 2, 2>", "3x4x3", "maximum", "0xFF800000"},
		"padded":   {"padding = dense<[[0, 0], [1, 1], [2, 0]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 3, 3>", "3x8x6", "add", "0.5"},
		"cropped":  {"padding = dense<[[-1, 0], [-2, -1], [1, 0]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 2, 1>", "2x4x7", "minimum", "0.0"},
		"apart":    {"base_dilations = array<i64: 2, 1, 3>, window_dimensions = array<i64: 2, 1, 2>", "4x8x15", "add", "1.0"},
		"dilated":  {"window_dilations = array<i64: 1, 3, 2>, window_dimensions = array<i64: 1, 2, 3>", "3x5x2", "multiply", "2.0"},
		"one each": {"window_dimensions = array<i64: 1, 1, 1>, window_strides = array<i64: 2, 3, 1>", "2x3x6", "add", "1.0"},
		"padding":  {"padding = dense<[[0, 0], [9, 0], [0, 0]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 2, 1>", "3x16x6", "maximum", "0.25"},
	} {
		t.Run(name, func(t *testing.T) {
			p := kittest.Same(t, fmt.Sprintf(`func.func @main(%%x: tensor<3x8x6xf32>) -> tensor<%[2]sxf32> {
    %%i = stablehlo.constant dense<%[4]s> : tensor<f32>
    %%1 = "stablehlo.reduce_window"(%%x, %%i) <{%[1]s}> ({
    ^bb0(%%a: tensor<f32>, %%b: tensor<f32>):
      %%2 = stablehlo.%[3]s %%a, %%b : tensor<f32>
      stablehlo.return %%2 : tensor<f32>
    }) : (tensor<3x8x6xf32>, tensor<f32>) -> tensor<%[2]sxf32>
    return %%1 : tensor<%[2]sxf32>
  }`, c.attrs, c.out, c.op, c.init))
			require.Empty(t, p.HostSteps())
		})
	}
}
