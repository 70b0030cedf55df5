package stablehlo

import (
	"strconv"

	"ltc/internal/mlirtext"
	"ltc/mlir"
)

// checkOps are the ops with which the dialect's interpreter is tested.
var checkOps = withTraits(mlir.Effects, []opDef{
	{Name: "check.expect_eq_const", Props: []string{"value"}, Syntax: form(operands(1), comma, denseOfOperand{}, attrDict{})},
	{Name: "check.expect_almost_eq_const", Props: []string{"value", "tolerance"},
		Syntax: form(operands(1), comma, denseOfOperand{}, tolerance, attrDict{})},
	{Name: "check.expect_eq", Syntax: form(operands(2), attrDict{}, typeOfOperands{})},
	{Name: "check.expect_almost_eq", Props: []string{"tolerance"}, Syntax: form(operands(2), tolerance, attrDict{}, typeOfOperands{})},
	{Name: "check.expect_serialized_eq", Props: []string{"probe_id", "iteration"},
		Syntax: form(operands(1), probeID, typedGroup("iter", "iteration", mlir.IntegerType{Width: 32, Sign: mlir.Unsigned}), attrDict{}, typeOfOperands{})},
	{Name: "check.expect_close", Props: []string{"max_ulp_difference", "min_ulp_difference"},
		Syntax: form(operands(2), ulpLimit{"max_ulp_difference", false}, ulpLimit{"min_ulp_difference", true}, attrDict{}, typeList{Operands: true})},
	{Name: "interpreter.probe", Props: []string{"probe_id"}, Syntax: form(operands(1), probeID, attrDict{}, oneType{})},
	{Name: "interpreter.print", Syntax: form(operands(1), attrDict{}, typeOfOperands{})},
})

var (
	tolerance = typedGroup("tolerance", "tolerance", mlir.F64)
	probeID   = named("probe_id", attr{Name: "probe_id", Kind: stringValue})
)

// typedNumber is `, word = value` that may be missing, where the value is a number of
// the given type, which may be written behind it.
type typedNumber struct {
	word, name string
	typ        mlir.Type
}

func typedGroup(word, name string, t mlir.Type) typedNumber {
	return typedNumber{word, name, t}
}

func (s typedNumber) Shows() []string { return []string{s.name} }

func (s typedNumber) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	if !lex.Accept(",") {
		return
	}
	lex.Expect(s.word, "=")
	pos := lex.Peek().Pos
	a := lex.Number(s.typ)
	o.SetAt(s.name, pos, a)
}

func (s typedNumber) Fits(op *mlir.Op) bool {
	switch a := op.Attrs.Get(s.name).(type) {
	case nil:
		return true
	case mlir.IntegerAttr:
		return a.Type == s.typ
	case mlir.FloatAttr:
		return a.Type == s.typ
	}
	return false
}

func (s typedNumber) Print(p *mlirtext.Printer, op *mlir.Op) {
	switch a := op.Attrs.Get(s.name).(type) {
	case mlir.IntegerAttr:
		p.Str(", " + s.word + " = " + strconv.FormatUint(uint64(a.Value), 10))
	case mlir.FloatAttr:
		p.Str(", " + s.word + " = " + a.Text)
	}
}

// ulpLimit is `, name = N`, N an unsigned number.
type ulpLimit struct {
	name     string
	optional bool
}

func (s ulpLimit) Shows() []string { return []string{s.name} }

func (s ulpLimit) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	if s.optional && !lex.Is(",") {
		return
	}
	(syntax{comma, word(s.name), equal}).Parse(lex, o)
	t := lex.Kind(mlirtext.IntToken, "an unsigned integer")
	v, ok := mlir.ParseInt(t.Value, mlir.UI64)
	if !ok {
		lex.Stop(mlir.Errorf(t.Pos, "%s does not fit ui64", t.Value))
	}
	o.Set(s.name, mlir.IntegerAttr{Value: v, Type: mlir.UI64})
}

func (s ulpLimit) Fits(op *mlir.Op) bool {
	a, ok := op.Attrs.Get(s.name).(mlir.IntegerAttr)
	return ok && a.Type == mlir.UI64 || s.optional && op.Attrs.Get(s.name) == nil
}

func (s ulpLimit) Print(p *mlirtext.Printer, op *mlir.Op) {
	if a, ok := op.Attrs.Get(s.name).(mlir.IntegerAttr); ok {
		p.Str(", " + s.name + " = " + strconv.FormatUint(uint64(a.Value), 10))
	}
}
