package mlir

import (
	"math"
	"strconv"
	"strings"
)

// The odd parts of pretty forms that one op alone has.

// selectType is `: Tpred, T`, or the function type when the branches differ.
type selectType struct{ plain }

func (selectType) parse(lex *stream, o *opNode) *Error {
	return o.shortType(lex, func(pred typeRef) *Error {
		if err := expect(lex, ","); err != nil {
			return err
		}
		t, err := parseType(lex)
		o.ins, o.outs = append(o.ins, pred, t, t), append(o.outs, t)
		return err
	})
}

func (selectType) print(p *printer, op *Op) {
	p.str(" : ")
	if len(op.Results) != 1 || !allOf(op.Results[0].Type, op.Operands[1:]) || isFunction(op.Operands[0].Type) {
		p.funcType(op)
		return
	}
	p.typ(op.Operands[0].Type)
	p.str(", ")
	p.typ(op.Results[0].Type)
}

func isFunction(t Type) bool {
	_, ok := t.(*FunctionType)
	return ok
}

// complexType is `: T`, the result, when both operands are its parts.
type complexType struct{ plain }

func (complexType) parse(lex *stream, o *opNode) *Error {
	return o.shortType(lex, func(t typeRef) *Error {
		// The parts' type is in the text of the result's: tensor<2xcomplex<f32>>.
		part, ok := realPart(t)
		if !ok {
			return errorf(t.pos, "%s is not a tensor of complex numbers", t.text)
		}
		o.ins, o.outs = append(o.ins, part, part), append(o.outs, t)
		return nil
	})
}

func realPart(t typeRef) (typeRef, bool) {
	const open = "complex<"
	for i := 0; i+len(open) < len(t.text); i++ {
		if t.text[i:i+len(open)] != open {
			continue
		}
		for j := i + len(open); j < len(t.text); j++ {
			if t.text[j] == '>' {
				t.text = t.text[:i] + t.text[i+len(open):j] + t.text[j+1:]
				return t, true
			}
		}
	}
	return t, false
}

func (complexType) print(p *printer, op *Op) {
	p.str(" : ")
	if len(op.Results) == 1 && !isFunction(op.Results[0].Type) {
		part, ok := realPart(typeRef{text: op.Results[0].Type.String()})
		if ok && part.text == op.Operands[0].Type.String() && part.text == op.Operands[1].Type.String() {
			p.typ(op.Results[0].Type)
			return
		}
	}
	p.funcType(op)
}

// constantSyntax is {attrs} dense<…> : T, or generic behind the name when the
// result's type is not the literal's.
type constantSyntax struct{ plain }

func (constantSyntax) parse(lex *stream, o *opNode) *Error {
	if is(lex, "(") {
		return o.parseGeneric(lex)
	}
	if err := o.optionalAttrDict(lex); err != nil {
		return err
	}
	t := lex.Peek()
	if t.Type != tokDense && t.Type != tokHash {
		return unexpected(t, "the value, dense<…> : tensor<…>,")
	}
	a, err := lex.attr()
	if err != nil {
		return err
	}
	o.attrs = append(o.attrs, attrEntry{name: "value", pos: t.Pos, val: a})
	out := typeRef{pos: t.Pos}
	switch a := a.(type) {
	case nil: // its error is recorded
	case *DenseAttr:
		out.typ = a.Type
	default:
		return errorf(t.Pos, "the value of a constant is dense<…> : tensor<…>, not %s", a)
	}
	o.outs = append(o.outs, out)
	return nil
}

func (constantSyntax) fits(op *Op) bool {
	a, ok := op.Attrs.Get("value").(*DenseAttr)
	return ok && len(op.Operands)+len(op.Regions) == 0 && len(op.Results) == 1 && SameType(op.Results[0].Type, a.Type)
}
func (constantSyntax) shows() []string { return []string{"value"} }
func (constantSyntax) print(p *printer, op *Op) {
	p.attrDict(op.Attrs, map[string]bool{"value": true})
	p.str(" ")
	p.attr(op.Attrs.Get("value"))
}

// sliceRanges is [start:limit, start:limit:stride].
type sliceRanges struct{ plain }

func (sliceRanges) shows() []string { return []string{"start_indices", "limit_indices", "strides"} }

func (s sliceRanges) parse(lex *stream, o *opNode) *Error {
	var r [3][]int64
	err := list(lex, "[", "]", func() *Error {
		v := [3]int64{2: 1}
		for i := range v {
			if i > 0 && !accept(lex, ":") {
				if i == 2 {
					break
				}
				return unexpected(lex.Peek(), "':' and the limit of the slice")
			}
			var err *Error
			if v[i], err = parseI64(lex); err != nil {
				return err
			}
		}
		for i := range v {
			r[i] = append(r[i], v[i])
		}
		return nil
	})
	for i, name := range s.shows() {
		o.set(name, I64Array(r[i]))
	}
	return err
}

