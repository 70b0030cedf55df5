package mlir

import (
	"slices"
)

// chloOps is the CHLO dialect: ops for clients, each of which stands for
// several of StableHLO's (package mlir/chlo writes those in its place). The
// forms are those of the dialect's own definitions.
var chloOps = slices.Concat(
	withTraits(Elementwise, chloRows(form(Operands(1), AttrDict{}, arrowTypes{}), verifyChloSame(kFloat|kComplex),
		"acos", "acosh", "asin", "asinh", "atan", "atanh", "bessel_i1e", "conj", "cosh", "sinh", "square", "tan")),
	withTraits(Elementwise, chloRows(form(Operands(1), AttrDict{}, arrowTypes{}), verifyChloSame(kComplex), "_asin_acos_kernel")),
	withTraits(Elementwise, chloRows(form(Operands(1), AttrDict{}, arrowTypes{}), verifyChloSame(kFloat),
		"digamma", "erf", "erf_inv", "erfc", "lgamma")),
	withTraits(Elementwise, chloRows(form(Operands(1), AttrDict{}, arrowTypes{}), verifyChloPredicate, "is_inf", "is_neg_inf", "is_pos_inf")),
	withTraits(Elementwise, chloRows(form(Operands(2), AttrDict{}, arrowTypes{}), verifyChloSame(kFloat), "next_after", "polygamma", "zeta")),
	withTraits(Elementwise, chloRows(form(Operands(2), AttrDict{}, arrowTypes{}), verifyChloSame(kInt), "mulhi")),
	broadcastRows(kTensor, sameElem, "add", "maximum", "minimum", "multiply"),
	broadcastRows(kInt|kFloat|kComplex, sameElem, "divide", "power", "remainder", "subtract"),
	broadcastRows(kFloat|kComplex, sameElem, "atan2"),
	broadcastRows(kFloat, sameElem, "next_after", "polygamma", "zeta"),
	broadcastRows(kFloat, complexOf, "complex"),
	broadcastRows(kBool|kInt, sameElem, "and", "or", "xor"),
	broadcastRows(kInt, sameElem, "shift_left", "shift_right_arithmetic", "shift_right_logical"),
	withProps(broadcastRows(kTensor, boolean, "compare"), "broadcast_dimensions", "comparison_direction", "compare_type"),
	chloRows(form(Operands(3), AttrDict{}, FuncTypes{}), verifyChloBroadcast(kTensor, sameElem), "broadcast_select"),
	withProps(chloRows(Syntax{constantSyntax{}}, verifyConstant, "constant"), "value"),
	withProps(chloRows(nil, verifyConstantLike, "constant_like"), "value"),
	withProps(chloRows(nil, verifyRaggedDot, "ragged_dot"), "ragged_dot_dimension_numbers", "precision_config"),
	withProps(chloRows(form(topKSyntax{}, AttrDict{}, arrowTypes{}), verifyTopK, "top_k"), "k", "is_stable"),
	isolated(withProps(chloRows(Syntax{scanSyntax{}}, verifyScan, "scan"), "operandSegmentSizes", "resultSegmentSizes",
		"dimension", "scan_dim_size", "is_reverse", "is_associative")),
)

func chloRows(s Syntax, verify func(*verifier, *Op), names ...string) []OpDef {
	rows := make([]OpDef, len(names))
	for i, n := range names {
		rows[i] = OpDef{Name: "chlo." + n, Syntax: s, verify: verify}
	}
	return rows
}

// broadcastRows are binary ops whose operands are of one element type, and
// whose result has that which result makes of it.
func broadcastRows(elem kinds, result func(Type) Type, names ...string) []OpDef {
	for i := range names {
		names[i] = "broadcast_" + names[i]
	}
	rows := chloRows(form(Operands(2), AttrDict{}, FuncTypes{}), verifyChloBroadcast(elem, result), names...)
	return withProps(rows, "broadcast_dimensions")
}

func sameElem(t Type) Type  { return t }
func complexOf(t Type) Type { return ComplexType{t} }
func boolean(Type) Type     { return I1 }

func withProps(rows []OpDef, props ...string) []OpDef {
	for i := range rows {
		rows[i].Props = props
	}
	return rows
}

func withTraits(t Traits, rows []OpDef) []OpDef {
	for i := range rows {
		rows[i].Traits |= t
	}
	return rows
}

func isolated(rows []OpDef) []OpDef {
	for i := range rows {
		rows[i].Regions = 1
	}
	return withTraits(Isolated, rows)
}

// arrowTypes is `: T, U -> R`, the types of operands and results without the
// parentheses of a function type; several results have them.
type arrowTypes struct{ Plain }

func (arrowTypes) Parse(lex *Stream, o *OpText) *Error {
	if err := lex.Expect(":"); err != nil {
		return err
	}
	o.TypePos = lex.Peek().Pos
	one := func(ts *[]TypeText) *Error {
		t, err := lex.Type()
		*ts = append(*ts, t)
		return err
	}
	for {
		if err := one(&o.Ins); err != nil {
			return err
		}
		if !lex.Accept(",") {
			break
		}
	}
	if err := lex.Expect("->"); err != nil {
		return err
	}
	if lex.Is("(") {
		return lex.List("(", ")", func() *Error { return one(&o.Outs) })
	}
	return one(&o.Outs)
}

func (arrowTypes) Fits(op *Op) bool {
	for _, v := range slices.Concat(op.Operands, op.Results) {
		if IsFunction(v.Type) {
			return false
		}
	}
	return len(op.Operands) > 0
}

