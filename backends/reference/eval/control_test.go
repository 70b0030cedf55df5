package eval

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

// A shape_assertion ends the run with its message and numbers where its condition
// is false, and is nothing where it is true.
func TestShapeAssertion(t *testing.T) {
	e, err := New().Compile(t.Context(), backends.NewModule(`func.func public @main(%ok: tensor<i1>, %n: tensor<i32>, %k: tensor<i64>) -> tensor<i32> {
  stablehlo.custom_call @shape_assertion(%ok, %n, %k) {error_message = "{1} is not half of {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i64>) -> ()
  return %n : tensor<i32>
}`), backends.Options{Name: "m.mlir"})
	require.NoError(t, err)
	run := func(ok bool) error {
		p, err := soa.Borrow([]bool{ok}, types.Of(types.Bool))
		require.NoError(t, err)
		n, err := soa.Borrow([]int32{7}, types.Of(types.I32))
		require.NoError(t, err)
		k, err := soa.Borrow([]int64{-3}, types.Of(types.I64))
		require.NoError(t, err)
		return e.Execute(t.Context(), &backends.Call{Args: []soa.View{p, n, k}})
	}
	require.NoError(t, run(true))
	require.ErrorContains(t, run(false), "shape_assertion: -3 is not half of 7")

	require.ErrorContains(t, compileError(`func.func public @main(%n: tensor<2xi32>) {
  stablehlo.custom_call @shape_assertion(%n) : (tensor<2xi32>) -> ()
  return
}`), "m.mlir:2:3: stablehlo.custom_call: shape_assertion takes a bool and integers, and gives nothing")
}
