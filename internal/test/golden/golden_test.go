package golden_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/internal/test/golden"
)

// failing is a test whose failure is noted. What requires goes on, so that it
// is for the last thing only that a test requires.
type failing struct {
	testing.TB
	said string
}

func (f *failing) Helper()                        {}
func (f *failing) Errorf(format string, _ ...any) { f.said += format }
func (f *failing) FailNow()                       {}

func TestIs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "golden")
	require.NoError(t, os.WriteFile(file, []byte("one\n"), 0o644))
	if golden.Update() {
		golden.Is(t, file, "two\n")
		after, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, "two\n", string(after))
		return
	}
	for got, same := range map[string]bool{"one\n": true, "one": false, "two\n": false} {
		f := &failing{TB: t}
		golden.Is(f, file, got)
		require.Equal(t, same, f.said == "", got)
	}
}

func TestArchive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "upper.txtar")
	const text = "What is written large.\n-- a.in --\nx\n-- a.upper --\nX\n-- b.in --\ny\n-- b.upper --\nY\n-- b.length --\n2\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	var names []string
	golden.Archives(t, filepath.Dir(path)+"/*.txtar", ".in", func(t *testing.T, in txtar.File) []golden.Part {
		names = append(names, t.Name())
		parts := []golden.Part{{Ext: "upper", Text: strings.ToUpper(string(in.Data))}}
		if in.Name == "b.in" {
			parts = append(parts, golden.Part{Ext: "length", Text: "2"})
		}
		return parts
	})
	require.Equal(t, []string{"TestArchive/a", "TestArchive/b"}, names)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, text, string(after), "-update writes the same")
}
