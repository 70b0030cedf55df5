package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ltc/ir/ops"
)

// composites writes, for each row of ops.Composites, its number, the constants
// of what its check demands, the entry that names its functions, and its method.
func composites() []byte {
	var b bytes.Buffer
	b.WriteString(header + "package lazy\n\nimport (\n\"ltc/ir/ops\"\n\"ltc/ir/types\"\n)\n\nvar _ types.DType // used where a row has a dtype\n\n// The composites, by their place in ops.Composites.\nconst (\n")
	for i := range ops.Composites {
		fmt.Fprintf(&b, "composite%s = %d\n", ops.Composites[i].Name, i)
	}
	b.WriteString(")\n\n// What the checks demand, by composite.\nconst (\n")
	for i := range ops.Composites {
		writeDemands(&b, &ops.Composites[i])
	}
	b.WriteString(")\n\n// builtins has the row and the functions of each.\nvar builtins [" + strconv.Itoa(len(ops.Composites)) + "]*composite\n\nfunc init() { // not a value of the variable: the functions use it\nbuiltins = [...]*composite{\n")
	for i := range ops.Composites {
		writeEntry(&b, &ops.Composites[i])
	}
	b.WriteString("}\nfor _, c := range builtins {\ndefine(c)\n}\n}\n")
	for i := range ops.Composites {
		o := &ops.Composites[i]
		writeRecord(&b, o)
		if o.Traits.Has(ops.Internal) {
			continue
		}
		writeMethodOf(&b, o, recordOf(o), false)
		if o.Traits.Has(ops.InPlace) {
			writeMethodOf(&b, o, recordOf(o), true)
		}
	}
	return b.Bytes()
}

// writeDemands writes the constants of a row's Where, from 1.
func writeDemands(b *bytes.Buffer, o *ops.Op) {
	for j, d := range o.Where {
		if !o.Attribute(d.Name) {
			fmt.Fprintf(b, "%s%s demand = %d\n", lower(o.Name), upper(d.Name), j+1)
		}
	}
}

