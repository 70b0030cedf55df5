package mlir

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// TokenKind is a kind of token.
type TokenKind = lexer.TokenType

// Token is a token of a text; Value is its part of the text.
type Token struct {
	Type  lexer.TokenType
	Value string
	Pos   Pos
}

// EOF reports whether the text ends here.
func (t Token) EOF() bool { return t.Type == lexer.EOF }

// tokens is what is read by hand: a [Stream], or the tokens that the grammar
// has in hand.
type tokens interface {
	Peek() Token
	Next() Token
}

// Stream is the tokens of a text, made one at a time: however long the text,
// only one of them is held. It knows who makes the tree of what it reads.
type Stream struct {
	scanner
	tok   Token
	end   Pos // of the token before tok
	r     *resolver
	taken []lexer.Token // of the last production that the grammar has read
}

// newStream reads text from the offset on, which is at pos.
func newStream(r *resolver, text string, offset int, pos Pos) *Stream {
	s := &Stream{scanner: scanner{text: text, off: offset, line: pos.Line, start: offset - pos.Col + 1, done: r.done}, r: r}
	s.tok = s.next()
	return s
}

// Peek returns the next token.
func (s *Stream) Peek() Token { return s.tok }

// Next returns the next token and moves past it.
func (s *Stream) Next() Token {
	t := s.tok
	s.end = s.pos()
	s.tok = s.next()
	return t
}

// Place is where a stream is, to come back to.
type Place struct {
	scanner scanner
	tok     Token
}

// Mark returns where s is, for [Stream.GoTo].
func (s *Stream) Mark() Place { return Place{s.scanner, s.tok} }

// GoTo goes back to a place.
func (s *Stream) GoTo(back Place) { s.scanner, s.tok = back.scanner, back.tok }

// peeking is the tokens that participle is looking at.
type peeking struct{ lex *lexer.PeekingLexer }

func ownToken(t *lexer.Token) Token { return Token{t.Type, t.Value, at(t.Pos)} }

func (p peeking) Peek() Token { return ownToken(p.lex.Peek()) }
func (p peeking) Next() Token { return ownToken(p.lex.Next()) }

// grammatical reads the tokens taken, all of them, by the grammar.
func grammatical[T any](s *Stream, p func() *participle.Parser[T]) (*T, *Error) {
	list := &taken{list: s.taken, end: lexer.Position{Line: s.tok.Pos.Line, Column: s.tok.Pos.Col}}
	lex, err := lexer.Upgrade(list)
	if err != nil {
		return nil, asError(err)
	}
	v, err := p().ParseFromLexer(lex)
	if err != nil {
		return nil, asError(err)
	}
	return v, nil
}

// take moves the next token, and if it opens a bracket all up to where that
// closes, to s.taken.
func (s *Stream) take() {
	for depth := 0; ; {
		t := s.tok
		s.taken = append(s.taken, lexer.Token{Type: t.Type, Value: t.Value, Pos: lexer.Position{Line: t.Pos.Line, Column: t.Pos.Col}})
		if t.Type == lexer.EOF || t.Type == tokBad {
			return
		}
		if t.Type == tokPunct {
			switch t.Value {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				depth--
			}
		}
		s.tok = s.next()
		if depth <= 0 {
			return
		}
	}
}

// taken is a list of tokens as participle wants them.
type taken struct {
	list []lexer.Token
	end  lexer.Position
}

// Next implements lexer.Lexer.
func (l *taken) Next() (lexer.Token, error) {
	if len(l.list) == 0 || l.list[0].Type == lexer.EOF {
		return lexer.Token{Type: lexer.EOF, Pos: l.end}, nil
	}
	t := l.list[0]
	l.list = l.list[1:]
	return t, nil
}

// The helpers below read tokens by hand.

func is(lex tokens, text string) bool {
	t := lex.Peek()
	return (t.Type == tokPunct || t.Type == IdentToken) && t.Value == text
}

// accept consumes text if it is next.
func accept(lex tokens, text string) bool {
	if is(lex, text) {
		lex.Next()
		return true
	}
	return false
}

func expect(lex tokens, text string) *Error {
	if accept(lex, text) {
		return nil
	}
	err := Unexpected(lex.Peek(), "'"+text+"'")
	if s, ok := lex.(*Stream); ok && err.Pos.Line > s.end.Line && s.end.Line > 0 {
		err.Pos = s.end // the line that is not finished, not the next one
	}
	return err
}

func expectKind(lex tokens, kind lexer.TokenType, what string) (Token, *Error) {
	if t := lex.Peek(); t.Type != kind {
		return t, Unexpected(t, what)
	}
	return lex.Next(), nil
}

// list reads open item, item close.
func list(lex tokens, open, close string, item func() *Error) *Error {
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
			return Unexpected(lex.Peek(), "',' or '"+close+"'")
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
