// Package optest reads and writes the archives of testdata/ops, each of which
// holds all about one op, and computes what the op should give in the most
// naive way. Its central type is [Archive].
//
// An archive starts with the op's documentation. Then come, for each run,
//
//	NAME.run    the call, its arguments and results
//	NAME.ir     the graph that records it, of one dtype ([Run.Shown])
//	NAME.mlir   the program that the graph lowers to
//
// and last the file bad: calls that break a rule, each with its error.
//
// A run reads
//
//	add(x, y) for numbers within 1 ulp
//	x: [2,2] 1 2 | 3 4
//	y: i32[2] 5 6
//	=: [2,2] 6 8 | 8 10
//
// for is followed by dtypes, or by any, numbers, floats, signed, integers or
// logical. Values without a dtype have that of the run, as has an attribute
// written T. Results without "within" are exact. Results that differ by dtype
// take a line each.
//
// The package imports only ltc/backends, ltc/ir/types, ltc/ir/ops, ltc/soa, ltc/internal/samples,
// ltc/internal/diag and txtar.
package optest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"
)

// Archive is all about one op.
type Archive struct {
	Path string
	Op   string // mnemonic
	Doc  string
	Runs []*Run
	IR   []string // of Runs
	MLIR []string // of Runs
	Bad  []*BadCall
}

// BadCall is a call that breaks a rule.
type BadCall struct {
	Call  Call
	Error string
}

// Read reads an archive. Sections that -update writes may be missing.
func Read(path string) (*Archive, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file := txtar.Parse(data)
	a := &Archive{Path: path, Op: strings.TrimSuffix(filepath.Base(path), ".txtar"), Doc: string(file.Comment)}
	texts := map[string]string{}
	for _, f := range file.Files {
		texts[f.Name] = string(f.Data)
	}
	for _, f := range file.Files {
		name, ok := strings.CutSuffix(f.Name, ".run")
		if !ok {
			continue
		}
		r, err := parseRun(name, string(f.Data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		a.Runs = append(a.Runs, r)
		a.IR = append(a.IR, texts[name+".ir"])
		a.MLIR = append(a.MLIR, texts[name+".mlir"])
	}
	if a.Bad, err = parseBad(texts["bad"]); err != nil {
		return nil, fmt.Errorf("%s: bad: %w", path, err)
	}
	return a, nil
}

// ReadAll reads the archives of a directory.
func ReadAll(dir string) ([]*Archive, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	var all []*Archive
	for _, p := range paths {
		a, err := Read(p)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// Graphs returns the texts of the graphs in the archives of a directory, by op and name of their run.
func Graphs(dir string) (map[string]string, error) {
	archives, err := ReadAll(dir)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, a := range archives {
		for i, r := range a.Runs {
			texts[a.Op+"/"+r.Name] = a.IR[i]
		}
	}
	return texts, nil
}

// parseBad reads calls, each followed by its error on a line that is indented.
func parseBad(text string) ([]*BadCall, error) {
	var all []*BadCall
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "":
		case strings.HasPrefix(line, " ") && len(all) > 0:
			all[len(all)-1].Error = trimmed
		default:
			c, err := ParseCall(trimmed)
			if err != nil {
				return nil, err
			}
			all = append(all, &BadCall{Call: c})
		}
	}
	return all, nil
}

// Bytes is the archive's text.
func (a *Archive) Bytes() []byte {
	file := &txtar.Archive{Comment: []byte(a.Doc)}
	add := func(name, text string) {
		file.Files = append(file.Files, txtar.File{Name: name, Data: []byte(text)})
	}
	for i, r := range a.Runs {
		add(r.Name+".run", r.String())
		add(r.Name+".ir", a.IR[i])
		add(r.Name+".mlir", a.MLIR[i])
	}
	if len(a.Bad) > 0 {
		var b strings.Builder
		for _, c := range a.Bad {
			b.WriteString(c.Call.String() + "\n  " + c.Error + "\n")
		}
		add("bad", b.String())
	}
	return txtar.Format(file)
}

// Write writes the archive back.
func (a *Archive) Write() error { return os.WriteFile(a.Path, a.Bytes(), 0o644) }
