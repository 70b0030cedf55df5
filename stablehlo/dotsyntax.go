package stablehlo

import (
	"ltc/internal/mlirtext"
	"ltc/mlir"
)

// dotDims is `, batching_dims = [0] x [0], contracting_dims = [2] x [1]`.
type dotDims struct{ plain }

func (dotDims) Shows() []string { return []string{"dot_dimension_numbers"} }

func (dotDims) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	lex.Expect(",")
	var d DotDims
	pair := func(a, b *[]int64) {
		lex.Expect("=")
		*a = readInts(lex)
		lex.Expect("x")
		*b = readInts(lex)
	}
	if lex.Accept("batching_dims") {
		pair(&d.LHSBatch, &d.RHSBatch)
		back := lex.Mark()
		if !lex.Accept(",") || !lex.Is("contracting_dims") {
			lex.GoTo(back)
			o.Set("dot_dimension_numbers", d.Attr())
			return
		}
	}
	lex.Expect("contracting_dims")
	pair(&d.LHSContract, &d.RHSContract)
	o.Set("dot_dimension_numbers", d.Attr())
}

func (dotDims) Fits(op *mlir.Op) bool {
	d, ok := ParseDot(op.Attrs.Get("dot_dimension_numbers"))
	return ok && op.Attrs.Get("dot_dimension_numbers").String() == d.Attr().String()
}

func (dotDims) Print(p *mlirtext.Printer, op *mlir.Op) {
	d, _ := ParseDot(op.Attrs.Get("dot_dimension_numbers"))
	if len(d.LHSBatch)+len(d.RHSBatch) > 0 {
		p.Str(", batching_dims = ")
		printInts(p, d.LHSBatch)
		p.Str(" x ")
		printInts(p, d.RHSBatch)
	}
	p.Str(", contracting_dims = ")
	printInts(p, d.LHSContract)
	p.Str(" x ")
	printInts(p, d.RHSContract)
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

func (s precision) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	for lex.Accept(",") {
		switch {
		case lex.Accept("precision"):
			lex.Expect("=")
			a := mlir.ArrayAttr{}
			lex.List("[", "]", func() {
				t := lex.Kind(mlirtext.IdentToken, "a precision such as DEFAULT")
				a = append(a, mlir.EnumAttr{Dialect: "stablehlo", Kind: "precision", Value: t.Value})
			})
			o.Set("precision_config", a)
		case s.algorithm && lex.Accept("algorithm"):
			s.parseAlgorithm(lex, o)
		default:
			lex.Stop(mlirtext.Unexpected(lex.Peek(), "'precision' or 'algorithm'"))
		}
	}
}

func (precision) parseAlgorithm(lex *mlirtext.Stream, o *mlirtext.OpText) {
	pos := lex.Peek().Pos
	lex.Expect("=")
	a := mlir.StructAttr{Name: "stablehlo.dot_algorithm"}
	lex.List("<", ">", func() {
		t := lex.Kind(mlirtext.IdentToken, "a field of the algorithm")
		lex.Expect("=")
		v := lex.BareAttr()
		if v != nil {
			a.Fields = append(a.Fields, mlir.NamedAttr{Name: t.Value, Value: v})
		}
	})
	if why := attrProblem(a); why != "" {
		lex.Failed(mlir.NewError(pos, why))
	}
	o.SetAt("algorithm", pos, a)
}

func (s precision) Fits(op *mlir.Op) bool {
	if a := op.Attrs.Get("precision_config"); a != nil {
		list, ok := a.(mlir.ArrayAttr)
		for _, e := range list {
			v, enum := e.(mlir.EnumAttr)
			ok = ok && enum && v.Dialect == "stablehlo" && v.Kind == "precision"
		}
		if !ok {
			return false
		}
	}
	if a := op.Attrs.Get("algorithm"); a != nil && s.algorithm {
		v, ok := a.(mlir.StructAttr)
		return ok && v.Name == "stablehlo.dot_algorithm" && len(v.Fields) > 0
	}
	return true
}

func (s precision) Print(p *mlirtext.Printer, op *mlir.Op) {
	if a, ok := op.Attrs.Get("precision_config").(mlir.ArrayAttr); ok {
		p.Str(", precision = [")
		for i, e := range a {
			p.Comma(i)
			p.Str(e.(mlir.EnumAttr).Value)
		}
		p.Str("]")
	}
	if a, ok := op.Attrs.Get("algorithm").(mlir.StructAttr); ok && s.algorithm {
		p.Str(", algorithm = " + a.String()[len("#stablehlo.dot_algorithm"):])
	}
}
