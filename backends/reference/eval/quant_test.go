package eval

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
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

// A product of quantized operands is the exact sum of the products of differences to the zero
// points, times the product of the scales. Sums of floats lose the last term here: it is less
// than half of the last place of the others' sum.
func TestQuantizedProducts(t *testing.T) {
	for name, text := range map[string]string{
		"dot_general": `%0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<1x600x!a>, tensor<600x2x!w>) -> tensor<1x2x!r>`,
		"convolution": `%i = stablehlo.reshape %x : (tensor<1x600x!a>) -> tensor<1x600x1x!a>
  %k = stablehlo.reshape %y : (tensor<600x2x!w>) -> tensor<600x1x2x!w>
  %c = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x600x1x!a>, tensor<600x1x2x!w>) -> tensor<1x1x2x!r>
  %0 = stablehlo.reshape %c : (tensor<1x1x2x!r>) -> tensor<1x2x!r>`,
	} {
		e := compile(t, `!a = !quant.uniform<i16:f32, 0.5:-4>
!w = !quant.uniform<i16:f32, 0.25>
!r = !quant.uniform<i32:f32, 64.0:1>
func.func @main(%x: tensor<1x600x!a>, %y: tensor<600x2x!w>) -> tensor<1x2x!r> {
  `+text+`
  return %0 : tensor<1x2x!r>
}`)
		x, y := make([]int16, 600), make([]int16, 1200)
		sums := [2]int64{}
		for i := range x {
			x[i] = int16(i*7919%30000 - 15000)
			for j := range 2 {
				y[2*i+j] = int16((i+j)*104729%30000 - 15000)
				sums[j] += (int64(x[i]) + 4) * int64(y[2*i+j])
			}
		}
		c := &backends.Call{Args: []soa.View{soa.Make(types.Of(types.I16, 1, 600)), soa.Make(types.Of(types.I16, 600, 2))}}
		copy(soa.Slice[int16](c.Args[0]), x)
		copy(soa.Slice[int16](c.Args[1]), y)
		require.NoError(t, e.Execute(context.Background(), c))
		var want []int32
		for _, s := range sums {
			want = append(want, int32(math.RoundToEven(float64(float32(float32(s)*0.125/64)+1))))
		}
		require.Equal(t, want, soa.Slice[int32](c.Results[0]), name)
	}
}
