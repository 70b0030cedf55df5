package mlir

// dotDims is `, batching_dims = [0] x [0], contracting_dims = [2] x [1]`.
type dotDims struct{ plain }

func (dotDims) shows() []string { return []string{"dot_dimension_numbers"} }

func (dotDims) parse(lex *stream, o *opNode) *Error {
	if err := expect(lex, ","); err != nil {
		return err
	}
	var d DotDims
	pair := func(a, b *[]int64) (err *Error) {
		if err = expect(lex, "="); err != nil {
			return err
		}
		if *a, err = parseInts(lex); err != nil {
			return err
		}
		if err = expect(lex, "x"); err != nil {
			return err
		}
		*b, err = parseInts(lex)
		return err
	}
	if accept(lex, "batching_dims") {
		if err := pair(&d.LHSBatch, &d.RHSBatch); err != nil {
			return err
		}
		back := lex.mark()
		if !accept(lex, ",") || !is(lex, "contracting_dims") {
			lex.goTo(back)
			o.set("dot_dimension_numbers", d.Attr())
			return nil
		}
	}
	if err := expect(lex, "contracting_dims"); err != nil {
		return err
	}
	if err := pair(&d.LHSContract, &d.RHSContract); err != nil {
		return err
	}
	o.set("dot_dimension_numbers", d.Attr())
	return nil
}

func (dotDims) fits(op *Op) bool {
	d, ok := ParseDot(op.Attrs.Get("dot_dimension_numbers"))
	return ok && op.Attrs.Get("dot_dimension_numbers").String() == d.Attr().String()
}

func (dotDims) print(p *printer, op *Op) {
	d, _ := ParseDot(op.Attrs.Get("dot_dimension_numbers"))
	if len(d.LHSBatch)+len(d.RHSBatch) > 0 {
		p.str(", batching_dims = ")
		p.ints(d.LHSBatch)
		p.str(" x ")
		p.ints(d.RHSBatch)
	}
	p.str(", contracting_dims = ")
	p.ints(d.LHSContract)
	p.str(" x ")
	p.ints(d.RHSContract)
}

// precision is `, precision = [DEFAULT, HIGHEST], algorithm = <…>`, each part
// of which may be missing.
type precision struct{ algorithm bool }

func (s precision) shows() []string {
	if s.algorithm {
		return []string{"precision_config", "algorithm"}
	}
	return []string{"precision_config"}
}

func (s precision) parse(lex *stream, o *opNode) *Error {
	for accept(lex, ",") {
		switch {
		case accept(lex, "precision"):
			if err := expect(lex, "="); err != nil {
				return err
			}
			a := ArrayAttr{}
			err := list(lex, "[", "]", func() *Error {
				t, err := expectKind(lex, tokIdent, "a precision such as DEFAULT")
				if err == nil {
					a = append(a, EnumAttr{"stablehlo", "precision", t.Value})
				}
				return err
			})
			if err != nil {
				return err
			}
			o.set("precision_config", a)
		case s.algorithm && accept(lex, "algorithm"):
			if err := s.parseAlgorithm(lex, o); err != nil {
				return err
			}
		default:
			return unexpected(lex.Peek(), "'precision' or 'algorithm'")
		}
	}
	return nil
}

func (precision) parseAlgorithm(lex *stream, o *opNode) *Error {
	pos := lex.Peek().Pos
	if err := expect(lex, "="); err != nil {
		return err
	}
	a := StructAttr{Name: "stablehlo.dot_algorithm"}
	err := list(lex, "<", ">", func() *Error {
		t, err := expectKind(lex, tokIdent, "a field of the algorithm")
		if err != nil {
			return err
		}
		if err := expect(lex, "="); err != nil {
			return err
		}
		v, err := lex.bareAttr()
		if v != nil {
			a.Fields = append(a.Fields, NamedAttr{t.Value, v})
		}
		return err
	})
	if err != nil {
		return err
	}
	if why := attrProblem(a); why != "" {
		lex.r.failed(problem(pos, why))
	}
	o.attrs = append(o.attrs, attrEntry{name: "algorithm", pos: pos, val: a})
	return nil
}

func (s precision) fits(op *Op) bool {
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

func (s precision) print(p *printer, op *Op) {
	if a, ok := op.Attrs.Get("precision_config").(ArrayAttr); ok {
		p.str(", precision = [")
		for i, e := range a {
			if i > 0 {
				p.str(", ")
			}
			p.str(e.(EnumAttr).Value)
		}
		p.str("]")
	}
	if a, ok := op.Attrs.Get("algorithm").(StructAttr); ok && s.algorithm {
		p.str(", algorithm = " + a.String()[len("#stablehlo.dot_algorithm"):])
	}
}
