package mlir

import "strconv"

// checkOps are the ops with which the dialect's interpreter is tested.
var checkOps = withTraits(Effects, []OpDef{
	{Name: "check.expect_eq_const", Props: []string{"value"}, Syntax: form(Operands(1), comma, denseOfOperand{}, AttrDict{})},
	{Name: "check.expect_almost_eq_const", Props: []string{"value", "tolerance"},
		Syntax: form(Operands(1), comma, denseOfOperand{}, tolerance, AttrDict{})},
	{Name: "check.expect_eq", Syntax: form(Operands(2), AttrDict{}, typeOfOperands{})},
	{Name: "check.expect_almost_eq", Props: []string{"tolerance"}, Syntax: form(Operands(2), tolerance, AttrDict{}, typeOfOperands{})},
	{Name: "check.expect_serialized_eq", Props: []string{"probe_id", "iteration"},
		Syntax: form(Operands(1), probeID, typedGroup("iter", "iteration", IntegerType{32, Unsigned}), AttrDict{}, typeOfOperands{})},
	{Name: "check.expect_close", Props: []string{"max_ulp_difference", "min_ulp_difference"},
		Syntax: form(Operands(2), ulpLimit{"max_ulp_difference", false}, ulpLimit{"min_ulp_difference", true}, AttrDict{}, TypeList{Operands: true})},
	{Name: "interpreter.probe", Props: []string{"probe_id"}, Syntax: form(Operands(1), probeID, AttrDict{}, OneType{})},
	{Name: "interpreter.print", Syntax: form(Operands(1), AttrDict{}, typeOfOperands{})},
})

var (
	tolerance = typedGroup("tolerance", "tolerance", F64)
	probeID   = named("probe_id", AttrValue{Name: "probe_id", Kind: StringValue})
)

// typed is `, word = value` that may be missing, where the value is a number of
// the given type, which may be written behind it.
type typed struct {
	word, name string
	typ        Type
}

func typedGroup(word, name string, t Type) typed { return typed{word, name, t} }

func (s typed) Shows() []string { return []string{s.name} }

func (s typed) Parse(lex *Stream, o *OpText) *Error {
	if !lex.Accept(",") {
		return nil
	}
	if err := lex.Expect(s.word, "="); err != nil {
		return err
	}
	pos := lex.Peek().Pos
	a, err := lex.Number(s.typ)
	if err != nil {
		return err
	}
	o.SetAt(s.name, pos, a)
	return nil
}

func (s typed) Fits(op *Op) bool {
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

func (s typed) Print(p *Printer, op *Op) {
	switch a := op.Attrs.Get(s.name).(type) {
	case IntegerAttr:
		p.Str(", " + s.word + " = " + strconv.FormatUint(uint64(a.Value), 10))
	case FloatAttr:
		p.Str(", " + s.word + " = " + a.Text)
	}
}

// ulpLimit is `, name = N`, N an unsigned number.
type ulpLimit struct {
	name     string
	optional bool
}

func (s ulpLimit) Shows() []string { return []string{s.name} }

func (s ulpLimit) Parse(lex *Stream, o *OpText) *Error {
	if s.optional && !lex.Is(",") {
		return nil
	}
	if err := (Syntax{comma, Word(s.name), equal}).Parse(lex, o); err != nil {
		return err
	}
	t, err := lex.Kind(IntToken, "an unsigned integer")
	if err != nil {
		return err
	}
	v, ok := ParseInt(t.Value, UI64)
	if !ok {
		return Errorf(t.Pos, "%s does not fit ui64", t.Value)
	}
	o.Set(s.name, IntegerAttr{v, UI64})
	return nil
}

func (s ulpLimit) Fits(op *Op) bool {
	a, ok := op.Attrs.Get(s.name).(IntegerAttr)
	return ok && a.Type == UI64 || s.optional && op.Attrs.Get(s.name) == nil
}

func (s ulpLimit) Print(p *Printer, op *Op) {
	if a, ok := op.Attrs.Get(s.name).(IntegerAttr); ok {
		p.Str(", " + s.name + " = " + strconv.FormatUint(uint64(a.Value), 10))
	}
}
