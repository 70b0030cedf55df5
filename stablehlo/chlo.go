package stablehlo

import (
	"slices"

	"ltc/internal/diag"
	"ltc/internal/mlirtext"
	"ltc/mlir"
)

// chloOps is the CHLO dialect: ops for clients, each of which stands for
// several of StableHLO's (package stablehlo/chlo writes those in its place). The
// forms are those of the dialect's own definitions.
var chloOps = slices.Concat(
	withTraits(mlir.Elementwise, chloRows(unaryForm, "acos", "acosh", "asin", "asinh", "atan", "atanh", "bessel_i1e", "conj", "cosh", "sinh",
		"square", "tan", "_asin_acos_kernel", "digamma", "erf", "erf_inv", "erfc", "lgamma", "is_inf", "is_neg_inf", "is_pos_inf")),
	withTraits(mlir.Elementwise, chloRows(form(operands(2), attrDict{}, arrowTypes{}), "next_after", "polygamma", "zeta", "mulhi")),
	broadcastRows("add", "maximum", "minimum", "multiply", "divide", "power", "remainder", "subtract", "atan2",
		"next_after", "polygamma", "zeta", "complex", "and", "or", "xor", "shift_left", "shift_right_arithmetic", "shift_right_logical"),
	withProps(broadcastRows("compare"), "broadcast_dimensions", "comparison_direction", "compare_type"),
	chloRows(form(operands(3), attrDict{}, funcType{}), "broadcast_select"),
	withProps(chloRows(syntax{constantSyntax{}}, "constant"), "value"),
	withProps(chloRows(nil, "constant_like"), "value"),
	withProps(chloRows(nil, "ragged_dot"), "ragged_dot_dimension_numbers", "precision_config"),
	withProps(chloRows(form(topKSyntax{}, attrDict{}, arrowTypes{}), "top_k"), "k", "is_stable"),
	[]opDef{{Name: "chlo.scan", Syntax: syntax{scanSyntax{}}, Regions: 1, Traits: mlir.Isolated,
		Props: []string{"operandSegmentSizes", "resultSegmentSizes", "dimension", "scan_dim_size", "is_reverse", "is_associative"}}},
)

var unaryForm = form(operands(1), attrDict{}, arrowTypes{})

func chloRows(s syntax, names ...string) []opDef {
	rows := make([]opDef, len(names))
	for i, n := range names {
		rows[i] = opDef{Name: "chlo." + n, Syntax: s}
	}
	return rows
}

// broadcastRows are binary ops whose operands broadcast.
func broadcastRows(names ...string) []opDef {
	for i := range names {
		names[i] = "broadcast_" + names[i]
	}
	return withProps(chloRows(form(operands(2), attrDict{}, funcType{}), names...), "broadcast_dimensions")
}

func withProps(rows []opDef, props ...string) []opDef {
	for i := range rows {
		rows[i].Props = props
	}
	return rows
}

func withTraits(t mlir.Traits, rows []opDef) []opDef {
	for i := range rows {
		rows[i].Traits |= t
	}
	return rows
}

// arrowTypes is `: T, U -> R`, the types of operands and results without the
// parentheses of a function type; several results have them.
type arrowTypes struct{ plain }

func (arrowTypes) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	lex.Expect(":")
	o.TypePos = lex.Peek().Pos
	one := func(ts *[]mlirtext.TypeText) {
		t := lex.Type()
		*ts = append(*ts, t)
	}
	for {
		one(&o.Ins)
		if !lex.Accept(",") {
			break
		}
	}
	lex.Expect("->")
	if lex.Is("(") {
		lex.List("(", ")", func() { one(&o.Outs) })
		return
	}
	one(&o.Outs)
}

func (arrowTypes) Fits(op *mlir.Op) bool {
	for _, v := range slices.Concat(op.Operands, op.Results) {
		if mlirtext.IsFunction(v.Type) {
			return false
		}
	}
	return len(op.Operands) > 0
}

