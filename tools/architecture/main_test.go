package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// The page's picture is that of the imports, and what its tables name is there.
func TestPage(t *testing.T) {
	boxes, err := read()
	require.NoError(t, err)
	reduce(boxes)
	svg, err := os.ReadFile("../../docs/architecture.svg")
	require.NoError(t, err)
	require.Equal(t, draw(place(boxes)), string(svg), "go generate ./tools/architecture draws it anew")

	page, err := os.ReadFile("../../docs/architecture.md")
	require.NoError(t, err)
	named := regexp.MustCompile("`([a-z]+/[a-z0-9_/]+(?:\\.go)?)`").FindAllStringSubmatch(string(page), -1)
	require.NotEmpty(t, named)
	for _, m := range named {
		_, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(m[1])))
		require.NoError(t, err)
	}
}
