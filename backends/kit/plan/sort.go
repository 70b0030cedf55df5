package plan

import (
	"fmt"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Sort is a sort that the target has code for, as a step. All operands have one shape.
// Their rows along a dimension are permuted, all operands' alike, into the order of a
// comparator. Results are operands after that, or the places that elements came from.
type Sort struct {
	Dim int
	// Less reports whether one of two places of a row is to come before the other: a
	// kernel without axes, of scalars, that computes a bool of the elements there. It
	// may be one that no order has.
	Less *kernel.Kernel
	Of   []Compared // by parameter of Less
	// Args and Outs are the operands and results; before there is a step, without
	// values. Results have the first elements of a row: all of them, or fewer.
	Args, Outs []HostArg
	// From is, by result, the operand that is permuted, or [Places].
	From []int
	// Work is memory that the step works in, of the types that kit.Options.Claim asks for.
	Work []ValueID
}

// Places stands for an operand whose elements are their places in a row, from 0 on. No
// memory holds it.
const Places = -1

// Compares reports whether the comparator reads an operand.
func (s *Sort) Compares(operand int) bool {
	return slices.ContainsFunc(s.Of, func(c Compared) bool { return c.Operand == operand })
}

// HasPlaces reports whether a result is of [Places].
func (s *Sort) HasPlaces() bool { return slices.Contains(s.From, Places) }

// Compared is what a parameter of a comparator is: the element of an operand at the
// first place or the second; or the bool.
type Compared struct {
	Operand int // -1: the bool
	Second  bool
}

// Shape is that of all operands, and of results unless only some of a row are kept.
// Every sort has an operand.
func (s *Sort) Shape() types.Shape { return s.Args[0].Type.Shape }

// ResultShape is that of all results. Every sort has a result.
func (s *Sort) ResultShape() types.Shape { return s.Outs[0].Type.Shape }

// Keep returns how many elements of a row, from the first, results have, and whether these are all.
func (s *Sort) Keep() (n int, all bool) {
	n = s.ResultShape()[s.Dim]
	return n, n == s.Shape()[s.Dim]
}

// HoldsPlaces reports whether results of elements of a type may be of [Places].
func HoldsPlaces(t types.DType) bool { return t.IsInteger() }

// print prints a step that is a sort.
func (s *Sort) print(b *lister, _ int, _ Ordinals) {
	first := ""
	if n, all := s.Keep(); !all {
		first = fmt.Sprintf(" the first %d", n)
	}
	places := ""
	for i, from := range s.From {
		if from == Places {
			places += fmt.Sprintf(", places as result %d", i)
		}
	}
	fmt.Fprintf(b, "sort%s along %d gives%s %s%s works in %s\n", list(s.Args), s.Dim, first, list(s.Outs), places, listed(s.Work))
	b.indent(s.Less.String())
}
