package mlir

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ltc/internal/diag"
	"ltc/internal/lexeme"
)

// Error is a mistake in a text, or in an op of a module built without one
// (then Pos is zero).
type Error struct {
	File   string
	Pos    Pos
	Msg    string
	Source string // the line Pos is on; empty when there is no text
	Cause  error  // that Msg tells; nil if it tells all
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

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
const maxErrors = 20

// Errors returns errors about m as one, nil for none: in the order of the text that m was
// parsed from, if any, with its lines.
func (m *Module) Errors(errs []*Error) error { return join(m.file, m.text, errs) }

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

// Errorf makes an error. Strings among args are parts of the text: errors show
// only the beginning of a long one.
func Errorf(pos Pos, format string, args ...any) *Error {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = lexeme.Clip(s)
		}
	}
	return NewError(pos, fmt.Sprintf(format, args...))
}

// NewError is [Errorf] for a message that is complete.
func NewError(pos Pos, msg string) *Error { return &Error{Pos: pos, Msg: shortened(msg)} }

const shownMessage = 2000 // bytes of an error; it may name several types

// shortened cuts a long message in its middle: the rule broken stands at its end.
func shortened(msg string) string {
	if len(msg) <= shownMessage {
		return msg
	}
	from := len(msg) - shownMessage/2
	for from < len(msg) && !utf8.RuneStart(msg[from]) {
		from++
	}
	return lexeme.Head(msg, shownMessage/2) + " … " + msg[from:]
}

// SetSource tells m which text it was read from, whose lines errors show.
func (m *Module) SetSource(file, text string) { m.file, m.text = file, text }

// Ended returns the error of work, named by what, that ctx ended at pos of m's text.
func (m *Module) Ended(ctx context.Context, what string, pos Pos) error {
	return fmt.Errorf("%s: %s ended on line %d: %w", m.file, what, pos.Line, context.Cause(ctx))
}
