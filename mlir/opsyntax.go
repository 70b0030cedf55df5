package mlir

import (
	"math"
	"strconv"
	"strings"
)

// The odd parts of pretty forms that one op alone has.

// selectType is `: Tpred, T`, or the function type when the branches differ.
type selectType struct{ Plain }

func (selectType) Parse(lex *Stream, o *OpText) *Error {
	return o.ShortType(lex, func(pred TypeText) *Error {
		if err := lex.Expect(","); err != nil {
			return err
		}
		t, err := lex.Type()
		o.Ins, o.Outs = append(o.Ins, pred, t, t), append(o.Outs, t)
		return err
	})
}

func (selectType) Print(p *Printer, op *Op) {
	p.Str(" : ")
	if len(op.Results) != 1 || !AllOfType(op.Results[0].Type, op.Operands[1:]) || IsFunction(op.Operands[0].Type) {
		p.FuncType(op)
		return
	}
	p.Type(op.Operands[0].Type)
	p.Str(", ")
	p.Type(op.Results[0].Type)
}

func IsFunction(t Type) bool {
	_, ok := t.(*FunctionType)
	return ok
}

// complexType is `: T`, the result, when both operands are its parts.
type complexType struct{ Plain }

func (complexType) Parse(lex *Stream, o *OpText) *Error {
	return o.ShortType(lex, func(t TypeText) *Error {
		// The parts' type is in the text of the result's: tensor<2xcomplex<f32>>.
		part, ok := realPart(t)
		if !ok {
			return Errorf(t.Pos, "%s is not a tensor of complex numbers", t.Text)
		}
		o.Ins, o.Outs = append(o.Ins, part, part), append(o.Outs, t)
		return nil
	})
}

