package reference

import (
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/eval"
	"ltc/internal/footprint"
)

// What a program says it takes is about what can be reached from it: modules, kernels and
// graphs say it by their parts, and not by reading memory.
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
	reached := footprint.New(append([]reflect.Type{
		reflect.TypeFor[*eval.Backend](),
		reflect.TypeFor[kernel.Compiler](),
		reflect.TypeFor[kernel.Code](),
		reflect.TypeFor[*keeper](),
		reflect.TypeFor[*slog.Logger](),
	}, eval.Shared...)...)
	b, err := backends.Open("cpu")
	require.NoError(t, err)
	for name, text := range map[string]string{
		"elementwise": chain("  %vOUT = stablehlo.sine %vIN : tensor<8x8xf32>\n"),
		"products":    chain("  %vOUT = stablehlo.dot_general %vIN, %vIN, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"),
		"rows": chain("  %mIN = stablehlo.reduce(%vIN init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>\n" +
			"  %bIN = stablehlo.broadcast_in_dim %mIN, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>\n  %vOUT = stablehlo.subtract %vIN, %bIN : tensor<8x8xf32>\n"),
		"constants": chain("  %cIN = stablehlo.constant dense<[" + strings.TrimSuffix(strings.Repeat("[1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, IN.5], ", 8), ", ") + "]> : tensor<8x8xf32>\n" +
			"  %vOUT = stablehlo.dot_general %vIN, %cIN, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"),
	} {
		e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err)
		require.IsType(t, &compiled{}, e, name)
		require.InEpsilon(t, reached.Of(e), heap.Of(e), 0.2, name)
	}
}
