package stablehlo

import (
	"ltc/internal/mlirtext"
	"ltc/mlir"
)

// arithOps are the ops on indices and numbers that stand in texts of StableHLO.
var arithOps = []opDef{
	{Name: "arith.constant", Props: []string{"value"}, Syntax: syntax{arithConstant{}}},
	arithOp("addi"), arithOp("subi"), arithOp("muli"), arithOp("divsi"), arithOp("divui"), arithOp("remsi"), arithOp("remui"),
	arithOp("andi"), arithOp("ori"), arithOp("xori"), arithOp("maxsi"), arithOp("minsi"), arithOp("maxui"), arithOp("minui"),
	arithOp("addf"), arithOp("subf"), arithOp("mulf"), arithOp("divf"),
	{Name: "arith.index_cast", Syntax: form(operands(1), attrDict{}, castTypes{})},
	{Name: "arith.index_castui", Syntax: form(operands(1), attrDict{}, castTypes{})},
	{Name: "arith.extsi", Syntax: form(operands(1), attrDict{}, castTypes{})},
	{Name: "arith.extui", Syntax: form(operands(1), attrDict{}, castTypes{})},
	{Name: "arith.trunci", Syntax: form(operands(1), attrDict{}, castTypes{})},
}

func arithOp(name string) opDef {
	return opDef{Name: "arith." + name, Syntax: form(operands(2), attrDict{}, oneType{})}
}

// arithConstant is {attrs} value : T, T the type of the result; true and false
// have none.
type arithConstant struct{ constantSyntax }

func (arithConstant) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	o.OptionalAttrDict(lex)
	t := lex.Peek()
	if !lex.AtLeaf() {
		lex.Stop(mlirtext.Unexpected(t, "the value of the constant"))
	}
	a := lex.Attr()
	o.SetAt("value", t.Pos, a)
	out := valueType(a)
	if out == nil && a != nil {
		lex.Stop(mlir.Errorf(t.Pos, "%s is not the value of a constant", a))
	}
	o.Outs = append(o.Outs, mlirtext.TypeText{Pos: t.Pos, Type: out})
}

func valueType(a mlir.Attribute) mlir.Type {
	switch a := a.(type) {
	case mlir.BoolAttr:
		return mlir.I1
	case mlir.IntegerAttr:
		return a.Type
	case mlir.FloatAttr:
		return a.Type
	case *mlir.DenseAttr:
		return a.Type
	}
	return nil
}

func (arithConstant) Fits(op *mlir.Op) bool {
	t := valueType(op.Attrs.Get("value"))
	return t != nil && len(op.Operands)+len(op.Regions) == 0 && len(op.Results) == 1 && mlir.SameType(op.Results[0].Type, t)
}

// castTypes is `: T to U`.
type castTypes struct{ plain }

func (castTypes) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	lex.Expect(":")
	from := lex.Type()
	lex.Expect("to")
	to := lex.Type()
	o.Ins, o.Outs = append(o.Ins, from), append(o.Outs, to)
}

func (castTypes) Fits(op *mlir.Op) bool { return len(op.Operands) == 1 && len(op.Results) == 1 }

func (castTypes) Print(p *mlirtext.Printer, op *mlir.Op) {
	p.Str(" : ")
	p.Type(op.Operands[0].Type)
	p.Str(" to ")
	p.Type(op.Results[0].Type)
}
