// Package conformance runs the StableHLO project's own tests on a backend.
// Its central type is [Unit], one test: a file, or a part of one.
//
// A test is a module whose functions compute values and compare them with
// check.* ops. [Run] takes the comparisons out of the program, so that any
// backend can be judged: what they compare becomes results of main, and the
// comparing is done here, with the tolerances of StableHLO's own interpreter.
//
// The package imports only ltc/backends, ltc/mlir, ltc/soa, ltc/stablehlo, ltc/stablehlo/verify,
// ltc/internal/files, ltc/internal/minifloat, ltc/internal/mlirtext and ltc/internal/diag.
package conformance

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"ltc/internal/mlirtext"
)

// Unit is one test.
type Unit struct {
	File  string // path of the file
	Chunk int    // which of the file's parts, from 0; -1 if it has but one

	part     mlirtext.Chunk
	disabled string   // why the file's RUN line is disabled; "" if it is not
	runs     bool     // a RUN line interprets the file
	printed  []string // what the interpreter is to print: dense<…> : type
}

// Name is the file, and the part behind a # if there are several.
func (u Unit) Name() string {
	if u.Chunk < 0 {
		return u.File
	}
	return fmt.Sprintf("%s#%d", u.File, u.Chunk)
}

// Family is the directories of the file below the suite's root, which holds
// interpret and testdata; programs of CHLO among others are a family of their
// own.
func (u Unit) Family() string {
	dir, file := path.Split(filepath.ToSlash(u.File))
	parts := strings.Split(strings.TrimSuffix(dir, "/"), "/")
	from := len(parts) - 1
	for i, p := range parts {
		if p == "interpret" || p == "testdata" {
			from = i
		}
	}
	name := strings.Join(parts[from:], "/")
	if strings.HasSuffix(file, "_chlo.mlir") {
		name += ", CHLO"
	}
	return name
}

// Files returns the files that the paths name, of a directory the .mlir files
// below it, in the order of their names.
func Files(paths []string) ([]string, error) {
	var files []string
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, p)
			continue
		}
		root := p + string(filepath.Separator) // so that a link is followed
		err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && filepath.Ext(name) == ".mlir" {
				files = append(files, name)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Read returns the tests of a file: its parts between lines // -----.
func Read(file string) ([]Unit, error) {
	data, err := ReadFile(file)
	if err != nil {
		return nil, err
	}
	return split(file, string(data)), nil
}

func split(file, text string) []Unit {
	var head Unit
	var units []Unit
	parts := mlirtext.Split(file, text)
	for i, p := range parts {
		used := false
		for line := range strings.Lines(p.Body()) {
			bare := strings.TrimSpace(line)
			comment, isComment := strings.CutPrefix(bare, "//")
			used = used || bare != "" && !isComment
			if isComment {
				head.directive(strings.TrimSpace(comment))
			}
		}
		if !used {
			continue
		}
		u := Unit{File: file, Chunk: i, part: p, printed: printed(p.Body())}
		if len(parts) == 1 {
			u.Chunk = -1
		}
		units = append(units, u)
	}
	for i := range units { // a RUN line stands in one part and is for all
		units[i].disabled, units[i].runs = head.disabled, head.runs
	}
	return units
}

// directive reads a RUN line of the file.
func (u *Unit) directive(comment string) {
	if !strings.Contains(comment, "--interpret") {
		return
	}
	if rest, ok := strings.CutPrefix(comment, "RUN-DISABLED("); ok {
		u.disabled, _, _ = strings.Cut(rest, ")")
	} else if strings.HasPrefix(comment, "RUN:") {
		u.runs = true
	}
}

// printed returns what CHECK-DENSE lines say that the interpreter prints.
func printed(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		mark, literal, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok && (mark == "// CHECK-DENSE" || mark == "// CHECK-DENSE{LITERAL}") {
			all = append(all, literal)
		}
	}
	return all
}
