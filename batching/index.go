package batching

import (
	"math"
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// wide is a dtype that counts n elements.
func (v *vectorizer) wide(n int) types.DType {
	if !v.open && dims.AtMost(n, math.MaxInt32) {
		return types.I32
	}
	return types.I64
}

// example is the number of each example, times by, as a tensor of the rank that has a dimension
// of 1 along all axes but the first.
func (v *vectorizer) example(d types.DType, rank, by int) *ir.Node {
	shape := slices.Repeat([]int{1}, rank)
	shape[0] = v.size
	return v.op(ir.OpMul, v.iota(d, shape, 0), v.number(d, by))
}

// clamp is the row of so many that Gather takes for an index.
func (v *vectorizer) clamp(index *ir.Node, rows int) *ir.Node {
	return v.node(ir.OpClampIndex, []*ir.Node{index}, []ir.Attr{ir.ClampIndexRows: {Int: int64(rows)}})
}

// indexOperand returns the number of n's operand that has indices which may not exist; -1 if none has.
func indexOperand(n *ir.Node) int {
	k := n.IndexOperand()
	if k < 0 {
		return k
	}
	at := n.In[k]
	for at.Op == ir.OpReshape || at.Op == ir.OpTranspose || at.Op == ir.OpBroadcast || at.Op == ir.OpConvert {
		at = at.In[0]
	}
	if _, in := at.Value.(ir.InRange); in {
		return -1
	}
	return k
}

// hasIndices reports whether g, or a graph that it calls or runs, has indices which must exist.
func hasIndices(g *ir.Graph) bool {
	return slices.ContainsFunc(g.Nodes, func(n *ir.Node) bool {
		if n.Body != nil {
			for _, g := range n.Body.Graphs() {
				if hasIndices(g) {
					return true
				}
			}
		}
		return indexOperand(n) >= 0
	})
}

// maskIndices returns the operands of n with an index that exists in place of those of examples that the mask leaves out, which
// need not exist.
func (v *vectorizer) maskIndices(n *ir.Node, in []Value) []Value {
	k := indexOperand(n)
	if k < 0 {
		return in
	}
	mask, axes, t := v.mask, []int{0}, in[k].Node.Type
	if !in[k].Batched {
		mask, axes = v.any(mask), nil
	}
	exists := v.scalar(t.DType, 0)
	if b, ok := n.Value.(ir.Bounded); ok {
		exists = v.convert(v.number(types.I64, b.Low), t.DType)
	}
	in = slices.Clone(in)
	in[k].Node = v.op(ir.OpWhere, v.broadcast(mask, t.Shape, axes), in[k].Node, v.broadcast(exists, t.Shape, nil))
	return in
}

// any returns whether a bool is true for some example: false without examples.
func (v *vectorizer) any(on *ir.Node) *ir.Node {
	counts := v.convert(on, types.I32)
	most := v.node(ir.OpMax, []*ir.Node{counts}, []ir.Attr{ir.MaxAxes: {Ints: []int{0}}})
	return v.compare("GT", most, v.scalar(types.I32, 0))
}

// batchGather takes rows of each example; its examples are a further axis of the batch.
func batchGather(v *vectorizer, n *ir.Node, in []Value) []Value {
	x, index, axis := in[0], in[1], n.Attrs[ir.GatherAxis].Int
	if !x.Batched && axis == 0 {
		return batched(v.gather(x.Node, index.Node, 0))
	}
	return batched(v.gather(v.all(x), v.all(index), axis+1))
}

// batchScatter combines rows of each example.
func batchScatter(v *vectorizer, n *ir.Node, in []Value) []Value {
	attrs := slices.Clone(n.Attrs)
	attrs[ir.ScatterAxis].Int++
	return batched(v.node(n.Op, []*ir.Node{v.all(in[0]), v.all(in[1]), v.all(in[2])}, attrs))
}

// gather takes rows of x along the axis.
func (v *vectorizer) gather(x, index *ir.Node, axis int64) *ir.Node {
	return v.node(ir.OpGather, []*ir.Node{x, index}, []ir.Attr{ir.GatherAxis: {Int: axis}})
}

// part is a part of the given sizes of x that begins somewhere else in each example.
type part struct {
	v      *vectorizer
	x      types.Type // of one example
	sizes  []int
	starts []Value
	lead   int // the axes from here on are whole
	dtype  types.DType
}

func (v *vectorizer) part(x types.Type, sizes []int, starts []Value) part {
	p := part{v: v, x: x, sizes: sizes, starts: starts, dtype: v.wide(dims.Mul(v.size, x.Elements()))}
	for i := range sizes {
		if sizes[i] != x.Shape[i] {
			p.lead = i + 1
		}
	}
	return p
}

// start is where the part begins along an axis, with 1 as the dimension of all axes of an
// example.
func (p *part) start(axis int) *ir.Node {
	s := p.v.convert(p.v.clamp(p.starts[axis].Node, dims.Add(dims.Sub(p.x.Shape[axis], p.sizes[axis]), 1)), p.dtype)
	if !p.starts[axis].Batched {
		return s
	}
	return p.v.reshape(s, prefixed(p.v.size, slices.Repeat([]int{1}, p.lead)))
}

// along counts along an axis of n elements, with 1 as the dimension of the others.
func (p *part) along(axis, n int) *ir.Node {
	shape := slices.Repeat([]int{1}, p.lead)
	shape[axis] = n
	return p.v.iota(p.dtype, shape, axis)
}

// flat is the row-major place in sizes of an index along each axis, for all examples if x is
// batched.
func (p *part) flat(index []*ir.Node, sizes []int, batched bool) *ir.Node {
	v, stride, at := p.v, 1, (*ir.Node)(nil)
	add := func(x *ir.Node) {
		if at == nil {
			at = x
		} else {
			at = v.op(ir.OpAdd, at, x)
		}
	}
	for i := p.lead - 1; i >= 0; i-- {
		place := index[i]
		if stride != 1 {
			place = v.op(ir.OpMul, place, v.number(p.dtype, stride))
		}
		add(place)
		stride = dims.Mul(stride, sizes[i])
	}
	if batched {
		add(v.example(p.dtype, 1+p.lead, stride))
	}
	return at
}

// table is x of one or all examples as rows of the axes that are whole.
func (p *part) table(x Value, sizes []int) *ir.Node {
	rows := dims.Product(sizes[:p.lead]...)
	if x.Batched {
		rows = dims.Mul(p.v.size, rows)
	}
	return p.v.reshape(x.Node, prefixed(rows, p.x.Shape[p.lead:]))
}

// stretch repeats x, which has one dimension of each example's or none of all, to a shape of all
// examples.
func (v *vectorizer) stretch(x *ir.Node, shape types.Shape) *ir.Node {
	return v.broadcast(x, shape, types.Axes(len(shape))[len(shape)-x.Type.Rank():])
}

func batchDynamicSlice(v *vectorizer, n *ir.Node, in []Value) []Value {
	x, starts := in[0], in[1:]
	sizes := n.Attrs[ir.DynamicSliceSizes].Ints
	if !slices.ContainsFunc(starts, isBatched) {
		operands := append([]*ir.Node{x.Node, v.firstStart(starts)}, nodesOf(starts)...)
		return batched(v.record(n.Op, operands, []ir.Attr{{Ints: v.shape(sizes)}}, nil))
	}
	p := v.part(n.In[0].Type, sizes, starts)
	if p.lead == 0 {
		return []Value{x}
	}
	if n.Type.Elements() == 0 {
		return batched(v.zeros(n.Type))
	}
	index := make([]*ir.Node, p.lead)
	for i := range index {
		index[i] = v.op(ir.OpAdd, p.along(i, sizes[i]), p.start(i))
	}
	at := v.stretch(p.flat(index, n.In[0].Type.Shape, x.Batched), v.shape(sizes[:p.lead]))
	return batched(v.gather(p.table(x, n.In[0].Type.Shape), at, 0))
}

// firstStart is where a part begins along the axis of the examples.
func (v *vectorizer) firstStart(starts []Value) *ir.Node {
	d := types.I32
	if len(starts) > 0 {
		d = starts[0].Node.Type.DType
	}
	return v.scalar(d, 0)
}

// batchDynamicUpdateSlice chooses, where parts begin somewhere else in each example, at every
// place between x and the element of update that belongs there.
func batchDynamicUpdateSlice(v *vectorizer, n *ir.Node, in []Value) []Value {
	x, update, starts := in[0], in[1], in[2:]
	if !slices.ContainsFunc(starts, isBatched) {
		operands := append([]*ir.Node{v.all(x), v.all(update), v.firstStart(starts)}, nodesOf(starts)...)
		return batched(v.record(n.Op, operands, nil, nil))
	}
	shape, sizes := n.Type.Shape, n.In[1].Type.Shape
	p := v.part(n.Type, sizes, starts)
	if p.lead == 0 {
		return []Value{update}
	}
	if n.In[1].Type.Elements() == 0 {
		return []Value{x}
	}
	index := make([]*ir.Node, p.lead)
	var inside *ir.Node
	for i := range index {
		index[i] = v.op(ir.OpSub, p.along(i, shape[i]), p.start(i))
		is := v.op(ir.OpAnd, v.compare("GE", index[i], v.scalar(p.dtype, 0)), v.compare("LT", index[i], v.number(p.dtype, sizes[i])))
		if inside == nil {
			inside = is
		} else {
			inside = v.op(ir.OpAnd, inside, is)
		}
		index[i] = v.op(ir.OpMaximum, v.op(ir.OpMinimum, index[i], v.number(p.dtype, dims.Sub(sizes[i], 1))), v.scalar(p.dtype, 0)) // what is taken elsewhere is not used
	}
	lead := v.shape(shape[:p.lead])
	taken := v.gather(p.table(update, sizes), v.stretch(p.flat(index, sizes, update.Batched), lead), 0)
	all := v.shape(shape)
	mask := v.broadcast(v.stretch(inside, lead), all, types.Axes(len(lead)))
	return batched(v.op(ir.OpWhere, mask, taken, v.all(x)))
}
