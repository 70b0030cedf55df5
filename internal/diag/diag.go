// Package diag makes the errors of texts: they point at a line and a column
// and show the line. Its central type is [Error].
//
// imports only the standard library.
package diag

import (
	"fmt"
	"strings"
)

// Error is an error at a place in a text.
type Error struct {
	File      string
	Line, Col int    // from 1; the column in bytes
	Msg       string // what is wrong, and what to do
	Source    string // the line of the text
}

// Error prints file:line:col: error: message, the source line and a caret.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: error: %s\n%s\n%s^", e.File, e.Line, e.Col, e.Msg, e.Source, e.indent())
}

// indent is white space as wide as the source line up to the column.
func (e *Error) indent() string {
	before := e.Source[:min(e.Col-1, len(e.Source))]
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, before)
}

// Source is a text with its name.
type Source struct{ File, Text string }

// Errorf makes an error at the byte with the given offset.
func (s Source) Errorf(offset int, format string, args ...any) *Error {
	offset = min(max(offset, 0), len(s.Text))
	start := strings.LastIndexByte(s.Text[:offset], '\n') + 1
	line, _, _ := strings.Cut(s.Text[start:], "\n")
	return &Error{
		File: s.File, Line: strings.Count(s.Text[:offset], "\n") + 1, Col: offset - start + 1,
		Msg: fmt.Sprintf(format, args...), Source: strings.TrimSuffix(line, "\r"),
	}
}
