package batching

import (
	"slices"

	"ltc/ir"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// body returns the graph that computes g for all examples, of which the given parameters are
// batched, and which of its results are. Those that are wanted so are batched in any case.
func (v *vectorizer) body(g *ir.Graph, params, want []bool) (*ir.Graph, []bool) {
	if want == nil {
		want = make([]bool, len(g.Results))
	}
	return v.bodyOf(g.Name, typesOf(g.Params), params, func(inner *vectorizer, args []Value) []Value { return inner.wanted(g, args, want) })
}

// bodyOf returns the graph of f's results on parameters of the types, for all examples if they
// are batched, and which of the results are batched.
func (v *vectorizer) bodyOf(name string, of []types.Type, params []bool, f func(inner *vectorizer, args []Value) []Value) (*ir.Graph, []bool) {
	inner := v.within()
	args, nodes := make([]Value, len(of)), make([]*ir.Node, len(of))
	for i, t := range of {
		if params[i] {
			t.Shape = v.shape(t.Shape)
		}
		nodes[i] = inner.b.Parameter(t, "", nil)
		args[i] = Value{nodes[i], params[i]}
	}
	if v.mask != nil {
		inner.mask = inner.b.Parameter(v.mask.Type, "", nil)
		nodes = append(nodes, inner.mask)
	}
	results := f(inner, args)
	flags := make([]bool, len(results))
	for i, r := range results {
		flags[i] = r.Batched
	}
	out := &ir.Graph{Name: name}
	inner.b.Capture(out, nodes, nodesOf(results), nil)
	return out, flags
}

// forBodies returns the vectorizer for the graphs of n. Only graphs with indices need the mask: it is their
// last operand.
func (v *vectorizer) forBodies(n *ir.Node) *vectorizer {
	for _, g := range n.Body.Graphs() {
		if hasIndices(g) {
			return v
		}
	}
	return v.withMask(nil)
}

// withMask returns v for code that only the examples of a mask take; nil: all.
func (v *vectorizer) withMask(mask *ir.Node) *vectorizer {
	w := *v
	w.mask = mask
	return &w
}

// appendMask returns the operands of a node whose graphs v records, with the mask if there is one.
func (v *vectorizer) appendMask(in []*ir.Node) []*ir.Node {
	if v.mask == nil {
		return in
	}
	return append(slices.Clone(in), v.mask)
}

// within returns the vectorizer of a region, in a builder of its own.
func (v *vectorizer) within() *vectorizer {
	b := ir.NewBuilder(shapeinfer.Infer)
	b.SetLoc(v.loc())
	return &vectorizer{b: b, size: v.size, open: v.open, composites: v.composites}
}

func typesOf(nodes []*ir.Node) []types.Type {
	all := make([]types.Type, len(nodes))
	for i, n := range nodes {
		all[i] = n.Type
	}
	return all
}

func flagsOf(in []Value) []bool {
	flags := make([]bool, len(in))
	for i, x := range in {
		flags[i] = x.Batched
	}
	return flags
}

// mergeFlags adds to flags those of more, and reports whether there were any to add.
func mergeFlags(flags, more []bool) (added bool) {
	for i, on := range more {
		added = added || on && !flags[i]
		flags[i] = flags[i] || on
	}
	return added
}

// flagged are the results of a node with regions.
func (v *vectorizer) flagged(n *ir.Node, flags []bool) []Value {
	all := v.results(n, false)
	for i := range all {
		all[i].Batched = flags[i]
	}
	return all
}

// loop is the rule of an op without a form for all examples at once: one iteration an example.
func (v *vectorizer) loop(n *ir.Node, in []Value) []Value {
	inner := v.within()
	b := inner.b
	params := []*ir.Node{b.Parameter(types.Of(types.I32), "", nil)}
	operands := make([]*ir.Node, len(in))
	var xs, rest, outer []*ir.Node
	for i, x := range in {
		operands[i] = b.Parameter(n.In[i].Type, "", nil)
		if x.Batched {
			params, xs = append(params, operands[i]), append(xs, x.Node)
		} else {
			rest, outer = append(rest, operands[i]), append(outer, x.Node)
		}
	}
	one := inner.record(n.Op, operands, n.Attrs, n.Body)
	g := &ir.Graph{Name: "body"}
	b.Capture(g, append(params, rest...), []*ir.Node{one}, nil)
	attrs := []ir.Attr{ir.ScanIterations: {Int: int64(v.size)}, ir.ScanReverse: {}, ir.ScanCarries: {}, ir.ScanXs: {Int: int64(len(xs))}, ir.ScanCheckpoint: {}}
	return batched(v.record(ir.OpScan, append(xs, outer...), attrs, &ir.Composite{Graph: g}))
}

// batchComposite calls the same composite on operands with an axis more, if that has the ops that
// the rules make of n's. Otherwise it calls what is kept of it, or writes its ops out.
func batchComposite(v *vectorizer, n *ir.Node, in []Value) []Value {
	if n.Body.Name == ir.Checkpoint {
		v = v.forBodies(n)
		body, flags := v.body(n.Body.Graph, flagsOf(in), nil)
		return v.flagged(v.record(n.Op, v.appendMask(nodesOf(in)), nil, &ir.Composite{Name: n.Body.Name, Params: n.Body.Params, Graph: body}), flags)
	}
	masked := v // for ops that are written out: composites take no mask
	v = v.withMask(nil)
	want := slices.Repeat([]bool{true}, len(n.Body.Graph.Results))
	call := func(in []Value, c *ir.Composite) []Value { return v.results(v.record(n.Op, nodesOf(in), nil, c), true) }
	expanded := make([]Value, len(in)) // what all examples share may be repeated
	for i, x := range in {
		expanded[i] = Value{v.all(x), true}
	}
	for k, in := range [][]Value{expanded, in} {
		if v.composites.Same == nil || k > 0 && slices.Equal(in, expanded) {
			break
		}
		c := v.composites.Same(n, in)
		if c == nil {
			continue
		}
		body, _ := v.body(n.Body.Graph, flagsOf(in), want)
		if same, _ := v.body(c.Graph, make([]bool, len(in)), nil); ir.Equal(body, same) {
			return call(in, c)
		}
	}
	if v.composites.Kept != nil {
		if c := v.composites.Kept(n, in); c != nil {
			c.Graph, _ = v.body(n.Body.Graph, flagsOf(in), want)
			return call(in, c)
		}
	}
	return masked.graph(n.Body.Graph, in)
}

// batchCase is a Case where all examples take one branch. Where each takes its own, all
// branches are computed, and each example takes its results.
func batchCase(v *vectorizer, n *ir.Node, in []Value) []Value {
	index, args := in[0], in[1:]
	var graphs []*ir.Graph
	for _, g := range n.Body.Graphs() {
		graphs = append(graphs, g)
	}
	if index.Batched {
		return v.choose(index.Node, graphs, args)
	}
	v = v.forBodies(n)
	want := make([]bool, len(graphs[0].Results))
	bodies, flags := make([]*ir.Graph, len(graphs)), make([][]bool, len(graphs))
	for i, g := range graphs {
		bodies[i], flags[i] = v.body(g, flagsOf(args), want)
		mergeFlags(want, flags[i])
	}
	for i, g := range graphs {
		if !slices.Equal(flags[i], want) {
			bodies[i], _ = v.body(g, flagsOf(args), want)
		}
	}
	return v.flagged(v.record(n.Op, v.appendMask(nodesOf(in)), nil, &ir.Composite{Graph: bodies[0], More: bodies[1:]}), want)
}

// choose computes all branches and selects.
func (v *vectorizer) choose(index *ir.Node, graphs []*ir.Graph, args []Value) []Value {
	last := len(graphs) - 1
	loc := v.loc()
	results := make([][]Value, len(graphs))
	masks := last > 0 && slices.ContainsFunc(graphs, hasIndices)
	var earlier *ir.Node // whether an example takes an earlier branch
	for i, g := range graphs {
		v.b.SetLoc(loc)
		w := v
		if masks {
			var mask *ir.Node
			if i < last {
				mask = v.takesBranch(index, i)
			} else {
				mask = v.op(ir.OpNot, earlier)
			}
			if earlier == nil {
				earlier = mask
			} else if i < last {
				earlier = v.op(ir.OpOr, earlier, mask)
			}
			if v.mask != nil {
				mask = v.op(ir.OpAnd, v.mask, mask)
			}
			w = v.withMask(mask)
		}
		results[i] = w.graph(g, args)
	}
	v.b.SetLoc(loc)
	chosen := results[last]
	for i := last - 1; i >= 0; i-- {
		is := v.takesBranch(index, i)
		for k := range chosen {
			chosen[k] = Value{v.selected(is, results[i][k], chosen[k]), true}
		}
	}
	if last == 0 {
		for k := range chosen {
			chosen[k] = Value{v.all(chosen[k]), true}
		}
	}
	return chosen
}

// takesBranch returns, for each example, whether it takes branch i, which is not the last: bool [size].
func (v *vectorizer) takesBranch(index *ir.Node, i int) *ir.Node {
	if index.Type.DType == types.Bool {
		return index
	}
	return v.compare("EQ", index, v.scalar(index.Type.DType, float64(i)))
}

// selected has the value of x for the examples where cond, a bool an example, holds, and of y for
// the others.
func (v *vectorizer) selected(cond *ir.Node, x, y Value) *ir.Node {
	if x == y {
		return v.all(x)
	}
	a, b := v.all(x), v.all(y)
	return v.op(ir.OpWhere, v.broadcast(cond, a.Type.Shape, []int{0}), a, b)
}

// batchWhile is a While as long as its condition is the same for all examples. Otherwise it runs
// until it holds for none, and examples for which it does not hold keep their state.
func batchWhile(v *vectorizer, n *ir.Node, in []Value) []Value {
	cond, step := n.Body.Graph, n.Body.More[0]
	carries := len(step.Results)
	flags := flagsOf(in)
	v = v.forBodies(n)
	var next *ir.Graph
	for again := true; again; {
		var out []bool
		next, out = v.body(step, flags, flags[:carries])
		again = mergeFlags(flags, out)
	}
	test, out := v.body(cond, flags, nil)
	if out[0] {
		return v.whileAny(n, in)
	}
	operands := nodesOf(in)
	for i := range carries {
		if flags[i] {
			operands[i] = v.all(in[i])
		}
	}
	return v.flagged(v.record(n.Op, v.appendMask(operands), nil, &ir.Composite{Graph: test, More: []*ir.Graph{next}}), flags[:carries])
}

// whileAny carries whether the condition holds, for each example, before the state.
func (v *vectorizer) whileAny(n *ir.Node, in []Value) []Value {
	cond, step := n.Body.Graph, n.Body.More[0]
	carries := len(step.Results)
	state := slices.Clone(in)
	for i := range carries {
		state[i] = Value{v.all(in[i]), true}
	}
	holds := func(v *vectorizer, state []Value) Value { return v.wanted(cond, state, []bool{true})[0] }
	first := holds(v, state)
	if v.mask != nil {
		first.Node = v.op(ir.OpAnd, v.mask, first.Node)
	}
	v = v.withMask(nil) // the loop carries the mask
	of, flags := append([]types.Type{types.Of(types.Bool)}, typesOf(step.Params)...), append([]bool{true}, flagsOf(state)...)
	test, _ := v.bodyOf(cond.Name, of, flags, func(inner *vectorizer, args []Value) []Value {
		return []Value{{inner.any(args[0].Node), false}}
	})
	next, _ := v.bodyOf(step.Name, of, flags, func(inner *vectorizer, args []Value) []Value {
		on, state := args[0], slices.Clone(args[1:])
		inner = inner.withMask(on.Node)
		for i, y := range inner.graph(step, state) {
			state[i] = Value{inner.selected(on.Node, y, args[1+i]), true}
		}
		on.Node = inner.op(ir.OpAnd, on.Node, holds(inner, state).Node)
		return append([]Value{on}, state[:carries]...)
	})
	operands := append([]*ir.Node{first.Node}, nodesOf(state)...)
	m := v.record(n.Op, operands, nil, &ir.Composite{Graph: test, More: []*ir.Graph{next}})
	return v.results(m, true)[1:]
}

// batchScan is a Scan whose iterations compute all examples. Rows are along the first axis, so that
// the axis of the examples is behind it.
func batchScan(v *vectorizer, n *ir.Node, in []Value) []Value {
	g := n.Body.Graph
	carries, xs := int(n.Attrs[ir.ScanCarries].Int), int(n.Attrs[ir.ScanXs].Int)
	v = v.forBodies(n)
	params := append([]bool{false}, flagsOf(in)...) // the iteration
	var body *ir.Graph
	var flags []bool
	for again := true; again; {
		want := make([]bool, len(g.Results))
		copy(want, params[1:1+carries])
		body, flags = v.body(g, params, want)
		again = mergeFlags(params[1:], flags[:carries])
	}
	operands := nodesOf(in)
	for i, x := range in {
		switch {
		case i < carries && flags[i]:
			operands[i] = v.all(x)
		case i >= carries && i < carries+xs && x.Batched:
			operands[i] = v.move(x.Node, 0, 1)
		}
	}
	all := v.flagged(v.record(n.Op, v.appendMask(operands), n.Attrs, &ir.Composite{Graph: body}), flags)
	for i := carries; i < len(all); i++ {
		if flags[i] {
			all[i].Node = v.move(all[i].Node, 1, 0)
		}
	}
	return all
}
