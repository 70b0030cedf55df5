package lazy_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every snippet of docs/use, docs/why, docs/explain.md, docs/controlflow.md and docs/complex.md is a part of an
// example with an output, here or in package ltctest, fft, tokenizer or amp. It compiles, runs and does what the
// page says.
func TestDocumentationIsExamples(t *testing.T) {
	bodies := exampleBodies(t)
	pages, err := filepath.Glob("../docs/[uw][sh][ey]/*.md")
	require.NoError(t, err)
	require.Greater(t, len(pages), 9)
	pages = append(pages, "../docs/explain.md", "../docs/controlflow.md", "../docs/complex.md")
	snippets := 0
	for _, p := range pages {
		page, err := os.ReadFile(p)
		require.NoError(t, err)
		for _, b := range regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllSubmatch(page, -1) {
			snippets++
			require.True(t, slices.ContainsFunc(bodies, func(body string) bool {
				return strings.Contains(body, unindented(string(b[1])))
			}), "%s: not a part of any example with an output:\n%s", p, b[1])
		}
	}
	require.Greater(t, snippets, 30)
}

// exampleBodies returns what is between the braces of the examples here and in packages ltctest, fft, tokenizer and amp.
func exampleBodies(t *testing.T) []string {
	var files, bodies []string
	for _, dir := range []string{".", "../ltctest", "../fft", "../tokenizer", "../optim/amp"} {
		more, err := filepath.Glob(filepath.Join(dir, "example*_test.go"))
		require.NoError(t, err)
		files = append(files, more...)
	}
	for _, name := range files {
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, source, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.Name.Name, "Example") {
				continue
			}
			body := string(source[set.Position(f.Body.Lbrace).Offset+1 : set.Position(f.Body.Rbrace).Offset])
			require.Regexp(t, "(?m)// Output:( .*)?$", body, "%s: without it the example is not run", f.Name)
			bodies = append(bodies, unindented(body))
		}
	}
	return bodies
}

// unindented returns the lines of s without the space around them.
func unindented(s string) string {
	var b strings.Builder
	b.WriteByte('\n')
	for line := range strings.Lines(s) {
		b.WriteString(strings.TrimSpace(line) + "\n")
	}
	return b.String()
}
