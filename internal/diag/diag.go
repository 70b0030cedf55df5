// Package diag makes the errors of texts: they point at a line and a column
// and show the line. Messages name numbers of things by [Count], and sizes by [Bytes]. A
// [Seen] knows which warnings were given. Its central type is [Error].
//
// The package imports only the standard library.
package diag

import (
	"fmt"
	"strings"
)

// Error is an error at a place in a text.
type Error struct {
	File      string // empty when the text has no name
	Line, Col int    // from 1, the column in bytes; 0 when there is no place
	Msg       string // what is wrong, and what to do
	Source    string // the line of the text; empty when there is none
}

// Error prints file:line:col: error: message, the source line and a caret
// under the column. Of a long line only the part around the column is shown.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ":")
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "%d:%d:", e.Line, e.Col)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteString("error: " + e.Msg)
	if e.Source == "" || e.Line == 0 {
		return b.String()
	}
	line, col := window(e.Source, e.Col-1)
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

// Shown bounds the part of a source line that an error shows, in bytes: a line
// can be megabytes.
const Shown = 160

// window cuts line to at most Shown bytes around the byte col, and returns
// col's place in what is left.
func window(line string, col int) (string, int) {
	col = min(max(col, 0), len(line))
	from := 0
	if len(line) > Shown {
		from = min(max(col-Shown/2, 0), len(line)-Shown)
	}
	to := min(from+Shown, len(line))
	for from > 0 && line[from]&0xC0 == 0x80 {
		from--
	}
	for to < len(line) && line[to]&0xC0 == 0x80 {
		to++
	}
	before := strings.ToValidUTF8(line[from:col], "?")
	return before + strings.ToValidUTF8(line[col:to], "?"), len(before)
}

// Line returns the n-th line of text, from 1, without its end; "" if there is
// none.
func Line(text string, n int) string {
	if n <= 0 {
		return ""
	}
	for ; n > 1; n-- {
		_, rest, ok := strings.Cut(text, "\n")
		if !ok {
			return ""
		}
		text = rest
	}
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "\r")
}

// Source is a text with its name.
type Source struct{ File, Text string }

// Errorf makes an error at the byte with the given offset.
func (s Source) Errorf(offset int, format string, args ...any) *Error {
	offset = min(max(offset, 0), len(s.Text))
	start := strings.LastIndexByte(s.Text[:offset], '\n') + 1
	return &Error{
		File: s.File, Line: strings.Count(s.Text[:offset], "\n") + 1, Col: offset - start + 1,
		Msg: fmt.Sprintf(format, args...), Source: Line(s.Text[start:], 1),
	}
}
