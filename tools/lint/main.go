// Command lint checks the words of a module. It finds
//
//   - sentences of over 35 words in comments and pages;
//   - types with words that the glossary replaces;
//   - pages of over 15 KiB;
//   - links that lead nowhere;
//   - exported names without documentation;
//   - formats such as "%d operands", which also say "1 operands".
//
// It prints a line for each finding, and ends with status 1 then. Its argument is the
// folder of the module, the current one without it.
package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	found, err := lint(os.DirFS(root))
	for _, f := range found {
		fmt.Println(f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "lint:", err)
	}
	if err != nil || len(found) > 0 {
		os.Exit(1)
	}
}

// finding is a fault at a line of a file.
type finding struct {
	file string
	line int
	text string
}

func (f finding) String() string { return fmt.Sprintf("%s:%d: %s", f.file, f.line, f.text) }

// lint returns what is wrong in a module, by file and line.
func lint(module fs.FS) ([]finding, error) {
	glossary, err := fs.ReadFile(module, "docs/glossary.md")
	if err != nil {
		return nil, err
	}
	w, set := newWords(string(glossary)), token.NewFileSet()
	var files []*ast.File
	pages := map[string]*page{}
	err = fs.WalkDir(module, ".", func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(name, ".") && name != "." || name == "testdata" || name == "out" || name == "bin"):
			return fs.SkipDir
		case filepath.Ext(name) != ".md" && filepath.Ext(name) != ".go":
			return nil
		}
		text, err := fs.ReadFile(module, path)
		if err != nil {
			return err
		}
		if filepath.Ext(name) == ".md" {
			pages[path] = newPage(path, string(text))
			return nil
		}
		f, err := parser.ParseFile(set, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil && !ast.IsGenerated(f) {
			w.add(f)
			files = append(files, f)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var found []finding
	for _, f := range files {
		found = append(found, w.source(set, f)...)
	}
	for _, p := range pages {
		found = append(found, p.size()...)
		found = append(found, p.sentences()...)
		found = append(found, p.links(module, pages)...)
	}
	slices.SortFunc(found, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line), strings.Compare(a.text, b.text))
	})
	return found, nil
}
