package reference

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/samples"
	"ltc/ir/types"
	"ltc/soa"
)

// No elements are no repetition of any, and have no gaps between them: what is
// right for all other sizes is not for 0.
func TestNoElements(t *testing.T) {
	for name, text := range map[string]string{
		"the greatest of equal rows": `func.func public @main(%x: tensor<?x2xf32>) -> tensor<2xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %c = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %0 = stablehlo.dynamic_broadcast_in_dim %c, %shape, dims = [1] : (tensor<2xf32>, tensor<2xi32>) -> tensor<?x2xf32>
  %least = stablehlo.constant dense<-1.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<?x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}`,
		"gaps": `func.func public @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %c = stablehlo.constant dense<7.0> : tensor<f32>
  %0 = stablehlo.pad %x, %c, low = [2, 0], high = [1, 0], interior = [1, 0] : (tensor<?x2xf32>, tensor<f32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}`,
		"a size that is computed with": `func.func public @main(%x: tensor<?x2xf32>) -> (tensor<i32>, tensor<2xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %0 = stablehlo.maximum %n, %five : tensor<i32>
  %z = stablehlo.constant dense<0.5> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %z) applies stablehlo.minimum across dimensions = [0] : (tensor<?x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0, %1 : tensor<i32>, tensor<2xf32>
}`,
	} {
		t.Run(name, func(t *testing.T) {
			var all [2]backends.Executable
			for i, b := range []string{"cpu", "eval"} {
				b, err := open(b, "")
				require.NoError(t, err)
				all[i], err = b.Compile(t.Context(), backends.NewModule(text), backends.Options{Threads: 1})
				require.NoError(t, err)
			}
			require.IsType(t, &sized{}, all[0])
			for _, n := range []int{3, 0, 1, 2, 0} {
				x, err := samples.Make(types.Of(types.F32, n, 2), "rand:1")
				require.NoError(t, err)
				var calls [2]*backends.Call
				for i, e := range all {
					calls[i] = &backends.Call{Args: []soa.View{x}}
					require.NoError(t, e.Execute(t.Context(), calls[i]))
				}
				for j, want := range calls[1].Results {
					require.Equal(t, want.Type, calls[0].Results[j].Type, n)
					for i := range want.Type.Elements() {
						require.Equal(t, samples.Bits(want, i), samples.Bits(calls[0].Results[j], i), n)
					}
				}
			}
		})
	}
}
