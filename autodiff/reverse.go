// Package autodiff adds to a program the nodes that compute its gradients, in
// reverse mode. Its central function is [Reverse]; the gradient of each op is
// the function grad<Op>.
//
// The package imports only ltc/ir, ltc/shapeinfer and the packages below them.
package autodiff

import (
	"fmt"
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// VJP may give a composite a gradient better than that of its body. call is a
// Composite node; y are its results and ct their gradients, nil where nothing depends
// on a result. operands has the gradient of each operand of call, nil where that is
// zero. ok is false when the body is to be differentiated. wants reports whether the gradient of an operand is used.
// The nodes are made by b, which is another builder than [Reverse]'s within a region.
type VJP func(b *ir.Builder, call *ir.Node, y, ct []*ir.Node, wants func(operand int) bool) (operands []*ir.Node, ok bool, err error)

// Hook may replace the gradient g of node n, once it is complete and before it goes further back.
type Hook func(n, g *ir.Node) (*ir.Node, error)

// Reverse returns the gradients of y, weighted with ct of y's type, with
// respect to the nodes of wrt; nil where y does not depend on one. Those of complex values are
// the conjugates of PyTorch's, and so are ct and what vjp takes and gives. The nodes
// it makes carry the locations of those that they are the gradients of. hook, unless
// it is nil, sees the gradient of each node that those of wrt depend on. An
// error says which op stands in the way.
func Reverse(b *ir.Builder, y, ct *ir.Node, wrt []*ir.Node, vjp VJP, hook Hook) (grads []*ir.Node, err error) {
	walked := slices.Clone(b.Walk(y))
	nodes := make([]*ir.Node, len(walked))
	for i, n := range walked {
		nodes[i] = n.Origin()
	}
	t := tape{emitter: emitter{b: b}, vjp: vjp, nodes: nodes, operands: edgesOf(nodes), adjoint: make([]*ir.Node, len(nodes)), needed: make([]bool, len(nodes))}
	defer b.SetLoc(b.SetLoc(0))
	defer catch(&err)
	position := func(n *ir.Node) (int, bool) {
		return int(n.ID), int(n.ID) < len(walked) && walked[n.ID] == n
	}
	at := make([]int, len(wrt)) // -1 of what y does not depend on; vjp and hook may walk, which numbers nodes anew
	for i, n := range wrt {
		at[i] = -1
		if k, ok := position(n); ok {
			at[i] = k
			t.needed[k] = true
		}
	}
	if hook != nil {
		t.hook = func(i int, g *ir.Node) (*ir.Node, error) { return hook(walked[i], g) }
	}
	t.start(len(nodes)-1, ct)
	t.run()
	grads = make([]*ir.Node, len(wrt))
	for i, k := range at {
		if k >= 0 {
			grads[i] = t.adjoint[k]
		}
	}
	return grads, nil
}

// tape is a program to differentiate: nodes in order, and which of them each
// operand is. The nodes may be a composite's body written out, then the
// operands' positions are those in the body.
type tape struct {
	emitter
	vjp      VJP
	hook     func(i int, g *ir.Node) (*ir.Node, error) // of node i; nil for none
	nodes    []*ir.Node
	operands edges
	needed   []bool             // the wanted gradients depend on it
	adjoint  []*ir.Node         // the gradient so far, nil for zero
	results  map[int32][]output // of nodes with several results whose gradients are not all zero
	at       int                // the node whose gradient is being taken
}

// output is a result of a node with several: a node that has its value, and its
// gradient so far; both nil while that is zero.
type output struct{ y, adjoint *ir.Node }

// edges are the positions of each node's operands, one node after the other.
type edges struct {
	operands []int32
	ends     []int32 // of node i's in operands
}

// edgesOf returns those of a walk or graph, where ids are positions.
func edgesOf(nodes []*ir.Node) edges {
	e := edges{make([]int32, 0, 2*len(nodes)), make([]int32, len(nodes))}
	for i, n := range nodes {
		for _, x := range n.In {
			e.operands = append(e.operands, x.ID)
		}
		e.ends[i] = int32(len(e.operands))
	}
	return e
}

func (e *edges) of(i int) []int32 {
	start := int32(0)
	if i > 0 {
		start = e.ends[i-1]
	}
	return e.operands[start:e.ends[i]]
}

// start adds ct to the gradient of node i.
func (t *tape) start(i int, ct *ir.Node) {
	if old := t.adjoint[i]; old != nil {
		ct = t.op(ir.OpAdd, old, ct)
	}
	t.adjoint[i] = ct
}

// run takes the gradients of nodes down to the needed ones, once those that they
// start from are set.
func (t *tape) run() {
	for k, n := range t.nodes {
		depends := slices.ContainsFunc(t.operands.of(k), func(x int32) bool { return t.needed[x] })
		t.needed[k] = t.needed[k] || depends && differentiable(n) // a stop may be wanted itself
	}
	for t.at = len(t.nodes) - 1; t.at >= 0; t.at-- {
		n := t.nodes[t.at]
		if !t.needed[t.at] {
			continue
		}
		if g := t.adjoint[t.at]; g != nil && t.hook != nil {
			t.b.SetLoc(n.Loc)
			seen, err := t.hook(t.at, g)
			if err != nil {
				panic(failure{err})
			}
			t.adjoint[t.at] = seen
		}
		if len(t.operands.of(t.at)) == 0 {
			continue
		}
		if t.adjoint[t.at] != nil || t.results[int32(t.at)] != nil {
			t.b.SetLoc(n.Loc)
			gradients[n.Op](t, n, t.adjoint[t.at])
		}
	}
}

// differentiable reports whether a result of the node can have a gradient. Of floats of 8 bits,
// conversions have one.
func differentiable(n *ir.Node) bool {
	return n.Op == ir.OpConvert && n.Type.DType.IsFloat8() || n.Op != ir.OpStop && n.Type.DType.Continuous() || slices.ContainsFunc(n.Results(), func(t types.Type) bool { return t.DType.Continuous() })
}

// wants reports whether operand k of the node at hand needs a gradient.
func (t *tape) wants(k int) bool { return t.needed[t.operands.of(t.at)[k]] }

// add adds g to the gradient of operand k of the node at hand.
func (t *tape) add(k int, g *ir.Node) {
	i := t.operands.of(t.at)[k]
	if !t.needed[i] {
		return
	}
	if old := t.adjoint[i]; old != nil {
		g = t.op(ir.OpAdd, old, g)
	}
	t.adjoint[i] = g
}

// outputs are the results of the node at hand, which has several, with their
// gradients.
func (t *tape) outputs() []output { return t.results[int32(t.at)] }

// A gradient of a result is kept for the node that has the result, whose turn comes
// later.
func gradResult(t *tape, n, ct *ir.Node) {
	of := t.operands.of(t.at)[0]
	if t.results == nil {
		t.results = map[int32][]output{}
	}
	if t.results[of] == nil {
		t.results[of] = make([]output, len(n.In[0].Results()))
	}
	r := &t.results[of][n.Attrs[ir.ResultIndex].Int]
	if r.adjoint != nil { // a value that was read is another node than the result that is not
		ct = t.op(ir.OpAdd, r.adjoint, ct)
	}
	r.y, r.adjoint = n.Current(), ct
}

// gradient adds to the operands' gradients of n what its own, ct, gives them. Of a
// node with several results ct is nil; see outputs.
type gradient func(t *tape, n, ct *ir.Node)

// failure is the panic that an emitter's error travels in; catch alone
// recovers it.
type failure struct{ err error }

func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case failure:
		*err = r.err
	default:
		panic(r)
	}
}

