package mlir

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ltc/internal/diag"
)

// Error is a mistake in a text, or in an op of a module built without one
// (then Pos is zero).
type Error struct {
	File   string
	Pos    Pos
	Msg    string
	Source string // the line Pos is on; empty when there is no text
}

// Error prints file:line:col: error: message, the source line and a caret
// under the column. Of a long line only the part around the column is shown.
func (e *Error) Error() string {
	d := diag.Error{File: e.File, Line: e.Pos.Line, Col: e.Pos.Col, Msg: e.Msg, Source: e.Source}
	return d.Error()
}

// Errors is several errors in the order of the text.
type Errors []*Error

// Error prints the errors one after another.
func (e Errors) Error() string {
	s := make([]string, len(e))
	for i, x := range e {
		s[i] = x.Error()
	}
	return strings.Join(s, "\n")
}

// Unwrap lets errors.Is and errors.As see each error.
func (e Errors) Unwrap() []error {
	s := make([]error, len(e))
	for i, x := range e {
		s[i] = x
	}
	return s
}

// maxErrors is how many errors of one text are kept: one wrong line can make
// thousands.
const (
	maxErrors  = 20
	errorsKept = 10_000 // while reading, before they are sorted
)

// join sorts the errors, fills in their source lines, and returns nil, the one
// error, or [Errors].
func join(file, text string, errs []*Error) error {
	if len(errs) == 0 {
		return nil
	}
	slices.SortStableFunc(errs, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	errs = slices.CompactFunc(errs, func(a, b *Error) bool { return *a == *b }) // one type, used three times
	if len(errs) > maxErrors {
		errs = errs[:maxErrors]
	}
	for _, e := range errs {
		e.File = file
		e.Source = diag.Line(text, e.Pos.Line)
	}
	if len(errs) == 1 {
		return errs[0]
	}
	return Errors(errs)
}

func errorf(pos Pos, format string, args ...any) *Error {
	return &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}
