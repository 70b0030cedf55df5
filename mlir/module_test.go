package mlir_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/mlir"
	"ltc/stablehlo"
)

// Func finds what the module holds when it is asked, whatever was changed since.
func TestFuncFindsWhatTheModuleHoldsNow(t *testing.T) {
	m, err := stablehlo.Parse("", "func.func private @a()\nfunc.func private @b()\n\"test.op\"() {sym_name = \"c\"} : () -> ()")
	require.NoError(t, err)
	a, b := m.Ops[0], m.Ops[1]
	require.Same(t, a, m.Func("a"))
	require.Same(t, b, m.Func("b"))
	require.Nil(t, m.Func("c"))

	a.Attrs.Set("sym_name", mlir.StringAttr("d"))
	require.Nil(t, m.Func("a"))
	require.Same(t, a, m.Func("d"))
	m.Ops[0], m.Ops[1] = b, a
	require.Same(t, b, m.Func("b"))
	m.Ops = append(m.Ops, mlir.NewFunc("e", "", nil, nil))
	require.Same(t, m.Ops[3], m.Func("e"))
	m.Ops = m.Ops[1:]
	require.Nil(t, m.Func("b"))
	require.Same(t, a, m.Func("d"))
}
