package kit_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/reference"
)

// Signed bytes are moved, widened and multiplied by kernels; any other op on
// them leaves the whole program to the evaluator.
func TestSignedBytes(t *testing.T) {
	for op, reason := range map[string]string{
		"stablehlo.reverse %0, dims = [0] : tensor<4xi8>": "",
		"stablehlo.add %0, %0 : tensor<4xi8>":             "stablehlo.add on elements of type i8",
		`"stablehlo.if"(%p) ({
    stablehlo.return %0 : tensor<4xi8>
  }, {
    %2 = stablehlo.reverse %0, dims = [0] : tensor<4xi8>
    stablehlo.return %2 : tensor<4xi8>
  }) : (tensor<i1>) -> tensor<4xi8>`: "stablehlo.if on elements of type i8",
	} {
		text := fmt.Sprintf(`func.func @main(%%x: tensor<4xui8>, %%p: tensor<i1>) -> tensor<4xi32> {
  %%0 = stablehlo.bitcast_convert %%x : (tensor<4xui8>) -> tensor<4xi8>
  %%1 = %s
  %%3 = stablehlo.convert %%1 : (tensor<4xi8>) -> tensor<4xi32>
  return %%3 : tensor<4xi32>
}`, op)
		l, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err)
		_, err = kit.Compile(t.Context(), l, kit.Options{Eval: reference.New()})
		if reason == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, kit.ErrNotCompiled)
		require.ErrorContains(t, err, reason)
	}
}
