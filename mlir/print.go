package mlir

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"
)

// PrintOptions chooses the form that [Module.Print] gives.
type PrintOptions struct {
	Locations bool // loc(…) behind ops and arguments that have one, with aliases at the end
	Generic   bool // no pretty forms
}

// Print returns the module's text in the dialect's own form, without locations.
// Values with a name keep it, unless it is taken where they stand; the others
// are numbered. Parsing the text and printing it again gives the same text. Of
// options, the last counts.
func Print(m *Module, options ...PrintOptions) string {
	var o PrintOptions
	if len(options) > 0 {
		o = options[len(options)-1]
	}
	var b strings.Builder
	_ = m.Print(&b, o) // a Builder does not fail
	return b.String()
}

// String is [Print].
func (m *Module) String() string { return Print(m) }

// Print writes the module's text to w. The error is w's.
func (m *Module) Print(w io.Writer, o PrintOptions) error {
	p := newPrinter(w, o)
	top := &Op{Code: OpModule, Loc: m.Loc, Regions: []*Region{{Blocks: []*Block{{Ops: m.Ops}}}}}
	if m.Name != "" {
		top.Attrs = Dict{{"sym_name", StringAttr(m.Name)}}
	}
	top.Attrs = append(top.Attrs, m.Attrs...)
	p.names.op(top)
	p.op(top)
	p.str("\n")
	p.locs.print(p)
	p.resources(m.Resources)
	return p.w.Flush()
}

// String returns the op's text as it would stand alone: values without name are
// numbered, operands first.
func (o *Op) String() string {
	var b strings.Builder
	p := newPrinter(&b, PrintOptions{})
	for _, unnamed := range []bool{false, true} {
		for _, v := range o.Operands {
			if (v.Name == "") == unnamed {
				p.names.of(v)
			}
		}
	}
	p.names.block([]*Op{o})
	p.names.regionsOf(o)
	p.op(o)
	_ = p.w.Flush() // a Builder does not fail
	return b.String()
}

// printer writes ops. Parts of a syntax call its methods.
type printer struct {
	PrintOptions
	w      *bufio.Writer
	buf    []byte
	indent int
	inFunc bool // directly in a function's body, where func. is left out
	names  *names
	locs   locTable
}

func newPrinter(w io.Writer, o PrintOptions) *printer {
	return &printer{PrintOptions: o, w: bufio.NewWriter(w), names: newNames(), locs: locTable{index: map[string]int{}}}
}

// str writes s; the writer keeps the first error for Flush.
func (p *printer) str(s string) { _, _ = p.w.WriteString(s) }

func (p *printer) int(v int64) {
	p.buf = strconv.AppendInt(p.buf[:0], v, 10)
	_, _ = p.w.Write(p.buf)
}

func (p *printer) ints(v []int64) {
	p.str("[")
	for i, x := range v {
		if i > 0 {
			p.str(", ")
		}
		p.int(x)
	}
	p.str("]")
}

func (p *printer) typ(t Type) {
	if t == nil {
		p.str("none")
		return
	}
	p.str(t.String())
}

func (p *printer) attr(a Attribute) {
	if d, ok := a.(*DenseAttr); ok { // a literal can be long: it is not copied
		if d.Resource != "" {
			p.str(d.String())
			return
		}
		p.str("dense<")
		p.str(d.text())
		p.str("> : ")
		p.typ(d.Type)
		return
	}
	p.str(a.String())
}

func (p *printer) newline() {
	p.str("\n")
	for range p.indent {
		p.str("  ")
	}
}

// use prints a value as an operand: %x or %x#1.
func (p *printer) use(v *Value) {
	n := p.names.of(v)
	p.str("%")
	p.str(n.base)
	if n.index >= 0 {
		p.str("#")
		p.int(int64(n.index))
	}
}

func (p *printer) arg(v *Value) {
	p.use(v)
	p.str(": ")
	p.typ(v.Type)
	p.loc(v.Loc)
}

