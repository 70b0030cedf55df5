package mlir

// dotDims is `, batching_dims = [0] x [0], contracting_dims = [2] x [1]`.
type dotDims struct{ Plain }

func (dotDims) Shows() []string { return []string{"dot_dimension_numbers"} }

func (dotDims) Parse(lex *Stream, o *OpText) *Error {
	if err := lex.Expect(","); err != nil {
		return err
	}
	var d DotDims
	pair := func(a, b *[]int64) (err *Error) {
		if err = lex.Expect("="); err != nil {
			return err
		}
		if *a, err = lex.Ints(); err != nil {
			return err
		}
		if err = lex.Expect("x"); err != nil {
			return err
		}
		*b, err = lex.Ints()
		return err
	}
	if lex.Accept("batching_dims") {
		if err := pair(&d.LHSBatch, &d.RHSBatch); err != nil {
			return err
		}
		back := lex.Mark()
		if !lex.Accept(",") || !lex.Is("contracting_dims") {
			lex.GoTo(back)
			o.Set("dot_dimension_numbers", d.Attr())
			return nil
		}
	}
	if err := lex.Expect("contracting_dims"); err != nil {
		return err
	}
	if err := pair(&d.LHSContract, &d.RHSContract); err != nil {
		return err
	}
	o.Set("dot_dimension_numbers", d.Attr())
	return nil
}

func (dotDims) Fits(op *Op) bool {
	d, ok := ParseDot(op.Attrs.Get("dot_dimension_numbers"))
	return ok && op.Attrs.Get("dot_dimension_numbers").String() == d.Attr().String()
}

func (dotDims) Print(p *Printer, op *Op) {
	d, _ := ParseDot(op.Attrs.Get("dot_dimension_numbers"))
	if len(d.LHSBatch)+len(d.RHSBatch) > 0 {
		p.Str(", batching_dims = ")
		p.Ints(d.LHSBatch)
		p.Str(" x ")
		p.Ints(d.RHSBatch)
	}
	p.Str(", contracting_dims = ")
	p.Ints(d.LHSContract)
	p.Str(" x ")
	p.Ints(d.RHSContract)
}

// precision is `, precision = [DEFAULT, HIGHEST], algorithm = <…>`, each part
// of which may be missing.
type precision struct{ algorithm bool }

func (s precision) Shows() []string {
	if s.algorithm {
		return []string{"precision_config", "algorithm"}
	}
	return []string{"precision_config"}
}

func (s precision) Parse(lex *Stream, o *OpText) *Error {
	for lex.Accept(",") {
		switch {
		case lex.Accept("precision"):
			if err := lex.Expect("="); err != nil {
				return err
			}
			a := ArrayAttr{}
			err := lex.List("[", "]", func() *Error {
				t, err := lex.Kind(IdentToken, "a precision such as DEFAULT")
				if err == nil {
					a = append(a, EnumAttr{"stablehlo", "precision", t.Value})
				}
				return err
			})
			if err != nil {
				return err
			}
			o.Set("precision_config", a)
		case s.algorithm && lex.Accept("algorithm"):
			if err := s.parseAlgorithm(lex, o); err != nil {
				return err
			}
		default:
			return Unexpected(lex.Peek(), "'precision' or 'algorithm'")
		}
	}
	return nil
}

func (precision) parseAlgorithm(lex *Stream, o *OpText) *Error {
	pos := lex.Peek().Pos
	if err := lex.Expect("="); err != nil {
		return err
	}
	a := StructAttr{Name: "stablehlo.dot_algorithm"}
	err := lex.List("<", ">", func() *Error {
		t, err := lex.Kind(IdentToken, "a field of the algorithm")
		if err != nil {
			return err
		}
		if err := lex.Expect("="); err != nil {
			return err
		}
		v, err := lex.BareAttr()
		if v != nil {
			a.Fields = append(a.Fields, NamedAttr{t.Value, v})
		}
		return err
	})
	if err != nil {
		return err
	}
	if why := attrProblem(a); why != "" {
		lex.Failed(NewError(pos, why))
	}
	o.SetAt("algorithm", pos, a)
	return nil
}

func (s precision) Fits(op *Op) bool {
	if a := op.Attrs.Get("precision_config"); a != nil {
		list, ok := a.(ArrayAttr)
		for _, e := range list {
			v, enum := e.(EnumAttr)
			ok = ok && enum && v.Dialect == "stablehlo" && v.Kind == "precision"
		}
		if !ok {
			return false
		}
	}
	if a := op.Attrs.Get("algorithm"); a != nil && s.algorithm {
		v, ok := a.(StructAttr)
		return ok && v.Name == "stablehlo.dot_algorithm" && len(v.Fields) > 0
	}
	return true
}

func (s precision) Print(p *Printer, op *Op) {
	if a, ok := op.Attrs.Get("precision_config").(ArrayAttr); ok {
		p.Str(", precision = [")
		for i, e := range a {
			if i > 0 {
				p.Str(", ")
			}
			p.Str(e.(EnumAttr).Value)
		}
		p.Str("]")
	}
	if a, ok := op.Attrs.Get("algorithm").(StructAttr); ok && s.algorithm {
		p.Str(", algorithm = " + a.String()[len("#stablehlo.dot_algorithm"):])
	}
}
