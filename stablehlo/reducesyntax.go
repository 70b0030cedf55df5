package stablehlo

import (
	"ltc/internal/diag"
	"ltc/internal/mlirtext"
	"ltc/mlir"
)

// reduceSyntax is
//
//	(%x init: %c) applies stablehlo.add across dimensions = [1] {…} : type
//	(%x init: %c), (%y init: %d) across dimensions = [1] {…} : type
//	 reducer(%a: T, %b: T) (%c: U, %d: U) {…}
//
// where the pairs are the arguments that meet in the reducer: %a and %c are
// what is accumulated, %b and %d the elements.
type reduceSyntax struct{ plain }

func (s reduceSyntax) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	var inits []mlirtext.UseText
	for {
		s.parsePair(lex, o, &inits)
		if !lex.Accept(",") {
			break
		}
	}
	o.Operands = append(o.Operands, inits...)
	var inner mlir.Code
	if lex.Accept("applies") {
		t := lex.Kind(mlirtext.IdentToken, "the op that is applied")
		if inner = mlir.CodeOf(t.Value); !applicable(inner) {
			lex.Stop(mlir.Errorf(t.Pos, "%s cannot be applied by a reduce: it is not a commutative op of two operands, such as stablehlo.add", t.Value))
		}
	}
	s.parseTail(lex, o)
	n := len(inits)
	if len(o.Ins) != 2*n {
		lex.Stop(mlir.Errorf(o.TypePos, "stablehlo.reduce has %s but %s", diag.Count(2*n, "operand"), diag.Count(len(o.Ins), "operand type")))
	}
	if inner == 0 {
		s.parseReducer(lex, o, n)
		return
	}
	if n != 1 {
		lex.Stop(mlir.Errorf(o.Pos, "a reduce that applies an op has one operand and one initial value"))
	}
	s.apply(lex, o, inner)
}

func (reduceSyntax) parsePair(lex *mlirtext.Stream, o *mlirtext.OpText, inits *[]mlirtext.UseText) {
	lex.Expect("(")
	o.Operand(lex)
	lex.Expect("init", ":")
	t := lex.Kind(mlirtext.ValueToken, "an initial value such as %0")
	*inits = append(*inits, mlirtext.UseText{Name: t.Value[1:], Pos: t.Pos})
	lex.Expect(")")
}

func (reduceSyntax) parseTail(lex *mlirtext.Stream, o *mlirtext.OpText) {
	lex.Expect("across", "dimensions", "=")
	dims := readInts(lex)
	o.Set("dimensions", mlir.I64Array(dims))
	o.OptionalAttrDict(lex)
	o.FunctionalType(lex)
}

func (reduceSyntax) parseReducer(lex *mlirtext.Stream, o *mlirtext.OpText, n int) {
	lex.Expect("reducer")
	left, right := make([]mlirtext.ArgText, 0, n), make([]mlirtext.ArgText, 0, n)
	for range n {
		var pair []mlirtext.ArgText
		pos := lex.Peek().Pos
		lex.List("(", ")", func() {
			a := lex.Arg()
			pair = append(pair, a)
		})
		if len(pair) != 2 {
			lex.Stop(mlir.Errorf(pos, "a reducer has two arguments for each operand"))
		}
		left, right = append(left, pair[0]), append(right, pair[1])
	}
	o.RegionOf(lex, &mlirtext.Entry{Args: append(left, right...), What: "a reducer"})
}

// applicable reports whether a reduce can apply the op: it is commutative, and
// its two operands and its result have one type.
func applicable(op mlir.Code) bool { return op.Info().Traits.Has(mlir.Commutative) }

// reduced is the type of what the region of `applies` works on: scalars of the
// first operand's elements.
func reduced(operand mlir.Type) *mlir.TensorType {
	if t, ok := operand.(*mlir.TensorType); ok {
		return mlir.Tensor(t.Elem)
	}
	return nil
}

// apply builds the region of `applies`.
func (reduceSyntax) apply(lex *mlirtext.Stream, o *mlirtext.OpText, inner mlir.Code) {
	operand := lex.Resolve(&o.Ins[0])
	scalar := reduced(operand)
	if scalar == nil {
		if operand != nil {
			lex.Fail(o.Ins[0].Pos, "stablehlo.reduce reduces tensors, not %s", operand)
		}
		o.Regions = append(o.Regions, &mlir.Region{})
		return
	}
	t := lex.Resolve(&mlirtext.TypeText{Text: scalar.String(), Pos: o.Ins[0].Pos})
	b := mlir.NewBlock(t, t)
	op := mlir.NewOp(inner, b.Args, t)
	ret := mlir.NewOp(Return, op.Results)
	op.Pos, ret.Pos = o.Pos, o.Pos
	b.Ops = []*mlir.Op{op, ret}
	o.Regions = append(o.Regions, &mlir.Region{Blocks: []*mlir.Block{b}})
}

func (reduceSyntax) Shows() []string { return []string{"dimensions"} }

func (reduceSyntax) Fits(op *mlir.Op) bool {
	n := len(op.Operands) / 2
	b := op.Body()
	d, ok := op.Attrs.Get("dimensions").(mlir.DenseArrayAttr)
	return ok && d.Elem == mlir.I64 && n > 0 && len(op.Operands) == 2*n && b != nil && len(b.Args) == 2*n
}

// applied returns the op that a reduce can print behind `applies`, or nil.
func applied(op *mlir.Op) *mlir.Op {
	b := op.Body()
	if len(op.Operands) != 2 || len(op.Results) != 1 || len(b.Ops) != 2 {
		return nil
	}
	in, ret := b.Ops[0], b.Ops[1]
	if !applicable(in.Code) || ret.Code != Return || len(in.Attrs)+len(ret.Attrs)+len(ret.Results) > 0 ||
		len(in.Operands) != 2 || len(in.Results) != 1 || len(ret.Operands) != 1 ||
		in.Operands[0] != b.Args[0] || in.Operands[1] != b.Args[1] || ret.Operands[0] != in.Results[0] {
		return nil
	}
	t := reduced(op.Operands[0].Type)
	if t == nil || !mlir.SameType(b.Args[0].Type, t) || !mlir.SameType(b.Args[1].Type, t) || !mlir.SameType(in.Results[0].Type, t) {
		return nil
	}
	return in
}

func (s reduceSyntax) Print(p *mlirtext.Printer, op *mlir.Op) {
	n := len(op.Operands) / 2
	for i := range n {
		p.Comma(i)
		p.Str("(")
		p.Use(op.Operands[i])
		p.Str(" init: ")
		p.Use(op.Operands[n+i])
		p.Str(")")
	}
	in := applied(op)
	if in != nil {
		p.Str(" applies " + in.Name())
	}
	p.Str(" across dimensions = ")
	printInts(p, op.Attrs.Get("dimensions").(mlir.DenseArrayAttr).Ints)
	p.AttrDict(op.Attrs, map[string]bool{"dimensions": true})
	p.Str(" : ")
	p.FuncType(op)
	if in != nil {
		return
	}
	p.Newline()
	p.Str(" reducer") // with its spaces as the dialect's printer has them
	args := op.Body().Args
	for i := range n {
		p.Str("(")
		p.Arg(args[i])
		p.Str(", ")
		p.Arg(args[n+i])
		p.Str(") ")
	}
	p.Str(" ")
	p.Region(op.Regions[0], true)
}