func (p *printer) funcType(op *Op) {
	p.types(op.Operands)
	p.str(" -> ")
	if len(op.Results) == 1 && !isFunction(op.Results[0].Type) {
		p.typ(op.Results[0].Type)
		return
	}
	p.types(op.Results)
}

func (p *printer) types(vs []*Value) {
	p.str("(")
	for i, v := range vs {
		if i > 0 {
			p.str(", ")
		}
		p.typ(v.Type)
	}
	p.str(")")
}

// attrDict prints ` {a = 1}` of the attributes not in skip, if there are any.
func (p *printer) attrDict(d Dict, skip map[string]bool) {
	first := true
	for _, e := range sorted(d) {
		if skip[e.Name] {
			continue
		}
		p.str([]string{", ", " {"}[btoi(first)])
		first = false
		p.entry(e)
	}
	if !first {
		p.str("}")
	}
}

// restDict is attrDict for what the op's syntax does not show. Like the
// dialect's printer it leaves out what is the default.
func (p *printer) restDict(op *Op) {
	d := op.Attrs
	for i, e := range d {
		if isDefault(op.Name(), e) {
			d = slices.DeleteFunc(slices.Clone(d[i:]), func(e NamedAttr) bool { return isDefault(op.Name(), e) })
			d = append(slices.Clone(op.Attrs[:i]), d...)
			break
		}
	}
	p.attrDict(d, op.def().shown)
}

// isDefault reports whether the op means the same without the attribute.
func isDefault(op string, e NamedAttr) bool {
	switch op + " " + e.Name {
	case "stablehlo.custom_call has_side_effect":
		return e.Value == Attribute(BoolAttr(false))
	case "stablehlo.custom_call api_version":
		return e.Value == Attribute(IntegerAttr{1, I32})
	case "stablehlo.custom_call called_computations", "stablehlo.custom_call output_operand_aliases":
		a, ok := e.Value.(ArrayAttr)
		return ok && len(a) == 0
	case "stablehlo.composite version":
		return e.Value == Attribute(IntegerAttr{0, I32})
	case "stablehlo.composite composite_attributes":
		d, ok := e.Value.(DictAttr)
		return ok && len(d) == 0
	}
	a, ok := e.Value.(StructAttr)
	return ok && e.Name == "result_accuracy" && isDefaultAccuracy(a)
}

// isDefaultAccuracy reports whether a is of the mode DEFAULT, which has no
// tolerances.
func isDefaultAccuracy(a StructAttr) bool {
	m := a.Fields.Get("mode")
	return a.Name == "stablehlo.result_accuracy" && m != nil && m.String() == "#stablehlo.result_accuracy_mode<DEFAULT>"
}

func (p *printer) entry(e NamedAttr) {
	if bareName(e.Name) {
		p.str(e.Name)
	} else {
		p.str(quote(e.Name))
	}
	if _, unit := e.Value.(UnitAttr); !unit {
		p.str(" = ")
		p.attr(e.Value)
	}
}

// extraAttrs is attrDict behind the word attributes.
func (p *printer) extraAttrs(d Dict, skip map[string]bool) {
	for _, e := range d {
		if !skip[e.Name] {
			p.str(" attributes")
			p.attrDict(d, skip)
			return
		}
	}
}

func (p *printer) dictAt(a ArrayAttr, i int) {
	if i < len(a) {
		if d := a[i].(DictAttr); len(d) > 0 {
			p.str(" ")
			p.attr(d)
		}
	}
}

// callRest prints (operands) {…} : type behind what is called.
func (p *printer) callRest(op *Op) {
	p.str("(")
	p.uses(op.Operands)
	p.str(")")
	p.restDict(op)
	p.str(" : ")
	p.funcType(op)
}

func (p *printer) uses(vs []*Value) {
	for i, v := range vs {
		if i > 0 {
			p.str(", ")
		}
		p.use(v)
	}
}

