package mlir

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// TypeText is a type as written: one token, or a function type.
type TypeText struct {
	Text string
	Pos  Pos
	fn   *fnRef
	Type Type // what it is, where that is known already
}

type fnRef struct{ ins, outs []TypeText }

// Parse implements participle.Parseable.
func (t *TypeText) Parse(lex *lexer.PeekingLexer) error {
	p := peeking{lex}
	if !startsType(p.Peek()) {
		return participle.NextMatch
	}
	var err *Error
	*t, err = parseType(p)
	return wrap(err)
}

func startsType(t Token) bool {
	switch t.Type {
	case IdentToken, tokType, tokBang:
		return true
	}
	return t.Type == tokPunct && t.Value == "("
}

func parseType(lex tokens) (TypeText, *Error) {
	t := lex.Peek()
	switch {
	case !startsType(t):
		return TypeText{}, Unexpected(t, "a type")
	case t.Type == tokPunct:
		fn := &fnRef{}
		err := fn.parse(lex)
		return TypeText{Pos: t.Pos, fn: fn}, err
	}
	lex.Next()
	return TypeText{Text: t.Value, Pos: t.Pos}, nil
}

// parse reads (a, b) -> c and appends the types.
func (fn *fnRef) parse(lex tokens) *Error {
	err := parseTypeList(lex, &fn.ins)
	if err != nil {
		return err
	}
	if err := expect(lex, "->"); err != nil {
		return err
	}
	if is(lex, "(") {
		return parseTypeList(lex, &fn.outs)
	}
	out, err := parseType(lex)
	fn.outs = append(fn.outs, out)
	return err
}

// parseTypeList reads (a, b).
func parseTypeList(lex tokens, ts *[]TypeText) *Error {
	return list(lex, "(", ")", func() *Error {
		t, err := parseType(lex)
		*ts = append(*ts, t)
		return err
	})
}
