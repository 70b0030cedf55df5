package reference

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/eval"
	"ltc/ir/types"
	"ltc/soa"
)

// Constants are read where they are, by kernels and by the evaluator, of sizes that
// are open too; a run after they were released is an error.
func TestBoundConstantsStayTheCallers(t *testing.T) {
	for name, text := range map[string]string{
		"closed": `func.func @main(%x: tensor<3xf32>, %w: tensor<2xf32> {ltc.constant}) -> tensor<3xf32> {
  %0 = stablehlo.slice %w [1:2] : (tensor<2xf32>) -> tensor<1xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<1xf32>) -> tensor<3xf32>
  %2 = stablehlo.multiply %x, %1 : tensor<3xf32>
  return %2 : tensor<3xf32>
}`,
		"open": `func.func @main(%x: tensor<?xf32>, %w: tensor<2xf32> {ltc.constant}) -> tensor<?xf32> {
  %0 = stablehlo.slice %w [1:2] : (tensor<2xf32>) -> tensor<1xf32>
  %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  %s = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %n = stablehlo.reshape %s : (tensor<i32>) -> tensor<1xi32>
  %2 = stablehlo.dynamic_broadcast_in_dim %1, %n, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  %3 = stablehlo.multiply %x, %2 : tensor<?xf32>
  return %3 : tensor<?xf32>
}`,
	} {
		for backend, b := range map[string]backends.Backend{"cpu": asKernels{eval.New()}, "eval": eval.New()} {
			t.Run(name+" on "+backend, func(t *testing.T) {
				e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
				require.NoError(t, err)
				buffer, err := soa.OffHeap(4096)
				require.NoError(t, err)
				w := buffer.View(types.Of(types.F32, 2))
				require.NoError(t, soa.Copy(w, vec(t, []float32{5, 7}, 2)))
				bound, err := e.Bind(t.Context(), map[int]soa.View{1: w})
				require.NoError(t, err)
				run := func() ([]float32, error) {
					c := &backends.Call{Args: []soa.View{vec(t, []float32{1, 2, 3}, 3), {}}}
					if err := bound.Execute(t.Context(), c); err != nil {
						return nil, err
					}
					return soa.Slice[float32](c.Results[0]), nil
				}
				got, err := run()
				require.NoError(t, err)
				require.Equal(t, []float32{7, 14, 21}, got)
				require.NoError(t, soa.Copy(w, vec(t, []float32{5, 9}, 2))) // shows that no copy is read
				got, err = run()
				require.NoError(t, err)
				require.Equal(t, []float32{9, 18, 27}, got)
				buffer.Release()
				_, err = run()
				require.ErrorIs(t, err, soa.ErrReleased)
				require.ErrorContains(t, err, "execute: bound argument 1: its memory was released: release it only after the last run")
			})
		}
	}
}