func (arrowTypes) Print(p *mlirtext.Printer, op *mlir.Op) {
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

func (topKSyntax) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	lex.Expect("(")
	o.Operand(lex)
	named("k", attr{Name: "k", Kind: i64Value}).Parse(lex, o)
	if lex.Accept(",") {
		stable := syntax{word("is_stable"), equal, attr{Name: "is_stable", Kind: boolValue}}
		stable.Parse(lex, o)
	}
	lex.Expect(")")
}

func (topKSyntax) Fits(op *mlir.Op) bool {
	stable := op.Attrs.Get("is_stable")
	return len(op.Operands) == 1 && (attr{Name: "k", Kind: i64Value}).Fits(op) &&
		(stable == nil || (attr{Name: "is_stable", Kind: boolValue}).Fits(op))
}

func (topKSyntax) Print(p *mlirtext.Printer, op *mlir.Op) {
	p.Str("(")
	p.Use(op.Operands[0])
	named("k", attr{Name: "k", Kind: i64Value}).Print(p, op)
	if op.Attrs.Get("is_stable") != nil {
		named("is_stable", attr{Name: "is_stable", Kind: boolValue}).Print(p, op)
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

func (s scanSyntax) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	operand := func() { o.Operand(lex) }
	lex.List("(", ")", operand)
	inputs := len(o.Operands)
	lex.Expect("inits")
	lex.List("(", ")", operand)
	carries := len(o.Operands) - inputs
	dim := syntax{word("dimension"), equal, attr{Name: "dimension", Kind: i64Value}}
	dim.Parse(lex, o)
	if lex.Accept("attributes") {
		o.AttrDict(lex)
	}
	o.Region(lex)
	o.FunctionalType(lex)
	outputs := len(o.Outs) - carries
	if outputs < 0 {
		lex.Stop(mlir.Errorf(o.TypePos, "chlo.scan has %s, fewer than its %s", diag.Count(len(o.Outs), "result"), diag.Count(carries, "init")))
	}
	o.Set("operandSegmentSizes", i32Array(inputs, carries))
	o.Set("resultSegmentSizes", i32Array(outputs, carries))
}

func i32Array(v ...int) mlir.DenseArrayAttr {
	a := mlir.I64Array(v)
	a.Elem = mlir.I32
	return a
}

// Fits: the sizes are those that reading the printed text would give.
func (s scanSyntax) Fits(op *mlir.Op) bool {
	inputs, carries, outputs, ok := ScanSegments(op)
	return ok && len(op.Regions) == 1 && (attr{Name: "dimension", Kind: i64Value}).Fits(op) &&
		op.Attrs.Get("operandSegmentSizes").String() == i32Array(inputs, carries).String() &&
		op.Attrs.Get("resultSegmentSizes").String() == i32Array(outputs, carries).String()
}

// ScanSegments returns how many of the operands of a chlo.scan are inputs and
// inits, and how many of the results are outputs; the others are carries.
func ScanSegments(op *mlir.Op) (inputs, carries, outputs int, ok bool) {
	in, ok1 := mlir.Ints(op.Attrs.Get("operandSegmentSizes"))
	out, ok2 := mlir.Ints(op.Attrs.Get("resultSegmentSizes"))
	if !ok1 || !ok2 || len(in) != 2 || len(out) != 2 || min(in[0], in[1], out[0]) < 0 || in[1] != out[1] ||
		in[0]+in[1] != int64(len(op.Operands)) || out[0]+out[1] != int64(len(op.Results)) {
		return 0, 0, 0, false
	}
	return int(in[0]), int(in[1]), int(out[0]), true
}

func (s scanSyntax) Print(p *mlirtext.Printer, op *mlir.Op) {
	n, _, _, _ := ScanSegments(op)
	p.Str("(")
	p.Uses(op.Operands[:n])
	p.Str(") inits (")
	p.Uses(op.Operands[n:])
	p.Str(") dimension=")
	d, _ := mlir.Int(op.Attrs.Get("dimension"))
	p.Int(d)
	p.Str(" ") // and another one below: so the dialect's printer
	p.ExtraRest(op)
	p.Str(" ")
	p.Region(op.Regions[0], false)
	p.Str(" : ")
	p.FuncType(op)
}
