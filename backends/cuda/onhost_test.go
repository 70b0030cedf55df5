package cuda

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/backends"
	_ "ltc/internal/test/optest" // the host function of an archive
	"ltc/internal/trials"
)

// What the host runs of all ops of the op table, on all types of their goldens, and of
// the programs that JAX exported, is what docs/design/cuda.md says and nothing else.
func TestOnHost(t *testing.T) {
	trials.Sequential(t)
	aboutFake(t)                   // it needs no device, and files that are not everywhere
	texts := map[string][]string{} // by file
	files, err := filepath.Glob("../../testdata/ops/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		require.NoError(t, err)
		for _, f := range a.Files {
			if strings.HasSuffix(f.Name, ".mlir") {
				texts[file] = append(texts[file], string(f.Data))
			}
		}
	}
	require.Greater(t, len(texts), 80)
	const scatters = "../../testdata/ops/scatter_add.txtar"
	for _, text := range texts[scatters] { // archives show programs of one dtype
		if strings.Contains(text, "complex") {
			continue
		}
		for _, e := range []string{"i8", "ui8"} {
			texts[scatters] = append(texts[scatters], strings.NewReplacer("xf32>", "x"+e+">", "<f32>", "<"+e+">", "0.000000e+00", "0").Replace(text))
		}
	}
	exported, err := filepath.Glob("../../testdata/exported/*.mlir")
	require.NoError(t, err)
	require.NotEmpty(t, exported)
	for _, file := range exported {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		texts[file] = []string{string(b)}
	}
	got := map[string]bool{}
	for file, all := range texts {
		for _, text := range all {
			listing, err := Listing(t.Context(), backends.NewModule(text), backends.Options{})
			require.NoError(t, err, "%s\n%s", file, text)
			for line := range strings.Lines(listing) {
				if what, reason, found := strings.Cut(line, ", run by the host: "); found {
					_, what, _ = strings.Cut(what, ": ")
					got[what+": "+strings.TrimSpace(reason)] = true
				}
			}
		}
	}
	combines := "scatter add: ptx: kernel k: a store that combines %s with add: there is no atomic instruction on a byte: unsupported operation"
	require.Equal(t, map[string]bool{
		strings.Replace(combines, "%s", "i8", 1):                true,
		strings.Replace(combines, "%s", "u8", 1):                true,
		"stablehlo.cholesky: there is no kernel for it":         true,
		"stablehlo.custom_call: there is no kernel for it":      true, // a function of the host
		"stablehlo.triangular_solve: there is no kernel for it": true,
	}, got)
}
