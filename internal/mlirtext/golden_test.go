package mlirtext_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/internal/test/golden"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// archives runs f on every file NAME.mlir of the archives in a directory of
// testdata and compares what it returns with the files NAME.EXT.
func archives(t *testing.T, dir string, f func(t *testing.T, name, text string) []golden.Part) {
	golden.Archives(t, "testdata/"+dir+"/*.txtar", ".mlir", func(t *testing.T, in txtar.File) []golden.Part {
		return f(t, in.Name, strings.TrimSuffix(string(in.Data), "\n"))
	})
}

func TestRoundTrip(t *testing.T) {
	archives(t, "roundtrip", func(t *testing.T, name, text string) []golden.Part {
		m, err := stablehlo.Parse(name, text)
		require.NoError(t, err)
		require.NoError(t, verify.Module(m))
		forms := map[string]mlir.PrintOptions{"pretty": {}, "generic": {Generic: true}, "locations": {Locations: true}}
		got := map[string]string{}
		for form, o := range forms {
			got[form] = mlir.Print(m, o)
			again, err := stablehlo.Parse(form, got[form])
			require.NoError(t, err, got[form])
			require.Empty(t, cmp.Diff(got[form], mlir.Print(again, o)), "printing again")
		}
		generic, err := stablehlo.Parse("generic", got["generic"])
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(got["pretty"], mlir.Print(generic)), "the generic form says the same")
		parts := []golden.Part{{Ext: "pretty", Text: got["pretty"]}, {Ext: "generic", Text: got["generic"]}}
		if got["locations"] != got["pretty"] {
			parts = append(parts, golden.Part{Ext: "locations", Text: got["locations"]})
		}
		return parts
	})
}

func TestParseErrors(t *testing.T) {
	archives(t, "parse", func(t *testing.T, name, text string) []golden.Part {
		_, err := stablehlo.Parse(name, text)
		require.Error(t, err)
		return []golden.Part{{Ext: "error", Text: err.Error()}}
	})
}
