package plan

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/internal/footprint"
	"ltc/ir/types"
)

// Triangular is a factor of Cholesky, or a triangular system, that the target has code for,
// as a step.
type Triangular struct {
	kernel.Triangular
	// Args and Outs are the operands and the result; before there is a step, without values.
	Args, Outs []HostArg
	// Work is memory that the step works in, of the types that kit.Options.Claim asks for.
	Work []ValueID
}

// TriangularOf returns t with the elements and sizes of a result of type out, of two dimensions
// or more: a factor, or X of a system.
func TriangularOf(t kernel.Triangular, out types.Type) kernel.Triangular {
	last := len(out.Shape) - 2
	t.DType, t.Count, t.N, t.Sides = out.DType, out.Shape[:last].Elements(), out.Shape[last], out.Shape[last+1]
	if t.Solve && !t.Left {
		t.N, t.Sides = t.Sides, t.N
	}
	return t
}

// fits reports whether the types of the operands and the result are those of t. A is square, and
// so is its factor. The other operand is of the type of the result.
func (t *Triangular) fits() bool {
	out, args := t.Outs[0].Type, t.Args
	if !t.Solve {
		args = slices.Concat(t.Outs, args)
	}
	if len(args) != 2 || len(out.Shape) < 2 || TriangularOf(t.Triangular, out) != t.Triangular {
		return false
	}
	square := types.Of(t.DType, slices.Concat(out.Shape[:len(out.Shape)-2], types.Shape{t.N, t.N})...)
	return args[0].Type.Equal(square) && args[1].Type.Equal(out)
}

func (t *Triangular) Access(*Program) (reads, writes []ValueID) {
	return ValuesOf(t.Args), slices.Concat(t.Work, ValuesOf(t.Outs))
}

func (*Triangular) Fallible() bool                             { return false }
func (*Triangular) overwrites(*Program, ValueID, ValueID) bool { return false }

func (t *Triangular) numbers(_ func(*int64), dim func(*int)) {
	dimsOf(dim, t.Args, t.Outs)
	for _, n := range []*int{&t.Count, &t.N, &t.Sides} {
		dim(n)
	}
}

func (t *Triangular) own(s *sharedLists) Work {
	c := *t
	c.Args, c.Outs = s.types(t.Args), s.types(t.Outs)
	return &c
}

func (t *Triangular) residentBytes() int {
	return int(unsafe.Sizeof(*t)) + footprint.Slice(t.Work) + bytesOfArgs(t.Args, t.Outs)
}

func (t *Triangular) profile(*Program) backends.StepProfile {
	of := backends.StepProfile{Kernel: true, What: t.String(), Flops: t.Flops()}
	for _, a := range slices.Concat(t.Args, t.Outs) {
		of.Bytes += float64(a.Type.Bytes())
	}
	return of
}

// print prints a step that is a factor or a system.
func (t *Triangular) print(b *lister, _ int, _ Ordinals) {
	fmt.Fprintf(b, "%v %s gives %s works in %s\n", &t.Triangular, list(t.Args), list(t.Outs), listed(t.Work))
}
