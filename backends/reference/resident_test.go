package reference

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
)

// What a program says it takes is about what can be reached from it.
func TestProgramsTakeAboutWhatTheyReach(t *testing.T) {
	chain := func(line string) string {
		var b strings.Builder
		b.WriteString("func.func @main(%v0: tensor<8x8xf32>) -> tensor<8x8xf32> {\n  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n")
		const n = 40
		for i := range n {
			b.WriteString(strings.NewReplacer("IN", fmt.Sprint(i), "OUT", fmt.Sprint(i+1)).Replace(line))
		}
		fmt.Fprintf(&b, "  return %%v%d : tensor<8x8xf32>\n}\n", n)
		return b.String()
	}
	b, err := backends.Open("cpu")
	require.NoError(t, err)
	for name, text := range map[string]string{
		"elementwise": chain("  %vOUT = stablehlo.sine %vIN : tensor<8x8xf32>\n"),
		"products":    chain("  %vOUT = stablehlo.dot_general %vIN, %vIN, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"),
		"rows": chain("  %mIN = stablehlo.reduce(%vIN init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>\n" +
			"  %bIN = stablehlo.broadcast_in_dim %mIN, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>\n  %vOUT = stablehlo.subtract %vIN, %bIN : tensor<8x8xf32>\n"),
		"loops": chain("  %nIN = stablehlo.reduce(%vIN init: %zero) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>\n" +
			"  %lIN:2 = stablehlo.while(%iIN = %nIN, %wIN = %vIN) : tensor<f32>, tensor<8x8xf32>\n    cond {\n      %cIN = stablehlo.compare NE, %iIN, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>\n" +
			"      stablehlo.return %cIN : tensor<i1>\n    } do {\n      %xIN = stablehlo.sine %wIN : tensor<8x8xf32>\n      stablehlo.return %iIN, %xIN : tensor<f32>, tensor<8x8xf32>\n    }\n" +
			"  %vOUT = stablehlo.add %vIN, %lIN#1 : tensor<8x8xf32>\n"),
		"ops of the evaluator": chain("  %vOUT = stablehlo.cholesky %vIN, lower = true : tensor<8x8xf32>\n"),
		"sorts":                chain("  %vOUT = \"stablehlo.sort\"(%vIN) <{dimension = 1 : i64}> ({\n  ^bb0(%aIN: tensor<f32>, %bIN: tensor<f32>):\n    %cIN = stablehlo.compare LT, %aIN, %bIN : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %cIN : tensor<i1>\n  }) : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"),
		"constants": chain("  %cIN = stablehlo.constant dense<[" + strings.TrimSuffix(strings.Repeat("[1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, IN.5], ", 8), ", ") + "]> : tensor<8x8xf32>\n" +
			"  %vOUT = stablehlo.dot_general %vIN, %cIN, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"),
	} {
		e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err)
		require.IsType(t, &compiled{}, e, name)
		says := float64(e.(*compiled).ResidentBytes()) / float64(heap.Of(e)+unused)
		require.Greater(t, says, 0.8, name)
		require.Less(t, says, 1.5, name) // heap does not see the functions that the evaluator's steps are
	}
}
