package simplify_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/simplify"
	"ltc/backends/reference/eval"
	"ltc/internal/test/growth"
	"ltc/internal/test/programs"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// Programs of many equal parts are simplified in linear time, all calls inlined.
func TestSimplifyingIsLinear(t *testing.T) {
	for name, text := range programs.Many {
		t.Run(name, func(t *testing.T) {
			growth.Linear(t, 500, func(n int) func() {
				m, err := stablehlo.Parse("many.mlir", text(n))
				require.NoError(t, err)
				require.NoError(t, verify.Module(m))
				return func() { require.NoError(t, simplify.Run(t.Context(), m, simplify.Options{Fold: eval.New()})) }
			})
		})
	}
}
