package mlir

// denseArray reads array<T: 1, 2>, the whole of text, which starts at pos.
func (r *resolver) denseArray(text string, pos Pos) Attribute {
	a, err := r.arrayIn(r.inside(text, pos))
	switch {
	case err != nil:
		r.failed(err)
	case a != nil:
		return *a
	}
	return nil
}

// arrayIn reads an array from its own text. It returns nil without error after
// one that is recorded.
func (r *resolver) arrayIn(s *Stream) (*DenseArrayAttr, *Error) {
	s.Next() // array
	if err := s.Expect("<"); err != nil {
		return nil, err
	}
	ref, err := s.Type()
	if err != nil {
		return nil, err
	}
	a := &DenseArrayAttr{Elem: r.typ(&ref)}
	var add func(t Token)
	switch t := a.Elem.(type) {
	case nil:
		return nil, nil
	case FloatType:
		a.Texts = []string{}
		add = func(v Token) { r.addFloat(a, t, v) }
	case IntegerType:
		a.Ints = []int64{}
		add = func(v Token) { r.addInt(a, t, v) }
	default:
		return nil, Errorf(ref.Pos, "an array attribute cannot hold %s", t)
	}
	if s.Accept(">") {
		return a, nil
	}
	if err := s.Expect(":"); err != nil {
		return nil, err
	}
	for {
		t := s.Next()
		if t.Type != IntToken && t.Type != FloatToken && t.Type != IdentToken {
			return nil, Unexpected(t, "a number")
		}
		add(t)
		if s.Accept(">") {
			return a, nil
		}
		if err := s.Expect(","); err != nil {
			return nil, err
		}
	}
}

func (r *resolver) addFloat(a *DenseArrayAttr, t FloatType, v Token) {
	bits, ok := floatBits(v.Value, t)
	if !ok {
		r.fail(v.Pos, "%s is not a number of type %s", v.Value, t)
	}
	a.Texts = append(a.Texts, string(appendFloat(nil, bits, t)))
}

func (r *resolver) addInt(a *DenseArrayAttr, t IntegerType, v Token) {
	x, ok := ParseInt(v.Value, t)
	if t == I1 && v.Type == IdentToken {
		x, ok = int64(btoi(v.Value == "true")), v.Value == "true" || v.Value == "false"
	}
	if !ok {
		r.fail(v.Pos, "%s does not fit %s", v.Value, t)
	}
	a.Ints = append(a.Ints, x)
}
