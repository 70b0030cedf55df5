package llvm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

// Sums of rows have the same bits whether the rows are few or more than the caches hold, in
// which case they are read in another way. Where several rows are read at once, the last
// ones are those left over.
func TestSumsOfLargeMemory(t *testing.T) {
	const text = `func.func @main(%%x: tensor<%[1]dx%[2]dxf32>, %%w: tensor<%[2]dxf32>) -> (tensor<%[1]dxf32>, tensor<%[1]dxf32>) {
  %%z = stablehlo.constant dense<0.0> : tensor<f32>
  %%b = stablehlo.broadcast_in_dim %%w, dims = [1] : (tensor<%[2]dxf32>) -> tensor<%[1]dx%[2]dxf32>
  %%m = stablehlo.multiply %%x, %%b : tensor<%[1]dx%[2]dxf32>
  %%0 = stablehlo.reduce(%%x init: %%z) applies stablehlo.add across dimensions = [1] : (tensor<%[1]dx%[2]dxf32>, tensor<f32>) -> tensor<%[1]dxf32>
  %%1 = stablehlo.reduce(%%m init: %%z) applies stablehlo.add across dimensions = [1] : (tensor<%[1]dx%[2]dxf32>, tensor<f32>) -> tensor<%[1]dxf32>
  return %%0, %%1 : tensor<%[1]dxf32>, tensor<%[1]dxf32>
}`
	b, err := backends.Open("cpu")
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(3, 3))
	for _, columns := range []int{4096, 4001, 130, 63, 7} {
		many := (17<<20)/(4*columns) + 1
		const few = 200 // enough for products to be computed in blocks
		x := soa.Make(types.Of(types.F32, many, columns))
		xs := soa.Slice[float32](x)
		for i := range xs {
			xs[i] = rng.Float32() - 0.5
		}
		w := soa.Make(types.Of(types.F32, columns))
		for i := range soa.Slice[float32](w) {
			soa.Slice[float32](w)[i] = rng.Float32() - 0.5
		}
		var results [2][]soa.View
		for k, rows := range []int{many, few} {
			e, err := b.Compile(t.Context(), backends.NewModule(fmt.Sprintf(text, rows, columns)), backends.Options{})
			require.NoError(t, err)
			part, err := x.Slice(0, many-rows, many, 1)
			require.NoError(t, err)
			c := &backends.Call{Args: []soa.View{part, w}}
			require.NoError(t, e.Execute(t.Context(), c))
			results[k] = c.Results
		}
		for j := range results[0] {
			require.Equal(t, soa.Slice[float32](results[1][j]), soa.Slice[float32](results[0][j])[many-few:], columns)
		}
	}
}