// emitter records ops for the gradient functions.
type emitter struct{ b *ir.Builder }

// op records an op without attributes. Elementwise ops broadcast their operands.
func (e emitter) op(op ir.Op, in ...*ir.Node) *ir.Node { return e.node(op, in, nil) }

// node records an op with attributes, which stand at the generated constants.
func (e emitter) node(op ir.Op, in []*ir.Node, attrs []ir.Attr) *ir.Node {
	for i, x := range in {
		in[i] = x.Current() // the value of a node that has one
	}
	n, err := shapeinfer.Record(e.b, op, in, attrs, nil)
	if err != nil {
		panic(failure{fmt.Errorf("gradient: %w", err)})
	}
	return n
}

// scalar is the constant v of x's dtype.
func (e emitter) scalar(x *ir.Node, v float64) *ir.Node {
	d := x.Type.DType
	return e.node(ir.OpConstant, nil, []ir.Attr{ir.ConstantDType: {Int: int64(d)}, ir.ConstantValue: {Int: int64(ir.LiteralBits(d, v))}})
}

// size is a size, which may be an expression, of x's dtype.
func (e emitter) size(x *ir.Node, d int) *ir.Node {
	if !dims.IsExpr(d) {
		return e.scalar(x, float64(d))
	}
	size := e.node(ir.OpSizeOf, nil, []ir.Attr{ir.SizeOfDType: {Int: int64(x.Type.DType.Part())}, ir.SizeOfSize: {Int: int64(d)}})
	if x.Type.DType.IsComplex() {
		return e.whole(size)
	}
	return size
}

// zeros has the type of x.
func (e emitter) zeros(x *ir.Node) *ir.Node { return e.broadcast(e.scalar(x, 0), x.Type.Shape) }

// broadcast repeats x to a shape, as NumPy does.
func (e emitter) broadcast(x *ir.Node, shape types.Shape) *ir.Node {
	n, err := shapeinfer.Broadcast(e.b, x.Current(), shape)
	if err != nil {
		panic(failure{fmt.Errorf("gradient: %w", err)})
	}
	return n
}

// mul is x·y.
func (e emitter) mul(x, y *ir.Node) *ir.Node { return e.op(ir.OpMul, x, y) }

// scale is x·v.
func (e emitter) scale(x *ir.Node, v float64) *ir.Node { return e.mul(x, e.scalar(x, v)) }

// compare says where x and y are in a relation: EQ, NE, LT, LE, GT or GE.
func (e emitter) compare(direction string, x, y *ir.Node) *ir.Node {
	return e.node(ir.OpCompare, []*ir.Node{x, y}, []ir.Attr{ir.CompareDirection: {Str: direction}})
}

// where is x where cond holds and 0 elsewhere.
func (e emitter) where(cond, x *ir.Node) *ir.Node {
	return e.op(ir.OpWhere, cond, x, e.scalar(x, 0))
}

// reshape is x with other dimensions.
func (e emitter) reshape(x *ir.Node, shape []int) *ir.Node {
	if x.Type.Shape.Equal(shape) {
		return x
	}
	return e.node(ir.OpReshape, []*ir.Node{x}, []ir.Attr{ir.ReshapeDims: {Ints: shape}})
}

// sum adds x up over axes, which are dropped; without axes it is x.
func (e emitter) sum(x *ir.Node, axes []int) *ir.Node {
	if len(axes) == 0 {
		return x
	}
	return e.node(ir.OpSum, []*ir.Node{x}, []ir.Attr{ir.SumAxes: {Ints: axes}})
}

// swap transposes the last two axes.
func (e emitter) swap(x *ir.Node) *ir.Node {
	perm := types.Axes(x.Type.Rank())
	slices.Reverse(perm[len(perm)-2:])
	return e.node(ir.OpTranspose, []*ir.Node{x}, []ir.Attr{ir.TransposePerm: {Ints: perm}})
}
