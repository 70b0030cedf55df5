package mlir

import "strconv"

// checkOps are the ops with which the dialect's interpreter is tested.
var checkOps = withTraits(Effects, []opDef{
	{name: "check.expect_eq_const", props: []string{"value"}, syntax: form(operands{1}, comma, denseOfOperand{}, attrDict{})},
	{name: "check.expect_almost_eq_const", props: []string{"value", "tolerance"},
		syntax: form(operands{1}, comma, denseOfOperand{}, tolerance, attrDict{})},
	{name: "check.expect_eq", syntax: form(operands{2}, attrDict{}, typeOfOperands{})},
	{name: "check.expect_almost_eq", props: []string{"tolerance"}, syntax: form(operands{2}, tolerance, attrDict{}, typeOfOperands{})},
	{name: "check.expect_serialized_eq", props: []string{"probe_id", "iteration"},
		syntax: form(operands{1}, probeID, typedGroup("iter", "iteration", IntegerType{32, Unsigned}), attrDict{}, typeOfOperands{})},
	{name: "check.expect_close", props: []string{"max_ulp_difference", "min_ulp_difference"},
		syntax: form(operands{2}, ulpLimit{"max_ulp_difference", false}, ulpLimit{"min_ulp_difference", true}, attrDict{}, typeList{operands: true})},
	{name: "interpreter.probe", props: []string{"probe_id"}, syntax: form(operands{1}, probeID, attrDict{}, sameType{})},
	{name: "interpreter.print", syntax: form(operands{1}, attrDict{}, typeOfOperands{})},
})

var (
	tolerance = typedGroup("tolerance", "tolerance", F64)
	probeID   = named("probe_id", attr{name: "probe_id", kind: stringAttr})
)

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

// ulpLimit is `, name = N`, N an unsigned number.
type ulpLimit struct {
	name     string
	optional bool
}

func (s ulpLimit) shows() []string { return []string{s.name} }

func (s ulpLimit) parse(lex *stream, o *opNode) *Error {
	if s.optional && !is(lex, ",") {
		return nil
	}
	if err := (syntax{comma, word{text: s.name}, equal}).parse(lex, o); err != nil {
		return err
	}
	t, err := expectKind(lex, tokInt, "an unsigned integer")
	if err != nil {
		return err
	}
	v, ok := parseInt(t.Value, UI64)
	if !ok {
		return errorf(t.Pos, "%s does not fit ui64", t.Value)
	}
	o.set(s.name, IntegerAttr{v, UI64})
	return nil
}

func (s ulpLimit) fits(op *Op) bool {
	a, ok := op.Attrs.Get(s.name).(IntegerAttr)
	return ok && a.Type == UI64 || s.optional && op.Attrs.Get(s.name) == nil
}

func (s ulpLimit) print(p *printer, op *Op) {
	if a, ok := op.Attrs.Get(s.name).(IntegerAttr); ok {
		p.str(", " + s.name + " = " + strconv.FormatUint(uint64(a.Value), 10))
	}
}
