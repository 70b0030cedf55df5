// Package exported runs programs that JAX exported, as they are, and compares
// with the results that JAX recorded: testdata/exported, which
// tools/export/export.py writes.
//
// The package imports only ltc/backends, ltc/backends/reference, ltc/internal/samples, ltc/mlir,
// ltc/soa/npy and ltc/soa.
package exported

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	_ "ltc/backends/reference"
	"ltc/internal/samples"
	"ltc/soa"
	"ltc/soa/npy"
)

const (
	dir       = "../../../testdata/exported"
	tolerance = 1e-5 // as samples.Differ measures
)

// names returns the programs that are there.
func names(t *testing.T) []string {
	files, err := filepath.Glob(filepath.Join(dir, "*.mlir"))
	require.NoError(t, err)
	var all []string
	for _, f := range files {
		all = append(all, strings.TrimSuffix(filepath.Base(f), ".mlir"))
	}
	return all
}

func text(t *testing.T, name string) string {
	data, err := os.ReadFile(filepath.Join(dir, name+".mlir"))
	require.NoError(t, err)
	return string(data)
}

// arrays returns the arrays of an archive in the order of their numbers.
func arrays(t *testing.T, file, prefix string) []soa.View {
	entries, err := npy.ReadArchive(filepath.Join(dir, file))
	require.NoError(t, err)
	views := make([]soa.View, len(entries))
	for i := range views {
		name := fmt.Sprintf("%s%d", prefix, i)
		k := slices.IndexFunc(entries, func(e npy.Entry) bool { return e.Name == name })
		require.GreaterOrEqual(t, k, 0, "%s has no %s", file, name)
		views[i] = entries[k].View
	}
	return views
}

func TestFiles(t *testing.T) {
	all := names(t)
	require.Subset(t, all, []string{"encoder", "decoder", "convnet"})
	var want []string
	for _, name := range all {
		want = append(want, name+".in.npz", name+".mlir", name+".out.npz")
	}
	found, err := os.ReadDir(dir)
	require.NoError(t, err)
	var have []string
	for _, f := range found {
		have = append(have, f.Name())
	}
	require.ElementsMatch(t, want, have)
}

func TestPrograms(t *testing.T) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			exe, err := b.Compile(ctx, backends.NewModule(text(t, name)), backends.Options{Name: name + ".mlir"})
			require.NoError(t, err)
			sig := exe.Signature()
			args := arrays(t, name+".in.npz", "arr_")
			require.Len(t, args, len(sig.Args))
			call := &backends.Call{Args: args, Results: make([]soa.View, len(sig.Results))}
			require.NoError(t, exe.Execute(ctx, call))
			want := arrays(t, name+".out.npz", "out")
			require.Len(t, want, len(call.Results))
			for i, got := range call.Results {
				d, err := samples.Differ(got, want[i])
				require.NoError(t, err, "result %d", i)
				require.LessOrEqual(t, d.Size, tolerance, "result %d: %+v", i, d)
			}
		})
	}
}
