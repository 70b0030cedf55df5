package autodiff

import (
	"math"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// gather takes rows of x along the axis.
func (e emitter) gather(x, indices *ir.Node, axis int) *ir.Node {
	return e.node(ir.OpGather, []*ir.Node{x, indices}, []ir.Attr{ir.GatherAxis: {Int: int64(axis)}})
}

// scatter combines rows of x along the axis with updates.
func (e emitter) scatter(x, indices, updates *ir.Node, axis int, combine string) *ir.Node {
	return e.node(ir.OpScatter, []*ir.Node{x, indices, updates}, []ir.Attr{ir.ScatterAxis: {Int: int64(axis)}, ir.ScatterCombine: {Str: combine}})
}

// The rows' gradients are added where the rows came from; clamped indices came
// from the first and last row.
func gradGather(t *tape, n, ct *ir.Node) {
	x, i, axis := n.In[0], n.In[1], int(n.Attrs[ir.GatherAxis].Int)
	if x.Type.Shape[axis] == 0 {
		t.add(0, t.zeros(x))
		return
	}
	i = t.node(ir.OpClampIndex, []*ir.Node{i}, []ir.Attr{ir.ClampIndexRows: {Int: int64(x.Type.Shape[axis])}})
	t.add(0, t.scatter(t.zeros(x), i, ct, axis, ir.CombineAdd))
}

// lastRow is the index of the last of so many rows, or the largest index that i's dtype
// has.
func (t *tape) lastRow(i *ir.Node, rows int) *ir.Node {
	bits := 8 * i.Type.DType.Size()
	if i.Type.DType.IsSigned() {
		bits--
	}
	last := dims.Sub(rows, 1)
	if most := int(min(math.Ldexp(1, bits)-1, dims.Largest)); !dims.AtMost(last, most) {
		last = dims.Min(last, most)
	}
	return t.size(i, last)
}

// scatterGradient is a Scatter whose gradients are wanted, and the gradient ct of its result.
type scatterGradient struct {
	*tape
	n, x, indices, updates, ct *ir.Node
	axis                       int
}

// gradScatter: an update whose index is out of range has the gradient 0.
func gradScatter(t *tape, n, ct *ir.Node) {
	s := scatterGradient{t, n, n.In[0], n.In[1], n.In[2], ct, int(n.Attrs[ir.ScatterAxis].Int)}
	combine := n.Attrs[ir.ScatterCombine].Str
	if n.Type.Shape[s.axis] == 0 || s.updates.Type.Elements() == 0 {
		t.add(0, ct)
		if t.wants(2) {
			t.add(2, t.zeros(s.updates))
		}
		return
	}
	switch combine {
	case ir.CombineAdd: // x passes through, and an update's gradient is that of its row
		t.add(0, ct)
		if t.wants(2) {
			t.add(2, t.where(s.each(s.inside()), s.taken(ct)))
		}
	case ir.CombineSet:
		s.set()
	case ir.CombineMul:
		s.multiply()
	default:
		s.extreme()
	}
}

// taken are the rows of x that the updates go to.
func (s *scatterGradient) taken(x *ir.Node) *ir.Node { return s.gather(x, s.indices, s.axis) }

// combined is x combined with updates at the places of the scatter.
func (s *scatterGradient) combined(x, updates *ir.Node, combine string) *ir.Node {
	return s.scatter(x, s.indices, updates, s.axis, combine)
}

// inside is true for indices of rows that exist.
func (s *scatterGradient) inside() *ir.Node {
	i := s.indices
	return s.op(ir.OpAnd, s.compare("GE", i, s.scalar(i, 0)), s.compare("LE", i, s.lastRow(i, s.n.Type.Shape[s.axis])))
}

// each repeats the value of each index for all elements of its update.
func (s *scatterGradient) each(x *ir.Node) *ir.Node {
	return s.node(ir.OpBroadcast, []*ir.Node{x}, []ir.Attr{ir.BroadcastShape: {Ints: s.updates.Type.Shape}, ir.BroadcastAxes: {Ints: types.Axes(x.Type.Rank())}})
}

// number is 1 where x is true, in the dtype of the result.
func (s *scatterGradient) number(x *ir.Node) *ir.Node {
	return s.node(ir.OpConvert, []*ir.Node{x}, []ir.Attr{ir.ConvertDType: {Int: int64(s.n.Type.DType)}})
}

// set: of the updates of one row the last has the gradient, and what it has replaced has none.
// Which is the last follows from a scatter of the updates' numbers.
func (s *scatterGradient) set() {
	if s.wants(0) {
		s.add(0, s.combined(s.ct, s.zeros(s.updates), ir.CombineSet))
	}
	if !s.wants(2) {
		return
	}
	shape := s.indices.Type.Shape
	own := shape[s.axis:]
	counted := s.node(ir.OpIota, nil, []ir.Attr{ir.IotaDType: {Int: int64(types.I64)}, ir.IotaShape: {Ints: []int{dims.Product(own...)}}, ir.IotaAxis: {Int: 0}})
	number := s.broadcast(s.reshape(counted, own), shape)
	none := s.broadcast(s.scalar(number, -1), s.x.Type.Shape[:s.axis+1])
	last := s.compare("EQ", s.taken(s.combined(none, number, ir.CombineSet)), number)
	s.add(2, s.where(s.each(s.op(ir.OpAnd, last, s.inside())), s.taken(s.ct)))
}

// extreme shares the gradient of an element equally among x and the updates that are equal to it.
func (s *scatterGradient) extreme() {
	inside := s.each(s.inside())
	ofX := s.compare("EQ", s.x, s.n)
	ofUpdate := s.op(ir.OpAnd, inside, s.compare("EQ", s.updates, s.taken(s.n)))
	share := s.op(ir.OpDiv, s.ct, s.combined(s.number(ofX), s.number(ofUpdate), ir.CombineAdd))
	s.add(0, s.where(ofX, share))
	if s.wants(2) {
		s.add(2, s.where(ofUpdate, s.taken(share)))
	}
}

// multiply: a factor's gradient is that of the product times the other factors. These are the
// product divided by the factor; with 1 in its place, if it alone is 0.
func (s *scatterGradient) multiply() {
	orOne := func(is, x *ir.Node) *ir.Node { return s.op(ir.OpWhere, is, s.scalar(x, 1), x) }
	if s.wants(0) {
		x := orOne(s.compare("EQ", s.x, s.scalar(s.x, 0)), s.x)
		s.add(0, s.op(ir.OpDiv, s.mul(s.ct, s.combined(x, s.updates, ir.CombineMul)), x))
	}
	if !s.wants(2) {
		return
	}
	zero := s.compare("EQ", s.updates, s.scalar(s.updates, 0))
	zeros := s.taken(s.combined(s.zeros(s.x), s.number(zero), ir.CombineAdd))
	alone := s.op(ir.OpAnd, zero, s.compare("EQ", zeros, s.scalar(zeros, 1)))
	others := s.combined(s.x, orOne(alone, s.updates), ir.CombineMul)
	divided := s.op(ir.OpDiv, s.taken(s.mul(s.ct, s.n)), orOne(zero, s.updates))
	s.add(2, s.where(s.each(s.inside()), s.op(ir.OpWhere, alone, s.taken(s.mul(s.ct, others)), divided)))
}
