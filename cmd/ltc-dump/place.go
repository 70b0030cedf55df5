package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"

	"ltc/mlir"
	"ltc/stablehlo"
)

// definition returns the module, the op and the body of the function that is to run, in
// the text as it was given; for a text without it, an empty block.
func (p *program) definition() (*mlir.Module, *mlir.Op, *mlir.Block) {
	if m, err := stablehlo.Parse(p.file, p.source); err == nil {
		if f := m.Func(p.function); f != nil && f.Body() != nil {
			return m, f, f.Body()
		}
	}
	return &mlir.Module{}, &mlir.Op{}, &mlir.Block{}
}

// refused gives an error of compiling its place in the text; of a module
// without main it says which functions there are.
func (p *program) refused(ctx context.Context, err error) error {
	if p.function == "main" {
		if m, perr := stablehlo.ParseContext(ctx, p.file, p.source); perr == nil && m.Func("main") == nil {
			return fmt.Errorf("%s has no function main: name another with -func; %s", p.file, functions(m))
		}
	}
	return p.located(ctx, err)
}

// at makes an error about an argument of the function. It stands where the name
// first does after the function's beginning, which is in its list of arguments.
func (p *program) at(argument, msg string) error {
	_, f, _ := p.definition()
	e := &mlir.Error{File: p.file, Pos: f.Pos, Msg: msg}
	lines := strings.Split(p.source, "\n")
	first := max(f.Pos.Line-1, 0)
	for n, line := range lines[first:] {
		from := 0
		if n == 0 {
			from = max(f.Pos.Col-1, 0)
		}
		if i := wordIndex(line[from:], "%"+argument); argument != "" && i >= 0 {
			e.Pos = mlir.Pos{Line: first + n + 1, Col: from + i + 1}
			break
		}
	}
	if e.Pos.Line > 0 {
		e.Source = lines[e.Pos.Line-1]
	}
	return e
}

// wordIndex is strings.Index of a word that no letter, digit or any of _$.-
// follows.
func wordIndex(s, word string) int {
	for from := 0; ; {
		i := strings.Index(s[from:], word)
		if i < 0 {
			return -1
		}
		i += from
		from = i + len(word)
		if from == len(s) || !strings.ContainsRune("_$.-", rune(s[from])) && !unicode.IsLetter(rune(s[from])) && !unicode.IsDigit(rune(s[from])) {
			return i
		}
	}
}

// printable returns s without what a terminal would obey or not show: control characters
// become Unicode's pictures of them, others U+FFFD. Each rune stays one rune, so that
// carets stay below what they mean.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || unicode.IsPrint(r):
			return r
		case r < ' ':
			return '\u2400' + r
		case r == 0x7F:
			return '\u2421'
		}
		return unicode.ReplacementChar
	}, s)
}

// messages writes only what is printable.
type messages struct{ io.Writer }

func (m messages) Write(b []byte) (int, error) {
	if _, err := io.WriteString(m.Writer, printable(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}