// lower returns a Go name as one that is not exported: OneHot as oneHot, GELU as gelu.
func lower(name string) string {
	if strings.ToUpper(name) == name {
		return strings.ToLower(name)
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// writeEntry writes the entry of a row: functions of all operands and attributes as
// slices, which call those written by hand with each as an argument.
func writeEntry(b *bytes.Buffer, o *ops.Op) {
	fmt.Fprintf(b, "composite%s: {\nrow: &ops.Composites[composite%s],\n", o.Name, o.Name)
	if !o.Traits.Has(ops.Inline) {
		fmt.Fprintf(b, "body: func(x []*Tensor, a []setting) []*Tensor { return all(compute%s(%s)) },\n", o.Name, arguments(o, "x"))
	}
	if o.Guards() && !o.Traits.Has(ops.Inline) {
		fmt.Fprintf(b, "check: func(x []*Tensor, a []setting) *breach { return check%s(%s) },\n", o.Name, arguments(o, "x"))
	}
	if o.Traits.Has(ops.OwnGradient) {
		y, ct := "y[0]", "ct[0]"
		if len(o.Results) > 0 {
			y, ct = "y", "ct"
		}
		fmt.Fprintf(b, "vjp: func(x, y, ct []*Tensor, a []setting) []*Tensor { return grad%s(%s) },\n", o.Name, arguments(o, "x", y, ct))
	}
	b.WriteString("},\n")
}

// arguments lists a row's operands, in a slice of that name, more, and its attributes,
// in a slice a, as arguments.
func arguments(o *ops.Op, operands string, more ...string) string {
	var all []string
	for i, p := range o.Operands {
		x := fmt.Sprintf("%s[%d]", operands, i)
		if p.Optional {
			x = fmt.Sprintf("given(%s, %d)", operands, i)
		}
		all = append(all, x)
	}
	all = append(all, more...)
	for i, a := range o.Attrs {
		all = append(all, fmt.Sprintf(attrForms[a.Kind].read, i))
	}
	return strings.Join(all, ", ")
}

// writeRecord writes the function that records a row's composite. It calls check and
// compute by themselves and not as values, so that nothing of a call is on the heap.
func writeRecord(b *bytes.Buffer, o *ops.Op) {
	var params, given, xs, attrs []string
	optional := ""
	for _, p := range o.Operands {
		params, given = append(params, p.Name+" *Tensor"), append(given, p.Name)
		if p.Optional {
			optional = p.Name
		} else {
			xs = append(xs, p.Name)
		}
	}
	for _, a := range o.Attrs {
		typ, _ := goAttr(a)
		params = append(params, a.Name+" "+typ)
		attrs = append(attrs, fmt.Sprintf(attrForms[a.Kind].write, a.Name))
	}
	fmt.Fprintf(b, "\n// record%s records %s on operands and attributes that it checks.\nfunc record%s(%s) %s {\nc := builtins[composite%s]\n",
		o.Name, o.Name, o.Name, strings.Join(params, ", "), results(o), o.Name)
	a := "nil"
	if len(attrs) > 0 {
		fmt.Fprintf(b, "a := [...]setting{%s}\n", strings.Join(attrs, ", "))
		a = "a[:]"
	}
	if optional == "" {
		fmt.Fprintf(b, "xs := [...]*Tensor{%s}\n", strings.Join(xs, ", "))
	} else {
		fmt.Fprintf(b, "xs := []*Tensor{%s}\nif %s != nil {\nxs = append(xs, %s)\n}\n", strings.Join(xs, ", "), optional, optional)
	}
	fmt.Fprintf(b, "tr, bad := c.guard(%s, xs[:]...)\n", a)
	if o.Guards() {
		fmt.Fprintf(b, "if bad == nil {\nbad = c.meets(tr, check%s(%s), xs[:]...)\n}\n", o.Name, arguments(o, "xs"))
	}
	fmt.Fprintf(b, "if bad != nil {\nreturn bad%s\n}\n", strings.Repeat(", bad", max(len(o.Results)-1, 0)))
	calls := ""
	if slices.ContainsFunc(o.Operands, func(p ops.Operand) bool { return p.Is == ops.Integer }) { // indices, whose errors name the call
		calls = fmt.Sprintf("if tr.begins(c.op) {\ndefer tr.ends(%s)\n}\n", strings.Join(given, ", "))
	}
	read := fmt.Sprintf("if bad = c.read(tr, xs[:]); bad != nil {\nreturn bad\n}\n%sreturn compute%s(%s)\n", calls, o.Name, arguments(o, "xs"))
	call := fmt.Sprintf("return c.call(tr, %s, xs[:])\n", a)
	switch {
	case len(o.Results) > 0:
		var ys []string
		for i := range o.Results {
			ys = append(ys, fmt.Sprintf("ys[%d]", i))
		}
		fmt.Fprintf(b, "var ys [%d]*Tensor\nc.calls(tr, %s, xs[:], ys[:])\nreturn %s\n", len(ys), a, strings.Join(ys, ", "))
	case o.Traits.Has(ops.View):
		if o.Guards() {
			fmt.Fprintf(b, "return compute%s(%s)\n", o.Name, arguments(o, "xs"))
			break
		}
		fmt.Fprintf(b, "_ = tr\nreturn compute%s(%s)\n", o.Name, arguments(o, "xs"))
	case o.Traits.Has(ops.Inline):
		b.WriteString(read)
	default:
		b.WriteString(call)
	}
	b.WriteString("}\n")
}

// recordOf returns the expression of a composite's method.
func recordOf(o *ops.Op) string {
	var args []string
	for _, p := range o.Operands {
		args = append(args, p.Name)
	}
	for _, a := range o.Attrs {
		args = append(args, a.Name)
	}
	return fmt.Sprintf("record%s(%s)", o.Name, strings.Join(args, ", "))
}

// attrForms are how attributes of composites go through a setting, and which method of
// lazy.Attrs reads one: of a kind that has none there is no composite.
var attrForms = map[ops.AttrKind]struct{ read, write, getter string }{
	ops.Int:      {"a[%d].int", "{int: %s}", "Int"},
	ops.Axis:     {"a[%d].int", "{int: %s}", "Int"},
	ops.Ints:     {"a[%d].ints", "{ints: %s}", "Ints"},
	ops.Axes:     {"a[%d].ints", "{ints: %s}", "Ints"},
	ops.DType:    {"types.DType(a[%d].int)", "{int: int(%s)}", "DType"},
	ops.Real:     {"a[%d].float", "{float: %s}", "Float"},
	ops.Extended: {"a[%d].float", "{float: %s}", "Float"},
	ops.Flag:     {"a[%d].int != 0", "{int: flag(%s)}", "Flag"},
}