func (arrowTypes) Print(p *Printer, op *Op) {
	for i, v := range op.Operands {
		sep := ", "
		if i == 0 {
			sep = " : "
		}
		p.Str(sep)
		p.Type(v.Type)
	}
	p.Str(" -> ")
	if len(op.Results) == 1 {
		p.Type(op.Results[0].Type)
		return
	}
	p.Types(op.Results)
}

// topKSyntax is (%x, k = 2, is_stable = false); what is stable by default is
// not said.
type topKSyntax struct{}

func (topKSyntax) Shows() []string { return []string{"k", "is_stable"} }

func (topKSyntax) Parse(lex *Stream, o *OpText) *Error {
	if err := lex.Expect("("); err != nil {
		return err
	}
	if err := o.Operand(lex); err != nil {
		return err
	}
	if err := named("k", AttrValue{Name: "k", Kind: I64Value}).Parse(lex, o); err != nil {
		return err
	}
	if lex.Accept(",") {
		stable := Syntax{Word("is_stable"), equal, AttrValue{Name: "is_stable", Kind: BoolValue}}
		if err := stable.Parse(lex, o); err != nil {
			return err
		}
	}
	return lex.Expect(")")
}

func (topKSyntax) Fits(op *Op) bool {
	stable := op.Attrs.Get("is_stable")
	return len(op.Operands) == 1 && (AttrValue{Name: "k", Kind: I64Value}).Fits(op) &&
		(stable == nil || (AttrValue{Name: "is_stable", Kind: BoolValue}).Fits(op))
}

func (topKSyntax) Print(p *Printer, op *Op) {
	p.Str("(")
	p.Use(op.Operands[0])
	named("k", AttrValue{Name: "k", Kind: I64Value}).Print(p, op)
	if op.Attrs.Get("is_stable") != nil {
		named("is_stable", AttrValue{Name: "is_stable", Kind: BoolValue}).Print(p, op)
	}
	p.Str(")")
}

// scanSyntax is (%inputs) inits (%carries) dimension=0 attributes {…} {…} : type.
// How many operands and results are carried is told by the two segment sizes,
// which it does not show.
type scanSyntax struct{}

func (scanSyntax) Shows() []string {
	return []string{"dimension", "operandSegmentSizes", "resultSegmentSizes"}
}

func (s scanSyntax) Parse(lex *Stream, o *OpText) *Error {
	operand := func() *Error { return o.Operand(lex) }
	if err := lex.List("(", ")", operand); err != nil {
		return err
	}
	inputs := len(o.Operands)
	if err := lex.Expect("inits"); err != nil {
		return err
	}
	if err := lex.List("(", ")", operand); err != nil {
		return err
	}
	carries := len(o.Operands) - inputs
	dim := Syntax{Word("dimension"), equal, AttrValue{Name: "dimension", Kind: I64Value}}
	if err := dim.Parse(lex, o); err != nil {
		return err
	}
	if lex.Accept("attributes") {
		if err := o.AttrDict(lex); err != nil {
			return err
		}
	}
	if err := o.Region(lex); err != nil {
		return err
	}
	if err := o.FunctionalType(lex); err != nil {
		return err
	}
	outputs := len(o.Outs) - carries
	if outputs < 0 {
		return Errorf(o.TypePos, "chlo.scan has %d results, fewer than its %d inits", len(o.Outs), carries)
	}
	o.Set("operandSegmentSizes", i32Array(inputs, carries))
	o.Set("resultSegmentSizes", i32Array(outputs, carries))
	return nil
}

func i32Array(v ...int) DenseArrayAttr {
	a := I64Array(v)
	a.Elem = I32
	return a
}

// fits: the sizes that reading the printed text would give.
func (s scanSyntax) Fits(op *Op) bool {
	inputs, carries, outputs, ok := ScanSegments(op)
	return ok && len(op.Regions) == 1 && (AttrValue{Name: "dimension", Kind: I64Value}).Fits(op) &&
		op.Attrs.Get("operandSegmentSizes").String() == i32Array(inputs, carries).String() &&
		op.Attrs.Get("resultSegmentSizes").String() == i32Array(outputs, carries).String()
}

// ScanSegments returns how many of the operands of a chlo.scan are inputs and
// inits, and how many of the results are outputs; the others are carries.
func ScanSegments(op *Op) (inputs, carries, outputs int, ok bool) {
	in, ok1 := Ints(op.Attrs.Get("operandSegmentSizes"))
	out, ok2 := Ints(op.Attrs.Get("resultSegmentSizes"))
	if !ok1 || !ok2 || len(in) != 2 || len(out) != 2 || min(in[0], in[1], out[0]) < 0 || in[1] != out[1] ||
		in[0]+in[1] != int64(len(op.Operands)) || out[0]+out[1] != int64(len(op.Results)) {
		return 0, 0, 0, false
	}
	return int(in[0]), int(in[1]), int(out[0]), true
}

func (s scanSyntax) Print(p *Printer, op *Op) {
	n, _, _, _ := ScanSegments(op)
	p.Str("(")
	p.Uses(op.Operands[:n])
	p.Str(") inits (")
	p.Uses(op.Operands[n:])
	p.Str(") dimension=")
	d, _ := Int(op.Attrs.Get("dimension"))
	p.Int(d)
	p.Str(" ") // and another one below: so the dialect's printer
	p.ExtraRest(op)
	p.Str(" ")
	p.Region(op.Regions[0], false)
	p.Str(" : ")
	p.FuncType(op)
}
