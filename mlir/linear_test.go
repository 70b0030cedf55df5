package mlir_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/growth"
	"ltc/internal/test/programs"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// Reading, checking and printing a text takes what its length says, whatever it has many
// of.
func TestTextsAreReadInLinearTime(t *testing.T) {
	for name, text := range programs.Many {
		t.Run(name, func(t *testing.T) {
			parse := func(n int) *mlir.Module {
				m, err := stablehlo.Parse("many.mlir", text(n))
				require.NoError(t, err)
				return m
			}
			for what, prepare := range map[string]func(n int) func(){
				"parse": func(n int) func() {
					s := text(n)
					return func() { _, err := stablehlo.Parse("many.mlir", s); require.NoError(t, err) }
				},
				"verify": func(n int) func() { m := parse(n); return func() { require.NoError(t, verify.Module(m)) } },
				"print":  func(n int) func() { m := parse(n); return func() { _ = mlir.Print(m) } },
				"expand": func(n int) func() { m := parse(n); return func() { verify.ExpandCalls(m) } },
			} {
				t.Run(what, func(t *testing.T) { growth.Linear(t, 2000, prepare) })
			}
		})
	}
}
