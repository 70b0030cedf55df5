package stablehlo

import (
	"math"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/internal/lexeme"
	"ltc/internal/mlirtext"
	"ltc/mlir"
)

// The odd parts of pretty forms that one op alone has.

// selectType is `: Tpred, T`, or the function type when the branches differ.
type selectType struct{ plain }

func (selectType) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	o.ShortType(lex, func(pred mlirtext.TypeText) {
		lex.Expect(",")
		t := lex.Type()
		o.Ins, o.Outs = append(o.Ins, pred, t, t), append(o.Outs, t)
	})
}

func (selectType) Print(p *mlirtext.Printer, op *mlir.Op) {
	p.Str(" : ")
	if len(op.Results) != 1 || !allOfType(op.Results[0].Type, op.Operands[1:]) || mlirtext.IsFunction(op.Operands[0].Type) {
		p.FuncType(op)
		return
	}
	p.Type(op.Operands[0].Type)
	p.Str(", ")
	p.Type(op.Results[0].Type)
}

// complexType is `: T`, the result, when both operands are its parts.
type complexType struct{ plain }

func (complexType) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	o.ShortType(lex, func(t mlirtext.TypeText) {
		// The parts' type is in the text of the result's: tensor<2xcomplex<f32>>.
		part, ok := realPart(t)
		if !ok {
			lex.Stop(mlir.Errorf(t.Pos, "%s is not a tensor of complex numbers", t.Text))
		}
		o.Ins, o.Outs = append(o.Ins, part, part), append(o.Outs, t)
	})
}

func realPart(t mlirtext.TypeText) (mlirtext.TypeText, bool) {
	const open = "complex<"
	for i := 0; i+len(open) < len(t.Text); i++ {
		if t.Text[i:i+len(open)] != open {
			continue
		}
		for j := i + len(open); j < len(t.Text); j++ {
			if t.Text[j] == '>' {
				t.Text = t.Text[:i] + t.Text[i+len(open):j] + t.Text[j+1:]
				return t, true
			}
		}
	}
	return t, false
}

func (complexType) Print(p *mlirtext.Printer, op *mlir.Op) {
	p.Str(" : ")
	if len(op.Results) == 1 && !mlirtext.IsFunction(op.Results[0].Type) {
		part, ok := realPart(mlirtext.TypeText{Text: op.Results[0].Type.String()})
		if ok && part.Text == op.Operands[0].Type.String() && part.Text == op.Operands[1].Type.String() {
			p.Type(op.Results[0].Type)
			return
		}
	}
	p.FuncType(op)
}

// constantSyntax is {attrs} dense<…> : T, or generic behind the name when the
// result's type is not the literal's.
type constantSyntax struct{ plain }

func (constantSyntax) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	if lex.Is("(") {
		o.Generic(lex)
		return
	}
	o.OptionalAttrDict(lex)
	t := lex.Peek()
	if t.Type != mlirtext.DenseToken && t.Type != mlirtext.HashToken {
		lex.Stop(mlirtext.Unexpected(t, "the value, dense<…> : tensor<…>,"))
	}
	a := lex.Attr()
	o.SetAt("value", t.Pos, a)
	out := mlirtext.TypeText{Pos: t.Pos}
	switch a := a.(type) {
	case nil: // its error is recorded
	case *mlir.DenseAttr:
		out.Type = a.Type
	default:
		lex.Stop(mlir.Errorf(t.Pos, "the value of a constant is dense<…> : tensor<…>, not %s", a))
	}
	o.Outs = append(o.Outs, out)
}

func (constantSyntax) Fits(op *mlir.Op) bool {
	a, ok := op.Attrs.Get("value").(*mlir.DenseAttr)
	return ok && len(op.Operands)+len(op.Regions) == 0 && len(op.Results) == 1 && mlir.SameType(op.Results[0].Type, a.Type)
}
func (constantSyntax) Shows() []string { return []string{"value"} }
func (constantSyntax) Print(p *mlirtext.Printer, op *mlir.Op) {
	p.AttrDict(op.Attrs, map[string]bool{"value": true})
	p.Str(" ")
	p.Attr(op.Attrs.Get("value"))
}

// sliceRanges is [start:limit, start:limit:stride].
type sliceRanges struct{ plain }

func (sliceRanges) Shows() []string { return []string{"start_indices", "limit_indices", "strides"} }

func (s sliceRanges) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	var r [3][]int64
	lex.List("[", "]", func() {
		v := [3]int64{2: 1}
		for i := range v {
			if i > 0 && !lex.Accept(":") {
				if i == 2 {
					break
				}
				lex.Stop(mlirtext.Unexpected(lex.Peek(), "':' and the limit of the slice"))
			}
			v[i] = readInt(lex)
		}
		for i := range v {
			r[i] = append(r[i], v[i])
		}
	})
	for i, name := range s.Shows() {
		o.Set(name, mlir.I64Array(r[i]))
	}
}

