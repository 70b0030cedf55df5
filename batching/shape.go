package batching

import (
	"fmt"
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// batchElementwise is the rule of all elementwise ops.
func batchElementwise(v *vectorizer, n *ir.Node, in []Value) []Value {
	nodes := make([]*ir.Node, len(in))
	for i, x := range in {
		nodes[i] = v.all(x)
	}
	return batched(v.record(n.Op, nodes, n.Attrs, nil))
}

// batchSource is the rule of ops without operands, which are copied.
func batchSource(*vectorizer, *ir.Node, []Value) []Value {
	panic("batching: an op without operands has none that is batched")
}

// batchResult is the rule of results, which are taken from their node.
func batchResult(*vectorizer, *ir.Node, []Value) []Value {
	panic("batching: a result has the value that the rule of its node returned")
}

// with is the rule of ops of one operand whose attributes change.
func (v *vectorizer) with(n *ir.Node, in []Value, attrs ...ir.Attr) []Value {
	return v.results(v.record(n.Op, []*ir.Node{in[0].Node}, attrs, nil), true)
}

func batchBarrier(v *vectorizer, n *ir.Node, in []Value) []Value {
	return []Value{{v.copy(n, in), in[0].Batched}} // what it waits for may be batched alone
}

func batchHostCall(_ *vectorizer, n *ir.Node, _ []Value) []Value {
	panic(failure{fmt.Errorf("the host function %s takes one example at a time", n.Attrs[ir.HostCallName].Str)})
}

func batchBroadcast(v *vectorizer, n *ir.Node, in []Value) []Value {
	return v.with(n, in, ir.Attr{Ints: v.shape(n.Type.Shape)}, ir.Attr{Ints: withExamples(n.Attrs[ir.BroadcastAxes].Ints)})
}

func batchReshape(v *vectorizer, n *ir.Node, in []Value) []Value {
	return batched(v.reshape(in[0].Node, v.shape(n.Type.Shape)))
}

func batchTranspose(v *vectorizer, n *ir.Node, in []Value) []Value {
	return v.with(n, in, ir.Attr{Ints: withExamples(n.Attrs[ir.TransposePerm].Ints)})
}

// alongAxes is the rule of ops with a list of axes as their attribute.
func alongAxes(v *vectorizer, n *ir.Node, in []Value) []Value {
	if len(n.Attrs[0].Ints) == 0 {
		return in // over no axis nothing changes
	}
	return v.with(n, in, ir.Attr{Ints: shifted(n.Attrs[0].Ints)})
}

// alongAxis is the rule of ops whose first attribute is an axis.
func alongAxis(v *vectorizer, n *ir.Node, in []Value) []Value {
	attrs := slices.Clone(n.Attrs)
	attrs[0].Int++
	return v.with(n, in, attrs...)
}

var (
	batchReverse = alongAxes
	batchSum     = alongAxes
	batchMax     = alongAxes
	batchMin     = alongAxes
	batchProd    = alongAxes
	batchArgMax  = alongAxis
	batchArgSort = alongAxis
	batchSort    = alongAxis
)

// batchFFT transforms the last axes of all examples.
func batchFFT(v *vectorizer, n *ir.Node, in []Value) []Value { return v.with(n, in, n.Attrs...) }

// batchLinearScan scans all examples at once.
func batchLinearScan(v *vectorizer, n *ir.Node, in []Value) []Value {
	attrs := slices.Clone(n.Attrs)
	attrs[ir.LinearScanAxis].Int++
	return batched(v.record(n.Op, []*ir.Node{v.all(in[0]), v.all(in[1])}, attrs, nil))
}

func batchSlice(v *vectorizer, n *ir.Node, in []Value) []Value {
	return v.with(n, in, ir.Attr{Ints: prefixed(0, n.Attrs[ir.SliceStarts].Ints)}, ir.Attr{Ints: prefixed(v.size, n.Attrs[ir.SliceLimits].Ints)}, ir.Attr{Ints: prefixed(1, n.Attrs[ir.SliceStrides].Ints)})
}

func batchSliceScatter(v *vectorizer, n *ir.Node, in []Value) []Value {
	return batched(v.record(n.Op, []*ir.Node{v.all(in[0]), v.all(in[1])},
		[]ir.Attr{{Ints: prefixed(0, n.Attrs[ir.SliceScatterStarts].Ints)}, {Ints: prefixed(1, n.Attrs[ir.SliceScatterStrides].Ints)}}, nil))
}

// An example's elements are one after the other, and the next example's behind them.
func batchAsStrided(v *vectorizer, n *ir.Node, in []Value) []Value {
	if v.open { // strides are of sizes that are numbers
		return v.loop(n, in)
	}
	strides := prefixed(n.In[0].Type.Elements(), n.Attrs[ir.AsStridedStrides].Ints)
	return v.with(n, in, ir.Attr{Ints: v.shape(n.Type.Shape)}, ir.Attr{Ints: strides}, n.Attrs[ir.AsStridedOffset])
}

func batchAsStridedScatter(v *vectorizer, n *ir.Node, in []Value) []Value {
	if v.open {
		return v.loop(n, in)
	}
	strides := prefixed(n.In[0].Type.Elements(), n.Attrs[ir.AsStridedScatterStrides].Ints)
	return batched(v.record(n.Op, []*ir.Node{v.all(in[0]), v.all(in[1])}, []ir.Attr{{Ints: strides}, n.Attrs[ir.AsStridedScatterOffset]}, nil))
}

func batchConcatenate(v *vectorizer, n *ir.Node, in []Value) []Value {
	nodes := make([]*ir.Node, len(in))
	for i, x := range in {
		nodes[i] = v.all(x)
	}
	return batched(v.record(n.Op, nodes, []ir.Attr{{Int: n.Attrs[ir.ConcatenateAxis].Int + 1}}, nil))
}

func batchPad(v *vectorizer, n *ir.Node, in []Value) []Value {
	attrs := []ir.Attr{{Ints: prefixed(0, n.Attrs[ir.PadLow].Ints)}, {Ints: prefixed(0, n.Attrs[ir.PadHigh].Ints)}, {Ints: prefixed(0, n.Attrs[ir.PadInterior].Ints)}}
	x, value := in[0], in[1]
	if !value.Batched {
		return batched(v.record(n.Op, []*ir.Node{x.Node, value.Node}, attrs, nil))
	}
	// Each example has a value of its own, which stands wherever x does not.
	from := v.broadcast(v.scalar(types.Bool, 1), n.In[0].Type.Shape, nil)
	inside := v.record(n.Op, []*ir.Node{from, v.scalar(types.Bool, 0)}, n.Attrs, nil)
	if !x.Batched {
		attrs = n.Attrs
	}
	padded := Value{v.record(n.Op, []*ir.Node{x.Node, v.scalar(n.Type.DType, 0)}, attrs, nil), x.Batched}
	return batched(v.op(ir.OpWhere, v.all(Value{inside, false}), v.all(padded), v.broadcast(value.Node, v.shape(n.Type.Shape), []int{0})))
}

// batchMatMul makes one product of all examples, where a matrix is the same for all of them: the
// examples are further rows, or further columns. Otherwise there is one product an example.
func batchMatMul(v *vectorizer, n *ir.Node, in []Value) []Value {
	x, y := in[0], in[1]
	one := n.In[1].Type.Rank() == 2 // y is one matrix for the whole batch of x
	switch {
	case x.Batched && one && !y.Batched:
		return batched(v.reshape(v.op(ir.OpMatMul, v.reshape(x.Node, flatten(x.Node.Type.Shape)), y.Node), v.shape(n.Type.Shape)))
	case x.Batched && !one && y.Batched:
		return batched(v.op(ir.OpMatMul, x.Node, y.Node))
	case x.Batched && one:
		flat := v.reshape(x.Node, append([]int{v.size}, flatten(n.In[0].Type.Shape)...))
		return batched(v.reshape(v.op(ir.OpMatMul, flat, y.Node), v.shape(n.Type.Shape)))
	case one: // yᵀxᵀ, whose rows are columns of all examples
		flat := v.reshape(x.Node, flatten(n.In[0].Type.Shape))
		return batched(v.reshape(v.swap(v.op(ir.OpMatMul, v.swap(y.Node), v.swap(flat))), v.shape(n.Type.Shape)))
	}
	at := n.Type.Rank() - 1 // the axis of the result that takes the examples in
	if x.Batched {
		at--
		x.Node = v.fold(x.Node, at, 1)
	} else {
		y.Node = v.fold(y.Node, at, 1)
	}
	return batched(v.unfold(v.op(ir.OpMatMul, x.Node, y.Node), n.Type.Shape, at, 1))
}

// batchCholesky factors the matrices of all examples.
func batchCholesky(v *vectorizer, n *ir.Node, in []Value) []Value { return v.with(n, in, n.Attrs...) }

func batchTriangularSolve(v *vectorizer, n *ir.Node, in []Value) []Value {
	return batched(v.record(n.Op, []*ir.Node{v.all(in[0]), v.all(in[1])}, n.Attrs, nil))
}

// flatten joins all axes but the last.
func flatten(s types.Shape) []int {
	last := len(s) - 1
	return []int{dims.Product(s[:last]...), s[last]}
}

// fold makes the examples of x, along axis 0, part of the given axis of an example's value. Its
// elements are in groups, and each has those of all examples, one after the other.
func (v *vectorizer) fold(x *ir.Node, axis, groups int) *ir.Node {
	shape := slices.Clone(x.Type.Shape[1:])
	if groups > 1 {
		x = v.reshape(x, v.shape(divided(shape, axis, groups)))
		x = v.move(x, 0, axis+1)
	} else {
		x = v.move(x, 0, axis)
	}
	shape[axis] = dims.Mul(shape[axis], v.size)
	return v.reshape(x, shape)
}

// unfold undoes fold: one is the shape of an example's value.
func (v *vectorizer) unfold(x *ir.Node, one types.Shape, axis, groups int) *ir.Node {
	if groups > 1 {
		x = v.reshape(x, slices.Insert(divided(one, axis, groups), axis+1, v.size))
		return v.reshape(v.move(x, axis+1, 0), v.shape(one))
	}
	return v.move(v.reshape(x, slices.Insert(slices.Clone(one), axis, v.size)), axis, 0)
}

// divided is a shape with an axis as groups and the elements of each.
func divided(s types.Shape, axis, groups int) types.Shape {
	s = slices.Insert(slices.Clone(s), axis, groups)
	s[axis+1] = dims.Div(s[axis+1], groups)
	return s
}

// batchCounted refuses examples: each would have a size of its own.
func batchCounted(_ *vectorizer, n *ir.Node, _ []Value) []Value {
	panic(failure{fmt.Errorf("%s of %v cannot be vectorised: its result is a size, and examples have one size; select elements of the batch as a whole", n.Op, n.Loc)})
}
