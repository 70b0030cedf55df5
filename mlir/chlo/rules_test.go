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
	known := mlir.OpNames()
	for _, name := range known {
		if strings.HasPrefix(name, "chlo.") {
			require.NotNil(t, rules[name], "%s has no rule", name)
		}
	}
	for name := range rules {
		require.Contains(t, known, name, "there is no such op")
	}
}
