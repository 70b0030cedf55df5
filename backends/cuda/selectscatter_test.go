package cuda

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/eval"
	"ltc/internal/samples"
	"ltc/internal/test/cudafake"
	"ltc/internal/test/ptxas"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/soa"
)

// poolGradient is the gradient of max pooling, of images that end in the middle of a
// window, as JAX writes it; what is around them is less than all else.
func poolGradient(t types.DType) string {
	return fmt.Sprintf(`func.func public @main(%%x: tensor<2x9x7x5x%[1]v>, %%s: tensor<2x4x3x5x%[1]v>, %%i: tensor<%[1]v>) -> tensor<2x9x7x5x%[1]v> {
  %%0 = "stablehlo.select_and_scatter"(%%x, %%s, %%i) <{padding = dense<[[0, 0], [1, 0], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%%a: tensor<%[1]v>, %%b: tensor<%[1]v>):
    %%r = stablehlo.compare GE, %%a, %%b : (tensor<%[1]v>, tensor<%[1]v>) -> tensor<i1>
    stablehlo.return %%r : tensor<i1>
  }, {
  ^bb0(%%a: tensor<%[1]v>, %%b: tensor<%[1]v>):
    %%r = stablehlo.add %%a, %%b : tensor<%[1]v>
    stablehlo.return %%r : tensor<%[1]v>
  }) : (tensor<2x9x7x5x%[1]v>, tensor<2x4x3x5x%[1]v>, tensor<%[1]v>) -> tensor<2x9x7x5x%[1]v>
  return %%0 : tensor<2x9x7x5x%[1]v>
}`, mlir.ElementOf(t))
}

// The gradient of max pooling is two kernels, and none of it the host's. Windows
// overlap, elements are equal or NaNs, and sums round: results have the evaluator's
// bits.
func TestSelectAndScatter(t *testing.T) {
	trials.Sequential(t)
	b, _ := backend(t, cudafake.Options{})
	listing, err := Listing(t.Context(), backends.NewModule(poolGradient(types.BF16)), backends.Options{})
	require.NoError(t, err)
	require.NoError(t, ptxas.Name("select_and_scatter/bf16", listing))
	for _, d := range []types.DType{types.F32, types.F64, types.F16, types.BF16, types.I8, types.U64} {
		t.Run(d.String(), func(t *testing.T) {
			e := compile(t, b, poolGradient(d), backends.Options{})
			kernels, evaluated := e.Compiled()
			require.Equal(t, []int{2, 0}, []int{kernels, evaluated}, "%v", e.Program())
			oracle, err := eval.New().Compile(t.Context(), backends.NewModule(poolGradient(d)), backends.Options{})
			require.NoError(t, err)
			var args []soa.View
			for i, a := range e.Signature().Args {
				v := soa.Make(a.Type)
				for n := range a.Type.Elements() {
					x := float64((n*7 + n*n/3 + i) % 13)
					switch {
					case d.IsFloat() && i == 0 && n%23 == 3:
						x = math.NaN()
					case d.IsFloat() && i > 0:
						x = 1/(x+1) - 0.3
					}
					samples.Set(v, n, x)
				}
				args = append(args, v)
			}
			c, o := &backends.Call{Args: args}, &backends.Call{Args: args}
			require.NoError(t, e.Execute(t.Context(), c))
			require.NoError(t, oracle.Execute(t.Context(), o))
			require.Equal(t, bytesOf(o.Results[0]), bytesOf(c.Results[0]))
		})
	}
}
