package mlir

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ":")
	}
	if e.Pos.Line > 0 {
		fmt.Fprintf(&b, "%d:%d:", e.Pos.Line, e.Pos.Col)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteString("error: " + e.Msg)
	if e.Source == "" || e.Pos.Line == 0 {
		return b.String()
	}
	line, col := window(e.Source, e.Pos.Col-1)
	b.WriteString("\n" + line + "\n")
	for i := range col {
		if line[i] == '\t' {
			b.WriteByte('\t')
		} else if line[i]&0xC0 != 0x80 { // one column per rune
			b.WriteByte(' ')
		}
	}
	b.WriteByte('^')
	return b.String()
}

// shownLine bounds the part of a source line that an error shows: a dense
// literal can be megabytes.
const shownLine = 160

// window cuts line to at most shownLine bytes around the byte col, and returns
// col's place in what is left.
func window(line string, col int) (string, int) {
	col = min(max(col, 0), len(line))
	from := 0
	if len(line) > shownLine {
		from = min(max(col-shownLine/2, 0), len(line)-shownLine)
	}
	to := min(from+shownLine, len(line))
	for from > 0 && line[from]&0xC0 == 0x80 {
		from--
	}
	for to < len(line) && line[to]&0xC0 == 0x80 {
		to++
	}
	return strings.ToValidUTF8(line[from:col], "?") + strings.ToValidUTF8(line[col:to], "?"), min(col-from, to-from)
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
		e.Source = sourceLine(text, e.Pos.Line)
	}
	if len(errs) == 1 {
		return errs[0]
	}
	return Errors(errs)
}

// sourceLine returns the line-th line of text without its end.
func sourceLine(text string, line int) string {
	if line <= 0 {
		return ""
	}
	for ; line > 1; line-- {
		i := strings.IndexByte(text, '\n')
		if i < 0 {
			return ""
		}
		text = text[i+1:]
	}
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSuffix(text, "\r")
}

func errorf(pos Pos, format string, args ...any) *Error {
	return &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}
