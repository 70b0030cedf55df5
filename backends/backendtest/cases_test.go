package backendtest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/mlir"
	"ltc/stablehlo"
)

// Ops of the dialects that no case has, with the reason.
var unheld = map[mlir.Code]string{
	stablehlo.DynamicReduceWindow:    "is written as a custom call: dynamic.txtar has it",
	stablehlo.DynamicRNGBitGenerator: "is written as a custom call: dynamic.txtar has it",
	stablehlo.DynamicApproxTopK:      "is written as a custom call: dynamic.txtar has it",
	stablehlo.DynamicTopK:            "is written as a custom call: dynamic.txtar has it",
}

// A backend that passes the cases has run every op of StableHLO and CHLO. Both
// forms of each case, printed, read the same.
func TestCasesHoldEveryOp(t *testing.T) {
	groups, err := loadCases()
	require.NoError(t, err)
	held := map[mlir.Code]bool{}
	for _, g := range groups {
		for _, c := range g.cases {
			m, err := stablehlo.Parse(c.name, c.text)
			require.NoError(t, err)
			m.Walk(func(op *mlir.Op) bool {
				held[op.Code] = true
				return true
			})
			for _, o := range []mlir.PrintOptions{{}, {Generic: true}} {
				again, err := stablehlo.Parse(c.name, mlir.Print(m, o))
				require.NoError(t, err)
				require.Equal(t, mlir.Print(m), mlir.Print(again), c.name)
			}
		}
	}
	for code := range mlir.Codes() {
		if name := code.String(); strings.HasPrefix(name, "stablehlo.") || strings.HasPrefix(name, "chlo.") {
			_, exempt := unheld[code]
			require.Equal(t, !exempt, held[code], "%s: a case, or else a reason for none", code)
		}
	}
}
