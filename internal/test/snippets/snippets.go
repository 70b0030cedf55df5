// Package snippets checks pages of documentation against the code that they show:
// [Check] against examples, which run, and [Quotes] against any files.
//
// The package imports only the standard library and testify.
package snippets

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	example = regexp.MustCompile(`(?ms)^func Example\w*\(\) {\n.*?^}$`)
	block   = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")
)

// Check requires that every block of Go in a page is a part of the sources, files of
// patterns, but for white space. It also requires that the sources' examples say what they
// print: without that they are not run.
func Check(t *testing.T, page string, sources ...string) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	var code []byte
	for _, pattern := range sources {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, f := range files {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			code = append(code, text...)
		}
	}
	examples := example.FindAllString(string(code), -1)
	require.NotEmpty(t, examples)
	for _, e := range examples {
		require.Contains(t, e, "// Output:", "without it the example is not run")
	}
	requireParts(t, string(text), string(code), "not a part of an example")
}

// Quotes requires that every block of Go in a page is a part of one of the files, but for
// white space.
func Quotes(t *testing.T, page string, files ...string) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	var code strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		code.Write(text)
	}
	requireParts(t, string(text), code.String(), "not a part of the files")
}

func requireParts(t *testing.T, page, code, why string) {
	t.Helper()
	blocks := block.FindAllStringSubmatch(page, -1)
	require.NotEmpty(t, blocks)
	code = unindented(code)
	for _, b := range blocks {
		require.Contains(t, code, unindented(b[1]), why)
	}
}

func unindented(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString("\n" + strings.Join(strings.Fields(line), " "))
	}
	return b.String()
}
