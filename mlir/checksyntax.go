package mlir

import "strconv"

// checkOps are those ops of the dialect's tests that have a form of their own.
var checkOps = []opDef{
	{name: "check.expect_close", props: []string{"max_ulp_difference", "min_ulp_difference"},
		syntax: form(operands{2}, ulpLimit{"max_ulp_difference", false}, ulpLimit{"min_ulp_difference", true}, attrDict{}, typeList{operands: true})},
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
