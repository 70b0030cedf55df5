package autodiff

import (
	"fmt"

	"ltc/ir"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// The gradients of a Case are a Case of its bodies' gradients: it takes what the
// bodies take and the gradients of the results, and gives those of the operands.
func gradCase(t *tape, n, ct *ir.Node) {
	cts := t.cotangents(n, ct)
	in := append([]*ir.Node{}, n.In...)
	for _, c := range cts {
		if c != nil {
			in = append(in, c)
		}
	}
	var wanted []int // of the bodies' parameters
	for k, x := range n.In[1:] {
		if x.Type.DType.Continuous() && t.wants(k+1) {
			wanted = append(wanted, k)
		}
	}
	if len(wanted) == 0 {
		return // of the index alone
	}
	var graphs []*ir.Graph
	for _, g := range n.Body.Graphs() {
		graphs = append(graphs, t.gradientsOf(g, cts, wanted))
	}
	grads := t.control(n, in, nil, graphs...)
	for i, k := range wanted {
		t.add(k+1, t.part(grads, i))
	}
}

// gradientsOf returns a graph that computes the gradients of the wanted parameters of
// body from its parameters and the gradients of its results, of which some may be nil.
func (t *tape) gradientsOf(body *ir.Graph, cts []*ir.Node, wanted []int) *ir.Graph {
	inner := t.within(body)
	for _, k := range wanted {
		inner.needed[body.Params[k].ID] = true
	}
	for i, c := range cts {
		if c != nil {
			inner.start(int(body.Results[i].ID), inner.parameter(c.Type))
		}
	}
	inner.run()
	results := make([]*ir.Node, len(wanted))
	for i, k := range wanted {
		results[i] = inner.gradientOf(body.Params[k])
	}
	g := &ir.Graph{Name: body.Name}
	inner.b.Capture(g, inner.params, results, nil)
	return g
}

// The gradient of a While would have to run its iterations again, backwards.
func gradWhile(t *tape, n, ct *ir.Node) {
	panic(failure{fmt.Errorf("there is no gradient through the loop at %v, whose number of iterations is not known when it is recorded: use For with an int, or Scan", n.Loc)})
}

// cotangents are the gradients of the results of n, whose own one is ct if it has one
// result; some may be nil.
func (t *tape) cotangents(n, ct *ir.Node) []*ir.Node {
	if n.Results() == nil {
		return []*ir.Node{ct}
	}
	cts := make([]*ir.Node, len(n.Results()))
	for i, o := range t.outputs() {
		cts[i] = o.adjoint
	}
	return cts
}

// part is result i of a node with one or more.
func (t *tape) part(n *ir.Node, i int) *ir.Node {
	if n.Results() == nil {
		return n
	}
	return t.result(n, i)
}

// control records a node of n's op with regions.
func (t *tape) control(n *ir.Node, in []*ir.Node, attrs []ir.Attr, graphs ...*ir.Graph) *ir.Node {
	for i, x := range in {
		in[i] = x.Current()
	}
	m, err := t.b.Node(n.Op, in, attrs, &ir.Composite{Graph: graphs[0], More: graphs[1:]})
	if err != nil {
		panic(failure{fmt.Errorf("gradient of %s: %w", n.Op, err)})
	}
	return m
}

// bodyTape is the tape of a region in a builder of its own: a body is written out on
// parameters.
type bodyTape struct {
	tape
	params []*ir.Node // the body's, then those added
}

// within returns the tape of a region's body. Composites in it have their own gradients.
func (t *tape) within(body *ir.Graph) *bodyTape {
	inner := &bodyTape{tape: tape{emitter: emitter{b: ir.NewBuilder(shapeinfer.Infer)}, vjp: t.vjp,
		needed: make([]bool, len(body.Nodes)), adjoint: make([]*ir.Node, len(body.Nodes)), operands: edgesOf(body.Nodes)}}
	for _, p := range body.Params {
		inner.parameter(p.Type)
	}
	inner.nodes = inner.inline(body, inner.params)
	return inner
}

func (t *bodyTape) parameter(typ types.Type) *ir.Node {
	p := t.b.Parameter(typ, "", nil)
	t.params = append(t.params, p)
	return p
}

// gradientOf returns the gradient of a parameter of the body.
func (t *bodyTape) gradientOf(p *ir.Node) *ir.Node {
	if g := t.adjoint[p.ID]; g != nil {
		return g
	}
	return t.zeros(p)
}

// DynamicSlice leaves out what is around the part, whose gradient is zero.
func gradDynamicSlice(t *tape, n, ct *ir.Node) {
	t.add(0, t.node(ir.OpDynamicUpdateSlice, append([]*ir.Node{t.zeros(n.In[0]), ct}, n.In[1:]...), nil))
}

func gradDynamicUpdateSlice(t *tape, n, ct *ir.Node) {
	starts, update := n.In[2:], n.In[1]
	if t.wants(0) {
		t.add(0, t.node(ir.OpDynamicUpdateSlice, append([]*ir.Node{ct, t.zeros(update)}, starts...), nil))
	}
	if t.wants(1) {
		t.add(1, t.node(ir.OpDynamicSlice, append([]*ir.Node{ct}, starts...), []ir.Attr{ir.DynamicSliceSizes: {Ints: update.Type.Shape}}))
	}
}
