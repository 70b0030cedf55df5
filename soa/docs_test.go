package soa_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every snippet of docs/soa.md is a part of the examples, which run: it does
// what the page says.
func TestDocumentationIsExamples(t *testing.T) {
	page, err := os.ReadFile("../docs/soa.md")
	require.NoError(t, err)
	source, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	unindented := func(s string) string {
		var b strings.Builder
		for line := range strings.Lines(s) {
			b.WriteString("\n" + strings.Join(strings.Fields(line), " "))
		}
		return b.String()
	}
	examples := regexp.MustCompile(`(?ms)^func Example\w*\(\) {\n.*?^}$`).FindAllString(string(source), -1)
	require.NotEmpty(t, examples)
	for _, e := range examples {
		require.Contains(t, e, "// Output:\n", "without it the example is not run")
	}
	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllSubmatch(page, -1)
	require.NotEmpty(t, blocks)
	all := unindented(string(source))
	for _, b := range blocks {
		require.Contains(t, all, unindented(string(b[1])), "not a part of an example")
	}
}
