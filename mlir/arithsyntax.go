package mlir

// arithOps are the ops on indices and numbers that stand in texts of StableHLO.
var arithOps = []opDef{
	{name: "arith.constant", props: []string{"value"}, syntax: syntax{arithConstant{}}},
	arithOp("addi"), arithOp("subi"), arithOp("muli"), arithOp("divsi"), arithOp("divui"), arithOp("remsi"), arithOp("remui"),
	arithOp("andi"), arithOp("ori"), arithOp("xori"), arithOp("maxsi"), arithOp("minsi"), arithOp("maxui"), arithOp("minui"),
	arithOp("addf"), arithOp("subf"), arithOp("mulf"), arithOp("divf"),
	{name: "arith.index_cast", syntax: form(operands{1}, attrDict{}, castTypes{})},
	{name: "arith.index_castui", syntax: form(operands{1}, attrDict{}, castTypes{})},
	{name: "arith.extsi", syntax: form(operands{1}, attrDict{}, castTypes{})},
	{name: "arith.extui", syntax: form(operands{1}, attrDict{}, castTypes{})},
	{name: "arith.trunci", syntax: form(operands{1}, attrDict{}, castTypes{})},
}

func arithOp(name string) opDef {
	return opDef{name: "arith." + name, syntax: form(operands{2}, attrDict{}, sameType{})}
}

// arithConstant is {attrs} value : T, T the type of the result; true and false
// have none.
type arithConstant struct{ plain }

func (arithConstant) shows() []string { return []string{"value"} }

func (arithConstant) parse(lex *stream, o *opNode) *Error {
	if err := o.optionalAttrDict(lex); err != nil {
		return err
	}
	t := lex.tok
	if !startsLeaf(t) {
		return unexpected(t, "the value of the constant")
	}
	a, err := lex.attr()
	if err != nil {
		return err
	}
	o.attrs = append(o.attrs, attrEntry{"value", t.Pos, a})
	out := valueType(a)
	if out == nil && a != nil {
		return errorf(t.Pos, "%s is not the value of a constant", a)
	}
	o.outs = append(o.outs, typeRef{pos: t.Pos, typ: out})
	return nil
}

func valueType(a Attribute) Type {
	switch a := a.(type) {
	case BoolAttr:
		return I1
	case IntegerAttr:
		return a.Type
	case FloatAttr:
		return a.Type
	case *DenseAttr:
		return a.Type
	}
	return nil
}

func (arithConstant) fits(op *Op) bool {
	t := valueType(op.Attrs.Get("value"))
	return t != nil && len(op.Operands)+len(op.Regions) == 0 && len(op.Results) == 1 && SameType(op.Results[0].Type, t)
}

func (arithConstant) print(p *printer, op *Op) {
	p.attrDict(op.Attrs, map[string]bool{"value": true})
	p.str(" ")
	p.attr(op.Attrs.Get("value"))
}

// castTypes is `: T to U`.
type castTypes struct{ plain }

func (castTypes) parse(lex *stream, o *opNode) *Error {
	if err := expect(lex, ":"); err != nil {
		return err
	}
	from, err := parseType(lex)
	if err != nil {
		return err
	}
	if err := expect(lex, "to"); err != nil {
		return err
	}
	to, err := parseType(lex)
	o.ins, o.outs = append(o.ins, from), append(o.outs, to)
	return err
}

func (castTypes) fits(op *Op) bool { return len(op.Operands) == 1 && len(op.Results) == 1 }

func (castTypes) print(p *printer, op *Op) {
	p.str(" : ")
	p.typ(op.Operands[0].Type)
	p.str(" to ")
	p.typ(op.Results[0].Type)
}
