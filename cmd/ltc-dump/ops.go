package main

import (
	"cmp"
	"flag"
	"fmt"
	"strings"
	"text/tabwriter"

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
		fmt.Fprintln(w, "OP\tTRAITS\tSTABLEHLO\tTAKES")
		for op := range all {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", op.Mnemonic(), cmp.Or(traitNames(op), "-"), cmp.Or(op.HLO, "-"),
				strings.TrimPrefix(signature(op), op.Mnemonic()))
		}
		return w.Flush()
	}
	for _, name := range args {
		op, composite := findOp(name)
		if op == nil {
			return fmt.Errorf("no op %q: ltc-dump ops lists them", name)
		}
		fmt.Fprintf(c.stdout, "%s\n  %s\n", signature(op), op.Doc)
		for i, text := range op.Constraints() {
			fmt.Fprintf(c.stdout, "  %s_c%d: %s\n", op.Mnemonic(), i+1, text)
		}
		if t := traitNames(op); t != "" {
			fmt.Fprintf(c.stdout, "  traits: %s\n", t)
		}
		switch {
		case !composite:
		case op.Traits.Has(ops.Inline):
			fmt.Fprintln(c.stdout, "  recorded as the ops that it is made of")
		case op.Traits.Has(ops.Guarded):
			fmt.Fprintf(c.stdout, "  recorded as the ops that it is made of; where indices are checked, a composite: lowers to calls of ltc.%s\n", op.Mnemonic())
		default:
			fmt.Fprintf(c.stdout, "  a composite: lowers to calls of ltc.%s\n", op.Mnemonic())
		}
		if op.HLO != "" {
			fmt.Fprintf(c.stdout, "  lowers to stablehlo.%s\n", op.HLO)
		}
	}
	return nil
}

// all yields the primitives, then the composites, and says which it is.
func all(yield func(op *ops.Op, composite bool) bool) {
	for i := range ops.Table {
		if !yield(&ops.Table[i], false) {
			return
		}
	}
	for i := range ops.Composites {
		if !yield(&ops.Composites[i], true) {
			return
		}
	}
}

// findOp looks a primitive or a composite up by the name of its row or its mnemonic; nil if
// there is none.
func findOp(name string) (op *ops.Op, composite bool) {
	for op, composite := range all {
		if op.Name == name || op.Mnemonic() == name {
			return op, composite
		}
	}
	return nil, false
}

// signature prints an op like matmul(x, y) or sum(x) {axes: axes}.
func signature(op *ops.Op) string {
	var in, attrs []string
	for _, o := range op.Operands {
		name := o.Name
		if o.Variadic {
			name += "…"
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
