package stages

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/internal/test/golden"
	"ltc/mlir"
)

// The archive has programs and the texts of their stages.
func TestStages(t *testing.T) {
	golden.Archive(t, "testdata/programs.txtar", ".mlir", func(t *testing.T, in txtar.File) (parts []golden.Part) {
		all := splitText(t, string(in.Data))
		require.Greater(t, len(all), 1)
		for k, s := range all {
			parts = append(parts, golden.Part{Ext: fmt.Sprintf("stage%d", k), Text: s.text})
		}
		return parts
	})
}

func splitText(t testing.TB, text string) []*stage {
	p, err := backends.LoadOpen(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	require.NoError(t, kit.Inline(t.Context(), p.Module))
	all, err := split(p)
	require.NoError(t, err)
	return all
}

// Ops of stages know which ops of the module they are.
func TestOrdinals(t *testing.T) {
	a, err := txtar.ParseFile("testdata/programs.txtar")
	require.NoError(t, err)
	for _, f := range a.Files {
		if !strings.HasSuffix(f.Name, ".mlir") {
			continue
		}
		whole, err := backends.LoadOpen(t.Context(), backends.NewModule(string(f.Data)), backends.Options{})
		require.NoError(t, err)
		lines := map[int]mlir.Code{}
		whole.Module.Walk(func(op *mlir.Op) bool { lines[op.Ordinal] = op.Code; return true })
		found := map[int]bool{}
		for _, s := range splitText(t, string(f.Data)) {
			p, err := backends.LoadOpen(t.Context(), backends.NewModule(s.text), backends.Options{})
			require.NoError(t, err)
			p.Module.Walk(func(op *mlir.Op) bool {
				if at := s.ordinal(op.Ordinal); lines[at] == op.Code {
					found[at] = true
				}
				return true
			})
		}
		require.GreaterOrEqual(t, len(found), len(lines)-2, "%s: the module has no number, and a set_dimension_size is a slice", f.Name)
	}
}

// A program in which no size follows from data has no stages.
func TestNoStages(t *testing.T) {
	require.Nil(t, splitText(t, `
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %y = stablehlo.dynamic_reshape %x, %n1 : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}`))
}
