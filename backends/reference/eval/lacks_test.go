package eval

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/stablehlo"
)

// What nobody runs is reported when the program is compiled, with its line, also where
// sizes are left open.
func TestOpsOfNoExtension(t *testing.T) {
	const op = stablehlo.CollectivePermute
	e := extensions[op]
	delete(extensions, op)
	t.Cleanup(func() { extensions[op] = e })
	text := `func.func public @main(%x: tensor<Nxf32>) -> tensor<Nxf32> {
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<> : tensor<0x2xi64>} : (tensor<Nxf32>) -> tensor<Nxf32>
  return %0 : tensor<Nxf32>
}`
	for _, n := range []string{"2", "?"} {
		require.ErrorContains(t, compileError(strings.ReplaceAll(text, "N", n)), "m.mlir:2:8: stablehlo.collective_permute: not an op of this backend", n)
	}
}
