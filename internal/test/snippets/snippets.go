// Package snippets checks pages of documentation against examples, which run.
// Its only function is [Check].
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
	blocks := block.FindAllSubmatch(text, -1)
	require.NotEmpty(t, blocks)
	all := unindented(string(code))
	for _, b := range blocks {
		require.Contains(t, all, unindented(string(b[1])), "not a part of an example")
	}
}

func unindented(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString("\n" + strings.Join(strings.Fields(line), " "))
	}
	return b.String()
}
