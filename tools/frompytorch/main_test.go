package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// The pages show the examples as they are, and are short. No page of a removed example is left.
func TestPagesAreCurrent(t *testing.T) {
	files, err := generate(root)
	require.NoError(t, err)
	old, err := filepath.Glob(filepath.Join(root, "docs/from-pytorch/*.md"))
	require.NoError(t, err)
	for _, path := range old {
		name, err := filepath.Rel(root, path)
		require.NoError(t, err)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if strings.HasPrefix(string(text), generated[:strings.Index(generated, "%")]) {
			require.Contains(t, files, filepath.ToSlash(name), "%s is a page of no example: remove it", name)
		}
	}
	for name, text := range files {
		old, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.Equal(t, string(text), string(old), "%s: go generate ./tools/frompytorch writes it anew", name)
		require.Less(t, len(text), 15_360, name)
	}
}

// A program in Go has at most 1.3 times the lines of the same program in PyTorch.
func TestLines(t *testing.T) {
	for _, e := range examples {
		_, python, golang, err := e.pages(root)
		require.NoError(t, err)
		require.LessOrEqual(t, float64(golang), 1.3*float64(python), "%s: %d lines in Go, %d in PyTorch", e.name, golang, python)
	}
}

func TestCount(t *testing.T) {
	n, err := goLines("// Package a.\npackage a\n\n/* b\n   c */\nvar s = `1\n\n3` // d\n\nfunc f() {\n}\n")
	require.NoError(t, err)
	require.Equal(t, 6, n)
	_, err = goLines("package a\nvar s = \"\n")
	require.Error(t, err)
	n, err = pythonLines("\"\"\"A.\n\nB.\"\"\"\nimport a  # b\n\n# c\ndef f():\n    \"\"\"D.\"\"\"\n    return 1\n")
	require.NoError(t, err)
	require.Equal(t, 3, n)
	_, err = pythonLines("\"\"\"A.\n")
	require.Error(t, err)
}
