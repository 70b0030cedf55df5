package mlir

import (
	"slices"
)

// chloOps is the CHLO dialect: ops for clients, each of which stands for
// several of StableHLO's (package mlir/chlo writes those in its place). The
// forms are those of the dialect's own definitions.
var chloOps = slices.Concat(
	withTraits(Elementwise, chloRows(form(operands{1}, attrDict{}, arrowTypes{}), verifyChloSame(kFloat|kComplex),
		"acos", "acosh", "asin", "asinh", "atan", "atanh", "bessel_i1e", "conj", "cosh", "sinh", "square", "tan")),
	withTraits(Elementwise, chloRows(form(operands{1}, attrDict{}, arrowTypes{}), verifyChloSame(kComplex), "_asin_acos_kernel")),
	withTraits(Elementwise, chloRows(form(operands{1}, attrDict{}, arrowTypes{}), verifyChloSame(kFloat),
		"digamma", "erf", "erf_inv", "erfc", "lgamma")),
	withTraits(Elementwise, chloRows(form(operands{1}, attrDict{}, arrowTypes{}), verifyChloPredicate, "is_inf", "is_neg_inf", "is_pos_inf")),
	withTraits(Elementwise, chloRows(form(operands{2}, attrDict{}, arrowTypes{}), verifyChloSame(kFloat), "next_after", "polygamma", "zeta")),
	withTraits(Elementwise, chloRows(form(operands{2}, attrDict{}, arrowTypes{}), verifyChloSame(kInt), "mulhi")),
	broadcastRows(kTensor, sameElem, "add", "maximum", "minimum", "multiply"),
	broadcastRows(kInt|kFloat|kComplex, sameElem, "divide", "power", "remainder", "subtract"),
	broadcastRows(kFloat|kComplex, sameElem, "atan2"),
	broadcastRows(kFloat, sameElem, "next_after", "polygamma", "zeta"),
	broadcastRows(kFloat, complexOf, "complex"),
	broadcastRows(kBool|kInt, sameElem, "and", "or", "xor"),
	broadcastRows(kInt, sameElem, "shift_left", "shift_right_arithmetic", "shift_right_logical"),
	withProps(broadcastRows(kTensor, boolean, "compare"), "broadcast_dimensions", "comparison_direction", "compare_type"),
	chloRows(form(operands{3}, attrDict{}, funcType{}), verifyChloBroadcast(kTensor, sameElem), "broadcast_select"),
	withProps(chloRows(syntax{constantSyntax{}}, verifyConstant, "constant"), "value"),
	withProps(chloRows(nil, verifyConstantLike, "constant_like"), "value"),
	withProps(chloRows(nil, verifyRaggedDot, "ragged_dot"), "ragged_dot_dimension_numbers", "precision_config"),
	withProps(chloRows(form(topKSyntax{}, attrDict{}, arrowTypes{}), verifyTopK, "top_k"), "k", "is_stable"),
	isolated(withProps(chloRows(syntax{scanSyntax{}}, verifyScan, "scan"), "operandSegmentSizes", "resultSegmentSizes",
		"dimension", "scan_dim_size", "is_reverse", "is_associative")),
)

func chloRows(s syntax, verify func(*verifier, *Op), names ...string) []opDef {
	rows := make([]opDef, len(names))
	for i, n := range names {
		rows[i] = opDef{name: "chlo." + n, syntax: s, verify: verify}
	}
	return rows
}

// broadcastRows are binary ops whose operands are of one element type, and
// whose result has that which result makes of it.
func broadcastRows(elem kinds, result func(Type) Type, names ...string) []opDef {
	for i := range names {
		names[i] = "broadcast_" + names[i]
	}
	rows := chloRows(form(operands{2}, attrDict{}, funcType{}), verifyChloBroadcast(elem, result), names...)
	return withProps(rows, "broadcast_dimensions")
}

func sameElem(t Type) Type  { return t }
func complexOf(t Type) Type { return ComplexType{t} }
func boolean(Type) Type     { return I1 }

func withProps(rows []opDef, props ...string) []opDef {
	for i := range rows {
		rows[i].props = props
	}
	return rows
}

func withTraits(t Traits, rows []opDef) []opDef {
	for i := range rows {
		rows[i].traits |= t
	}
	return rows
}

func isolated(rows []opDef) []opDef {
	for i := range rows {
		rows[i].regions = 1
	}
	return withTraits(Isolated, rows)
}

// arrowTypes is `: T, U -> R`, the types of operands and results without the
// parentheses of a function type; several results have them.
type arrowTypes struct{ plain }

func (arrowTypes) parse(lex *stream, o *opNode) *Error {
	if err := expect(lex, ":"); err != nil {
		return err
	}
	o.typePos = lex.Peek().Pos
	one := func(ts *[]typeRef) *Error {
		t, err := parseType(lex)
		*ts = append(*ts, t)
		return err
	}
	for {
		if err := one(&o.ins); err != nil {
			return err
		}
		if !accept(lex, ",") {
			break
		}
	}
	if err := expect(lex, "->"); err != nil {
		return err
	}
	if is(lex, "(") {
		return list(lex, "(", ")", func() *Error { return one(&o.outs) })
	}
	return one(&o.outs)
}

func (arrowTypes) fits(op *Op) bool {
	for _, v := range slices.Concat(op.Operands, op.Results) {
		if isFunction(v.Type) {
			return false
		}
	}
	return len(op.Operands) > 0
}

