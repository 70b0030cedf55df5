package autodiff

import (
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// The elements replaced have no part in the result; those of update do.
func gradSliceScatter(t *tape, n, ct *ir.Node) {
	starts, strides := n.Attrs[ir.SliceScatterStarts].Ints, n.Attrs[ir.SliceScatterStrides].Ints
	update := n.In[1]
	if t.wants(0) {
		t.add(0, t.node(ir.OpSliceScatter, []*ir.Node{ct, t.zeros(update)}, slices.Clone(n.Attrs)))
	}
	if t.wants(1) {
		limits := make([]int, len(starts))
		for i, d := range update.Type.Shape {
			limits[i] = dims.Add(starts[i], ir.Spread(d, strides[i]))
		}
		t.add(1, t.node(ir.OpSlice, []*ir.Node{ct}, []ir.Attr{ir.SliceStarts: {Ints: starts}, ir.SliceLimits: {Ints: limits}, ir.SliceStrides: {Ints: strides}}))
	}
}

// The elements go back to their places; to some perhaps more than one.
func gradAsStrided(t *tape, n, ct *ir.Node) {
	t.add(0, t.unstride(ct, n.In[0], n.Attrs[ir.AsStridedStrides].Ints, n.Attrs[ir.AsStridedOffset].Int))
}

// unstride adds the elements of a strided window of x up at the places that
// they were taken from.
func (t *tape) unstride(ct, x *ir.Node, strides []int, offset int64) *ir.Node {
	sizes := ct.Type.Shape
	if !types.Overlaps(sizes, strides, -1) {
		return t.node(ir.OpAsStridedScatter, []*ir.Node{t.zeros(x), ct}, []ir.Attr{ir.AsStridedScatterStrides: {Ints: strides}, ir.AsStridedScatterOffset: {Int: offset}})
	}
	place := func(v int64) *ir.Node {
		c := t.node(ir.OpConstant, nil, []ir.Attr{ir.ConstantDType: {Int: int64(types.I64)}, ir.ConstantValue: {Int: int64(ir.IntLiteralBits(types.I64, v))}})
		return t.broadcast(c, sizes)
	}
	places := place(offset)
	for axis, s := range strides {
		i := t.node(ir.OpIota, nil, []ir.Attr{ir.IotaDType: {Int: int64(types.I64)}, ir.IotaShape: {Ints: sizes}, ir.IotaAxis: {Int: int64(axis)}})
		places = t.op(ir.OpAdd, places, t.mul(i, place(int64(s))))
	}
	zero := t.broadcast(t.scalar(x, 0), types.Shape{x.Type.Elements()})
	return t.reshape(t.scatter(zero, places, ct, 0, ir.CombineAdd), x.Type.Shape)
}

func gradAsStridedScatter(t *tape, n, ct *ir.Node) {
	update := n.In[1]
	if t.wants(0) {
		t.add(0, t.node(ir.OpAsStridedScatter, []*ir.Node{ct, t.zeros(update)}, slices.Clone(n.Attrs)))
	}
	if t.wants(1) {
		t.add(1, t.node(ir.OpAsStrided, []*ir.Node{ct}, []ir.Attr{ir.AsStridedSizes: {Ints: update.Type.Shape}, ir.AsStridedStrides: n.Attrs[ir.AsStridedScatterStrides], ir.AsStridedOffset: n.Attrs[ir.AsStridedScatterOffset]}))
	}
}
