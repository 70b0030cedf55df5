package llvm

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/programs"
)

// Programs that were once compiled wrong compute what the evaluator computes.
func TestFound(t *testing.T) {
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	eval, err := backends.Open("eval")
	require.NoError(t, err)
	files, err := filepath.Glob("testdata/found/*.mlir")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for seed := range uint64(6) { // threads: one to three
			for _, extreme := range []bool{false, true} {
				t.Run(fmt.Sprint(filepath.Base(file), seed, extreme), func(t *testing.T) {
					_, err := alike(t.Context(), cpu, eval, programs.Program{Text: string(text), Extreme: extreme}, seed)
					require.NoError(t, err)
				})
			}
		}
	}
}
