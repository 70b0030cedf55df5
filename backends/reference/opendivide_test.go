package reference

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

// pairs adds the rows of x in pairs, and all of y, which has as many elements as x has rows: x has an
// even number of rows.
const pairs = `module attributes {ltc.dims = {n = [0, 100]}} {
func.func @main(%x: tensor<?x8xf32> {ltc.dim = ["n", ""]}, %y: tensor<?xf32> {ltc.dim = ["n"]}) -> (tensor<?x8xf32>, tensor<?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
  %1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %eight = stablehlo.constant dense<8> : tensor<1xi32>
  %m = stablehlo.divide %1, %two : tensor<1xi32>
  %shape = stablehlo.concatenate %m, %two, %eight, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<?x8xf32>, tensor<3xi32>) -> tensor<?x2x8xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x2x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  %z = stablehlo.exponential %y : tensor<?xf32>
  return %sum, %z : tensor<?x8xf32>, tensor<?xf32>
}
}`

// A reshape that needs an even size is one program for all even sizes. Others are errors of the run, at
// the line of the reshape.
func TestSizesThatAreMultiples(t *testing.T) {
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	e, err := cpu.Compile(t.Context(), backends.NewModule(pairs), backends.Options{Compiled: true})
	require.NoError(t, err)
	run := func(n int) ([]soa.View, error) {
		c := &backends.Call{Args: []soa.View{soa.Make(types.Of(types.F32, n, 8)), soa.Make(types.Of(types.F32, n))}}
		x := soa.Slice[float32](c.Args[0])
		for i := range x {
			x[i] = float32(i)
		}
		err := e.Execute(t.Context(), c)
		return c.Results, err
	}
	for _, n := range []int{2, 100, 6, 0, 64} {
		results, err := run(n)
		require.NoError(t, err)
		var want []float32
		for i := range n * 4 {
			row, k := i/8, i%8
			want = append(want, float32(16*row+k+16*row+8+k))
		}
		require.Equal(t, want, append([]float32(nil), soa.Slice[float32](results[0])...), "%d rows", n)
		require.Equal(t, []int{n}, []int(results[1].Type.Shape))
	}
	for _, n := range []int{1, 7, 99} {
		_, err := run(n)
		require.ErrorContains(t, err, "module.mlir:9:", "%d rows", n)
		require.ErrorContains(t, err, "dynamic_reshape")
	}
	_, err = run(102)
	require.ErrorContains(t, err, "dimension 0 of argument 0 is 102: the program is for 0 to 100")
}
