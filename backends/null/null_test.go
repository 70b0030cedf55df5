package null

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/soa"
)

const text = `func.func public @main(%w: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %c: tensor<2xf32> {ltc.constant}) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.add %w, %c : tensor<2xf32>
  return %0, %0 : tensor<2xf32>, tensor<2xf32>
}`

func TestNullRunsNothing(t *testing.T) {
	b, err := backends.Open("null")
	require.NoError(t, err)
	require.Equal(t, "null", b.Name())
	ctx := context.Background()
	e, err := b.Compile(ctx, backends.NewModule(text), backends.Options{Name: "n.mlir"})
	require.NoError(t, err)
	mem := []float32{1, 2}
	w, err := soa.Borrow(mem, types.Of(types.F32, 2))
	require.NoError(t, err)
	bound, err := e.Bind(ctx, map[int]soa.View{1: w})
	require.NoError(t, err)
	c := &backends.Call{Args: []soa.View{w, {}}}
	require.ErrorContains(t, e.Execute(ctx, c), "argument 1: want f32[2], got no view")
	require.NoError(t, bound.Execute(ctx, c))
	require.Equal(t, w, c.Results[0])
	require.Equal(t, []float32{1, 2}, mem)
	require.Equal(t, []float32{0, 0}, soa.Slice[float32](c.Results[1]))

	_, err = b.Compile(ctx, backends.NewModule("func.func public @main( {"), backends.Options{Name: "n.mlir"})
	var e1 *mlir.Error
	require.ErrorAs(t, err, &e1)
	_, err = b.Compile(ctx, backends.NewModule("func.func public @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n  return %a : tensor<?xf32>\n}"), backends.Options{})
	require.ErrorContains(t, err, "argument 0 of @main: tensor<?xf32> has a dynamic shape")
}

func TestResultsTooLarge(t *testing.T) {
	const each = "tensor<2000000000000000000xf32>"
	for _, text := range []string{
		"func.func @main() -> tensor<1000000x1000000xf32> {\n  %0 = stablehlo.iota dim = 0 : tensor<1000000x1000000xf32>\n  return %0 : tensor<1000000x1000000xf32>\n}",
		"func.func @main() -> (" + each + ", " + each + ") {\n  %0 = stablehlo.iota dim = 0 : " + each + "\n  return %0, %0 : " + each + ", " + each + "\n}",
	} {
		b, err := backends.Open("null")
		require.NoError(t, err)
		e, err := b.Compile(context.Background(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err)
		require.ErrorIs(t, e.Execute(context.Background(), &backends.Call{}), soa.ErrMemory)
	}
}
