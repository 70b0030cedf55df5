package plan

import (
	"fmt"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Sort is a sort that the target has code for, as a step. All operands have one shape.
// Their rows along a dimension are permuted, all operands' alike, into the order of a
// comparator.
type Sort struct {
	Dim int
	// Less reports whether one of two places of a row is to come before the other: a
	// kernel without axes, of scalars, that computes a bool of the elements there. It
	// may be one that no order has.
	Less *kernel.Kernel
	Of   []Compared // by parameter of Less
	// Keep is how many elements of a row, from the first, are used: results have no
	// more. 0: all.
	Keep int
	// Args and Outs are the operands and results; before there is a step, without
	// values.
	Args, Outs []HostArg
	// Work is memory that the step works in, of the types that kit.Options.Claim asks for.
	Work []ValueID
}

// Compared is what a parameter of a comparator is: the element of an operand at the
// first place or the second; or the bool.
type Compared struct {
	Operand int // -1: the bool
	Second  bool
}

// Shape is that of all operands, and of results unless only some of a row are kept.
func (s *Sort) Shape() types.Shape { return s.Args[0].Type.Shape }

// print prints a step that is a sort.
func (s *Sort) print(b *lister, _ int, _ Ordinals) {
	first := ""
	if s.Keep > 0 {
		first = fmt.Sprintf(" the first %d", s.Keep)
	}
	fmt.Fprintf(b, "sort%s along %d gives%s %s works in %s\n", list(s.Args), s.Dim, first, list(s.Outs), listed(s.Work))
	b.indent(s.Less.String())
}
