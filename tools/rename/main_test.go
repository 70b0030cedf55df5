package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
)

// write makes files below a fresh directory.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}

func TestRenameText(t *testing.T) {
	root := write(t, map[string]string{
		"go.mod":            "module old\n\ngo 1.26.0\n",
		"soa/soa.go":        "// Package soa.\n//\n// The package imports only old/ir.\npackage soa\n\nimport (\n\t\"fmt\"\n\t\"old/ir\"\n)\n\nvar _ = fmt.Sprint(ir.X, \"old.name\", \"old/other\")\n",
		"ir/ir.go":          "package ir\n\nvar X = 1\n",
		"examples/x/go.mod": "module old/examples/x\n\nrequire (\n\told v0.0.0\n\told.org/x v1.0.0\n)\n\nreplace old => ../..\n",
		"README.md":         "old, a tool: `import \"old/soa\"`, not bold/soa, ./old/soa or old-dump.\n",
		"soa/t_test.go":     "package soa\n\nconst m = \"module x\\nreplace old => ..\\nrequire old v0\\n\"\n",
		"out/keep.txt":      "old/soa\n",
		"bin.dat":           "old/soa\x00",
	})
	n, err := rename(root, "example.org/a/new")
	require.NoError(t, err)
	require.Equal(t, 5, n)
	for name, want := range map[string]string{
		"go.mod":            "module example.org/a/new\n\ngo 1.26.0\n",
		"soa/soa.go":        "// Package soa.\n//\n// The package imports only example.org/a/new/ir.\npackage soa\n\nimport (\n\t\"example.org/a/new/ir\"\n\t\"fmt\"\n)\n\nvar _ = fmt.Sprint(ir.X, \"old.name\", \"old/other\")\n",
		"examples/x/go.mod": "module example.org/a/new/examples/x\n\nrequire (\n\texample.org/a/new v0.0.0\n\told.org/x v1.0.0\n)\n\nreplace example.org/a/new => ../..\n",
		"README.md":         "old, a tool: `import \"example.org/a/new/soa\"`, not bold/soa, ./old/soa or old-dump.\n",
		"soa/t_test.go":     "package soa\n\nconst m = \"module x\\nreplace example.org/a/new => ..\\nrequire example.org/a/new v0\\n\"\n",
		"out/keep.txt":      "old/soa\n",
	} {
		got, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.Equal(t, want, string(got), name)
	}
}

func TestRenameErrors(t *testing.T) {
	root := write(t, map[string]string{"go.mod": "go 1.26.0\n"})
	_, err := rename(root, "x y")
	require.EqualError(t, err, `"x y" is not a module path: want one like example.org/x`)
	_, err = rename(root, "")
	require.EqualError(t, err, `"" is not a module path: want one like example.org/x`)
	_, err = rename(root, "x")
	require.EqualError(t, err, "go.mod has no module line")
}

// A renamed copy of this repository is formatted, finds all that it imports and
// imports nothing from the old path. In long runs it is also compiled.
func TestRenameThisRepository(t *testing.T) {
	list := []string{"list", "-deps", "-test"}
	if trials.Soaking() { // neither links nor optimises: nothing is to run
		list = append(list, "-export", "-trimpath", "-gcflags=-N -l")
	}
	list = append(list, "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./...")
	root := t.TempDir()
	require.NoError(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel("../..", path)
		to := filepath.Join(root, rel)
		switch {
		case err != nil:
			return err
		case d.IsDir() && rel != "." && (skipped(d.Name()) || strings.HasPrefix(d.Name(), ".venv")):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o644)
	}))
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	old := string(moduleLine.FindSubmatch(mod)[1])
	n, err := rename(root, "example.org/renamed/module")
	require.NoError(t, err)
	require.Greater(t, n, 20)

	mods, err := filepath.Glob(filepath.Join(root, "examples/*/go.mod"))
	require.NoError(t, err)
	for _, dir := range append([]string{root}, mods...) {
		dir = strings.TrimSuffix(dir, "/go.mod")
		for dep := range strings.Lines(command(t, dir, "go", list...)) {
			require.False(t, strings.HasPrefix(dep, old+"/"), "%s", dep)
		}
	}
	require.Empty(t, command(t, root, "gofmt", "-l", "."))
	// Programs that ask go list about this module find it.
	require.Contains(t, command(t, root, "go", "run", "./tools/architecture"), ">lazy<")
	// No string is a pattern of packages below the old path: nothing renames it.
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		require.NotContains(t, string(text), `"`+old+`/..."`, "%s", path)
		return err
	}))
}

func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "PWD="+dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}
