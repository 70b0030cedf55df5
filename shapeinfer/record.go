package shapeinfer

import (
	"fmt"
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/ops"
	"ltc/ir/types"
)

// Record adds op to b as a user calls it: elementwise operands broadcast,
// axes may be negative, and the abbreviations of [ops.AttrKind] hold. It keeps
// attrs but not the lists in them. An error is an *Error.
func Record(b *ir.Builder, op ir.Op, in []*ir.Node, attrs []ir.Attr, body *ir.Composite) (*ir.Node, error) {
	row := op.Info()
	for i := range attrs {
		normalize(row.Attrs[i].Kind, &attrs[i], in)
	}
	if len(in) > 1 && row.Traits.Has(ops.Elementwise) && !sameShapes(in) {
		return recordBroadcast(b, op, in, attrs)
	}
	return b.Node(op, in, attrs, body)
}

func sameShapes(in []*ir.Node) bool {
	for _, x := range in[1:] {
		if !x.Type.Shape.Equal(in[0].Type.Shape) {
			return false
		}
	}
	return true
}

func recordBroadcast(b *ir.Builder, op ir.Op, in []*ir.Node, attrs []ir.Attr) (*ir.Node, error) {
	row := op.Info()
	if err := checkOperands(row, in); err != nil {
		return nil, err
	}
	shape, ok := in[0].Type.Shape, true
	for _, x := range in[1:] {
		if shape, ok = BroadcastShapes(shape, x.Type.Shape); !ok {
			reason, guard := clash(len(in), func(i int) types.Type { return in[i].Type })
			e := newError(row, in, "shapes", reason)
			e.Broadcast, e.Guard = true, guard
			return nil, e
		}
	}
	wide := make([]*ir.Node, len(in))
	for i, x := range in {
		var err error
		if wide[i], err = Broadcast(b, x, shape); err != nil {
			return nil, err
		}
	}
	return b.Node(op, wide, attrs, nil)
}

// CheckShapes returns the reason if n operands of an elementwise op do not broadcast, and what
// would have to hold of sizes that are open; "" if they do.
func CheckShapes(n int, of func(i int) types.Type) (reason string, guard *dims.Guard) {
	shape, ok := of(0).Shape, true
	for i := 1; i < n; i++ {
		if shape, ok = BroadcastShapes(shape, of(i).Shape); !ok {
			return clash(n, of)
		}
	}
	return "", nil
}

// clash says which dimensions of n operands stand in the way of broadcasting, and what would have to hold
// of those that are open.
func clash(n int, of func(i int) types.Type) (reason string, guard *dims.Guard) {
	const clashes = "shapes do not broadcast: "
	for i := range n {
		for j := i + 1; j < n; j++ {
			a, c := of(i).Shape, of(j).Shape
			if _, ok := BroadcastShapes(a, c); ok {
				continue
			}
			for k := 1; k <= min(len(a), len(c)); k++ {
				if p, q := a[len(a)-k], c[len(c)-k]; p != q && p != 1 && q != 1 && dims.HasExpr(p, q) {
					return clashes + fmt.Sprintf("%v and %v have %s and %s at axis -%d, which may differ", a, c, dims.String(p), dims.String(q), k), guardOf(dims.Equal, p, q)
				} else if p != q && p != 1 && q != 1 {
					return clashes + fmt.Sprintf("%v and %v have %s and %s at axis -%d; reshape one, or give it a dimension of 1 there", a, c, dims.String(p), dims.String(q), k), nil
				}
			}
		}
	}
	return clashes + "the operands' dimensions differ", nil
}

// Broadcast returns x broadcast to shape, which must be one to which its own
// broadcasts: x itself when it has it already.
func Broadcast(b *ir.Builder, x *ir.Node, shape types.Shape) (*ir.Node, error) {
	if x.Type.Shape.Equal(shape) {
		return x, nil
	}
	axes := make([]int, x.Type.Rank())
	for i := range axes {
		axes[i] = len(shape) - len(axes) + i
	}
	attrs := b.Attrs([]ir.Attr{ir.BroadcastShape: {Ints: shape}, ir.BroadcastAxes: {Ints: axes}}...)
	return b.Node(ir.OpBroadcast, b.Operands(x), attrs, nil)
}

// normalize brings an attribute as the user gave it into the form that nodes
// hold. What cannot be one is left for the type rule to refuse.
func normalize(k ops.AttrKind, a *ir.Attr, in []*ir.Node) {
	a.Ints = slices.Clone(a.Ints)
	if len(in) == 0 {
		return
	}
	rank := in[0].Type.Rank()
	switch k {
	case ops.Axis:
		a.Int = int64(fromFront(int(a.Int), rank))
	case ops.Axes, ops.Perm:
		if len(a.Ints) == 0 {
			for i := range rank {
				a.Ints = append(a.Ints, i)
			}
			if k == ops.Perm {
				slices.Reverse(a.Ints)
			}
			return
		}
		if k == ops.Axes && axisOfScalar(rank, a.Ints) {
			a.Ints = nil
			return
		}
		for i, axis := range a.Ints {
			a.Ints[i] = fromFront(axis, rank)
		}
		if k == ops.Axes {
			slices.Sort(a.Ints)
		}
	case ops.Dims:
		fillDim(a.Ints, in[0].Type.Elements())
	}
}

// fromFront counts an axis from the front. What is no axis stays as it was given, for the
// error that names it.
func fromFront(axis, rank int) int {
	if axis < 0 && axis >= -rank {
		return axis + rank
	}
	return axis
}

// fillDim replaces a single -1 by what is left of the elements.
func fillDim(shape []int, elements int) {
	i := slices.Index(shape, -1)
	if i < 0 || slices.Contains(shape[i+1:], -1) {
		return
	}
	rest := known(shape)
	if !dims.AtMost(rest, 0) && dims.Divides(elements, rest) {
		shape[i] = dims.Div(elements, rest)
	}
}

// known returns the product of dimensions that are not -1.
func known(shape []int) int {
	n := 1
	for _, d := range shape {
		if d != -1 {
			n = dims.Mul(n, d)
		}
	}
	return n
}
