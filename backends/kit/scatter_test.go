package kit_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/eval"
	"ltc/internal/test/kittest"
	"ltc/ir/types"
	"ltc/soa"
)

// What lies within the operand of a slice that does not as a whole is
// scattered, whatever the indices are.
func TestScatterPartlyOutside(t *testing.T) {
	const text = `func.func @main(%x: tensor<5x4xf32>, %i: tensor<6x2xi64>, %u: tensor<6x2x3xf32>) -> tensor<5x4xf32> {
    %1 = "stablehlo.scatter"(%x, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %2 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<5x4xf32>, tensor<6x2xi64>, tensor<6x2x3xf32>) -> tensor<5x4xf32>
    return %1 : tensor<5x4xf32>
  }`
	make := func(d types.DType, shape ...int) soa.View { return soa.Make(types.Type{DType: d, Shape: shape}) }
	x, i, u := make(types.F32, 5, 4), make(types.I64, 6, 2), make(types.F32, 6, 2, 3)
	copy(unsafe.Slice((*int64)(i.Base()), 12), []int64{-1, 0, 4, 3, 2, -2, 1, 1, 1<<63 - 1, 0, -1 << 63, -1 << 63})
	for n := range 36 {
		unsafe.Slice((*float32)(u.Base()), 36)[n] = float32(n + 1)
	}
	p := kittest.Compile(t, text)
	require.Empty(t, p.HostSteps())
	exe, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	c := &backends.Call{Args: []soa.View{x, i, u}}
	require.NoError(t, exe.Execute(t.Context(), c))
	got := kittest.Evaluate(t, p, c.Args)[0]
	require.Equal(t, unsafe.Slice((*float32)(c.Results[0].Base()), 20), unsafe.Slice((*float32)(got.Base()), 20))
}
