package autodiff

import (
	"fmt"
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

var (
	gradParameter = notDifferentiable
	gradConstant  = notDifferentiable
	gradIota      = notDifferentiable
	gradSizeOf    = notDifferentiable
	gradCounted   = notDifferentiable
	gradArgMax    = notDifferentiable
	gradArgSort   = notDifferentiable

	gradClampIndex = notDifferentiable
)

// Every element is repeated: sum over the copies.
func gradBroadcast(t *tape, n, ct *ir.Node) {
	x, axes := n.In[0].Type.Shape, n.Attrs[ir.BroadcastAxes].Ints
	var copied []int
	for a, d := range n.Type.Shape {
		i := slices.Index(axes, a)
		if i < 0 || x[i] == 1 && d != 1 {
			copied = append(copied, a)
		}
	}
	t.add(0, t.reshape(t.sum(ct, copied), x))
}

func gradReshape(t *tape, n, ct *ir.Node) { t.add(0, t.reshape(ct, n.In[0].Type.Shape)) }

func gradTranspose(t *tape, n, ct *ir.Node) {
	perm := n.Attrs[ir.TransposePerm].Ints
	inverse := make([]int, len(perm))
	for i, p := range perm {
		inverse[p] = i
	}
	if len(perm) > 0 {
		ct = t.node(ir.OpTranspose, []*ir.Node{ct}, []ir.Attr{ir.TransposePerm: {Ints: inverse}})
	}
	t.add(0, ct)
}

// The elements go back to their places among zeros.
func gradSlice(t *tape, n, ct *ir.Node) {
	x := n.In[0].Type.Shape
	starts, strides := n.Attrs[ir.SliceStarts].Ints, n.Attrs[ir.SliceStrides].Ints
	if n.Type.Elements() == 0 {
		t.add(0, t.zeros(n.In[0]))
		return
	}
	high, interior := make([]int, len(x)), make([]int, len(x))
	for i, d := range x {
		interior[i] = strides[i] - 1
		high[i] = dims.Sub(dims.Sub(d, starts[i]), dims.Add(dims.Mul(dims.Sub(n.Type.Shape[i], 1), strides[i]), 1))
	}
	t.add(0, t.pad(ct, starts, high, interior))
}

func (t *tape) pad(x *ir.Node, low, high, interior []int) *ir.Node {
	return t.node(ir.OpPad, []*ir.Node{x, t.scalar(x, 0)}, []ir.Attr{ir.PadLow: {Ints: low}, ir.PadHigh: {Ints: high}, ir.PadInterior: {Ints: interior}})
}

func gradConcatenate(t *tape, n, ct *ir.Node) {
	axis, start := n.Attrs[ir.ConcatenateAxis].Int, 0
	for i, x := range n.In {
		d := x.Type.Shape[axis]
		if t.wants(i) {
			t.add(i, t.rows(ct, int(axis), start, dims.Add(start, d)))
		}
		start = dims.Add(start, d)
	}
}

// rows slices one axis.
func (t *tape) rows(x *ir.Node, axis, start, limit int) *ir.Node {
	starts, limits, strides := make([]int, x.Type.Rank()), slices.Clone(x.Type.Shape), ones(x.Type.Rank())
	starts[axis], limits[axis] = start, limit
	return t.node(ir.OpSlice, []*ir.Node{x}, []ir.Attr{ir.SliceStarts: {Ints: starts}, ir.SliceLimits: {Ints: limits}, ir.SliceStrides: {Ints: strides}})
}

func ones(n int) []int { return slices.Repeat([]int{1}, n) }

// The operand's elements are taken out again; all others are the value's. A
// negative low or high took elements away, whose gradient is 0.
func gradPad(t *tape, n, ct *ir.Node) {
	low, high, interior := n.Attrs[ir.PadLow].Ints, n.Attrs[ir.PadHigh].Ints, n.Attrs[ir.PadInterior].Ints
	rank := len(low)
	x := n.In[0].Type.Shape
	var g *ir.Node
	if n.In[0].Type.Elements() == 0 {
		g = t.zeros(n.In[0])
	} else {
		strides := make([]int, rank)
		for i := range strides {
			strides[i] = interior[i] + 1
		}
		spread := t.pad(ct, negated(low), negated(high), make([]int, rank))
		g = t.node(ir.OpSlice, []*ir.Node{spread}, []ir.Attr{ir.SliceStarts: {Ints: make([]int, rank)}, ir.SliceLimits: {Ints: spread.Type.Shape}, ir.SliceStrides: {Ints: strides}})
	}
	if !g.Type.Shape.Equal(x) {
		panic(failure{fmt.Errorf("gradient: pad: %v taken out of %v is not %v", g.Type, ct.Type, x)})
	}
	t.add(0, g)
	if t.wants(1) {
		axes := types.Axes(rank)
		t.add(1, t.op(ir.OpSub, t.sum(ct, axes), t.sum(g, axes)))
	}
}

// unreduce brings a reduction's value back to the operand's shape.
func (t *tape) unreduce(y *ir.Node, shape types.Shape, reduced []int) *ir.Node {
	var kept []int
	for a := range shape {
		if !slices.Contains(reduced, a) {
			kept = append(kept, a)
		}
	}
	return t.node(ir.OpBroadcast, []*ir.Node{y}, []ir.Attr{ir.BroadcastShape: {Ints: shape}, ir.BroadcastAxes: {Ints: kept}})
}

func gradSum(t *tape, n, ct *ir.Node) {
	t.add(0, t.unreduce(ct, n.In[0].Type.Shape, n.Attrs[ir.SumAxes].Ints))
}

func gradMax(t *tape, n, ct *ir.Node) { t.addExtreme(n, n.Attrs[ir.MaxAxes].Ints, ct) }

func gradMin(t *tape, n, ct *ir.Node) { t.addExtreme(n, n.Attrs[ir.MinAxes].Ints, ct) }

// gradProd gives each element the product of all others: of those before it and those
// behind it, so that it is exact where elements are 0.
func gradProd(t *tape, n, ct *ir.Node) {
	x, axes := n.In[0], n.Attrs[ir.ProdAxes].Ints
	if len(axes) == 0 || x.Type.Elements() == 0 {
		t.add(0, t.unreduce(ct, x.Type.Shape, axes))
		return
	}
	kept, shape := []int{}, []int{}
	for a, d := range x.Type.Shape {
		if !slices.Contains(axes, a) {
			kept, shape = append(kept, a), append(shape, d)
		}
	}
	perm, count := append(kept, axes...), 1
	moved := t.node(ir.OpTranspose, []*ir.Node{x}, []ir.Attr{ir.TransposePerm: {Ints: perm}})
	for _, a := range axes {
		count = dims.Mul(count, x.Type.Shape[a])
	}
	last := len(shape)
	flat := t.reshape(moved, append(shape, count))
	others := t.mul(t.products(flat, last, false), t.products(flat, last, true))
	others = t.reshape(others, moved.Type.Shape)
	back := make([]int, len(perm))
	for i, p := range perm {
		back[p] = i
	}
	others = t.node(ir.OpTranspose, []*ir.Node{others}, []ir.Attr{ir.TransposePerm: {Ints: back}})
	t.add(0, t.mul(others, t.unreduce(ct, x.Type.Shape, axes)))
}

// products returns the products of all elements before each along the axis, in reverse of
// all behind it.
func (t *tape) products(x *ir.Node, axis int, reverse bool) *ir.Node {
	size, one := x.Type.Shape[axis], t.scalar(x, 1)
	if size == 1 {
		return t.node(ir.OpBroadcast, []*ir.Node{one}, []ir.Attr{ir.BroadcastShape: {Ints: x.Type.Shape}, ir.BroadcastAxes: {Ints: []int{}}})
	}
	// The recurrence multiplies by what comes one place before, and begins with 1.
	by := t.shift(x, axis, reverse)
	shape := slices.Clone(x.Type.Shape)
	shape[axis] = 1
	first := t.node(ir.OpBroadcast, []*ir.Node{one}, []ir.Attr{ir.BroadcastShape: {Ints: shape}, ir.BroadcastAxes: {Ints: []int{}}})
	before, behind := make([]int, len(shape)), make([]int, len(shape))
	if behind[axis] = size - 1; reverse {
		before, behind = behind, before
	}
	return t.linearScan(t.pad(first, before, behind, make([]int, len(shape))), by, axis, reverse)
}

// shift moves elements to the next place along the axis, in reverse to the one before; 0
// takes the place that is left.
func (t *tape) shift(x *ir.Node, axis int, reverse bool) *ir.Node {
	low, high := make([]int, x.Type.Rank()), make([]int, x.Type.Rank())
	if low[axis], high[axis] = 1, -1; reverse {
		low, high = high, low
	}
	return t.pad(x, low, high, make([]int, x.Type.Rank()))
}

func (t *tape) linearScan(x, by *ir.Node, axis int, reverse bool) *ir.Node {
	attrs := make([]ir.Attr, 2)
	if attrs[ir.LinearScanAxis].Int = int64(axis); reverse {
		attrs[ir.LinearScanReverse].Int = 1
	}
	return t.node(ir.OpLinearScan, []*ir.Node{x, by}, attrs)
}

// gradLinearScan is the recurrence the other way round: what y[i] is worth, ct[i] and what
// it adds to those that follow. That is the gradient of x, and multiplied by the y before
// it that of by.
func gradLinearScan(t *tape, n, ct *ir.Node) {
	axis, reverse := int(n.Attrs[ir.LinearScanAxis].Int), n.Attrs[ir.LinearScanReverse].Int != 0
	worth := t.linearScan(ct, t.shift(n.In[1], axis, !reverse), axis, !reverse)
	t.add(0, worth)
	if t.wants(1) {
		t.add(1, t.mul(worth, t.shift(n, axis, reverse)))
	}
}

// addExtreme shares the gradient equally among the elements that are extreme.
func (t *tape) addExtreme(n *ir.Node, axes []int, ct *ir.Node) {
	x := n.In[0]
	is := t.compare("EQ", x, t.unreduce(n, x.Type.Shape, axes))
	count := t.sum(t.node(ir.OpConvert, []*ir.Node{is}, []ir.Attr{ir.ConvertDType: {Int: int64(x.Type.DType)}}), axes)
	share := t.op(ir.OpDiv, ct, count)
	t.add(0, t.where(is, t.unreduce(share, x.Type.Shape, axes)))
}

// dX = dZ Yᵀ and dY = Xᵀ dZ; a matrix Y that all batches share sums over them.
func gradMatMul(t *tape, n, ct *ir.Node) {
	x, y := n.In[0], n.In[1]
	if t.wants(0) {
		t.add(0, t.op(ir.OpMatMul, ct, t.swap(y)))
	}
	if !t.wants(1) {
		return
	}
	if y.Type.Rank() == 2 && x.Type.Rank() > 2 {
		x, ct = t.flatten(x), t.flatten(ct)
	}
	t.add(1, t.op(ir.OpMatMul, t.swap(x), ct))
}

// flatten joins all axes but the last.
func (t *tape) flatten(x *ir.Node) *ir.Node {
	last := x.Type.Shape[x.Type.Rank()-1]
	rows := 1
	for _, d := range x.Type.Shape[:x.Type.Rank()-1] {
		rows = dims.Mul(rows, d)
	}
	return t.reshape(x, []int{rows, last})
}

// Each element's gradient goes back to where the element was.
func gradSort(t *tape, n, _ *ir.Node) {
	x, ct := n.In[0].Type, t.outputs()[0].adjoint
	if ct == nil {
		return
	}
	if x.Elements() == 0 {
		t.add(0, t.zeros(n.In[0]))
		return
	}
	places := t.result(n, 1)
	stride, flat := 1, (*ir.Node)(nil)
	for axis := x.Rank() - 1; axis >= 0; axis-- {
		along := places
		if axis != int(n.Attrs[ir.SortAxis].Int) {
			along = t.node(ir.OpIota, nil, []ir.Attr{ir.IotaDType: {Int: int64(types.I64)}, ir.IotaShape: {Ints: x.Shape}, ir.IotaAxis: {Int: int64(axis)}})
		}
		if stride != 1 {
			along = t.mul(along, t.size(along, stride))
		}
		if flat == nil {
			flat = along
		} else {
			flat = t.op(ir.OpAdd, flat, along)
		}
		stride = dims.Mul(stride, x.Shape[axis])
	}
	zeros := t.reshape(t.zeros(n.In[0]), []int{stride})
	t.add(0, t.reshape(t.scatter(zeros, flat, ct, 0, ir.CombineAdd), x.Shape))
}

// result is a result of a node that has several.
func (t *tape) result(n *ir.Node, index int) *ir.Node {
	return t.node(ir.OpResult, []*ir.Node{n}, []ir.Attr{ir.ResultIndex: {Int: int64(index)}})
}

// A composite's own gradient if it has one; else that of its body, whose
// values are computed again here.
func gradComposite(t *tape, n, ct *ir.Node) {
	outputs := []output{{n.Current(), ct}}
	if n.Results() != nil {
		outputs = t.outputs()
	}
	if t.vjp != nil && t.ownGradient(n, outputs) {
		return
	}
	body, args := n.Body.Graph, n.In
	if n.Body.Name == ir.Checkpoint {
		args = t.afterwards(n.In, outputs)
	}
	inner := tape{emitter: t.emitter, vjp: t.vjp, nodes: t.inline(body, args),
		needed: make([]bool, len(body.Nodes)), adjoint: make([]*ir.Node, len(body.Nodes)),
		operands: edgesOf(body.Nodes)}
	for k, p := range body.Params {
		inner.needed[p.ID] = t.wants(k)
	}
	for k, r := range body.Results {
		if ct := outputs[k].adjoint; ct != nil {
			inner.start(int(r.ID), ct)
		}
	}
	inner.run()
	grads := make([]*ir.Node, len(body.Params))
	for k, p := range body.Params {
		grads[k] = inner.adjoint[p.ID]
	}
	if n.Body.Name == ir.Checkpoint {
		grads = t.together(grads)
	}
	for k, g := range grads {
		if g != nil {
			t.add(k, g)
		}
	}
}

// afterwards returns operands of which a body is computed anew, once the gradients of its
// results are there: its values need not be kept until then.
func (t *tape) afterwards(in []*ir.Node, outputs []output) []*ir.Node {
	var cts []*ir.Node
	for _, o := range outputs {
		if o.adjoint != nil {
			cts = append(cts, o.adjoint)
		}
	}
	args := make([]*ir.Node, len(in))
	for i, x := range in {
		args[i] = t.op(ir.OpBarrier, append([]*ir.Node{x}, cts...)...)
	}
	return args
}

// together returns gradients, of which some may be nil, that are used once all of them are
// computed. Else gradients of weights, which nothing waits for, would be computed last, and
// what they are made of kept until then.
func (t *tape) together(grads []*ir.Node) []*ir.Node {
	all := slices.DeleteFunc(slices.Clone(grads), func(g *ir.Node) bool { return g == nil })
	if len(all) < 2 {
		return grads
	}
	tied := make([]*ir.Node, len(grads))
	for k, g := range grads {
		if g != nil {
			tied[k] = t.op(ir.OpBarrier, append([]*ir.Node{g}, slices.DeleteFunc(slices.Clone(all), func(x *ir.Node) bool { return x == g })...)...)
		}
	}
	return tied
}

// A barrier hands the gradient on.
func gradHostCall(_ *tape, n, _ *ir.Node) {
	panic(failure{fmt.Errorf("there is no gradient through the host function %s called at %v: give it one (HostOp.Gradient), or stop its operands (Stop)", n.Attrs[ir.HostCallName].Str, n.Loc)})
}

func gradBarrier(t *tape, _, ct *ir.Node) { t.add(0, ct) }

// ownGradient takes the gradient that a composite has of its own; false if it has
// none.
func (t *tape) ownGradient(n *ir.Node, outputs []output) bool {
	y, ct := make([]*ir.Node, len(outputs)), make([]*ir.Node, len(outputs))
	for i, o := range outputs {
		if y[i], ct[i] = o.y, o.adjoint; y[i] == nil {
			y[i] = t.result(n, i)
		}
	}
	operands, ok, err := t.vjp(t.b, n, y, ct, t.wants)
	if err != nil {
		panic(failure{err})
	}
	if !ok {
		return false
	}
	for k, g := range operands {
		if g != nil {
			t.add(k, g)
		}
	}
	return true
}

// inline records the nodes of a body with args in place of its parameters.
func (t *tape) inline(body *ir.Graph, args []*ir.Node) []*ir.Node {
	nodes := make([]*ir.Node, len(body.Nodes))
	var in []*ir.Node
	for i, m := range body.Nodes {
		if m.Op == ir.OpParameter {
			nodes[i] = args[m.Attrs[ir.ParameterIndex].Int]
			continue
		}
		in = in[:0]
		for _, x := range m.In {
			in = append(in, nodes[x.ID])
		}
		if m.Loc != 0 { // of a region: composites have none
			t.b.SetLoc(m.Loc)
		}
		var err error
		if nodes[i], err = t.b.Node(m.Op, in, m.Attrs, m.Body); err != nil {
			panic(failure{fmt.Errorf("gradient of %s: %w", m.Op, err)})
		}
		if nodes[i].Op == m.Op {
			nodes[i].Note(m)
		}
	}
	return nodes
}