func (p *printer) op(op *Op) {
	if _, err := p.w.Write(nil); err != nil {
		return // nobody takes more: Flush says so
	}
	p.resultNames(op)
	d := op.def()
	outer := p.inFunc
	p.inFunc = op.Code == OpFunc
	if p.Generic || d == nil || d.syntax == nil || !d.syntax.fits(op) {
		p.generic(op, d)
	} else {
		name := op.Name()
		if outer && op.Code != OpFunc {
			name = strings.TrimPrefix(name, "func.")
		}
		p.str(strings.TrimPrefix(name, "builtin."))
		d.syntax.print(p, op)
	}
	p.inFunc = outer
	p.loc(op.Loc)
}

func (p *printer) resultNames(op *Op) {
	for i := 0; i < len(op.Results); {
		if i > 0 {
			p.str(", ")
		}
		n := p.names.of(op.Results[i])
		p.str("%")
		p.str(n.base)
		if n.count > 1 {
			p.str(":")
			p.int(int64(n.count))
		}
		i += n.count
	}
	if len(op.Results) > 0 {
		p.str(" = ")
	}
}

func (p *printer) generic(op *Op, d *opDef) {
	p.str(quote(op.Name()))
	p.str("(")
	p.uses(op.Operands)
	p.str(")")
	for i, b := range op.Successors {
		p.str([]string{", ", "["}[btoi(i == 0)] + "^" + p.names.label(b))
	}
	if len(op.Successors) > 0 {
		p.str("]")
	}
	var isProp, rest map[string]bool
	if d != nil && len(d.props) > 0 {
		isProp, rest = map[string]bool{}, map[string]bool{}
		for _, n := range d.props {
			isProp[n] = true
		}
		for _, e := range op.Attrs {
			if !isProp[e.Name] {
				rest[e.Name] = true
			}
		}
		if len(rest) < len(op.Attrs) {
			p.str(" <")
			p.braces(op.Attrs, rest)
			p.str(">")
		}
	}
	p.regions(op)
	p.attrDict(op.Attrs, isProp)
	p.str(" : ")
	p.funcType(op)
}

// regions prints ` ({…}, {…})`, or nothing for none.
func (p *printer) regions(op *Op) {
	for i, r := range op.Regions {
		p.str([]string{", ", " ("}[btoi(i == 0)])
		p.region(r, false)
	}
	if len(op.Regions) > 0 {
		p.str(")")
	}
}

// braces is attrDict without the space before.
func (p *printer) braces(d Dict, skip map[string]bool) {
	p.str("{")
	first := true
	for _, e := range sorted(d) {
		if skip[e.Name] {
			continue
		}
		if !first {
			p.str(", ")
		}
		first = false
		p.entry(e)
	}
	p.str("}")
}

// region prints {…}. With bare set, the arguments of the entry block are
// printed elsewhere.
func (p *printer) region(r *Region, bare bool) {
	p.str("{")
	for i, b := range r.Blocks {
		// The label of an entry block that no syntax has taken care of stands
		// where it carries arguments, or marks a block: an empty one, or one that is
		// branched to.
		if i > 0 || !bare && len(b.Args)+btoi(len(b.Ops) == 0) > 0 || p.names.target[b] || len(b.Ops) == 0 && len(r.Blocks) > 1 {
			p.newline()
			p.str("^" + p.names.label(b))
			if len(b.Args) > 0 && (i > 0 || !bare) {
				p.str("(")
				for k, a := range b.Args {
					if k > 0 {
						p.str(", ")
					}
					p.arg(a)
				}
				p.str(")")
			}
			p.str(":")
		}
		p.block(b)
	}
	p.newline()
	p.str("}")
}

func (p *printer) block(b *Block) {
	p.indent++
	for _, op := range b.Ops {
		p.newline()
		p.op(op)
	}
	p.indent--
}
