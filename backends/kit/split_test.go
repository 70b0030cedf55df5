package kit_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Long reductions are done in parts, whose number their sizes decide.
func TestSplit(t *testing.T) {
	for shape, steps := range map[string]int{"300x400": 2, "131072": 2, "1000": 1, "131071": 1, "20x300x400": 1} {
		dims, out := "0", "f32"
		switch shape {
		case "300x400":
			dims = "0, 1"
		case "20x300x400":
			dims, out = "1, 2", "20xf32"
		}
		p := same(t, fmt.Sprintf(`func.func @main(%%x: tensor<%[1]sxf32>) -> tensor<%[3]s> {
			%%0 = stablehlo.constant dense<0.0> : tensor<f32>
			%%1 = stablehlo.multiply %%x, %%x : tensor<%[1]sxf32>
			%%2 = stablehlo.reduce(%%1 init: %%0) applies stablehlo.add across dimensions = [%[2]s] : (tensor<%[1]sxf32>, tensor<f32>) -> tensor<%[3]s>
			return %%2 : tensor<%[3]s>
		}`, shape, dims, out))
		require.Len(t, p.Steps, steps, shape)
	}
}
