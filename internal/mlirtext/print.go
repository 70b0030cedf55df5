package mlirtext

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"

	"ltc/internal/lexeme"
	"ltc/mlir"
)

// printModule writes the text of m to w.
func printModule(w io.Writer, m *mlir.Module, o mlir.PrintOptions) error {
	p := newPrinter(w, o)
	top := &mlir.Op{Code: mlir.OpModule, Loc: m.Loc, Regions: []*mlir.Region{{Blocks: []*mlir.Block{{Ops: m.Ops}}}}}
	if m.Name != "" {
		top.Attrs = mlir.Dict{{Name: "sym_name", Value: mlir.StringAttr(m.Name)}}
	}
	top.Attrs = append(top.Attrs, m.Attrs...)
	p.names.op(top)
	p.op(top)
	p.Str("\n")
	p.locs.print(p)
	p.resources(m.Resources)
	return p.w.Flush()
}

// opText returns the text of o as it would stand alone.
func opText(o *mlir.Op) string {
	var b strings.Builder
	p := newPrinter(&b, mlir.PrintOptions{})
	for _, unnamed := range []bool{false, true} {
		for _, v := range o.Operands {
			if (v.Name == "") == unnamed {
				p.names.of(v)
			}
		}
	}
	p.names.block([]*mlir.Op{o})
	p.names.regionsOf(o)
	p.op(o)
	_ = p.w.Flush() // a Builder does not fail
	return b.String()
}

// Printer writes ops. Parts of a syntax call its methods.
type Printer struct {
	mlir.PrintOptions
	w      *bufio.Writer
	buf    []byte
	indent int
	inFunc bool // directly in a function's body, where func. is left out
	names  *names
	locs   locTable
}

func newPrinter(w io.Writer, o mlir.PrintOptions) *Printer {
	return &Printer{PrintOptions: o, w: bufio.NewWriter(w), names: newNames(), locs: locTable{index: map[string]int{}}}
}

// Str writes s; the writer keeps the first error for Flush.
func (p *Printer) Str(s string) { _, _ = p.w.WriteString(s) }

// Int writes a number.
func (p *Printer) Int(v int64) {
	p.buf = strconv.AppendInt(p.buf[:0], v, 10)
	_, _ = p.w.Write(p.buf)
}

// Comma writes the comma before item i of a list.
func (p *Printer) Comma(i int) {
	if i > 0 {
		p.Str(", ")
	}
}

// Type writes a type; none for nil.
func (p *Printer) Type(t mlir.Type) {
	if t == nil {
		p.Str("none")
		return
	}
	p.Str(t.String())
}

// Attr writes an attribute.
func (p *Printer) Attr(a mlir.Attribute) {
	if d, ok := a.(*mlir.DenseAttr); ok { // a literal can be long: it is not copied
		if d.Resource != "" {
			p.Str(d.String())
			return
		}
		p.Str("dense<")
		p.Str(d.Text())
		p.Str("> : ")
		p.Type(d.Type)
		return
	}
	p.Str(a.String())
}

// Newline begins a line, indented as the op that is printed.
func (p *Printer) Newline() {
	p.Str("\n")
	for range p.indent {
		p.Str("  ")
	}
}

// Use prints a value as an operand: %x or %x#1.
func (p *Printer) Use(v *mlir.Value) {
	n := p.names.of(v)
	p.Str("%")
	p.Str(n.base)
	if n.index >= 0 {
		p.Str("#")
		p.Int(int64(n.index))
	}
}

// Arg writes an argument with its type: %x: T loc(…).
func (p *Printer) Arg(v *mlir.Value) {
	p.Use(v)
	p.Str(": ")
	p.Type(v.Type)
	p.loc(v.Loc)
}

// FuncType writes (T, U) -> V, the types of operands and results.
func (p *Printer) FuncType(op *mlir.Op) {
	p.Types(op.Operands)
	p.Str(" -> ")
	if len(op.Results) == 1 && !IsFunction(op.Results[0].Type) {
		p.Type(op.Results[0].Type)
		return
	}
	p.Types(op.Results)
}

// Types writes (T, U).
func (p *Printer) Types(vs []*mlir.Value) {
	p.Str("(")
	for i, v := range vs {
		p.Comma(i)
		p.Type(v.Type)
	}
	p.Str(")")
}

// AttrDict prints ` {a = 1}` of the attributes not in skip, if there are any.
func (p *Printer) AttrDict(d mlir.Dict, skip map[string]bool) {
	if shows(d, skip) {
		p.Str(" ")
		p.braces(d, skip)
	}
}

// shows reports whether d has attributes that are not in skip.
func shows(d mlir.Dict, skip map[string]bool) bool {
	return slices.ContainsFunc(d, func(e mlir.NamedAttr) bool { return !skip[e.Name] })
}

// RestDict is AttrDict for what the op's syntax does not show. Like the
// dialect's printer it leaves out what is the default.
func (p *Printer) RestDict(op *mlir.Op) {
	d := op.Attrs
	for i, e := range d {
		if known.Default(op, e) {
			d = slices.DeleteFunc(slices.Clone(d[i:]), func(e mlir.NamedAttr) bool { return known.Default(op, e) })
			d = append(slices.Clone(op.Attrs[:i]), d...)
			break
		}
	}
	p.AttrDict(d, forms[op.Code].shown)
}

