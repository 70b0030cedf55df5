package chlo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/internal/test/golden"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// lower parses, lowers and checks text, and returns what it became.
func lower(t *testing.T, name, text string) (*mlir.Module, string) {
	t.Helper()
	m, err := stablehlo.Parse(name, text)
	require.NoError(t, err)
	require.NoError(t, verify.Module(m))
	Lower(m, nil)
	lowered := mlir.Print(m)
	require.NoError(t, verify.Module(m), lowered)
	again, err := stablehlo.Parse(name, lowered)
	require.NoError(t, err)
	require.Equal(t, lowered, mlir.Print(again))
	return m, lowered
}

func TestLower(t *testing.T) {
	golden.Archive(t, "testdata/lower.txtar", ".mlir", func(t *testing.T, in txtar.File) []golden.Part {
		_, lowered := lower(t, in.Name, string(in.Data))
		return []golden.Part{{Ext: "lowered", Text: lowered}}
	})
}

// Every function leaves only StableHLO behind, on each type it has, in shapes
// known and unknown.
func TestEveryFunctionIsLowered(t *testing.T) {
	for _, shape := range []string{"", "2x3x", "?x3x"} {
		for _, elem := range []string{"f16", "bf16", "f8E4M3FN", "f32", "f64", "complex<f32>", "complex<f64>"} {
			for code := range mlir.Codes() {
				row := opTable[code]
				f := row.real
				if strings.HasPrefix(elem, "complex") {
					f = row.complex
				}
				if f == nil {
					continue
				}
				typ := "tensor<" + shape + elem + ">"
				requireGone(t, fmt.Sprintf("%s %%a : %s -> %s", code, typ, typ), typ)
			}
			if strings.HasPrefix(elem, "complex") {
				continue
			}
			for _, name := range []string{"zeta", "polygamma", "broadcast_zeta", "broadcast_polygamma", "broadcast_atan2"} {
				typ := "tensor<" + shape + elem + ">"
				form := "chlo.%s %%a, %%a : %[2]s, %[2]s -> %[2]s"
				if strings.HasPrefix(name, "broadcast") {
					form = "chlo.%s %%a, %%a : (%[2]s, %[2]s) -> %[2]s"
				}
				requireGone(t, fmt.Sprintf(form, name, typ), typ)
			}
		}
	}
}

func requireGone(t *testing.T, op, typ string) {
	t.Helper()
	_, lowered := lower(t, "gone.mlir", fmt.Sprintf("func.func @main(%%a: %[2]s) -> %[2]s {\n  %%0 = %[1]s\n  return %%0 : %[2]s\n}", op, typ))
	require.NotContains(t, lowered, "chlo.", op)
}

// Every op of CHLO has a rule.
func TestEveryOpHasARule(t *testing.T) {
	for code := range mlir.Codes() {
		if strings.HasPrefix(code.String(), "chlo.") {
			require.NotNil(t, opTable[code].lower, code)
			require.False(t, opTable[code].of == 0 && strings.HasPrefix(code.String(), "chlo.broadcast_"), code)
		}
	}
}

// What fails in a lowered op is told of the op in the text.
func TestNewOpsHaveThePlaceOfTheOld(t *testing.T) {
	m, _ := lower(t, "place.mlir", `func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %a : tensor<2xf32>
  %1 = chlo.sinh %0 : tensor<2xf32> -> tensor<2xf32> loc("here")
  return %1 : tensor<2xf32>
}`)
	n := 0
	for _, op := range m.Func("main").Body().Ops {
		if op.Ordinal == 2 {
			require.Equal(t, mlir.Pos{Line: 3, Col: 8}, op.Pos)
			require.NotNil(t, op.Loc)
			n++
		}
	}
	require.Greater(t, n, 10)
}

func TestModulesWithoutTheDialectStay(t *testing.T) {
	m, err := stablehlo.Parse("same.mlir", "func.func @main(%a: tensor<2xf32>) {\n  return\n}")
	require.NoError(t, err)
	before := m.Ops[0]
	Lower(m, nil)
	require.Same(t, before, m.Ops[0])
}
