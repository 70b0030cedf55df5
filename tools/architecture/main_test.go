package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// The picture is that of the imports.
func TestPicture(t *testing.T) {
	boxes, err := read()
	require.NoError(t, err)
	reduce(boxes)
	svg, err := os.ReadFile("../../docs/architecture.svg")
	require.NoError(t, err)
	require.Equal(t, draw(place(boxes)), string(svg), "go generate ./tools/architecture draws it anew")
}

// The pages for newcomers name files that exist, and what the files declare.
func TestPagesNameCode(t *testing.T) {
	code := regexp.MustCompile("`([a-z]+/[a-z0-9_/]+(?:\\.go)?)`(?:: `([A-Za-z]+)`)?")
	for _, page := range []string{"architecture.md", "glossary.md"} {
		text, err := os.ReadFile(filepath.Join("../../docs", page))
		require.NoError(t, err)
		named := code.FindAllStringSubmatch(string(text), -1)
		require.NotEmpty(t, named, page)
		for _, m := range named {
			path := filepath.Join("../..", filepath.FromSlash(m[1]))
			_, err := os.Stat(path)
			require.NoError(t, err, page)
			if name := m[2]; name != "" {
				file, err := os.ReadFile(path)
				require.NoError(t, err)
				// A type, a function, a method, or a field.
				require.Regexp(t, `(?m)^(\t|type |func (\(.*?\) )?)`+name+`\b`, string(file), "%s: %s", page, path)
			}
		}
	}
}
