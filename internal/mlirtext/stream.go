package mlirtext

import (
	"ltc/internal/lexeme"
	"ltc/mlir"
)

// TokenKind is a kind of token.
type TokenKind uint8

// The kinds of tokens. A whole tensor<…>, dense<…>, array<…>, #d.attr<…> or
// !d.type<…> is one token: its text is the key under which the value is
// remembered, and its inside is lexed only the first time.
const (
	tokEOF      TokenKind = iota
	IdentToken            // stablehlo.add, func, f32
	ValueToken            // %0, %x#1
	tokSymbol             // @main, @"odd name"
	HashToken             // #loc1, #stablehlo.gather<…>
	tokBang               // !t, !stablehlo.token
	tokType               // tensor<…>, complex<…>, tuple<…>
	DenseToken            // dense<…>
	tokArray              // array<…>
	tokVerbatim           // affine_map<…>, kept as it is written
	IntToken              // -12, 0x1F
	tokFloat              // -1.5e-3
	StringToken           // "text", quotes kept
	tokBlock              // ^bb0
	tokLoc                // loc(#loc1), which ends most lines
	tokDim                // 2x, ?x, *x; only inside tensor<…>
	tokPunct              // -> and :: and single characters
	tokBad                // the text cannot be lexed here; Value says why
)

// Token is a token of a text; Value is its part of the text.
type Token struct {
	Type  TokenKind
	Value string
	Pos   mlir.Pos
}

// EOF reports whether the text ends here.
func (t Token) EOF() bool { return t.Type == tokEOF }

// Stream is the tokens of a text, made one at a time: however long the text,
// only one of them is held. It knows who makes the tree of what it reads.
type Stream struct {
	scanner
	tok Token
	end mlir.Pos // of the token before tok
	r   *resolver
}

// newStream reads text from the offset on, which is at pos.
func newStream(r *resolver, text string, offset int, pos mlir.Pos) *Stream {
	s := &Stream{scanner: scanner{text: text, off: offset, line: pos.Line, start: offset - pos.Col + 1, done: r.done}, r: r}
	s.tok = s.next()
	return s
}

// inside reads the text of a token that is a whole type or attribute, which starts at pos.
func (r *resolver) inside(text string, pos mlir.Pos) *Stream {
	s := &Stream{scanner: scanner{text: text, line: pos.Line, start: 1 - pos.Col, inner: true, done: r.done}, r: r}
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

// Unexpected says which token stands where want should.
func Unexpected(t Token, want string) *mlir.Error {
	e := &mlir.Error{Pos: t.Pos}
	switch {
	case t.Type == tokBad:
		e.Msg = t.Value
		return e
	case t.EOF():
		e.Msg = "unexpected end of text"
	case lexeme.Clip(t.Value) != t.Value:
		e.Msg = "unexpected " + lexeme.Clip(t.Value)
	default:
		e.Msg = "unexpected '" + t.Value + "'"
	}
	if want != "" {
		e.Msg += ": " + want + " is expected"
	}
	return e
}

// Is reports whether the next token is the word or the mark.
func (s *Stream) Is(text string) bool {
	return (s.tok.Type == tokPunct || s.tok.Type == IdentToken) && s.tok.Value == text
}

// Accept consumes the word or the mark if it is next.
func (s *Stream) Accept(text string) bool {
	if s.Is(text) {
		s.Next()
		return true
	}
	return false
}

// Expect consumes words and marks, which must be next.
func (s *Stream) Expect(texts ...string) {
	for _, text := range texts {
		if s.Accept(text) {
			continue
		}
		err := Unexpected(s.tok, "'"+text+"'")
		if err.Pos.Line > s.end.Line && s.end.Line > 0 {
			err.Pos = s.end // the line that is not finished, not the next one
		}
		s.Stop(err)
	}
}

// Stop ends the reading with a mistake of syntax: it does not return. Every
// method that reads ends so where its text is not what it reads.
func (s *Stream) Stop(err *mlir.Error) {
	s.r.mistake = err
	panic(err)
}

// try reads, and returns the mistake of syntax that has ended that. A panic of
// another kind passes through.
func (r *resolver) try(read func()) (err *mlir.Error) {
	defer func() {
		if r.mistake != nil {
			recover()
			err, r.mistake = r.mistake, nil
		}
	}()
	read()
	return nil
}

// need is Expect within a type or an attribute; its error names only what stands there.
func (s *Stream) need(text string) {
	if !s.Accept(text) {
		s.Stop(Unexpected(s.tok, ""))
	}
}

// needEnd is need for the > behind which the token ends.
func (s *Stream) needEnd() {
	if s.need(">"); !s.tok.EOF() {
		s.Stop(Unexpected(s.tok, ""))
	}
}

// Kind consumes a token, which must be of the kind; what is its name in errors.
func (s *Stream) Kind(kind TokenKind, what string) Token {
	if s.tok.Type != kind {
		s.Stop(Unexpected(s.tok, what))
	}
	return s.Next()
}

// List reads open, items with commas between them, and close.
func (s *Stream) List(open, close string, item func()) {
	s.Expect(open)
	if s.Accept(close) {
		return
	}
	for {
		item()
		if s.Accept(close) {
			return
		}
		if !s.Accept(",") {
			s.Stop(Unexpected(s.tok, "',' or '"+close+"'"))
		}
	}
}

// Number reads a number of type t, which may be written behind it.
func (s *Stream) Number(t mlir.Type) mlir.Attribute {
	if s.tok.Type != IntToken && s.tok.Type != tokFloat {
		s.Stop(Unexpected(s.tok, "a number"))
	}
	tok := s.Next()
	n := leafNode{tok: tok, typed: true, typ: TypeText{Pos: tok.Pos, Type: t}}
	back := s.Mark()
	if s.Accept(":") && s.Next().Value != t.String() {
		s.GoTo(back) // it is the type of an operand
	}
	return s.r.number(&n, false)
}

// Symbol reads @name and returns the name; what is the symbol's in errors.
func (s *Stream) Symbol(what string) string {
	t := s.Kind(tokSymbol, what)
	name, ok := symbolName(t.Value)
	if !ok {
		s.Stop(mlir.Errorf(t.Pos, "%s is not a symbol", t.Value))
	}
	return name
}

// Resolve makes a type; nil for one that had an error, which is recorded.
func (s *Stream) Resolve(t *TypeText) mlir.Type { return s.r.typ(t) }

// AtLeaf reports whether an attribute begins in which no other nests.
func (s *Stream) AtLeaf() bool { return startsLeaf(s.tok) }

// Fail records an error that is no matter of syntax, after which reading goes on.
func (s *Stream) Fail(pos mlir.Pos, format string, args ...any) { s.r.fail(pos, format, args...) }

// Failed is [Stream.Fail] for an error that was returned.
func (s *Stream) Failed(err *mlir.Error) { s.r.failed(err) }
