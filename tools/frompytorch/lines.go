package main

import (
	"errors"
	"go/scanner"
	"go/token"
	"strings"
)

// goLines counts the lines of a program in Go that have more than white space and comments.
func goLines(source string) (int, error) {
	file := token.NewFileSet().AddFile("", 1, len(source)) // the first of its set: offsets are positions less 1
	var s scanner.Scanner
	var failed error
	s.Init(file, []byte(source), func(at token.Position, why string) { failed = errors.Join(failed, errors.New(why)) }, 0)
	lines := map[int]bool{}
	for {
		at, tok, text := s.Scan()
		if tok == token.EOF {
			return len(lines), failed
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue
		}
		for i := range strings.Count(text, "\n") + 1 { // of a raw string
			lines[file.Line(at)+i] = true
		}
	}
}

// pythonLines counts the lines of a program in Python that have more than white space, comments and docstrings. A docstring
// begins a line with three double quotes.
func pythonLines(source string) (int, error) {
	n, doc := 0, false
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		quotes := strings.Count(line, `"""`)
		switch {
		case doc:
			doc = quotes == 0
		case strings.HasPrefix(line, `"""`):
			doc = quotes == 1
		case line != "" && !strings.HasPrefix(line, "#"):
			n++
		}
	}
	if doc {
		return n, errors.New("a docstring does not end")
	}
	return n, nil
}