func (s sliceRanges) fits(op *Op) bool {
	n := -1
	for _, name := range s.shows() {
		d, ok := op.Attrs.Get(name).(DenseArrayAttr)
		if !ok || d.Elem != I64 || n >= 0 && n != len(d.Ints) {
			return false
		}
		n = len(d.Ints)
	}
	return true
}

func (s sliceRanges) print(p *printer, op *Op) {
	p.str(" [")
	var r [3][]int64
	for i, name := range s.shows() {
		r[i] = op.Attrs.Get(name).(DenseArrayAttr).Ints
	}
	for i := range r[0] {
		if i > 0 {
			p.str(", ")
		}
		p.int(r[0][i])
		p.str(":")
		p.int(r[1][i])
		if r[2][i] != 1 {
			p.str(":")
			p.int(r[2][i])
		}
	}
	p.str("]")
}

// whileSyntax is (%i = %a, …) : T, … attributes {…} cond {…} do {…}.
type whileSyntax struct{ plain }

func (whileSyntax) parse(lex *stream, o *opNode) *Error {
	var args []argNode
	err := list(lex, "(", ")", func() *Error {
		name, err := parseArgName(lex)
		if err != nil {
			return err
		}
		args = append(args, argNode{useNode: name})
		if err := expect(lex, "="); err != nil {
			return err
		}
		return o.operand(lex)
	})
	if err != nil {
		return err
	}
	if len(args) > 0 {
		if err := (typeList{both: true}).parse(lex, o); err != nil {
			return err
		}
		if len(o.ins) != len(args) {
			return errorf(o.typePos, "stablehlo.while has %d operands but %d types", len(args), len(o.ins))
		}
	}
	if accept(lex, "attributes") {
		if err := o.attrDict(lex); err != nil {
			return err
		}
	}
	for i := range args {
		args[i].typ = o.ins[i]
	}
	for _, w := range []string{"cond", "do"} {
		if err := expect(lex, w); err != nil {
			return err
		}
		if err := o.regionOf(lex, &entry{args, "the " + w + " of a while"}); err != nil {
			return err
		}
	}
	return nil
}

