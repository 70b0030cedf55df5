package kit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/reference/eval"
)

// What is done to integers of 8 and 16 bits is done by kernels, in loops and
// branches too.
func TestSmallIntegers(t *testing.T) {
	for _, elem := range []string{"i8", "ui8", "i16", "ui16"} {
		for _, op := range []string{
			"stablehlo.reverse %x, dims = [0] : tensor<4xE>",
			"stablehlo.add %x, %x : tensor<4xE>",
			"stablehlo.divide %x, %x : tensor<4xE>",
			"stablehlo.iota dim = 0 : tensor<4xE>",
			`"stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xE>
  }, {
    %2 = stablehlo.reverse %x, dims = [0] : tensor<4xE>
    stablehlo.return %2 : tensor<4xE>
  }) : (tensor<i1>) -> tensor<4xE>`,
		} {
			text := strings.ReplaceAll(fmt.Sprintf(`func.func @main(%%x: tensor<4xE>, %%p: tensor<i1>) -> tensor<4xE> {
  %%0 = %s
  return %%0 : tensor<4xE>
}`, op), "E>", elem+">")
			l, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
			require.NoError(t, err)
			p, err := kit.Compile(t.Context(), l, kit.Options{Eval: eval.New()})
			require.NoError(t, err)
			require.Empty(t, p.HostSteps(), text)
		}
	}
}
