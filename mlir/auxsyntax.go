package mlir

import "strconv"

// auxOps are ops of other dialects that stand in texts of StableHLO: those with
// which the dialect's interpreter is tested, and index arithmetic.
var auxOps = []opDef{
	{name: "check.expect_eq_const", props: []string{"value"}, syntax: form(operands{1}, comma, denseOfOperand{}, attrDict{})},
	{name: "check.expect_almost_eq_const", props: []string{"value", "tolerance"},
		syntax: form(operands{1}, comma, denseOfOperand{}, tolerance, attrDict{})},
	{name: "check.expect_eq", syntax: form(operands{2}, attrDict{}, typeOfOperands{})},
	{name: "check.expect_almost_eq", props: []string{"tolerance"}, syntax: form(operands{2}, tolerance, attrDict{}, typeOfOperands{})},
	{name: "check.expect_serialized_eq", props: []string{"probe_id", "iteration"},
		syntax: form(operands{1}, probeID, typedGroup("iter", "iteration", IntegerType{32, Unsigned}), attrDict{}, typeOfOperands{})},
	{name: "interpreter.probe", props: []string{"probe_id"}, syntax: form(operands{1}, probeID, attrDict{}, sameType{})},
	{name: "interpreter.print", syntax: form(operands{1}, attrDict{}, typeOfOperands{})},

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

var (
	tolerance = typedGroup("tolerance", "tolerance", F64)
	probeID   = named("probe_id", attr{name: "probe_id", kind: stringAttr})
)

func arithOp(name string) opDef {
	return opDef{name: "arith." + name, syntax: form(operands{2}, attrDict{}, sameType{})}
}

// typed is `, word = value` that may be missing, where the value is a number of
// the given type, which may be written behind it.
type typed struct {
	word, name string
	typ        Type
}

func typedGroup(word, name string, t Type) typed { return typed{word, name, t} }

func (s typed) shows() []string { return []string{s.name} }

func (s typed) parse(lex *stream, o *opNode) *Error {
	if !accept(lex, ",") {
		return nil
	}
	for _, w := range []string{s.word, "="} {
		if err := expect(lex, w); err != nil {
			return err
		}
	}
	t := lex.tok
	if t.Type != tokInt && t.Type != tokFloat {
		return unexpected(t, "a number")
	}
	n := leafNode{tok: lex.Next(), typed: true, typ: typeRef{pos: t.Pos, typ: s.typ}}
	back := lex.mark()
	if accept(lex, ":") && lex.Next().Value != s.typ.String() {
		lex.goTo(back) // it is the type of an operand
	}
	o.attrs = append(o.attrs, attrEntry{s.name, t.Pos, lex.r.number(&n, false)})
	return nil
}

func (s typed) fits(op *Op) bool {
	switch a := op.Attrs.Get(s.name).(type) {
	case nil:
		return true
	case IntegerAttr:
		return a.Type == s.typ
	case FloatAttr:
		return a.Type == s.typ
	}
	return false
}

func (s typed) print(p *printer, op *Op) {
	switch a := op.Attrs.Get(s.name).(type) {
	case IntegerAttr:
		p.str(", " + s.word + " = " + strconv.FormatUint(uint64(a.Value), 10))
	case FloatAttr:
		p.str(", " + s.word + " = " + a.Text)
	}
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