func (whileSyntax) fits(op *Op) bool {
	if len(op.Regions) != 2 || !(typeList{both: true, optional: true}).fits(op) {
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

func (whileSyntax) print(p *printer, op *Op) {
	// The names of both regions' arguments: see names.regionsOf.
	args := op.Regions[0].Blocks[0].Args
	p.str("(")
	for i, v := range op.Operands {
		if i > 0 {
			p.str(", ")
		}
		p.use(args[i])
		p.str(" = ")
		p.use(v)
	}
	p.str(")")
	typeList{both: true, optional: true}.print(p, op)
	p.extraAttrs(op.Attrs, nil)
	p.newline()
	p.str("cond ")
	p.region(op.Regions[0], true)
	p.str(" do ")
	p.region(op.Regions[1], true)
}

// barrierSyntax is () without operands and %a, %b : T, U with some.
type barrierSyntax struct{ plain }

func (barrierSyntax) parse(lex *stream, o *opNode) *Error {
	if err := o.optionalAttrDict(lex); err != nil {
		return err
	}
	if accept(lex, "(") {
		return expect(lex, ")")
	}
	if err := (operands{-1}).parse(lex, o); err != nil {
		return err
	}
	return typeList{both: true}.parse(lex, o)
}

func (barrierSyntax) fits(op *Op) bool {
	return len(op.Regions) == 0 && typeList{both: true, optional: true}.fits(op)
}
func (barrierSyntax) print(p *printer, op *Op) {
	p.attrDict(op.Attrs, nil)
	if len(op.Operands) == 0 {
		p.str("()")
		return
	}
	operands{-1}.print(p, op)
	typeList{both: true}.print(p, op)
}

// floatFormat is e8m10, the bits of exponent and mantissa.
type floatFormat struct{ plain }

func (floatFormat) shows() []string { return []string{"exponent_bits", "mantissa_bits"} }

func (s floatFormat) parse(lex *stream, o *opNode) *Error {
	t, err := expectKind(lex, tokIdent, "a format such as e8m10")
	if err != nil {
		return err
	}
	e, m, ok := strings.Cut(strings.TrimPrefix(t.Value, "e"), "m")
	for i, digits := range []string{e, m} {
		v, perr := strconv.ParseInt(digits, 10, 32)
		if perr != nil || !ok || !isDigit(digits[0]) || t.Value[0] != 'e' {
			return errorf(t.Pos, "%s is not a format such as e8m10", t.Value)
		}
		o.set(s.shows()[i], IntegerAttr{v, I32})
	}
	return nil
}

func (s floatFormat) fits(op *Op) bool {
	for _, name := range s.shows() {
		v, ok := op.Attrs.Get(name).(IntegerAttr)
		if !ok || v.Type != I32 || v.Value < 0 || v.Value > math.MaxInt32 {
			return false
		}
	}
	return true
}

func (s floatFormat) print(p *printer, op *Op) {
	p.str(" ")
	for i, name := range s.shows() {
		v, _ := Int(op.Attrs.Get(name))
		p.str("em"[i : i+1])
		p.int(v)
	}
}

// denseOfOperand is dense<…> : T, where T is the type of the operand.
type denseOfOperand struct{}

func (denseOfOperand) shows() []string { return []string{"value"} }

func (denseOfOperand) parse(lex *stream, o *opNode) *Error {
	if err := (constantSyntax{}).parse(lex, o); err != nil {
		return err
	}
	o.ins, o.outs = o.outs, o.ins[:0]
	return nil
}

func (denseOfOperand) fits(op *Op) bool {
	a, ok := op.Attrs.Get("value").(*DenseAttr)
	return ok && len(op.Results) == 0 && len(op.Operands) == 1 && SameType(op.Operands[0].Type, a.Type)
}

func (denseOfOperand) print(p *printer, op *Op) {
	p.str(" ")
	p.attr(op.Attrs.Get("value"))
}

// typeOfOperands is `: T`, the type of every operand of an op without results.
type typeOfOperands struct{ plain }

func (typeOfOperands) parse(lex *stream, o *opNode) *Error {
	err := sameType{}.parse(lex, o)
	o.outs = o.outs[:0]
	return err
}

func (typeOfOperands) fits(op *Op) bool {
	return len(op.Results) == 0 && len(op.Operands) > 0 && allOf(op.Operands[0].Type, op.Operands)
}

func (typeOfOperands) print(p *printer, op *Op) {
	p.str(" : ")
	p.typ(op.Operands[0].Type)
}

// tupleType is `: tuple<T, U>`, the result, when the operands are its elements.
type tupleType struct{ plain }

func (tupleType) parse(lex *stream, o *opNode) *Error {
	return o.shortType(lex, func(t typeRef) *Error {
		tt, ok := lex.r.typ(&t).(TupleType)
		if !ok {
			return errorf(t.pos, "%s is not a tuple", t.text)
		}
		for _, e := range tt.Elems {
			o.ins = append(o.ins, typeRef{pos: t.pos, typ: e})
		}
		o.outs = append(o.outs, t)
		return nil
	})
}

func (tupleType) print(p *printer, op *Op) {
	p.str(" : ")
	if len(op.Results) == 1 {
		if t, ok := op.Results[0].Type.(TupleType); ok && sameTypes(typesOf(op.Operands), t.Elems) {
			p.typ(t)
			return
		}
	}
	p.funcType(op)
}

// indexIn is [N], an i32.
type indexIn struct {
	plain
	name string
}

func (s indexIn) shows() []string { return []string{s.name} }

func (s indexIn) parse(lex *stream, o *opNode) *Error {
	pos := lex.tok.Pos
	v, err := parseInts(lex)
	if err == nil && (len(v) != 1 || v[0] != int64(int32(v[0]))) {
		return errorf(pos, "[index] is expected, one number of 32 bits")
	}
	if err == nil {
		o.set(s.name, IntegerAttr{v[0], I32})
	}
	return err
}

func (s indexIn) fits(op *Op) bool {
	a, ok := op.Attrs.Get(s.name).(IntegerAttr)
	return ok && a.Type == I32
}

func (s indexIn) print(p *printer, op *Op) {
	p.ints([]int64{op.Attrs.Get(s.name).(IntegerAttr).Value})
}

// optionalRegions is ({…}, {…}), or nothing for none, and the dictionary behind
// them.
type optionalRegions struct{ plain }

func (optionalRegions) parse(lex *stream, o *opNode) *Error {
	if is(lex, "(") {
		if err := list(lex, "(", ")", func() *Error { return o.region(lex) }); err != nil {
			return err
		}
	}
	return o.optionalAttrDict(lex)
}

func (optionalRegions) print(p *printer, op *Op) {
	p.regions(op)
	p.restDict(op)
}
