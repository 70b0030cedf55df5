package eval

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

func compile(t testing.TB, text string) backends.Executable {
	t.Helper()
	e, err := New().Compile(context.Background(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	return e
}

func vec(t testing.TB, v []float32, dims ...int) soa.View {
	t.Helper()
	w, err := soa.Borrow(v, types.Of(types.F32, dims...))
	require.NoError(t, err)
	return w
}

func TestSmoke(t *testing.T) {
	e := compile(t, `module {
  func.func public @main(%a: tensor<2x3xf32> {ltc.name = "a"}, %b: tensor<3x2xf32>) -> (tensor<2x2xf32>, tensor<f32>, tensor<2xf32>) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    %c = stablehlo.constant dense<1.5> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %2 = stablehlo.add %0, %1 : tensor<2x2xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.reduce(%2 init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
    %5 = func.call @f(%2) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    return %5, %3, %4 : tensor<2x2xf32>, tensor<f32>, tensor<2xf32>
  }
  func.func private @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.negate %x : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}`)
	c := &backends.Call{Args: []soa.View{vec(t, []float32{1, 2, 3, 4, 5, 6}, 2, 3), vec(t, []float32{1, 0, 0, 1, 1, 1}, 3, 2)}}
	require.NoError(t, e.Execute(context.Background(), c))
	require.Equal(t, []float32{-5.5, -6.5, -11.5, -12.5}, soa.Slice[float32](c.Results[0]))
	require.Equal(t, []float32{36}, soa.Slice[float32](c.Results[1]))
	require.Equal(t, []float32{11.5, 12.5}, soa.Slice[float32](c.Results[2]))
}