func (s sliceRanges) Fits(op *mlir.Op) bool {
	n := -1
	for _, name := range s.Shows() {
		d, ok := op.Attrs.Get(name).(mlir.DenseArrayAttr)
		if !ok || d.Elem != mlir.I64 || n >= 0 && n != len(d.Ints) {
			return false
		}
		n = len(d.Ints)
	}
	return true
}

func (s sliceRanges) Print(p *mlirtext.Printer, op *mlir.Op) {
	p.Str(" [")
	var r [3][]int64
	for i, name := range s.Shows() {
		r[i] = op.Attrs.Get(name).(mlir.DenseArrayAttr).Ints
	}
	for i := range r[0] {
		p.Comma(i)
		p.Int(r[0][i])
		p.Str(":")
		p.Int(r[1][i])
		if r[2][i] != 1 {
			p.Str(":")
			p.Int(r[2][i])
		}
	}
	p.Str("]")
}

// whileSyntax is (%i = %a, …) : T, … attributes {…} cond {…} do {…}.
type whileSyntax struct{ plain }

func (whileSyntax) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	var args []mlirtext.ArgText
	lex.List("(", ")", func() {
		name := lex.ArgName()
		args = append(args, mlirtext.ArgText{UseText: name})
		lex.Expect("=")
		o.Operand(lex)
	})
	if len(args) > 0 {
		(typeList{Both: true}).Parse(lex, o)
		if len(o.Ins) != len(args) {
			lex.Stop(mlir.Errorf(o.TypePos, "stablehlo.while has %s but %s", diag.Count(len(args), "operand"), diag.Count(len(o.Ins), "type")))
		}
	}
	if lex.Accept("attributes") {
		o.AttrDict(lex)
	}
	for i := range args {
		args[i].Type = o.Ins[i]
	}
	for _, w := range []string{"cond", "do"} {
		lex.Expect(w)
		o.RegionOf(lex, &mlirtext.Entry{Args: args, What: "the " + w + " of a while"})
	}
}

func (whileSyntax) Fits(op *mlir.Op) bool {
	if len(op.Regions) != 2 || !(typeList{Both: true, Optional: true}).Fits(op) {
		return false
	}
	for _, r := range op.Regions {
		if len(r.Blocks) != 1 || len(r.Blocks[0].Args) != len(op.Operands) {
			return false
		}
		for i, a := range r.Blocks[0].Args {
			if !mlir.SameType(a.Type, op.Operands[i].Type) || a.Loc != nil {
				return false
			}
		}
	}
	return true
}

func (whileSyntax) Print(p *mlirtext.Printer, op *mlir.Op) {
	// The names of both regions' arguments: see names.regionsOf.
	args := op.Regions[0].Blocks[0].Args
	p.Str("(")
	for i, v := range op.Operands {
		p.Comma(i)
		p.Use(args[i])
		p.Str(" = ")
		p.Use(v)
	}
	p.Str(")")
	typeList{Both: true, Optional: true}.Print(p, op)
	p.ExtraAttrs(op.Attrs, nil)
	p.Newline()
	p.Str("cond ")
	p.Region(op.Regions[0], true)
	p.Str(" do ")
	p.Region(op.Regions[1], true)
}

// barrierSyntax is () without operands and %a, %b : T, U with some.
type barrierSyntax struct{ plain }

func (barrierSyntax) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	o.OptionalAttrDict(lex)
	if lex.Accept("(") {
		lex.Expect(")")
		return
	}
	(operands(-1)).Parse(lex, o)
	typeList{Both: true}.Parse(lex, o)
}

func (barrierSyntax) Fits(op *mlir.Op) bool {
	return len(op.Regions) == 0 && typeList{Both: true, Optional: true}.Fits(op)
}
func (barrierSyntax) Print(p *mlirtext.Printer, op *mlir.Op) {
	p.AttrDict(op.Attrs, nil)
	if len(op.Operands) == 0 {
		p.Str("()")
		return
	}
	operands(-1).Print(p, op)
	typeList{Both: true}.Print(p, op)
}

// floatFormat is e8m10, the bits of exponent and mantissa.
type floatFormat struct{ plain }

func (floatFormat) Shows() []string { return []string{"exponent_bits", "mantissa_bits"} }

func (s floatFormat) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	t := lex.Kind(mlirtext.IdentToken, "a format such as e8m10")
	e, m, ok := strings.Cut(strings.TrimPrefix(t.Value, "e"), "m")
	for i, digits := range []string{e, m} {
		v, perr := strconv.ParseInt(digits, 10, 32)
		if perr != nil || !ok || digits[0] < '0' || digits[0] > '9' || t.Value[0] != 'e' {
			lex.Stop(mlir.Errorf(t.Pos, "%s is not a format such as e8m10", t.Value))
		}
		o.Set(s.Shows()[i], mlir.IntegerAttr{Value: v, Type: mlir.I32})
	}
}

func (s floatFormat) Fits(op *mlir.Op) bool {
	for _, name := range s.Shows() {
		v, ok := op.Attrs.Get(name).(mlir.IntegerAttr)
		if !ok || v.Type != mlir.I32 || v.Value < 0 || v.Value > math.MaxInt32 {
			return false
		}
	}
	return true
}

