package eval

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

// Shapes may be given in elements of type index, by constants and by callers.
func TestIndexShapes(t *testing.T) {
	e := compile(t, `func.func @main(%n: tensor<1xindex>) -> (tensor<2x3xi32>, tensor<?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<2xindex>) {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xindex>
  %0 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xindex>) -> tensor<2x3xi32>
  %1 = stablehlo.dynamic_reshape %0, %n : (tensor<2x3xi32>, tensor<1xindex>) -> tensor<?xi32>
  %row = stablehlo.constant dense<[7, 8, 9]> : tensor<3xi32>
  %2 = stablehlo.dynamic_broadcast_in_dim %row, %s, dims = [1] : (tensor<3xi32>, tensor<2xindex>) -> tensor<?x?xi32>
  %low = stablehlo.constant dense<1> : tensor<1xindex>
  %none = stablehlo.constant dense<0> : tensor<1xindex>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %3 = stablehlo.dynamic_pad %row, %zero, %low, %none, %none : (tensor<3xi32>, tensor<i32>, tensor<1xindex>, tensor<1xindex>, tensor<1xindex>) -> tensor<?xi32>
  return %0, %1, %2, %3, %s : tensor<2x3xi32>, tensor<?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<2xindex>
}`)
	n, err := soa.Borrow([]int64{6}, types.Of(types.I64, 1))
	require.NoError(t, err)
	c := &backends.Call{Args: []soa.View{n}}
	require.NoError(t, e.Execute(context.Background(), c))
	for i, want := range [][]int32{{0, 1, 2, 0, 1, 2}, {0, 1, 2, 0, 1, 2}, {7, 8, 9, 7, 8, 9}, {0, 7, 8, 9}} {
		require.Equal(t, want, soa.Slice[int32](c.Results[i]), i)
	}
	require.Equal(t, types.Shape{2, 3}, c.Results[2].Type.Shape)
	require.Equal(t, []int64{2, 3}, soa.Slice[int64](c.Results[4]))
}
