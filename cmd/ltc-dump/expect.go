package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ltc/internal/mlirtext"
	"ltc/internal/test/conformance"
	"ltc/mlir"
	"ltc/stablehlo/verify"
)

// chunk is a part of a file and the errors that its comments expect.
type chunk struct {
	mlirtext.Chunk
	want []expectation
}

// expectation is a comment `expected-error@+1 {{message}}`.
type expectation struct {
	line int // in the file
	msg  string
}

// expectErrors checks the chunks of files: one with expectations passes when
// it is rejected on each of their lines, one without when it is accepted.
// Messages are not compared: ours are in our own words.
func (c *call) expectErrors(paths []string) error {
	files, err := mlirFiles(paths)
	if err != nil {
		return err
	}
	passed, failed, skipped := 0, 0, 0
	for _, file := range files {
		name, text, err := c.read(file)
		if err != nil {
			return err
		}
		chunks, err := readChunks(name, text)
		if err != nil {
			return err
		}
		if strings.Contains(text, "// RUN-DISABLED") {
			skipped += len(chunks)
			continue
		}
		for _, k := range chunks {
			if why := k.check(); why != "" {
				fmt.Fprintln(c.stdout, printable(why))
				failed++
			} else {
				passed++
			}
		}
	}
	if passed+failed+skipped == 0 {
		return noTests(paths)
	}
	fmt.Fprintf(c.stdout, "%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	if failed > 0 {
		return errFailed
	}
	return nil
}

// errFailed ends a command that has printed what failed itself.
var errFailed = errors.New("failed")

// mlirFiles is [conformance.Files] of paths that may also be -.
func mlirFiles(paths []string) ([]string, error) {
	var files []string
	for _, p := range paths {
		some, err := []string{p}, error(nil)
		if p != "-" {
			some, err = conformance.Files(some)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, some...)
	}
	return files, nil
}

// annotation is the comment that expects an error: @+N, @-N, @above, @below or
// nothing, and the message in double braces, or with -re a pattern.
var annotation = regexp.MustCompile(`expected-error(?:-re)?\s*(@[^\s{]*)?\s*\{\{(.*)\}\}`)

func readChunks(file, text string) ([]chunk, error) {
	var chunks []chunk
	for _, part := range mlirtext.Split(file, text) {
		k, n := chunk{Chunk: part}, part.Line
		for line := range strings.Lines(part.Body()) {
			if a := annotation.FindStringSubmatch(line); a != nil {
				at, err := designated(a[1], n)
				if err != nil {
					return nil, fmt.Errorf("%s:%d: %w", file, n, err)
				}
				k.want = append(k.want, expectation{line: at, msg: a[2]})
			}
			n++
		}
		if strings.TrimSpace(part.Body()) != "" {
			chunks = append(chunks, k)
		}
	}
	return chunks, nil
}

// designated is the line that a comment on line n means by where.
func designated(where string, n int) (int, error) {
	switch where {
	case "":
		return n, nil
	case "@above":
		return n - 1, nil
	case "@below":
		return n + 1, nil
	}
	d, err := strconv.Atoi(where[1:])
	if err != nil || where[1] != '+' && where[1] != '-' {
		return 0, fmt.Errorf("expected-error%s: want @+N, @-N, @above or @below", where)
	}
	return n + d, nil
}

// check returns what is wrong with the chunk's verdict, or "".
func (k chunk) check() string {
	m, err := k.Parse()
	if err == nil {
		err = verify.Module(m)
	}
	var got []*mlir.Error
	var one *mlir.Error
	var all mlir.Errors
	switch {
	case errors.As(err, &all):
		got = all
	case errors.As(err, &one):
		got = []*mlir.Error{one}
	}
	var why []string
	for _, w := range k.want {
		if !slices.ContainsFunc(got, func(e *mlir.Error) bool { return e.Pos.Line == w.line }) {
			why = append(why, fmt.Sprintf("%s:%d: an error is expected here: %s", k.File, w.line, w.msg))
		}
	}
	// Other lines may be refused too: our rules are not the same everywhere.
	if len(k.want) > 0 && len(why) == 0 {
		return ""
	}
	for _, e := range got {
		why = append(why, e.Error())
	}
	return strings.Join(why, "\n")
}
