package mlir

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// typeRef is a type as written: one token, or a function type.
type typeRef struct {
	text string
	pos  Pos
	fn   *fnRef
	typ  Type // what it is, where that is known already
}

type fnRef struct{ ins, outs []typeRef }

// Parse implements participle.Parseable.
func (t *typeRef) Parse(lex *lexer.PeekingLexer) error {
	p := peeking{lex}
	if !startsType(p.Peek()) {
		return participle.NextMatch
	}
	var err *Error
	*t, err = parseType(p)
	return wrap(err)
}

func startsType(t token) bool {
	switch t.Type {
	case tokIdent, tokType, tokBang:
		return true
	}
	return t.Type == tokPunct && t.Value == "("
}

func parseType(lex tokens) (typeRef, *Error) {
	t := lex.Peek()
	switch {
	case !startsType(t):
		return typeRef{}, unexpected(t, "a type")
	case t.Type == tokPunct:
		fn := &fnRef{}
		err := fn.parse(lex)
		return typeRef{pos: t.Pos, fn: fn}, err
	}
	lex.Next()
	return typeRef{text: t.Value, pos: t.Pos}, nil
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
func parseTypeList(lex tokens, ts *[]typeRef) *Error {
	return list(lex, "(", ")", func() *Error {
		t, err := parseType(lex)
		*ts = append(*ts, t)
		return err
	})
}
