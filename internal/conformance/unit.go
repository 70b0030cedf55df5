// Package conformance runs the StableHLO project's own tests on a backend.
// Its central type is [Unit], one test: a file, or a part of one.
//
// A test is a module whose functions compute values and compare them with
// check.* ops. [Run] takes the comparisons out of the program, so that any
// backend can be judged: what they compare becomes results of main, and the
// comparing is done here, with the tolerances of StableHLO's own interpreter.
//
// imports only ltc/backends, ltc/mlir and ltc/soa.
package conformance

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// Unit is one test.
type Unit struct {
	File  string // path of the file
	Chunk int    // which of the file's parts, from 0; -1 if it has but one
	// Text has as many empty lines in front that lines count as in the file.
	Text string

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

// Files returns the .mlir files that the paths name, those of a directory in
// the order of their names.
func Files(paths []string) ([]string, error) {
	var files []string
	for _, p := range paths {
		err := filepath.WalkDir(p, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && (name == p || filepath.Ext(name) == ".mlir") {
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
	var part strings.Builder
	chunk, used := 0, false
	flush := func() {
		if used {
			units = append(units, Unit{File: file, Chunk: chunk, Text: part.String()})
		}
		chunk, used = chunk+1, false
		lines := strings.Count(part.String(), "\n")
		part.Reset()
		part.WriteString(strings.Repeat("\n", lines+1)) // and the line // -----
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "// -----") {
			flush()
			continue
		}
		part.WriteString(line)
		bare := strings.TrimSpace(line)
		comment, isComment := strings.CutPrefix(bare, "//")
		used = used || bare != "" && !isComment
		if isComment {
			head.directive(strings.TrimSpace(comment))
		}
	}
	flush()
	for i := range units {
		u := &units[i]
		u.disabled, u.runs = head.disabled, head.runs
		u.printed = printed(u.Text)
		if chunk == 1 {
			u.Chunk = -1
		}
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