func realPart(t TypeText) (TypeText, bool) {
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

func (complexType) Print(p *Printer, op *Op) {
	p.Str(" : ")
	if len(op.Results) == 1 && !IsFunction(op.Results[0].Type) {
		part, ok := realPart(TypeText{Text: op.Results[0].Type.String()})
		if ok && part.Text == op.Operands[0].Type.String() && part.Text == op.Operands[1].Type.String() {
			p.Type(op.Results[0].Type)
			return
		}
	}
	p.FuncType(op)
}

// constantSyntax is {attrs} dense<…> : T, or generic behind the name when the
// result's type is not the literal's.
type constantSyntax struct{ Plain }

func (constantSyntax) Parse(lex *Stream, o *OpText) *Error {
	if lex.Is("(") {
		return o.Generic(lex)
	}
	if err := o.OptionalAttrDict(lex); err != nil {
		return err
	}
	t := lex.Peek()
	if t.Type != DenseToken && t.Type != HashToken {
		return Unexpected(t, "the value, dense<…> : tensor<…>,")
	}
	a, err := lex.Attr()
	if err != nil {
		return err
	}
	o.SetAt("value", t.Pos, a)
	out := TypeText{Pos: t.Pos}
	switch a := a.(type) {
	case nil: // its error is recorded
	case *DenseAttr:
		out.Type = a.Type
	default:
		return Errorf(t.Pos, "the value of a constant is dense<…> : tensor<…>, not %s", a)
	}
	o.Outs = append(o.Outs, out)
	return nil
}

func (constantSyntax) Fits(op *Op) bool {
	a, ok := op.Attrs.Get("value").(*DenseAttr)
	return ok && len(op.Operands)+len(op.Regions) == 0 && len(op.Results) == 1 && SameType(op.Results[0].Type, a.Type)
}
func (constantSyntax) Shows() []string { return []string{"value"} }
func (constantSyntax) Print(p *Printer, op *Op) {
	p.AttrDict(op.Attrs, map[string]bool{"value": true})
	p.Str(" ")
	p.Attr(op.Attrs.Get("value"))
}

// sliceRanges is [start:limit, start:limit:stride].
type sliceRanges struct{ Plain }

func (sliceRanges) Shows() []string { return []string{"start_indices", "limit_indices", "strides"} }

func (s sliceRanges) Parse(lex *Stream, o *OpText) *Error {
	var r [3][]int64
	err := lex.List("[", "]", func() *Error {
		v := [3]int64{2: 1}
		for i := range v {
			if i > 0 && !lex.Accept(":") {
				if i == 2 {
					break
				}
				return Unexpected(lex.Peek(), "':' and the limit of the slice")
			}
			var err *Error
			if v[i], err = lex.Int(); err != nil {
				return err
			}
		}
		for i := range v {
			r[i] = append(r[i], v[i])
		}
		return nil
	})
	for i, name := range s.Shows() {
		o.Set(name, I64Array(r[i]))
	}
	return err
}

func (s sliceRanges) Fits(op *Op) bool {
	n := -1
	for _, name := range s.Shows() {
		d, ok := op.Attrs.Get(name).(DenseArrayAttr)
		if !ok || d.Elem != I64 || n >= 0 && n != len(d.Ints) {
			return false
		}
		n = len(d.Ints)
	}
	return true
}

func (s sliceRanges) Print(p *Printer, op *Op) {
	p.Str(" [")
	var r [3][]int64
	for i, name := range s.Shows() {
		r[i] = op.Attrs.Get(name).(DenseArrayAttr).Ints
	}
	for i := range r[0] {
		if i > 0 {
			p.Str(", ")
		}
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
type whileSyntax struct{ Plain }

func (whileSyntax) Parse(lex *Stream, o *OpText) *Error {
	var args []ArgText
	err := lex.List("(", ")", func() *Error {
		name, err := lex.ArgName()
		if err != nil {
			return err
		}
		args = append(args, ArgText{UseText: name})
		if err := lex.Expect("="); err != nil {
			return err
		}
		return o.Operand(lex)
	})
	if err != nil {
		return err
	}
	if len(args) > 0 {
		if err := (TypeList{Both: true}).Parse(lex, o); err != nil {
			return err
		}
		if len(o.Ins) != len(args) {
			return Errorf(o.TypePos, "stablehlo.while has %d operands but %d types", len(args), len(o.Ins))
		}
	}
	if lex.Accept("attributes") {
		if err := o.AttrDict(lex); err != nil {
			return err
		}
	}
	for i := range args {
		args[i].Type = o.Ins[i]
	}
	for _, w := range []string{"cond", "do"} {
		if err := lex.Expect(w); err != nil {
			return err
		}
		if err := o.RegionOf(lex, &Entry{args, "the " + w + " of a while"}); err != nil {
			return err
		}
	}
	return nil
}

func (whileSyntax) Fits(op *Op) bool {
	if len(op.Regions) != 2 || !(TypeList{Both: true, Optional: true}).Fits(op) {
		return false
	}
	for _, r := range op.Regions {
		if len(r.Blocks) != 1 || len(r.Blocks[0].Args) != len(op.Operands) {
			return false
		}
		for i, a := range r.Blocks[0].Args {
			if !SameType(a.Type, op.Operands[i].Type) || a.Loc != nil {
				return false
			}
		}
	}
	return true
}

func (whileSyntax) Print(p *Printer, op *Op) {
	// The names of both regions' arguments: see names.regionsOf.
	args := op.Regions[0].Blocks[0].Args
	p.Str("(")
	for i, v := range op.Operands {
		if i > 0 {
			p.Str(", ")
		}
		p.Use(args[i])
		p.Str(" = ")
		p.Use(v)
	}
	p.Str(")")
	TypeList{Both: true, Optional: true}.Print(p, op)
	p.ExtraAttrs(op.Attrs, nil)
	p.Newline()
	p.Str("cond ")
	p.Region(op.Regions[0], true)
	p.Str(" do ")
	p.Region(op.Regions[1], true)
}

// barrierSyntax is () without operands and %a, %b : T, U with some.
type barrierSyntax struct{ Plain }

func (barrierSyntax) Parse(lex *Stream, o *OpText) *Error {
	if err := o.OptionalAttrDict(lex); err != nil {
		return err
	}
	if lex.Accept("(") {
		return lex.Expect(")")
	}
	if err := (Operands(-1)).Parse(lex, o); err != nil {
		return err
	}
	return TypeList{Both: true}.Parse(lex, o)
}

func (barrierSyntax) Fits(op *Op) bool {
	return len(op.Regions) == 0 && TypeList{Both: true, Optional: true}.Fits(op)
}
func (barrierSyntax) Print(p *Printer, op *Op) {
	p.AttrDict(op.Attrs, nil)
	if len(op.Operands) == 0 {
		p.Str("()")
		return
	}
	Operands(-1).Print(p, op)
	TypeList{Both: true}.Print(p, op)
}

// floatFormat is e8m10, the bits of exponent and mantissa.
type floatFormat struct{ Plain }

func (floatFormat) Shows() []string { return []string{"exponent_bits", "mantissa_bits"} }

func (s floatFormat) Parse(lex *Stream, o *OpText) *Error {
	t, err := lex.Kind(IdentToken, "a format such as e8m10")
	if err != nil {
		return err
	}
	e, m, ok := strings.Cut(strings.TrimPrefix(t.Value, "e"), "m")
	for i, digits := range []string{e, m} {
		v, perr := strconv.ParseInt(digits, 10, 32)
		if perr != nil || !ok || digits[0] < '0' || digits[0] > '9' || t.Value[0] != 'e' {
			return Errorf(t.Pos, "%s is not a format such as e8m10", t.Value)
		}
		o.Set(s.Shows()[i], IntegerAttr{v, I32})
	}
	return nil
}

func (s floatFormat) Fits(op *Op) bool {
	for _, name := range s.Shows() {
		v, ok := op.Attrs.Get(name).(IntegerAttr)
		if !ok || v.Type != I32 || v.Value < 0 || v.Value > math.MaxInt32 {
			return false
		}
	}
	return true
}

func (s floatFormat) Print(p *Printer, op *Op) {
	p.Str(" ")
	for i, name := range s.Shows() {
		v, _ := Int(op.Attrs.Get(name))
		p.Str("em"[i : i+1])
		p.Int(v)
	}
}

// denseOfOperand is dense<…> : T, where T is the type of the operand.
type denseOfOperand struct{}

func (denseOfOperand) Shows() []string { return []string{"value"} }

func (denseOfOperand) Parse(lex *Stream, o *OpText) *Error {
	if err := (constantSyntax{}).Parse(lex, o); err != nil {
		return err
	}
	o.Ins, o.Outs = o.Outs, o.Ins[:0]
	return nil
}

func (denseOfOperand) Fits(op *Op) bool {
	a, ok := op.Attrs.Get("value").(*DenseAttr)
	return ok && len(op.Results) == 0 && len(op.Operands) == 1 && SameType(op.Operands[0].Type, a.Type)
}

func (denseOfOperand) Print(p *Printer, op *Op) {
	p.Str(" ")
	p.Attr(op.Attrs.Get("value"))
}

// typeOfOperands is `: T`, the type of every operand of an op without results.
type typeOfOperands struct{ Plain }

func (typeOfOperands) Parse(lex *Stream, o *OpText) *Error {
	err := OneType{}.Parse(lex, o)
	o.Outs = o.Outs[:0]
	return err
}

func (typeOfOperands) Fits(op *Op) bool {
	return len(op.Results) == 0 && len(op.Operands) > 0 && AllOfType(op.Operands[0].Type, op.Operands)
}

func (typeOfOperands) Print(p *Printer, op *Op) {
	p.Str(" : ")
	p.Type(op.Operands[0].Type)
}

// tupleType is `: tuple<T, U>`, the result, when the operands are its elements.
type tupleType struct{ Plain }

func (tupleType) Parse(lex *Stream, o *OpText) *Error {
	return o.ShortType(lex, func(t TypeText) *Error {
		tt, ok := lex.Resolve(&t).(TupleType)
		if !ok {
			return Errorf(t.Pos, "%s is not a tuple", t.Text)
		}
		for _, e := range tt.Elems {
			o.Ins = append(o.Ins, TypeText{Pos: t.Pos, Type: e})
		}
		o.Outs = append(o.Outs, t)
		return nil
	})
}

func (tupleType) Print(p *Printer, op *Op) {
	p.Str(" : ")
	if len(op.Results) == 1 {
		if t, ok := op.Results[0].Type.(TupleType); ok && SameTypes(TypesOf(op.Operands), t.Elems) {
			p.Type(t)
			return
		}
	}
	p.FuncType(op)
}

// indexIn is [N], an i32.
type indexIn struct {
	Plain
	name string
}

func (s indexIn) Shows() []string { return []string{s.name} }

func (s indexIn) Parse(lex *Stream, o *OpText) *Error {
	pos := lex.Peek().Pos
	v, err := lex.Ints()
	if err == nil && (len(v) != 1 || v[0] != int64(int32(v[0]))) {
		return Errorf(pos, "[index] is expected, one number of 32 bits")
	}
	if err == nil {
		o.Set(s.name, IntegerAttr{v[0], I32})
	}
	return err
}

func (s indexIn) Fits(op *Op) bool {
	a, ok := op.Attrs.Get(s.name).(IntegerAttr)
	return ok && a.Type == I32
}

func (s indexIn) Print(p *Printer, op *Op) {
	p.Ints([]int64{op.Attrs.Get(s.name).(IntegerAttr).Value})
}

// optionalRegions is ({…}, {…}), or nothing for none, and the dictionary behind
// them.
type optionalRegions struct{ Plain }

func (optionalRegions) Parse(lex *Stream, o *OpText) *Error {
	if lex.Is("(") {
		if err := lex.List("(", ")", func() *Error { return o.Region(lex) }); err != nil {
			return err
		}
	}
	return o.OptionalAttrDict(lex)
}

func (optionalRegions) Print(p *Printer, op *Op) {
	p.Regions(op)
	p.RestDict(op)
}

// customCallSyntax is @target(%a) {…} : (T) -> U.
type customCallSyntax struct{ Plain }

func (customCallSyntax) Parse(lex *Stream, o *OpText) *Error {
	name, err := lex.Symbol("the target such as @f")
	if err != nil {
		return err
	}
	o.Set("call_target_name", StringAttr(name))
	return o.CallRest(lex)
}

func (customCallSyntax) Fits(op *Op) bool {
	s, ok := op.Attrs.Get("call_target_name").(StringAttr)
	return ok && FlatSymbol(string(s)) && len(op.Regions) == 0
}
func (customCallSyntax) Shows() []string { return []string{"call_target_name"} }
func (customCallSyntax) Print(p *Printer, op *Op) {
	s := op.Attrs.Get("call_target_name").(StringAttr)
	p.Str(" " + SymbolAttr(s).String())
	p.CallRest(op)
}
