package mlir

import "strconv"

// optionalLoc reads the loc(…) that may stand behind an op or an argument.
func (s *Stream) optionalLoc() (Location, *Error) {
	if s.tok.Type == tokLoc || s.Is("loc") {
		return s.location()
	}
	return nil, nil
}

// location reads loc(…). Names that are not defined are errors of the resolver
// and give an unknown location.
func (s *Stream) location() (Location, *Error) {
	if t := s.tok; t.Type == tokLoc { // loc(#alias), a token of its own
		s.Next()
		const open = len("loc(")
		t.Pos.Col += open
		return s.r.aliasedLoc(t.Value[open:len(t.Value)-1], t.Pos), nil
	}
	if err := s.Expect("loc", "("); err != nil {
		return nil, err
	}
	l, err := s.insideLoc()
	if err != nil {
		return nil, err
	}
	return l, s.Expect(")")
}

// insideLoc reads what stands in loc(…).
func (s *Stream) insideLoc() (Location, *Error) {
	t := s.Next()
	switch {
	case t.Type == HashToken:
		return s.r.aliasedLoc(t.Value, t.Pos), nil
	case t.Type == tokString:
		return s.namedLoc(t)
	case t.Type == IdentToken && t.Value == "unknown":
		return UnknownLoc{}, nil
	case t.Type == IdentToken && t.Value == "callsite":
		return s.callLoc()
	case t.Type == IdentToken && t.Value == "fused":
		return s.fusedLoc()
	}
	return nil, Unexpected(t, "a location")
}

func (s *Stream) callLoc() (Location, *Error) {
	var l CallLoc
	err := s.Expect("(")
	if err != nil {
		return nil, err
	}
	if l.Callee, err = s.insideLoc(); err != nil {
		return nil, err
	}
	if err = s.Expect("at"); err != nil {
		return nil, err
	}
	if l.Caller, err = s.insideLoc(); err != nil {
		return nil, err
	}
	return l, s.Expect(")")
}

func (s *Stream) fusedLoc() (Location, *Error) {
	var l FusedLoc
	if s.Accept("<") {
		var err *Error
		if l.Metadata, err = s.Attr(); err != nil {
			return nil, err
		}
		if err := s.Expect(">"); err != nil {
			return nil, err
		}
	}
	err := s.List("[", "]", func() *Error {
		part, err := s.insideLoc()
		l.Locs = append(l.Locs, part)
		return err
	})
	return l, err
}

// namedLoc reads what follows the string: :line:col, to line:col, or (child).
func (s *Stream) namedLoc(t Token) (Location, *Error) {
	name, ok := Unquote(t.Value)
	if !ok {
		s.r.fail(t.Pos, "string with a wrong escape")
	}
	if s.Accept("(") {
		child, err := s.insideLoc()
		if err != nil {
			return nil, err
		}
		return NameLoc{name, child}, s.Expect(")")
	}
	if !s.Accept(":") {
		return NameLoc{Name: name}, nil
	}
	l := RangeLoc{FileLoc: FileLoc{File: name}}
	err := s.lineCol(&l.Line, &l.Col)
	if err != nil || !s.Accept("to") {
		return l.FileLoc, err
	}
	l.EndLine = l.Line
	if s.Is(":") {
		s.Next()
		err = s.number(&l.EndCol)
	} else {
		err = s.lineCol(&l.EndLine, &l.EndCol)
	}
	if l.EndLine == l.Line && l.EndCol == l.Col {
		return l.FileLoc, err // as MLIR has it
	}
	return l, err
}

func (s *Stream) lineCol(line, col *int) *Error {
	if err := s.number(line); err != nil {
		return err
	}
	if err := s.Expect(":"); err != nil {
		return err
	}
	return s.number(col)
}

func (s *Stream) number(n *int) *Error {
	t, err := s.Kind(IntToken, "a line or column")
	if err != nil {
		return err
	}
	v, perr := strconv.ParseUint(t.Value, 10, 32)
	if perr != nil {
		return Errorf(t.Pos, "line or column %s of a location does not fit 32 bits", t.Value)
	}
	*n = int(v)
	return nil
}
