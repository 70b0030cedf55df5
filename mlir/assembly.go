package mlir

// What the parts of pretty forms that other packages define are read with.

// Is reports whether the next token is the word or the mark.
func (s *Stream) Is(text string) bool { return is(s, text) }

// Accept consumes the word or the mark if it is next.
func (s *Stream) Accept(text string) bool { return accept(s, text) }

// Expect consumes words and marks, which must be next.
func (s *Stream) Expect(texts ...string) *Error {
	for _, t := range texts {
		if err := expect(s, t); err != nil {
			return err
		}
	}
	return nil
}

// Kind consumes a token, which must be of the kind; what is its name in errors.
func (s *Stream) Kind(kind TokenKind, what string) (Token, *Error) { return expectKind(s, kind, what) }

// List reads open, items with commas between them, and close.
func (s *Stream) List(open, close string, item func() *Error) *Error {
	return list(s, open, close, item)
}

// Int reads an i64.
func (s *Stream) Int() (int64, *Error) { return parseI64(s) }

// Ints reads [1, 2].
func (s *Stream) Ints() ([]int64, *Error) { return parseInts(s) }

// Number reads a number of type t, which may be written behind it.
func (s *Stream) Number(t Type) (Attribute, *Error) {
	if s.tok.Type != IntToken && s.tok.Type != FloatToken {
		return nil, Unexpected(s.tok, "a number")
	}
	tok := s.Next()
	n := leafNode{tok: tok, typed: true, typ: TypeText{Pos: tok.Pos, Type: t}}
	back := s.Mark()
	if s.Accept(":") && s.Next().Value != t.String() {
		s.GoTo(back) // it is the type of an operand
	}
	return s.r.number(&n, false), nil
}

// Symbol reads @name and returns the name; what is the symbol's in errors.
func (s *Stream) Symbol(what string) (string, *Error) {
	t, err := expectKind(s, tokSymbol, what)
	if err != nil {
		return "", err
	}
	name, ok := symbolName(t.Value)
	if !ok {
		return "", Errorf(t.Pos, "%s is not a symbol", t.Value)
	}
	return name, nil
}

// Type reads a type, which [Stream.Resolve] makes of it.
func (s *Stream) Type() (TypeText, *Error) { return parseType(s) }

// Resolve makes a type; nil for one that had an error, which is recorded.
func (s *Stream) Resolve(t *TypeText) Type { return s.r.typ(t) }

// Arg reads an argument, %x: T loc(…).
func (s *Stream) Arg() (ArgText, *Error) { return parseArg(s) }

// ArgName reads the name of an argument, %x.
func (s *Stream) ArgName() (UseText, *Error) { return parseArgName(s) }

// AtLeaf reports whether an attribute begins in which no other nests.
func (s *Stream) AtLeaf() bool { return startsLeaf(s.tok) }

// Fail records an error that is no matter of syntax, after which reading goes on.
func (s *Stream) Fail(pos Pos, format string, args ...any) { s.r.fail(pos, format, args...) }

// Failed is [Stream.Fail] for an error that was returned.
func (s *Stream) Failed(err *Error) { s.r.failed(err) }
