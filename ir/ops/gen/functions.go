package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"ltc/ir/ops"
)

// functions writes the functions of a package, one for each row, with the definitions
// that they call. A definition names the functions of a row that are written by hand.
func functions(p *ops.Package) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%spackage %s\n\nimport (\n\"ltc/internal/functions\"\n\"ltc/ir/ops\"\n\"ltc/ir/types\"\n\"ltc/lazy\"\n)\n\nvar _ types.DType // used where a row has a dtype\n\n// What the checks name if a call breaks it.\nconst (\n", header, p.Name)
	for i := range p.Rows {
		o := &p.Rows[i]
		for _, d := range o.Where {
			if !o.Attribute(d.Name) {
				fmt.Fprintf(&b, "%s%s = %q\n", lower(o.Name), upper(d.Name), d.Name)
			}
		}
	}
	b.WriteString(")\n\n// The definitions.\nvar (\n")
	for i := range p.Rows {
		fmt.Fprintf(&b, "defined%s *lazy.Callable\n", p.Rows[i].Name)
	}
	fmt.Fprintf(&b, ")\n\nfunc init() { // not values of the variables: the functions use them\nrows := ops.PackageRows(%q)\n", p.Name)
	for i := range p.Rows {
		writeDefinition(&b, &p.Rows[i], i)
	}
	b.WriteString("}\n")
	for i := range p.Rows {
		writeFunction(&b, &p.Rows[i], false)
		if p.Rows[i].Traits.Has(ops.InPlace) {
			writeFunction(&b, &p.Rows[i], true)
		}
	}
	return b.Bytes()
}

// writeDefinition writes what gives a row, the i-th, its functions.
func writeDefinition(b *bytes.Buffer, o *ops.Op, i int) {
	check, grad, body := "nil", "nil", fmt.Sprintf("compute%s(%s)", o.Name, namedArguments(o))
	if len(o.Results) > 0 {
		body = "functions.All(" + body + ")"
	} else {
		body = "[]*lazy.Tensor{" + body + "}"
	}
	if o.Guards() {
		check = fmt.Sprintf("func(x []*lazy.Tensor, a lazy.Attrs) (demand, reason string) { return check%s(%s) }", o.Name, namedArguments(o))
	}
	if o.Traits.Has(ops.OwnGradient) {
		y, ct := "y[0]", "ct[0]"
		if len(o.Results) > 0 {
			y, ct = "y", "ct"
		}
		grad = fmt.Sprintf("func(x, y, ct []*lazy.Tensor, a lazy.Attrs) []*lazy.Tensor { return grad%s(%s) }", o.Name, namedArguments(o, y, ct))
	}
	fmt.Fprintf(b, "defined%s = functions.Define(&rows[%d], func(x []*lazy.Tensor, a lazy.Attrs) []*lazy.Tensor { return %s }, %s, %s)\n", o.Name, i, body, check, grad)
}

// namedArguments lists a row's operands, more, and its attributes, read by name.
func namedArguments(o *ops.Op, more ...string) string {
	var all []string
	for i, p := range o.Operands {
		x := fmt.Sprintf("x[%d]", i)
		if p.Optional {
			x = fmt.Sprintf("functions.Given(x, %d)", i)
		}
		all = append(all, x)
	}
	all = append(all, more...)
	for _, a := range o.Attrs {
		all = append(all, fmt.Sprintf("a.%s(%q)", attrForms[a.Kind].getter, a.Name))
	}
	return strings.Join(all, ", ")
}

// writeFunction writes the function of a row. That of an internal one is not exported: it is what
// a function written by hand calls, whose arguments are options.
func writeFunction(b *bytes.Buffer, o *ops.Op, inPlace bool) {
	var params, args, names []string
	for _, p := range o.Operands {
		params = append(params, p.Name+" *lazy.Tensor")
		args = append(args, p.Name)
		names = append(names, p.Name)
	}
	attrs := "nil"
	for i, a := range o.Attrs {
		typ, _ := goAttr(a)
		if i == len(o.Attrs)-1 && i == 0 && strings.HasPrefix(typ, "[]") {
			typ = "..." + typ[2:]
		}
		params = append(params, a.Name+" "+typ)
		names = append(names, a.Name)
		if i == 0 {
			attrs = "lazy.Attrs{"
		}
		attrs += fmt.Sprintf("%q: %s, ", a.Name, a.Name)
	}
	if len(o.Attrs) > 0 {
		attrs = strings.TrimSuffix(attrs, ", ") + "}"
	}
	xs := strings.Join(args, ", ")
	if o.Operands[len(args)-1].Optional {
		least := slices.IndexFunc(o.Operands, func(p ops.Operand) bool { return p.Optional })
		xs = fmt.Sprintf("functions.Operands(%d, %s)...", least, xs)
	}
	name, doc := o.Name, fmt.Sprintf("// %s %s\n%s", o.Name, o.Doc, constraintsDoc(o))
	if o.Traits.Has(ops.Internal) {
		name = "record" + o.Name
		doc = fmt.Sprintf("// %s records %s on operands and attributes that it checks.\n", name, o.Name)
	}
	body := fmt.Sprintf("return defined%s.Call(%s, %s)", o.Name, attrs, xs)
	if n := len(o.Results); n > 0 {
		var ys []string
		for i := range n {
			ys = append(ys, fmt.Sprintf("ys[%d]", i))
		}
		body = fmt.Sprintf("ys := defined%s.CallAll(%s, %s)\nreturn %s", o.Name, attrs, xs, strings.Join(ys, ", "))
	}
	if inPlace {
		name += "_"
		doc = fmt.Sprintf("// %s writes %s(%s) into %s and returns %s.\n", name, o.Name, strings.Join(names, ", "), args[0], args[0])
		body = fmt.Sprintf("return defined%s.Call_(%s, %s)", o.Name, attrs, xs)
	}
	fmt.Fprintf(b, "\n%sfunc %s(%s) %s {\n%s\n}\n", wrap(doc), name, strings.Join(params, ", "), resultsOf(o, "*lazy.Tensor"), body)
}
