package exported

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"ltc/mlir"
	"ltc/stablehlo"
)

func parse(t *testing.T, name, text string) *mlir.Module {
	m, err := stablehlo.Parse(name+".mlir", text)
	require.NoError(t, err)
	return m
}

var (
	aliasLine = regexp.MustCompile(`(?m)^#loc\d* = .*\n`)
	place     = regexp.MustCompile(` loc\((#loc\d*|unknown|"[^"]*")\)`)
)

// JAX prints with the printer that StableHLO's own tools use: what is read and
// printed again must be the same text, byte for byte.
func TestPrint(t *testing.T) {
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) {
			want := text(t, name)
			m := parse(t, name, want)
			plain := place.ReplaceAllString(aliasLine.ReplaceAllString(want, ""), "")
			require.NotContains(t, plain, "#loc")
			diff := cmp.Diff(strings.Split(plain, "\n"), strings.Split(mlir.Print(m), "\n"))
			require.Empty(t, diff)
		})
	}
}

// locations returns what every op of m says about its place, in the order of
// the text, after the places of its regions' arguments.
func locations(m *mlir.Module) []mlir.Location {
	all := []mlir.Location{m.Loc}
	m.Walk(func(op *mlir.Op) bool {
		for _, r := range op.Regions {
			for _, b := range r.Blocks {
				for _, a := range b.Args {
					all = append(all, a.Loc)
				}
			}
		}
		all = append(all, op.Loc)
		return true
	})
	return all
}

func TestLocations(t *testing.T) {
	files := 0
	for _, name := range names(t) {
		source := text(t, name)
		if !strings.Contains(source, "#loc") {
			continue
		}
		files++
		t.Run(name, func(t *testing.T) {
			m := parse(t, name, source)
			first := locations(m)
			again := parse(t, name, mlir.Print(m, mlir.PrintOptions{Locations: true}))
			require.Empty(t, cmp.Diff(first, locations(again)))
			in := 0
			for _, l := range first {
				if l != nil && strings.Contains(l.String(), `"tools/export/models.py":`) {
					in++
				}
			}
			// Private functions and their arguments have none.
			require.Greater(t, in, len(first)/3, "ops with a place in the model's source")
		})
	}
	require.GreaterOrEqual(t, files, 2)
}
