package backendtest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/mlir"
)

// Ops of the dialects that no case has, with the reason.
var unheld = map[string]string{
	"stablehlo.dynamic_reduce_window":     "is written as a custom call: dynamic.txtar has it",
	"stablehlo.dynamic_rng_bit_generator": "is written as a custom call: dynamic.txtar has it",
	mlir.ApproxTopK:                       "is written as a custom call: dynamic.txtar has it",
	mlir.DynamicTopK:                      "is written as a custom call: dynamic.txtar has it",
}

// A backend that passes the cases has run every op of StableHLO and CHLO. Both
// forms of each case, printed, read the same.
func TestCasesHoldEveryOp(t *testing.T) {
	groups, err := loadCases()
	require.NoError(t, err)
	held := map[string]bool{}
	for _, g := range groups {
		for _, c := range g.cases {
			m, err := mlir.Parse(c.name, c.text)
			require.NoError(t, err)
			m.Walk(func(op *mlir.Op) bool {
				held[op.Name] = true
				return true
			})
			for _, o := range []mlir.PrintOptions{{}, {Generic: true}} {
				again, err := mlir.Parse(c.name, mlir.Print(m, o))
				require.NoError(t, err)
				require.Equal(t, mlir.Print(m), mlir.Print(again), c.name)
			}
		}
	}
	for _, name := range mlir.OpNames() {
		if strings.HasPrefix(name, "stablehlo.") || strings.HasPrefix(name, "chlo.") {
			_, exempt := unheld[name]
			require.Equal(t, !exempt, held[name], "%s: a case, or else a reason for none", name)
		}
	}
}
