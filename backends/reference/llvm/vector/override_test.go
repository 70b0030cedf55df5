package vector

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
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

// Machines without an instruction to round, or an exponent that is not known, take the
// expansion.
func TestOverridesDecline(t *testing.T) {
	code := func(level Level, op kernel.Op, args ...float64) string {
		m := NewModule(Machine{Level: level})
		b := m.Kernel("k")
		var v []Value
		for _, x := range args {
			v = append(v, b.Const(types.F32, 4, x))
		}
		_, err := b.Op(op, types.F32, v...)
		require.NoError(t, err)
		b.Return(0)
		return m.String()
	}
	require.Contains(t, code(AVX2, kernel.Ceil, 1.5), "llvm.ceil")
	require.NotContains(t, code(SSE2, kernel.Ceil, 1.5), "llvm.ceil")
	require.NotContains(t, code(AVX2, kernel.Power, 3, 2), "llvm.fma")
	require.Contains(t, code(AVX2, kernel.Power, 3, 2.5), "llvm.fma")
}
