package main

import (
	"bytes"
	"fmt"
	"strings"

	"ltc/ir/ops"
)

// calls writes, for each row with a method or a function, the function by which package
// calls calls it.
func calls() []byte {
	var b bytes.Buffer
	b.WriteString(header + "package calls\n\nimport (\n\"ltc/lazy\"\n")
	for _, p := range ops.Packages {
		fmt.Fprintf(&b, "%q\n", "ltc/"+p.Name)
	}
	b.WriteString(")\n\n// generated has every row with a method or a function.\nvar generated = []function{\n")
	for _, o := range ops.All() {
		if !o.Traits.Has(ops.Internal) {
			fmt.Fprintf(&b, "{%q, func(c *Call) []*lazy.Tensor { return %s }},\n", o.GoName(), callOf(o))
		}
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// callOf returns the expression that calls a row's method or function.
func callOf(o *ops.Op) string {
	var args []string
	for i, p := range o.Operands {
		x := fmt.Sprintf("c.X[%d]", i)
		if p.Optional {
			x = fmt.Sprintf("c.given(%d)", i)
		}
		args = append(args, x)
	}
	f := o.GoName()
	if o.Package == "" {
		f, args = args[0]+"."+o.Name, args[1:]
	}
	for i, a := range o.Attrs {
		getter := map[ops.AttrKind]string{ops.Int: "Int", ops.Axis: "Int", ops.DType: "DType", ops.Real: "Real", ops.Extended: "Real", ops.Flag: "Flag", ops.String: "Word"}[a.Kind]
		if getter == "" {
			getter = "Ints"
		}
		arg := fmt.Sprintf("c.%s(%q)", getter, a.Name)
		if variadic(o, i) && getter == "Ints" {
			arg += "..."
		}
		args = append(args, arg)
	}
	results := "one"
	if len(o.Results) > 0 {
		results = "several"
	}
	return fmt.Sprintf("%s(%s(%s))", results, f, strings.Join(args, ", "))
}