func (p *Printer) entry(e mlir.NamedAttr) {
	p.Str(lexeme.Key(e.Name))
	if _, unit := e.Value.(mlir.UnitAttr); !unit {
		p.Str(" = ")
		p.Attr(e.Value)
	}
}

// ExtraAttrs is AttrDict behind the word attributes.
func (p *Printer) ExtraAttrs(d mlir.Dict, skip map[string]bool) {
	if shows(d, skip) {
		p.Str(" attributes")
		p.AttrDict(d, skip)
	}
}

// ExtraRest is ExtraAttrs of what the op's syntax does not show.
func (p *Printer) ExtraRest(op *mlir.Op) { p.ExtraAttrs(op.Attrs, forms[op.Code].shown) }

func (p *Printer) dictAt(a mlir.ArrayAttr, i int) {
	if i < len(a) {
		if d := a[i].(mlir.DictAttr); len(d) > 0 {
			p.Str(" ")
			p.Attr(d)
		}
	}
}

// CallRest prints (operands) {…} : type behind what is called.
func (p *Printer) CallRest(op *mlir.Op) {
	p.Str("(")
	p.Uses(op.Operands)
	p.Str(")")
	p.RestDict(op)
	p.Str(" : ")
	p.FuncType(op)
}

// Uses writes operands: %x, %y.
func (p *Printer) Uses(vs []*mlir.Value) {
	for i, v := range vs {
		p.Comma(i)
		p.Use(v)
	}
}

func (p *Printer) op(op *mlir.Op) {
	if _, err := p.w.Write(nil); err != nil {
		return // nobody takes more: Flush says so
	}
	p.resultNames(op)
	f := formOf(op)
	outer := p.inFunc
	p.inFunc = op.Code == mlir.OpFunc
	if p.Generic || f == nil || f.syntax == nil || !f.syntax.Fits(op) {
		p.generic(op)
	} else {
		name := op.Name()
		if outer && op.Code != mlir.OpFunc {
			name = strings.TrimPrefix(name, "func.")
		}
		p.Str(strings.TrimPrefix(name, "builtin."))
		f.syntax.Print(p, op)
	}
	p.inFunc = outer
	p.loc(op.Loc)
}

func (p *Printer) resultNames(op *mlir.Op) {
	for i := 0; i < len(op.Results); {
		p.Comma(i)
		n := p.names.of(op.Results[i])
		p.Str("%")
		p.Str(n.base)
		if n.count > 1 {
			p.Str(":")
			p.Int(int64(n.count))
		}
		i += n.count
	}
	if len(op.Results) > 0 {
		p.Str(" = ")
	}
}

func (p *Printer) generic(op *mlir.Op) {
	p.Str(lexeme.Quote(op.Name()))
	p.Str("(")
	p.Uses(op.Operands)
	p.Str(")")
	for i, b := range op.Successors {
		p.Str([]string{", ", "["}[btoi(i == 0)] + "^" + p.names.label(b))
	}
	if len(op.Successors) > 0 {
		p.Str("]")
	}
	var isProp, rest map[string]bool
	if props := op.Code.Props(); len(props) > 0 {
		isProp, rest = map[string]bool{}, map[string]bool{}
		for _, n := range props {
			isProp[n] = true
		}
		for _, e := range op.Attrs {
			if !isProp[e.Name] {
				rest[e.Name] = true
			}
		}
		if len(rest) < len(op.Attrs) {
			p.Str(" <")
			p.braces(op.Attrs, rest)
			p.Str(">")
		}
	}
	p.Regions(op)
	p.AttrDict(op.Attrs, isProp)
	p.Str(" : ")
	p.FuncType(op)
}

// Regions prints ` ({…}, {…})`, or nothing for none.
func (p *Printer) Regions(op *mlir.Op) {
	for i, r := range op.Regions {
		p.Str([]string{", ", " ("}[btoi(i == 0)])
		p.Region(r, false)
	}
	if len(op.Regions) > 0 {
		p.Str(")")
	}
}

// braces is AttrDict without the space before.
func (p *Printer) braces(d mlir.Dict, skip map[string]bool) {
	p.Str("{")
	n := 0
	for _, e := range d.Sorted() {
		if !skip[e.Name] {
			p.Comma(n)
			p.entry(e)
			n++
		}
	}
	p.Str("}")
}

// Region prints {…}. With bare set, the arguments of the entry block are
// printed elsewhere.
func (p *Printer) Region(r *mlir.Region, bare bool) {
	p.Str("{")
	for i, b := range r.Blocks {
		// The label of an entry block that no syntax has taken care of stands
		// where it carries arguments, or marks a block: an empty one, or one that is
		// branched to.
		if i > 0 || !bare && len(b.Args)+btoi(len(b.Ops) == 0) > 0 || p.names.target[b] || len(b.Ops) == 0 && len(r.Blocks) > 1 {
			p.Newline()
			p.Str("^" + p.names.label(b))
			if len(b.Args) > 0 && (i > 0 || !bare) {
				p.Str("(")
				for k, a := range b.Args {
					p.Comma(k)
					p.Arg(a)
				}
				p.Str(")")
			}
			p.Str(":")
		}
		p.block(b)
	}
	p.Newline()
	p.Str("}")
}

func (p *Printer) block(b *mlir.Block) {
	p.indent++
	for _, op := range b.Ops {
		p.Newline()
		p.op(op)
	}
	p.indent--
}
