package simplify_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/simplify"
	"ltc/internal/test/golden"
)

// What the programs of the workloads become, in testdata/workloads under their
// names, and that they compute the same.
func TestWorkloads(t *testing.T) {
	for _, file := range golden.Files(t, "../testdata/workloads/*.mlir") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			before, err := os.ReadFile(file)
			require.NoError(t, err)
			after := simplified(t, file, string(before), folding)
			golden.Is(t, filepath.Join("testdata", "workloads", filepath.Base(file)), after)
			require.Equal(t, after, simplified(t, "again", after, folding), "a second time")
			requireSame(t, string(before), after, 1e-5)
		})
	}
}

// Programs that JAX exported compute the same.
func TestExported(t *testing.T) {
	for _, file := range golden.Files(t, "../../../testdata/exported/*.mlir") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			before, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, o := range []simplify.Options{folding, {}} {
				after := simplified(t, file, string(before), o)
				require.Equal(t, after, simplified(t, "again", after, o), "a second time")
				requireSame(t, string(before), after, 1e-4)
			}
		})
	}
}
