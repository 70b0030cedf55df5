package reference

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/eval"
	"ltc/ir/types"
	"ltc/soa"
)

// The evaluator copies arguments and results that are not dense, and counts the
// bytes; of those that are dense it copies none, and kernels copy none of either.
func TestCopiedBytes(t *testing.T) {
	const text = `func.func @main(%x: tensor<2x3xf32>, %w: tensor<2x3xf32> {ltc.constant}) -> tensor<2x3xf32> {
  %0 = stablehlo.multiply %x, %w : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}`
	for name, b := range map[string]backends.Backend{"cpu": asKernels{eval.New()}, "eval": eval.New()} {
		each := map[string]int64{"eval": 24}[name] // bytes
		t.Run(name, func(t *testing.T) {
			e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
			require.NoError(t, err)
			dense := vec(t, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
			columns := vec(t, []float32{1, 4, 2, 5, 3, 6}, 3, 2)
			columns.Type, columns.Strides = types.Of(types.F32, 2, 3), []int{1, 2}
			run := func(e backends.Executable, x, w, y soa.View) int64 {
				before := e.(backends.Copying).CopiedBytes()
				c := &backends.Call{Args: []soa.View{x, w}, Results: []soa.View{y}}
				require.NoError(t, e.Execute(t.Context(), c))
				got := soa.Make(dense.Type)
				require.NoError(t, soa.Copy(got, c.Results[0]))
				require.Equal(t, []float32{1, 4, 9, 16, 25, 36}, soa.Slice[float32](got))
				return e.(backends.Copying).CopiedBytes() - before
			}
			to := soa.Make(types.Of(types.F32, 3, 2))
			to.Type, to.Strides = columns.Type, columns.Strides
			require.Zero(t, run(e, dense, dense, soa.View{}))
			require.Zero(t, run(e, dense, dense, soa.Make(dense.Type)))
			require.Equal(t, each, run(e, columns, dense, soa.View{}))
			require.Equal(t, 2*each, run(e, columns, columns, soa.View{}))
			require.Equal(t, each, run(e, dense, dense, to))
			bound, err := e.Bind(t.Context(), map[int]soa.View{1: columns})
			require.NoError(t, err)
			require.Zero(t, run(bound, dense, soa.View{}, soa.View{}))
			require.Equal(t, each, run(bound, columns, soa.View{}, soa.View{}))
		})
	}
}
