package asm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
)

// An override stands for an expansion, and says what it gains.
func TestOverridesStandForExpansions(t *testing.T) {
	require.NotEmpty(t, overrides)
	for op, o := range overrides {
		require.True(t, op.Expands(types.F32) || op.Expands(types.I32), "%v", op)
		require.NotEmpty(t, o.gains, "%v", op)
	}
}
