package reference

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
)

// A gather whose slices have no element, in a dimension that the result has not,
// would read beyond its operand: it is refused.
func TestGatherOfNothing(t *testing.T) {
	for _, rows := range []int{0, 5} {
		text := strings.ReplaceAll(`func.func @main(%x: tensor<Rx4xf32>, %i: tensor<3x1xi32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 0, 4>}> : (tensor<Rx4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}`, "R", fmt.Sprint(rows))
		for _, name := range []string{"cpu", "eval"} {
			b, err := backends.Open(name)
			require.NoError(t, err)
			_, err = b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
			require.ErrorContains(t, err, "stablehlo.gather: slices of no element in dimension 0 are to give 12 elements", "%d rows on %s", rows, name)
		}
	}
}
