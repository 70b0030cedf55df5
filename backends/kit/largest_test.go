package kit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/ir/types"
)

// The values that take most memory come first, each with the line of the op that makes it.
func TestLargest(t *testing.T) {
	p, err := backends.Load(t.Context(), backends.NewModule(`func.func @main(%a: tensor<16x4xf32>, %b: tensor<4x64xf32>) -> tensor<8x64xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<16x4xf32>, tensor<4x64xf32>) -> tensor<16x64xf32> loc("train.go":41:0)
  %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [1] : (tensor<16x64xf32>, tensor<4x64xf32>) -> tensor<16x4xf32> loc("train.go":42:0)
  %2 = stablehlo.slice %1 [0:16:2, 0:4] : (tensor<16x4xf32>) -> tensor<8x4xf32>
  %3 = stablehlo.dot_general %2, %b, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x64xf32>) -> tensor<8x64xf32> loc("train.go":43:0)
  return %3 : tensor<8x64xf32>
}`), backends.Options{})
	require.NoError(t, err)
	x, err := kit.Compile(t.Context(), p, kit.Options{Eval: eval.New(), Check: true})
	require.NoError(t, err)
	type value struct {
		typ  types.Type
		kind plan.Kind
		line string
	}
	var got []value
	for _, l := range x.Largest(4) {
		require.Equal(t, l.Op < 0, l.Kind == plan.Argument, "what makes %v", l.Type)
		got = append(got, value{l.Type, l.Kind, backends.LineOf(l.Loc)})
	}
	require.Equal(t, []value{
		{types.Of(types.F32, 16, 64), plan.Temporary, "train.go:41"},
		{types.Of(types.F32, 8, 64), plan.Result, "train.go:43"},
		{types.Of(types.F32, 4, 64), plan.Argument, ""},
		{types.Of(types.F32, 16, 4), plan.Argument, ""},
	}, got, "of two of one size the one before")
	require.Len(t, x.Largest(100), 5, "as many as there are")
}
