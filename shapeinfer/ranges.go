package shapeinfer

import (
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
)

// Ranges returns what the rule of a node needs of the range of sizes that are open, unless the bounds of
// symbols tell that it holds. A slice is to be within its operand, and a window has a place. A maximum has an
// element, and no size of a result is negative. [Infer] accepts the node, as the rule may hold.
func Ranges(n *ir.Node) (all []dims.Guard) {
	atMost := func(a, b int) { all = append(all, dims.Guard{Rule: dims.NotMore, A: int64(a), B: int64(b)}) }
	switch n.Op {
	case ir.OpSlice:
		for i, limit := range n.Attrs[ir.SliceLimits].Ints {
			atMost(limit, n.In[0].Type.Shape[i])
			atMost(n.Attrs[ir.SliceStarts].Ints[i], limit)
		}
	case ir.OpMaxPool, ir.OpSumPool:
		var w windows
		w.pool(n.Attrs, n.Type.Rank())
		for i, size := range n.Attrs[ir.MaxPoolWindow].Ints {
			all = append(all, w.room(i, n.In[0].Type.Shape[i], size))
		}
	case ir.OpConv:
		var w windows
		w.conv(n.Attrs)
		d := ir.ConvDimsOf(n.Attrs)
		for i := range w.strides {
			all = append(all, w.room(i, n.In[0].Type.Shape[d.Input[2+i]], n.In[1].Type.Shape[d.Kernel[2+i]]))
		}
	case ir.OpArgMax:
		atMost(1, n.In[0].Type.Shape[n.Attrs[ir.ArgMaxAxis].Int])
	}
	for _, d := range n.Type.Shape {
		atMost(0, d)
	}
	return slices.DeleteFunc(all, func(g dims.Guard) bool {
		holds, _ := g.Prove()
		return holds
	})
}
