package libraries

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Libraries are looked for where Python keeps them, those of each version in turn.
func TestCandidates(t *testing.T) {
	env, path := t.TempDir(), t.TempDir()
	t.Setenv("VIRTUAL_ENV", env)
	t.Setenv("CONDA_PREFIX", "")
	t.Setenv("PATH", filepath.Join(path, "bin"))
	t.Setenv("HOME", t.TempDir())
	var want []string
	touch := func(parts ...string) string {
		f := filepath.Join(parts...)
		require.NoError(t, os.MkdirAll(filepath.Dir(f), 0o755))
		require.NoError(t, os.WriteFile(f, nil, 0o755))
		return f
	}
	touch(path, "bin/python3")
	for _, f := range [][]string{
		{env, "lib/python3.11/site-packages/nvidia/cu13/lib/libcublasLt.so.13"},
		{path, "lib/python3.12/dist-packages/torch/lib/libcublasLt.so.13"},
		{os.Getenv("HOME"), ".local/lib/python3.9/site-packages/nvidia/cublas/lib/libcublasLt.so.12"},
	} {
		want = append(want, touch(f...))
	}
	got := Candidates("libcublasLt.so.13", "libcublasLt.so.12")
	at := -1
	for _, w := range append([]string{"libcublasLt.so.13"}, want...) {
		i := slices.Index(got, w)
		require.Greater(t, i, at, w)
		at = i
	}
	require.Less(t, slices.Index(got, want[1]), slices.Index(got, "libcublasLt.so.12"))
}
