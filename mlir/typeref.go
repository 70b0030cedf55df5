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
}

type fnRef struct{ ins, outs []typeRef }

// Parse implements participle.Parseable.
func (t *typeRef) Parse(lex *lexer.PeekingLexer) error {
	tok := lex.Peek()
	switch tok.Type {
	case tokIdent, tokType, tokBang:
		t.text, t.pos = tok.Value, at(tok.Pos)
		lex.Next()
		return nil
	case tokPunct:
		if tok.Value == "(" {
			t.pos = at(tok.Pos)
			fn, err := parseFunctionType(lex)
			t.fn = fn
			return wrap(err)
		}
	}
	return participle.NextMatch
}

// parseType is Parse for a place where nothing but a type can stand.
func parseType(lex *lexer.PeekingLexer) (typeRef, *Error) {
	var t typeRef
	switch err := t.Parse(lex); err {
	case nil:
		return t, nil
	case participle.NextMatch:
		return t, unexpected(lex.Peek(), "a type")
	default:
		return t, asError(err)
	}
}

func parseFunctionType(lex *lexer.PeekingLexer) (*fnRef, *Error) {
	ins, err := parseTypeList(lex)
	if err != nil {
		return nil, err
	}
	if err := expect(lex, "->"); err != nil {
		return nil, err
	}
	fn := &fnRef{ins: ins}
	if is(lex, "(") {
		fn.outs, err = parseTypeList(lex)
		return fn, err
	}
	out, err := parseType(lex)
	fn.outs = []typeRef{out}
	return fn, err
}

// parseTypeList reads (a, b).
func parseTypeList(lex *lexer.PeekingLexer) ([]typeRef, *Error) {
	var ts []typeRef
	err := list(lex, "(", ")", func() *Error {
		t, err := parseType(lex)
		ts = append(ts, t)
		return err
	})
	return ts, err
}

// The helpers below read tokens by hand.

func is(lex *lexer.PeekingLexer, text string) bool {
	t := lex.Peek()
	return (t.Type == tokPunct || t.Type == tokIdent) && t.Value == text
}

// accept consumes text if it is next.
func accept(lex *lexer.PeekingLexer, text string) bool {
	if is(lex, text) {
		lex.Next()
		return true
	}
	return false
}

func expect(lex *lexer.PeekingLexer, text string) *Error {
	if !accept(lex, text) {
		return unexpected(lex.Peek(), "'"+text+"'")
	}
	return nil
}

func expectKind(lex *lexer.PeekingLexer, kind lexer.TokenType, what string) (*lexer.Token, *Error) {
	if t := lex.Peek(); t.Type != kind {
		return nil, unexpected(t, what)
	}
	return lex.Next(), nil
}

// list reads open item, item close.
func list(lex *lexer.PeekingLexer, open, close string, item func() *Error) *Error {
	if err := expect(lex, open); err != nil {
		return err
	}
	if accept(lex, close) {
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if accept(lex, close) {
			return nil
		}
		if !accept(lex, ",") {
			return unexpected(lex.Peek(), "',' or '"+close+"'")
		}
	}
}

// wrap turns a nil *Error into a nil error.
func wrap(err *Error) error {
	if err != nil {
		return err
	}
	return nil
}
