package eval

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/soa"
)

// Scales of blocks: each 1x2 block of a 2x4 tensor has its own.
func TestQuantizedBlocks(t *testing.T) {
	e := compile(t, `!q = !quant.uniform<i8:f32:{0:1, 1:2}, {{0.5, 1.0:10}, {2.0:-1, 4.0}}>
!column = !quant.uniform<i8:f32:{0:1}, {{1.0}, {2.0}}>
func.func @main(%a: tensor<2x4xf32>) -> (tensor<2x4xi32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %q = stablehlo.uniform_quantize %a : (tensor<2x4xf32>) -> tensor<2x4x!q>
  %i = stablehlo.bitcast_convert %q : (tensor<2x4x!q>) -> tensor<2x4xi8>
  %0 = stablehlo.convert %i : (tensor<2x4xi8>) -> tensor<2x4xi32>
  %1 = stablehlo.uniform_dequantize %q : (tensor<2x4x!q>) -> tensor<2x4xf32>
  %c = stablehlo.uniform_quantize %q : (tensor<2x4x!q>) -> tensor<2x4x!column>
  %2 = stablehlo.uniform_dequantize %c : (tensor<2x4x!column>) -> tensor<2x4xf32>
  return %0, %1, %2 : tensor<2x4xi32>, tensor<2x4xf32>, tensor<2x4xf32>
}`)
	c := &backends.Call{Args: []soa.View{vec(t, []float32{1, 2, 3, 4, 5, 6, 7, 9}, 2, 4)}}
	require.NoError(t, e.Execute(context.Background(), c))
	require.Equal(t, []int32{2, 4, 13, 14, 2, 2, 2, 2}, soa.Slice[int32](c.Results[0]))
	require.Equal(t, []float32{1, 2, 3, 4, 6, 6, 8, 8}, soa.Slice[float32](c.Results[1]))
	require.Equal(t, []float32{1, 2, 3, 4, 6, 6, 8, 8}, soa.Slice[float32](c.Results[2]))
}
