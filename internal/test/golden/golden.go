// Package golden compares what tests get with files that hold what they should
// get, and writes these files anew if go test is called with -update. Its central
// functions are [Is], of a file, and [Archive], of an archive of inputs with what
// becomes of each.
//
// The package imports only go-cmp, testify and txtar.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Update reports whether golden files are written and not compared with.
func Update() bool { return *update }

// Is requires a file to hold got.
func Is(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "go test -update writes it")
	same(t, file, string(want), got)
}

func same(t testing.TB, name, want, got string) {
	t.Helper()
	require.Empty(t, cmp.Diff(want, got), "%s: if the change is meant, go test -update writes it", name)
}

// Part is what becomes of an input: of NAME.mlir, say, NAME.Ext.
type Part struct{ Ext, Text string }

// Archive runs f for each file of an archive whose name ends with ext, in a test of the
// rest of its name. It requires the files behind it to be the results of f, in this order,
// and nothing else.
func Archive(t *testing.T, path, ext string, f func(t *testing.T, in txtar.File) []Part) {
	t.Helper()
	a, err := txtar.ParseFile(path)
	require.NoError(t, err)
	out := &txtar.Archive{Comment: a.Comment}
	for rest := a.Files; len(rest) > 0; {
		name, ok := strings.CutSuffix(rest[0].Name, ext)
		require.True(t, ok, "%s: %s is behind no file whose name ends with %s", path, rest[0].Name, ext)
		n := 1
		for n < len(rest) && !strings.HasSuffix(rest[n].Name, ext) {
			n++
		}
		in, parts := rest[0], rest[1:n] // those of what -run leaves out stay
		t.Run(name, func(t *testing.T) {
			var got []txtar.File
			for _, p := range f(t, in) {
				got = append(got, txtar.File{Name: name + "." + p.Ext, Data: []byte(strings.TrimSuffix(p.Text, "\n") + "\n")})
			}
			if *update {
				parts = got
				return
			}
			same(t, path, text(parts), text(got))
		})
		out.Files = append(append(out.Files, in), parts...)
		rest = rest[n:]
	}
	require.NotEmpty(t, out.Files, "%s is empty", path)
	if *update && !t.Failed() {
		Is(t, path, string(txtar.Format(out)))
	}
}

func text(files []txtar.File) string { return string(txtar.Format(&txtar.Archive{Files: files})) }

// Archives is [Archive] of each file that a pattern matches.
func Archives(t *testing.T, pattern, ext string, f func(t *testing.T, in txtar.File) []Part) {
	t.Helper()
	for _, path := range Files(t, pattern) {
		Archive(t, path, ext, f)
	}
}

// Files returns the files that a pattern matches, one at least.
func Files(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files, "%s matches no file", pattern)
	return files
}
