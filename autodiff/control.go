package autodiff

import (
	"fmt"

	"ltc/ir"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// The gradients of a Cond are a Cond of its bodies' gradients: it takes what the
// bodies take and the gradients of the results, and gives those of the operands.
func gradCond(t *tape, n, ct *ir.Node) {
	cts := []*ir.Node{ct}
	if n.Results() != nil {
		cts = cts[:0]
		for _, o := range t.outputs() {
			cts = append(cts, o.adjoint)
		}
	}
	in := append([]*ir.Node{}, n.In...)
	for _, c := range cts {
		if c != nil {
			in = append(in, c)
		}
	}
	var wanted []int // of the bodies' parameters
	for k, x := range n.In[1:] {
		if x.Type.DType.IsFloat() && t.wants(k+1) {
			wanted = append(wanted, k)
		}
	}
	if len(wanted) == 0 {
		return // of pred alone
	}
	var graphs []*ir.Graph
	for _, g := range n.Body.Graphs() {
		graphs = append(graphs, gradientsOf(g, cts, wanted))
	}
	for i, x := range in {
		in[i] = x.Current()
	}
	both, err := t.b.Node(ir.OpCond, in, nil, &ir.Composite{Graph: graphs[0], More: graphs[1:]})
	if err != nil {
		panic(failure{fmt.Errorf("gradient of %s: %w", n.Op, err)})
	}
	for i, k := range wanted {
		g := both
		if len(wanted) > 1 {
			g = t.result(both, i)
		}
		t.add(k+1, g)
	}
}

// gradientsOf returns a graph that computes the gradients of the wanted parameters of
// body from its parameters and the gradients of its results, of which some may be nil.
// Composites within are differentiated by their bodies.
func gradientsOf(body *ir.Graph, cts []*ir.Node, wanted []int) *ir.Graph {
	b := ir.NewBuilder(shapeinfer.Infer)
	var params []*ir.Node
	parameter := func(typ types.Type) *ir.Node {
		p := b.Parameter(typ, "", nil)
		params = append(params, p)
		return p
	}
	for _, p := range body.Params {
		parameter(p.Type)
	}
	inner := tape{emitter: emitter{b: b}, needed: make([]bool, len(body.Nodes)), adjoint: make([]*ir.Node, len(body.Nodes)), operands: edgesOf(body.Nodes)}
	inner.nodes = inner.inline(body, params)
	for _, k := range wanted {
		inner.needed[body.Params[k].ID] = true
	}
	for i, c := range cts {
		if c != nil {
			inner.start(int(body.Results[i].ID), parameter(c.Type))
		}
	}
	inner.run()
	results := make([]*ir.Node, len(wanted))
	for i, k := range wanted {
		p := body.Params[k]
		if results[i] = inner.adjoint[p.ID]; results[i] == nil {
			results[i] = inner.zeros(p)
		}
	}
	g := &ir.Graph{Name: body.Name}
	b.Capture(g, params, results, nil)
	return g
}
