// Command rename changes the path of this module everywhere it is written: in
// the go.mod files of all modules of the repository, imports, generators,
// documentation, the Makefile and CI. Run it in the repository's root with the
// new path as its argument.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"ltc/internal/diag"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: rename MODULE (make rename MODULE=example.org/x)")
		os.Exit(2)
	}
	n, err := rename(".", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "rename:", err)
		os.Exit(1)
	}
	fmt.Printf("%s changed\n", diag.Count(n, "file"))
}

var (
	moduleLine = regexp.MustCompile(`(?m)^module\s+(\S+)`)
	// What Go accepts as a module path, but for details that go build tells.
	modulePath = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.~-]*(/[A-Za-z0-9_][A-Za-z0-9_.~-]*)*$`)
)

// rename changes the module path of the repository in root and returns the
// number of files it wrote.
func rename(root, path string) (int, error) {
	if !modulePath.MatchString(path) {
		return 0, fmt.Errorf("%q is not a module path: want one like example.org/x", path)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return 0, err
	}
	m := moduleLine.FindSubmatch(mod)
	if m == nil {
		return 0, errors.New("go.mod has no module line")
	}
	r, err := newReplacer(root, string(m[1]), path)
	if err != nil {
		return 0, err
	}
	changed := 0
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && (skipped(d.Name()) || strings.HasPrefix(d.Name(), ".venv")):
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		wrote, err := r.file(file)
		if wrote {
			changed++
		}
		return err
	})
	return changed, err
}

// skipped reports whether a directory of that name holds nothing of ours.
func skipped(dir string) bool {
	return slices.Contains([]string{".git", "out", "bin"}, dir)
}

// replacer finds the old path where it is a path: before the name of one of
// the repository's directories, and in the lines of go.mod files, also of those
// that tests write from strings. The name alone can mean other things.
type replacer struct {
	inPath, inMod, inBlock *regexp.Regexp
	path                   string
}

func newReplacer(root, old, path string) (*replacer, error) {
	list, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, d := range list {
		if d.IsDir() && !strings.HasPrefix(d.Name(), ".") && !skipped(d.Name()) {
			dirs = append(dirs, regexp.QuoteMeta(d.Name()))
		}
	}
	old = regexp.QuoteMeta(old)
	return &replacer{
		inPath: regexp.MustCompile(`(^|[^\w./~-])` + old + `(/(?:` + strings.Join(dirs, "|") + `)\b)`),
		inMod:  regexp.MustCompile(`((?:\b|\\n)(?:module|require|replace)[ \t]+)` + old + `([\s"` + "`" + `\\]|$)`),
		// A line of a block `require ( … )`.
		inBlock: regexp.MustCompile(`(?m)(^[ \t]+)` + old + `([ \t]+v[0-9])`),
		path:    path,
	}, nil
}

// file rewrites a file if it has the old path.
func (r *replacer) file(name string) (bool, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return false, err
	}
	if bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text) {
		return false, nil
	}
	with := []byte("${1}" + strings.ReplaceAll(r.path, "$", "$$") + "${2}")
	out := r.inMod.ReplaceAll(r.inPath.ReplaceAll(text, with), with)
	if filepath.Base(name) == "go.mod" {
		out = r.inBlock.ReplaceAll(out, with)
	}
	if bytes.Equal(out, text) {
		return false, nil
	}
	if strings.HasSuffix(name, ".go") { // imports have a new order
		if out, err = format.Source(out); err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
	}
	info, err := os.Stat(name)
	if err != nil {
		return false, err
	}
	return true, os.WriteFile(name, out, info.Mode().Perm())
}
