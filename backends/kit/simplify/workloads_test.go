package simplify_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"ltc/backends/kit/simplify"
)

// What the programs of the workloads become, in testdata/workloads under their
// names, and that they compute the same.
func TestWorkloads(t *testing.T) {
	files, err := filepath.Glob("../testdata/workloads/*.mlir")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			before, err := os.ReadFile(file)
			require.NoError(t, err)
			after := simplified(t, file, string(before), folding)
			golden := filepath.Join("testdata", "workloads", filepath.Base(file))
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(after), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(string(want), after))
			require.Equal(t, after, simplified(t, golden, after, folding), "a second time")
			requireSame(t, string(before), after, 1e-5)
		})
	}
}

// Programs that JAX exported compute the same.
func TestExported(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/exported/*.mlir")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
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