func (s floatFormat) Print(p *mlirtext.Printer, op *mlir.Op) {
	p.Str(" ")
	for i, name := range s.Shows() {
		v, _ := mlir.Int(op.Attrs.Get(name))
		p.Str("em"[i : i+1])
		p.Int(v)
	}
}

// denseOfOperand is dense<…> : T, where T is the type of the operand.
type denseOfOperand struct{}

func (denseOfOperand) Shows() []string { return []string{"value"} }

func (denseOfOperand) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	(constantSyntax{}).Parse(lex, o)
	o.Ins, o.Outs = o.Outs, o.Ins[:0]
}

func (denseOfOperand) Fits(op *mlir.Op) bool {
	a, ok := op.Attrs.Get("value").(*mlir.DenseAttr)
	return ok && len(op.Results) == 0 && len(op.Operands) == 1 && mlir.SameType(op.Operands[0].Type, a.Type)
}

func (denseOfOperand) Print(p *mlirtext.Printer, op *mlir.Op) {
	p.Str(" ")
	p.Attr(op.Attrs.Get("value"))
}

// typeOfOperands is `: T`, the type of every operand of an op without results.
type typeOfOperands struct{ plain }

func (typeOfOperands) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	oneType{}.Parse(lex, o)
	o.Outs = o.Outs[:0]
}

func (typeOfOperands) Fits(op *mlir.Op) bool {
	return len(op.Results) == 0 && len(op.Operands) > 0 && allOfType(op.Operands[0].Type, op.Operands)
}

func (typeOfOperands) Print(p *mlirtext.Printer, op *mlir.Op) {
	p.Str(" : ")
	p.Type(op.Operands[0].Type)
}

// tupleType is `: tuple<T, U>`, the result, when the operands are its elements.
type tupleType struct{ plain }

func (tupleType) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	o.ShortType(lex, func(t mlirtext.TypeText) {
		tt, ok := lex.Resolve(&t).(mlir.TupleType)
		if !ok {
			lex.Stop(mlir.Errorf(t.Pos, "%s is not a tuple", t.Text))
		}
		for _, e := range tt.Elems {
			o.Ins = append(o.Ins, mlirtext.TypeText{Pos: t.Pos, Type: e})
		}
		o.Outs = append(o.Outs, t)
	})
}

func (tupleType) Print(p *mlirtext.Printer, op *mlir.Op) {
	p.Str(" : ")
	if len(op.Results) == 1 {
		if t, ok := op.Results[0].Type.(mlir.TupleType); ok && mlirtext.SameTypes(mlir.TypesOf(op.Operands), t.Elems) {
			p.Type(t)
			return
		}
	}
	p.FuncType(op)
}

// indexIn is [N], an i32.
type indexIn struct {
	plain
	name string
}

func (s indexIn) Shows() []string { return []string{s.name} }

func (s indexIn) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	pos := lex.Peek().Pos
	v := readInts(lex)
	if len(v) != 1 || v[0] != int64(int32(v[0])) {
		lex.Stop(mlir.Errorf(pos, "[index] is expected, one number of 32 bits"))
	}
	o.Set(s.name, mlir.IntegerAttr{Value: v[0], Type: mlir.I32})
}

func (s indexIn) Fits(op *mlir.Op) bool {
	a, ok := op.Attrs.Get(s.name).(mlir.IntegerAttr)
	return ok && a.Type == mlir.I32
}

func (s indexIn) Print(p *mlirtext.Printer, op *mlir.Op) {
	printInts(p, []int64{op.Attrs.Get(s.name).(mlir.IntegerAttr).Value})
}

// optionalRegions is ({…}, {…}), or nothing for none, and the dictionary behind
// them.
type optionalRegions struct{ plain }

func (optionalRegions) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	if lex.Is("(") {
		lex.List("(", ")", func() { o.Region(lex) })
	}
	o.OptionalAttrDict(lex)
}

func (optionalRegions) Print(p *mlirtext.Printer, op *mlir.Op) {
	p.Regions(op)
	p.RestDict(op)
}

// customCallSyntax is @target(%a) {…} : (T) -> U.
type customCallSyntax struct{ plain }

func (customCallSyntax) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	name := lex.Symbol("the target such as @f")
	o.Set("call_target_name", mlir.StringAttr(name))
	o.CallRest(lex)
}

func (customCallSyntax) Fits(op *mlir.Op) bool {
	s, ok := op.Attrs.Get("call_target_name").(mlir.StringAttr)
	return ok && lexeme.FlatSymbol(string(s)) && len(op.Regions) == 0
}
func (customCallSyntax) Shows() []string { return []string{"call_target_name"} }
func (customCallSyntax) Print(p *mlirtext.Printer, op *mlir.Op) {
	s := op.Attrs.Get("call_target_name").(mlir.StringAttr)
	p.Str(" " + mlir.SymbolAttr(s).String())
	p.CallRest(op)
}
