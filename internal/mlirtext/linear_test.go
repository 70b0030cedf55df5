package mlirtext_test

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
			// Steps work on modules that the ones before have left as they were.
			modules, taken := map[int][]*mlir.Module{}, map[int]int{}
			parse := func(n int) *mlir.Module {
				if taken[n] == len(modules[n]) {
					m, err := stablehlo.Parse("many.mlir", text(n))
					require.NoError(t, err)
					modules[n] = append(modules[n], m)
				}
				taken[n]++
				return modules[n][taken[n]-1]
			}
			for _, step := range []struct {
				name    string
				prepare func(n int) func()
			}{
				{"parse", func(n int) func() {
					s := text(n)
					return func() { _, err := stablehlo.Parse("many.mlir", s); require.NoError(t, err) }
				}},
				{"verify", func(n int) func() { m := parse(n); return func() { require.NoError(t, verify.Module(m)) } }},
				{"print", func(n int) func() { m := parse(n); return func() { _ = mlir.Print(m) } }},
				{"expand", func(n int) func() { m := parse(n); return func() { verify.ExpandCalls(m) } }}, // changes m
			} {
				clear(taken)
				t.Run(step.name, func(t *testing.T) { growth.Linear(t, 2000, step.prepare) })
			}
		})
	}
}
