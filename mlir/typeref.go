package mlir

// TypeText is a type as written: one token, or a function type.
type TypeText struct {
	Text string
	Pos  Pos
	fn   *fnRef
	Type Type // what it is, where that is known already
}

type fnRef struct{ ins, outs []TypeText }

func startsType(t Token) bool {
	switch t.Type {
	case IdentToken, tokType, tokBang:
		return true
	}
	return t.Type == tokPunct && t.Value == "("
}

// Type reads a type, which [Stream.Resolve] makes of it.
func (s *Stream) Type() (TypeText, *Error) {
	t := s.tok
	switch {
	case !startsType(t):
		return TypeText{}, Unexpected(t, "a type")
	case t.Type == tokPunct:
		fn := &fnRef{}
		err := fn.parse(s)
		return TypeText{Pos: t.Pos, fn: fn}, err
	}
	s.Next()
	return TypeText{Text: t.Value, Pos: t.Pos}, nil
}

// parse reads (a, b) -> c and appends the types.
func (fn *fnRef) parse(lex *Stream) *Error {
	err := parseTypeList(lex, &fn.ins)
	if err != nil {
		return err
	}
	if err := lex.Expect("->"); err != nil {
		return err
	}
	if lex.Is("(") {
		return parseTypeList(lex, &fn.outs)
	}
	out, err := lex.Type()
	fn.outs = append(fn.outs, out)
	return err
}

// parseTypeList reads (a, b).
func parseTypeList(lex *Stream, ts *[]TypeText) *Error {
	return lex.List("(", ")", func() *Error {
		t, err := lex.Type()
		*ts = append(*ts, t)
		return err
	})
}
