package llvm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/programs"
	"ltc/internal/trials"
)

// products are programs whose sums go through an epilogue. %[1]d to %[4]d are
// b, m, n and k, %[5]s the element.
var products = map[string]string{
	"plain": `func.func @main(%%x: tensor<%[2]dx%[4]dx%[5]s>, %%y: tensor<%[4]dx%[3]dx%[5]s>) -> tensor<%[2]dx%[3]dx%[5]s> {
	%%0 = stablehlo.dot_general %%x, %%y, contracting_dims = [1] x [0] : (tensor<%[2]dx%[4]dx%[5]s>, tensor<%[4]dx%[3]dx%[5]s>) -> tensor<%[2]dx%[3]dx%[5]s>
	return %%0 : tensor<%[2]dx%[3]dx%[5]s>
}`,
	"transposed, bias, residual, two results": `func.func @main(%%x: tensor<%[4]dx%[2]dx%[5]s>, %%y: tensor<%[3]dx%[4]dx%[5]s>, %%b: tensor<%[3]dx%[5]s>, %%r: tensor<%[2]dx%[3]dx%[5]s>) -> (tensor<%[2]dx%[3]dx%[5]s>, tensor<%[2]dx%[3]dx%[5]s>) {
	%%0 = stablehlo.dot_general %%x, %%y, contracting_dims = [0] x [1] : (tensor<%[4]dx%[2]dx%[5]s>, tensor<%[3]dx%[4]dx%[5]s>) -> tensor<%[2]dx%[3]dx%[5]s>
	%%1 = stablehlo.broadcast_in_dim %%b, dims = [1] : (tensor<%[3]dx%[5]s>) -> tensor<%[2]dx%[3]dx%[5]s>
	%%2 = stablehlo.add %%0, %%1 : tensor<%[2]dx%[3]dx%[5]s>
	%%3 = stablehlo.maximum %%2, %%r : tensor<%[2]dx%[3]dx%[5]s>
	return %%2, %%3 : tensor<%[2]dx%[3]dx%[5]s>, tensor<%[2]dx%[3]dx%[5]s>
}`,
	"batches, heads in the middle": `func.func @main(%%x: tensor<%[1]dx%[2]dx3x%[4]dx%[5]s>, %%y: tensor<%[1]dx%[3]dx3x%[4]dx%[5]s>, %%s: tensor<%[5]s>) -> tensor<%[1]dx3x%[2]dx%[3]dx%[5]s> {
	%%0 = stablehlo.dot_general %%x, %%y, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<%[1]dx%[2]dx3x%[4]dx%[5]s>, tensor<%[1]dx%[3]dx3x%[4]dx%[5]s>) -> tensor<%[1]dx3x%[2]dx%[3]dx%[5]s>
	%%1 = stablehlo.broadcast_in_dim %%s, dims = [] : (tensor<%[5]s>) -> tensor<%[1]dx3x%[2]dx%[3]dx%[5]s>
	%%2 = stablehlo.multiply %%0, %%1 : tensor<%[1]dx3x%[2]dx%[3]dx%[5]s>
	return %%2 : tensor<%[1]dx3x%[2]dx%[3]dx%[5]s>
}`,
	"donated": `func.func @main(%%x: tensor<%[4]dx%[2]dx%[5]s>, %%y: tensor<%[4]dx%[3]dx%[5]s>, %%w: tensor<%[2]dx%[3]dx%[5]s> {tf.aliasing_output = 0 : i32}) -> tensor<%[2]dx%[3]dx%[5]s> {
	%%0 = stablehlo.dot_general %%x, %%y, contracting_dims = [0] x [0] : (tensor<%[4]dx%[2]dx%[5]s>, tensor<%[4]dx%[3]dx%[5]s>) -> tensor<%[2]dx%[3]dx%[5]s>
	%%1 = stablehlo.subtract %%w, %%0 : tensor<%[2]dx%[3]dx%[5]s>
	return %%1 : tensor<%[2]dx%[3]dx%[5]s>
}`,
	"matrix and vector": `func.func @main(%%x: tensor<%[2]dx%[4]dx%[5]s>, %%y: tensor<%[4]dx%[5]s>, %%b: tensor<%[2]dx%[5]s>) -> tensor<%[2]dx%[5]s> {
	%%0 = stablehlo.dot_general %%x, %%y, contracting_dims = [1] x [0] : (tensor<%[2]dx%[4]dx%[5]s>, tensor<%[4]dx%[5]s>) -> tensor<%[2]dx%[5]s>
	%%1 = stablehlo.add %%0, %%b : tensor<%[2]dx%[5]s>
	return %%1 : tensor<%[2]dx%[5]s>
}`,
}

// Products of all shapes, with what is fused into them, are those of the
// evaluator.
func TestProducts(t *testing.T) {
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	eval, err := backends.Open("eval")
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 2))
	size := func() int {
		if r.IntN(3) == 0 {
			return 1 + r.IntN(200)
		}
		return 1 + r.IntN(20)
	}
	for name, program := range products {
		t.Run(name, func(t *testing.T) {
			n := 12
			if trials.Few() {
				n = 4 // one of each dtype
			}
			for i := range n {
				elem := []string{"f32", "f32", "f64", "i32"}[i%4]
				text := fmt.Sprintf(program, 1+r.IntN(4), size(), size(), size(), elem)
				text = strings.ReplaceAll(text, "%!(EXTRA", "//")
				ok, err := alike(t.Context(), cpu, eval, programs.Program{Text: text}, uint64(i))
				require.NoError(t, err, "%s", text)
				require.True(t, ok, "not compiled\n%s", text)
			}
		})
	}
}
