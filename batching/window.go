package batching

import (
	"slices"

	"ltc/ir"
)

// batchConv makes the examples part of an axis that a convolution has. That is the batch where they
// share the kernel, and the output features where they share x. Where they share nothing, they are
// groups of features.
func batchConv(v *vectorizer, n *ir.Node, in []Value) []Value {
	x, kernel := in[0], in[1]
	axes, attrs := ir.ConvDimsOf(n.Attrs), slices.Clone(n.Attrs)
	groups, batches := int(attrs[ir.ConvGroups].Int), int(attrs[ir.ConvBatches].Int)
	xs, kernels, at, parts := x.Node, kernel.Node, axes.Output[1], 1
	switch {
	case !kernel.Batched:
		xs, at = v.fold(xs, axes.Input[0], batches), axes.Output[0]
	case !x.Batched:
		parts = max(groups, batches)
		kernels = v.fold(kernels, axes.Kernel[0], parts)
	case v.open || v.size == 0: // no number of groups
		return v.loop(n, in)
	case batches > 1:
		xs, kernels = v.fold(xs, axes.Input[0], 1), v.fold(kernels, axes.Kernel[0], 1)
		attrs[ir.ConvBatches].Int *= int64(v.size)
	default:
		xs, kernels = v.fold(xs, axes.Input[1], 1), v.fold(kernels, axes.Kernel[0], 1)
		attrs[ir.ConvGroups].Int *= int64(v.size)
	}
	return batched(v.unfold(v.record(n.Op, []*ir.Node{xs, kernels}, attrs, nil), n.Type.Shape, at, parts))
}

// windowed is the rule of ops with a window over all axes, whose rows have their attributes in
// one order: the window is of one example.
func windowed(v *vectorizer, n *ir.Node, in []Value) []Value {
	attrs := make([]ir.Attr, len(n.Attrs))
	for i, a := range n.Attrs {
		first := 1
		if i == ir.MaxPoolLow || i == ir.MaxPoolHigh {
			first = 0
		}
		attrs[i] = ir.Attr{Ints: prefixed(first, a.Ints)}
	}
	nodes := make([]*ir.Node, len(in))
	for i, x := range in {
		nodes[i] = v.all(x)
	}
	return batched(v.record(n.Op, nodes, attrs, nil))
}

var (
	batchMaxPool     = windowed
	batchMaxPoolGrad = windowed
	batchSumPool     = windowed
)
