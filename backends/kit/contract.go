package kit

import (
	"fmt"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// reductions are the bodies of one op that a kernel can reduce with.
var reductions = map[mlir.Code]kernel.Op{
	stablehlo.Add: kernel.Add, stablehlo.Multiply: kernel.Multiply,
	stablehlo.Maximum: kernel.Maximum, stablehlo.Minimum: kernel.Minimum,
	stablehlo.And: kernel.And, stablehlo.Or: kernel.Or, stablehlo.Xor: kernel.Xor,
}

// combiner returns the op that a region of two scalars applies to them;
// Invalid if it is another computation.
func combiner(r *mlir.Region) kernel.Op {
	body := r.Blocks[0]
	if len(body.Args) != 2 || len(body.Ops) != 2 {
		return kernel.Invalid
	}
	op, end := body.Ops[0], body.Ops[1]
	if len(op.Operands) != 2 || len(op.Results) != 1 || len(end.Operands) != 1 || end.Operands[0] != op.Results[0] {
		return kernel.Invalid
	}
	a, b := op.Operands[0], op.Operands[1]
	if a != body.Args[0] || b != body.Args[1] {
		if a != body.Args[1] || b != body.Args[0] { // all of them commute
			return kernel.Invalid
		}
	}
	return reductions[op.Code]
}

// wide is the type that sums and products of many elements are kept in.
func wide(t types.DType) types.DType {
	if t == types.F16 || t == types.BF16 {
		return types.F32
	}
	return t
}

// reduce has the dimensions that stay as parallel axes, and a stage over the
// others.
func reduce(b *nodeBuilder) error {
	switch len(b.out) {
	case 1:
	case 2:
		return reduceArgExtreme(b)
	default:
		return leave("it reduces several values at once")
	}
	with := combiner(b.op.Regions[0])
	if with == kernel.Invalid {
		return leave("its body is not one op that kernels reduce with")
	}
	t := b.out[0].DType
	if !with.Takes(t) {
		return leave("elements of type %v", t)
	}
	outer, index, axes := b.reduced()
	b.Stage(axes...)
	v := b.As(wide(t), b.load(0, index...))
	if len(axes) > 0 {
		v = b.Reduce(with, v)
	}
	b.Stage()
	b.store(0, b.finish(with, v, t, b.initial(with)), outer...)
	return nil
}

// reduced adds the dimensions that a reduction keeps as parallel axes. It
// returns where results are, where operands are, and the axes of a stage over
// the other dimensions.
func (b *nodeBuilder) reduced() (outer, index []kernel.Index, axes []kernel.Axis) {
	outer = b.Axes(b.out[0].Shape)
	dims := stablehlo.AsReduce(b.op).Dimensions()
	index = make([]kernel.Index, len(b.in[0].Shape))
	kept := 0
	for d, n := range b.in[0].Shape {
		if !slices.Contains(dims, int64(d)) {
			index[d] = outer[kept]
			kept++
			continue
		}
		index[d] = kernel.Along(len(outer) + len(axes))
		axes = append(axes, kernel.Axis{Name: fmt.Sprintf("j%d", d), Size: kernel.Size(n)})
	}
	return outer, index, axes
}

// initial loads a reduction's initial value, unless it changes nothing.
func (b *nodeBuilder) initial(with kernel.Op) kernel.ID {
	if b.beginsNeutral(with) {
		return kernel.None
	}
	return b.load(1)
}

// beginsNeutral reports whether a reduction's initial value changes nothing.
func (b *nodeBuilder) beginsNeutral(with kernel.Op) bool {
	s := b.splat(1)
	return s != nil && b.in[1].DType == b.out[0].DType && *s == kernel.Neutral(with, b.in[1].DType)
}

// finish combines a reduced value with the initial one and rounds it to t.
func (b *nodeBuilder) finish(with kernel.Op, v kernel.ID, t types.DType, initial kernel.ID) kernel.ID {
	if initial != kernel.None {
		v = b.Op(with, b.Type(v), b.As(b.Type(v), initial), v)
	}
	return b.As(t, v)
}

// dotGeneral has batch dimensions, then the left's and the right's own as
// parallel axes, and a stage over what is contracted.
func dotGeneral(b *nodeBuilder) error {
	d := stablehlo.AsDotGeneral(b.op).DotDimensionNumbers()
	t := b.out[0].DType
	if !kernel.Multiply.Takes(t) || t == types.Bool {
		return leave("elements of type %v", t)
	}
	acc := wide(t)
	outer := b.Axes(b.out[0].Shape)
	left, right := make([]kernel.Index, len(b.in[0].Shape)), make([]kernel.Index, len(b.in[1].Shape))
	var axes []kernel.Axis
	for i, l := range d.LHSContract {
		at := kernel.Along(len(outer) + i)
		axes = append(axes, kernel.Axis{Name: fmt.Sprintf("k%d", i), Size: kernel.Size(b.in[0].Shape[l])})
		left[l], right[d.RHSContract[i]] = at, at
	}
	next := len(d.LHSBatch)
	for i, l := range d.LHSBatch {
		left[l], right[d.RHSBatch[i]] = outer[i], outer[i]
	}
	for _, side := range []struct {
		index []kernel.Index
		taken []int64
	}{{left, slices.Concat(d.LHSBatch, d.LHSContract)}, {right, slices.Concat(d.RHSBatch, d.RHSContract)}} {
		for l := range side.index {
			if !slices.Contains(side.taken, int64(l)) {
				side.index[l] = outer[next]
				next++
			}
		}
	}
	b.product(acc, left, right, axes, outer)
	return nil
}

// product adds a stage that sums products of both operands' elements, in elements of
// type acc, over axes of its own, and one that stores the sums.
func (b *nodeBuilder) product(acc types.DType, left, right []kernel.Index, axes []kernel.Axis, outer []kernel.Index) {
	b.Stage(axes...)
	x, y := b.load(0, left...), b.load(1, right...)
	v := b.Op(kernel.Multiply, acc, b.As(acc, x), b.As(acc, y))
	switch {
	case len(axes) > 0:
		v = b.Reduce(kernel.Add, v)
	case acc.IsFloat():
		v = b.Op(kernel.Add, acc, v, b.Bits(acc, 0)) // sums start from 0, that of one product, too
	}
	b.Stage()
	b.store(0, b.finish(kernel.Add, v, b.out[0].DType, kernel.None), outer...)
}
