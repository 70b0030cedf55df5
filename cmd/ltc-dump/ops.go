package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"ltc/internal/calls"
	"ltc/ir/ops"
)

// traits names the traits in the table.
var traits = []struct {
	trait ops.Traits
	name  string
}{
	{ops.Elementwise, "elementwise"},
	{ops.Commutative, "commutative"},
	{ops.InPlace, "in place"},
	{ops.Internal, "internal"},
}

func listOps(c *call) error {
	args, err := c.parse(flag.NewFlagSet(c.name, flag.ContinueOnError))
	if err != nil {
		return err
	}
	if len(args) == 0 {
		w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "OP\tKIND\tTRAITS\tSTABLEHLO\tTAKES")
		for _, op := range everyOp() {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", op.Mnemonic(), op.kind, cmp.Or(traitNames(op.Op), "-"), cmp.Or(op.HLO, "-"),
				strings.TrimPrefix(signature(op.Op), op.Mnemonic()))
		}
		return w.Flush()
	}
	for _, name := range args {
		op, err := findOp(name)
		if err != nil {
			return fmt.Errorf("%w; ltc-dump ops lists them", err)
		}
		op.describe(c.stdout)
	}
	return nil
}

// listedOp is an op of the list.
type listedOp struct {
	*ops.Op
	kind string // primitive, composite, function or by hand
}

// everyOp returns the primitives, the composites, the functions of packages, and the
// methods and functions without a row.
func everyOp() []listedOp {
	var all []listedOp
	for i, op := range ops.All() {
		switch {
		case i < len(ops.Table):
			all = append(all, listedOp{op, "primitive"})
		case op.Package == "":
			all = append(all, listedOp{op, "composite"})
		default:
			all = append(all, listedOp{op, "function"})
		}
	}
	for _, op := range calls.All() {
		if op.ByHand {
			all = append(all, listedOp{op.Op, "by hand"})
		}
	}
	return all
}

// findOp looks an op up by the name of its Go method or function, or by its mnemonic.
// Where a row and a method by hand have one name, it returns the row.
func findOp(name string) (listedOp, error) {
	for _, op := range everyOp() {
		if op.GoName() == name || op.Mnemonic() == name {
			return op, nil
		}
	}
	_, err := calls.Find(name)
	return listedOp{}, err
}

// describe prints all about an op.
func (op listedOp) describe(w io.Writer) {
	fmt.Fprintf(w, "%s\n  %s\n", signature(op.Op), op.Doc)
	if op.kind == "by hand" {
		fmt.Fprintln(w, "  a Go method or function without a row of its own")
		return
	}
	if o, err := calls.Find(op.GoName()); err == nil && o.ByHand {
		fmt.Fprintf(w, "  called by name as %s\n", o.Signature())
	}
	for i, text := range op.Constraints() {
		fmt.Fprintf(w, "  %s_c%d: %s\n", op.Mnemonic(), i+1, text)
	}
	if t := traitNames(op.Op); t != "" {
		fmt.Fprintf(w, "  traits: %s\n", t)
	}
	switch {
	case op.kind == "primitive":
	case op.Traits.Has(ops.Inline):
		fmt.Fprintln(w, "  recorded as the ops that it is made of")
	default:
		fmt.Fprintf(w, "  a composite: lowers to calls of ltc.%s\n", op.Mnemonic())
	}
	if op.HLO != "" {
		fmt.Fprintf(w, "  lowers to %s\n", op.Target())
	}
}

// signature prints an op like matmul(x, y) or sum(x) {axes: axes}.
func signature(op *ops.Op) string {
	var in, attrs []string
	for _, o := range op.Operands {
		name := o.Name
		if o.Variadic {
			name += "…"
		}
		if o.Optional {
			name = "[" + name + "]"
		}
		in = append(in, name)
	}
	for _, a := range op.Attrs {
		attrs = append(attrs, a.Name+": "+a.Kind.String())
	}
	s := op.Mnemonic() + "(" + strings.Join(in, ", ") + ")"
	if attrs != nil {
		s += " {" + strings.Join(attrs, ", ") + "}"
	}
	return s
}

func traitNames(op *ops.Op) string {
	var names []string
	for _, t := range traits {
		if op.Traits.Has(t.trait) {
			names = append(names, t.name)
		}
	}
	return strings.Join(names, ", ")
}
