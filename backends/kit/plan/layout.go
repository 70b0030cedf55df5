package plan

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Layout is how the elements of an argument or a result lie, as far as code
// depends on it: the class of each dimension's stride. nil stands for memory that
// is dense and row-major. One dimension at most is of [kernel.TableStride]: along
// it elements lie anywhere, and those of the others as the table's entry says.
type Layout []kernel.Stride

// Table returns the dimension that a table is for; -1 if there is none.
func (l Layout) Table() int { return slices.Index(l, kernel.TableStride) }

// TakesView reports whether a program's steps can read or write an argument or result
// through any strides. Elements along the dimension table are where a table of
// addresses says; table is -1 if there is none. All steps that access the value must be
// kernels, at places that a variant of them finds.
func (p *Program) TakesView(v ValueID, table int) bool {
	all := p.Values[v].Views
	return all&1 != 0 && (table < 0 || table < 63 && all>>(table+1)&1 != 0)
}

// Shape returns that of a value; of an argument or result, as its caller has it.
func (p *Program) Shape(v ValueID) types.Shape {
	switch val := &p.Values[v]; val.Kind {
	case Argument:
		return p.Signature.Args[val.Index].Type.Shape
	case Result:
		return p.Signature.Results[val.Index].Type.Shape
	default:
		return val.Type.Shape
	}
}

// LayoutOf returns the layout that a view with these strides has; the dimension
// table, unless it is -1, is given by a table.
func LayoutOf(strides []int, table int) Layout {
	l := make(Layout, len(strides))
	for d := range strides {
		l[d] = classOf(strides, table, d)
	}
	return l
}

// Fits reports whether l is the layout of a view; see [LayoutOf].
func (l Layout) Fits(strides []int, table int) bool {
	if len(l) != len(strides) {
		return false
	}
	for d := range l {
		if l[d] != classOf(strides, table, d) {
			return false
		}
	}
	return true
}

func classOf(strides []int, table, d int) kernel.Stride {
	switch {
	case d == table:
		return kernel.TableStride
	case strides[d] == 1:
		return kernel.UnitStride
	case strides[d] == 0:
		return kernel.ZeroStride
	}
	return kernel.AnyStride
}

// Variant returns the program for arguments and results that lie otherwise than
// dense. Layouts are by argument and result; values without one are dense, and
// lists that are shorter leave out the last. What a step does with memory that
// has a layout is known but for the strides, which are run-time arguments
// ([Operand.By], [Launch.Moving]), and the entries of tables ([Table]).
//
// Steps that neither read nor write such memory are those of p, as are Values
// but for those of kind Table, which follow them. It reports an error for a layout
// that p does not take ([Program.TakesView]).
func (p *Program) Variant(args, results []Layout) (*Program, error) {
	return p.From.Variant(p, args, results)
}

// Origin is what a program was made from.
type Origin interface {
	// Variant is [Program.Variant] of a program that was made from it.
	Variant(p *Program, args, results []Layout) (*Program, error)
	// ResidentBytes returns about how many bytes of memory it takes beside the program.
	ResidentBytes() int
}
