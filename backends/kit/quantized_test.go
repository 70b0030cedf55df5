package kit_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/kittest"
	"ltc/internal/test/programs"
)

// Programs of quantized elements are kernels of integers and floats.
func TestQuantized(t *testing.T) {
	all := programs.Quantized()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		require.Empty(t, kittest.SameWithin(t, all[name], kittest.Compile(t, all[name]), 0).HostSteps(), name)
	}
}

// An op without a rule is left to the evaluator, and takes and gives quantized elements between
// kernels.
func TestQuantizedOfTheEvaluator(t *testing.T) {
	steps := kittest.Same(t, `!q = !quant.uniform<i8:f32, 0.5:-3>
func.func @main(%x: tensor<5x3xf32>, %z: tensor<!q>) -> tensor<5xf32> {
  %0 = stablehlo.uniform_quantize %x : (tensor<5x3xf32>) -> tensor<5x3x!q>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<5x3x!q>, tensor<!q>) -> tensor<5x!q>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<5x!q>) -> tensor<5xf32>
  return %2 : tensor<5xf32>
}`).HostSteps()
	require.Len(t, steps, 1)
	require.Equal(t, "stablehlo.reduce", steps[0].Op.String())
}
