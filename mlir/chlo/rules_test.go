package chlo

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/mlir"
)

// Every op of the dialect can be written in StableHLO, and no rule is for an
// op that is none.
func TestRules(t *testing.T) {
	for code := range mlir.Codes() {
		if strings.HasPrefix(code.String(), "chlo.") {
			require.NotNil(t, rules[code], "%s has no rule", code)
		}
	}
	for code := range rules {
		require.NotZero(t, code, "there is no such op")
	}
}