func (arrowTypes) print(p *printer, op *Op) {
	for i, v := range op.Operands {
		p.str([]string{", ", " : "}[btoi(i == 0)])
		p.typ(v.Type)
	}
	p.str(" -> ")
	if len(op.Results) == 1 {
		p.typ(op.Results[0].Type)
		return
	}
	p.types(op.Results)
}

// topKSyntax is (%x, k = 2, is_stable = false); what is stable by default is
// not said.
type topKSyntax struct{}

func (topKSyntax) shows() []string { return []string{"k", "is_stable"} }

func (topKSyntax) parse(lex *stream, o *opNode) *Error {
	if err := expect(lex, "("); err != nil {
		return err
	}
	if err := o.operand(lex); err != nil {
		return err
	}
	if err := named("k", attr{name: "k", kind: i64Attr}).parse(lex, o); err != nil {
		return err
	}
	if accept(lex, ",") {
		stable := syntax{word{text: "is_stable"}, equal, attr{name: "is_stable", kind: boolAttr}}
		if err := stable.parse(lex, o); err != nil {
			return err
		}
	}
	return expect(lex, ")")
}

func (topKSyntax) fits(op *Op) bool {
	stable := op.Attrs.Get("is_stable")
	return len(op.Operands) == 1 && (attr{name: "k", kind: i64Attr}).fits(op) &&
		(stable == nil || (attr{name: "is_stable", kind: boolAttr}).fits(op))
}

func (topKSyntax) print(p *printer, op *Op) {
	p.str("(")
	p.use(op.Operands[0])
	named("k", attr{name: "k", kind: i64Attr}).print(p, op)
	if op.Attrs.Get("is_stable") != nil {
		named("is_stable", attr{name: "is_stable", kind: boolAttr}).print(p, op)
	}
	p.str(")")
}

// scanSyntax is (%inputs) inits (%carries) dimension=0 attributes {…} {…} : type.
// How many operands and results are carried is told by the two segment sizes,
// which it does not show.
type scanSyntax struct{}

func (scanSyntax) shows() []string {
	return []string{"dimension", "operandSegmentSizes", "resultSegmentSizes"}
}

func (s scanSyntax) parse(lex *stream, o *opNode) *Error {
	operand := func() *Error { return o.operand(lex) }
	if err := list(lex, "(", ")", operand); err != nil {
		return err
	}
	inputs := len(o.operands)
	if err := expect(lex, "inits"); err != nil {
		return err
	}
	if err := list(lex, "(", ")", operand); err != nil {
		return err
	}
	carries := len(o.operands) - inputs
	dim := syntax{word{text: "dimension"}, equal, attr{name: "dimension", kind: i64Attr}}
	if err := dim.parse(lex, o); err != nil {
		return err
	}
	if accept(lex, "attributes") {
		if err := o.attrDict(lex); err != nil {
			return err
		}
	}
	if err := o.region(lex); err != nil {
		return err
	}
	if err := o.functionalType(lex); err != nil {
		return err
	}
	outputs := len(o.outs) - carries
	if outputs < 0 {
		return errorf(o.typePos, "chlo.scan has %d results, fewer than its %d inits", len(o.outs), carries)
	}
	o.set("operandSegmentSizes", i32Array(inputs, carries))
	o.set("resultSegmentSizes", i32Array(outputs, carries))
	return nil
}

func i32Array(v ...int) DenseArrayAttr {
	a := I64Array(v)
	a.Elem = I32
	return a
}

// fits: the sizes that reading the printed text would give.
func (s scanSyntax) fits(op *Op) bool {
	inputs, carries, outputs, ok := scanSegments(op)
	return ok && len(op.Regions) == 1 && (attr{name: "dimension", kind: i64Attr}).fits(op) &&
		op.Attrs.Get("operandSegmentSizes").String() == i32Array(inputs, carries).String() &&
		op.Attrs.Get("resultSegmentSizes").String() == i32Array(outputs, carries).String()
}

// scanSegments returns how many of the operands of a chlo.scan are inputs and
// inits, and how many of the results are outputs; the others are carries.
func scanSegments(op *Op) (inputs, carries, outputs int, ok bool) {
	in, ok1 := Ints(op.Attrs.Get("operandSegmentSizes"))
	out, ok2 := Ints(op.Attrs.Get("resultSegmentSizes"))
	if !ok1 || !ok2 || len(in) != 2 || len(out) != 2 || min(in[0], in[1], out[0]) < 0 || in[1] != out[1] ||
		in[0]+in[1] != int64(len(op.Operands)) || out[0]+out[1] != int64(len(op.Results)) {
		return 0, 0, 0, false
	}
	return int(in[0]), int(in[1]), int(out[0]), true
}

func (s scanSyntax) print(p *printer, op *Op) {
	n, _, _, _ := scanSegments(op)
	p.str("(")
	p.uses(op.Operands[:n])
	p.str(") inits (")
	p.uses(op.Operands[n:])
	p.str(") dimension=")
	d, _ := Int(op.Attrs.Get("dimension"))
	p.int(d)
	p.str(" ") // and another one below: so the dialect's printer
	p.extraAttrs(op.Attrs, op.def().shown)
	p.str(" ")
	p.region(op.Regions[0], false)
	p.str(" : ")
	p.funcType(op)
}
