package main

import (
	"bytes"
	"fmt"
	"strings"

	"ltc/ir/ops"
)

// methods writes the lazy tensor's methods: one for each row that is not
// Internal, and its in-place variant.
func methods() []byte {
	var b bytes.Buffer
	b.WriteString(header + "package lazy\n\nimport (\n\"ltc/ir\"\n\"ltc/ir/types\"\n)\n\nvar _ types.DType // used where a row has a dtype\n")
	for i := range ops.Table {
		o := &ops.Table[i]
		if o.Traits.Has(ops.Internal) {
			continue
		}
		writeMethodOf(&b, o, recordPrimitive(o), false)
		if o.Traits.Has(ops.InPlace) {
			writeMethodOf(&b, o, recordPrimitive(o), true)
		}
	}
	return b.Bytes()
}

// recordPrimitive returns the expression of a primitive's method.
func recordPrimitive(o *ops.Op) string {
	var args []string
	for _, p := range o.Operands {
		args = append(args, p.Name)
	}
	body := fmt.Sprintf("record%d(ir.Op%s, %s", len(args), o.Name, strings.Join(args, ", "))
	if n := len(o.Results); n > 0 {
		body = fmt.Sprintf("recordSeveral%d(ir.Op%s, []*Tensor{%s}", n, o.Name, strings.Join(args, ", "))
	}
	if o.Traits.Has(ops.View) {
		body = fmt.Sprintf("%s.view(ir.Op%s", args[0], o.Name)
	}
	for _, a := range o.Attrs {
		_, value := goAttr(a)
		body += ", " + value
	}
	return body + ")"
}

// writeMethodOf writes the method of a row, which returns what body records.
func writeMethodOf(b *bytes.Buffer, o *ops.Op, body string, inPlace bool) {
	recv, params, args := o.Operands[0].Name, []string{}, []string{}
	for _, p := range o.Operands[1:] {
		params = append(params, p.Name+" *Tensor")
		args = append(args, p.Name)
	}
	for i, a := range o.Attrs {
		typ, _ := goAttr(a)
		args = append(args, a.Name)
		if variadic(o, i) {
			typ = "..." + typ[2:]
			args[len(args)-1] += "..."
		}
		params = append(params, a.Name+" "+typ)
	}
	name, doc := o.Name, fmt.Sprintf("// %s %s\n", o.Name, o.Doc)
	if o.Traits.Has(ops.View) {
		doc += "// The result is a view: a write to it is seen by " + recv + ", and the other way round.\n"
	}
	before := ""
	if o.AxisOfScalar() {
		call := recv + ".Unsqueeze(0)." + o.Name + "("
		for i, a := range args {
			if i < len(o.Operands)-1 {
				a += ".ofOneAxis()"
			}
			if i > 0 {
				call += ", "
			}
			call += a
		}
		switch call += ")"; {
		case len(o.Results) > 0:
			call = "scalars(" + call + ")"
		case len(o.Operands) > 1: // indices, whose errors name the call
			operands := strings.Join(append([]string{recv}, args[:len(o.Operands)-1]...), ", ")
			call = fmt.Sprintf("called(%q, func() *Tensor { return %s.scalar() }, %s)", o.Mnemonic(), call, operands)
		default:
			call += ".scalar()"
		}
		before = fmt.Sprintf("if %s.isScalar(axis) {\nreturn %s\n}\n", recv, call)
	}
	if inPlace {
		if before != "" {
			body, before = fmt.Sprintf("%s.%s(%s)", recv, name, strings.Join(args, ", ")), ""
		}
		name += "_"
		doc = fmt.Sprintf("// %s writes %s.%s(%s) into %s and returns %s.\n", name, recv, o.Name, strings.Join(args, ", "), recv, recv)
		body = fmt.Sprintf("%s.writeNamed(%q, %s)", recv, o.Mnemonic()+"_", body)
	} else {
		doc += constraintsDoc(o)
	}
	fmt.Fprintf(b, "\n%sfunc (%s *Tensor) %s(%s) %s {\n%sreturn %s\n}\n", wrap(doc), recv, name, strings.Join(params, ", "), results(o), before, body)
}

// variadic reports whether attribute i is a list that callers write out: the last one, and of
// a method the only list; of a function the only attribute.
func variadic(o *ops.Op, i int) bool {
	if i != len(o.Attrs)-1 || o.Package != "" && i > 0 {
		return false
	}
	for k, a := range o.Attrs {
		if typ, _ := goAttr(a); strings.HasPrefix(typ, "[]") != (k == i) {
			return false
		}
	}
	return true
}

// results returns what a row's method returns.
func results(o *ops.Op) string { return resultsOf(o, "*Tensor") }

// resultsOf is results with the type of a tensor.
func resultsOf(o *ops.Op, tensor string) string {
	if len(o.Results) == 0 {
		return tensor
	}
	return "(" + strings.Join(o.Results, ", ") + " " + tensor + ")"
}

// goAttr returns the Go type of an attribute's argument and the expression of
// its ir.Attr.
func goAttr(a ops.Attr) (typ, value string) {
	switch a.Kind {
	case ops.Int, ops.Axis:
		return "int", "ir.Attr{Int: int64(" + a.Name + ")}"
	case ops.Ints, ops.Dims, ops.Axes, ops.Perm:
		return "[]int", "ir.Attr{Ints: " + a.Name + "}"
	case ops.DType:
		return "types.DType", "ir.Attr{Int: int64(" + a.Name + ")}"
	case ops.String:
		return "string", "ir.Attr{Str: " + a.Name + "}"
	case ops.Real, ops.Extended:
		return "float64", ""
	case ops.Flag:
		return "bool", "ir.Attr{Int: int64(flag(" + a.Name + "))}"
	}
	panic("attribute " + a.Name + " has no form as a Go argument") // checkRows says so before
}

func constraintsDoc(o *ops.Op) string {
	var b strings.Builder
	b.WriteString("//\n// It requires: ")
	for i, c := range o.Constraints() {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(c)
	}
	if o.Traits.Has(ops.Elementwise) && len(o.Operands) > 1 {
		b.WriteString("; the shapes broadcast")
	}
	b.WriteString(".")
	if s := o.Conversions(); s != "" {
		b.WriteString(" " + s)
	}
	b.WriteString("\n")
	return b.String()
}

// wrap folds comment lines at 80 columns.
func wrap(doc string) string {
	var b strings.Builder
	for line := range strings.Lines(doc) {
		words := strings.Fields(line)
		col := 0
		for _, w := range words {
			if col > 0 && col+1+len(w) > 80 {
				b.WriteString("\n// ")
				col = 3
			} else if col > 0 {
				b.WriteByte(' ')
				col++
			}
			b.WriteString(w)
			col += len(w)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
