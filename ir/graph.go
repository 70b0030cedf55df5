package ir

import (
	"slices"

	"ltc/internal/diag"
)

// Graph is a program: the nodes that its results need, operands before users.
type Graph struct {
	Name    string
	Nodes   []*Node // Nodes[i].ID == i
	Params  []*Node // the Parameters among Nodes, in order of their index
	Results []*Node
	// Alias[i] is the index of the parameter whose memory result i takes over,
	// -1 if none.
	Alias []int

	hash uint64

	// of a parsed graph, for errors
	src     diag.Source
	offsets []int // of the nodes
}

type frame struct {
	n    *Node
	next int // the operand to visit next
}

// Capture fills g with what results need, numbering nodes and parameters in
// the order of a walk that takes results and operands from first to last, so
// that equal programs give equal graphs. params, which may be nil, are
// Parameter nodes that come first and are parameters of the graph whether or
// not anything reads them. alias, nil or as long as results, names for each
// result the Parameter node whose memory it takes over, or nil; those are
// parameters, too. The slices of g are used again.
func (b *Builder) Capture(g *Graph, params, results, alias []*Node) {
	b.mark++
	g.Nodes, g.Params, g.Alias = g.Nodes[:0], g.Params[:0], g.Alias[:0]
	g.Results = append(g.Results[:0], results...)
	for _, p := range params {
		b.visit(g, p, false)
	}
	for _, r := range results {
		b.visit(g, r, false)
	}
	for i := range results {
		p := -1
		if alias != nil && alias[i] != nil {
			b.visit(g, alias[i], false)
			p = int(alias[i].Attrs[ParameterIndex].Int)
		}
		g.Alias = append(g.Alias, p)
	}
	g.rehash()
}

// Walk returns what root was computed from, operands before users and root
// last, and sets each node's ID to its position. It goes on through materialized
// nodes that kept their history. The slice is memory of the builder: it holds
// until the next Walk, Capture or Forget.
func (b *Builder) Walk(root *Node) []*Node {
	b.mark++
	b.walked.Nodes, b.walked.Params = b.walked.Nodes[:0], b.walked.Params[:0]
	b.visit(&b.walked, root, true)
	return b.walked.Nodes
}

func (b *Builder) visit(g *Graph, root *Node, history bool) {
	if root.mark == b.mark {
		return
	}
	root.mark = b.mark
	stack := append(b.stack[:0], frame{n: root})
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		in := top.n.In
		if history {
			in = top.n.Origin().In
		}
		if top.next < len(in) {
			x := in[top.next]
			top.next++
			if x.mark != b.mark {
				x.mark = b.mark
				stack = append(stack, frame{n: x})
			}
			continue
		}
		n := top.n
		top.n = nil // the stack must not keep it alive
		stack = stack[:len(stack)-1]
		n.ID = int32(len(g.Nodes))
		g.Nodes = append(g.Nodes, n)
		if n.Op == OpParameter {
			n.Attrs[ParameterIndex].Int = int64(len(g.Params))
			g.Params = append(g.Params, n)
		}
	}
	b.stack = stack
}

// Order returns the nodes that the results need as Capture would number them, in any order
// of the graph's nodes. Operands come before users: a node comes when the walk over results
// and operands from first to last is done with it. Parameters come first, all of them.
func (g *Graph) Order() []*Node {
	order := make([]*Node, 0, len(g.Nodes))
	seen := make([]bool, len(g.Nodes))
	for _, p := range g.Params {
		seen[p.ID] = true
		order = append(order, p)
	}
	var stack []frame
	enter := func(n *Node) {
		if !seen[n.ID] {
			seen[n.ID] = true
			stack = append(stack, frame{n: n})
		}
	}
	for _, r := range g.Results {
		for enter(r); len(stack) > 0; {
			top := &stack[len(stack)-1]
			if top.next < len(top.n.In) {
				top.next++
				enter(top.n.In[top.next-1])
				continue
			}
			order = append(order, top.n)
			stack = stack[:len(stack)-1]
		}
	}
	return order
}

// NodeCount counts the nodes of g and of the bodies of its ops.
func (g *Graph) NodeCount() (count int) {
	count = len(g.Nodes)
	for _, n := range g.Nodes {
		for _, body := range n.Body.Graphs() {
			count += body.NodeCount()
		}
	}
	return count
}

// Hash returns the structural hash of the graph: equal for graphs that [Equal]
// calls equal.
func (g *Graph) Hash() uint64 { return g.hash }

// Outline returns a hash of ops, operands and dtypes, and of attributes that are no sizes, as axes
// and flags. It is the same for graphs that differ only in sizes. A size as a number counts as a
// constant.
func (g *Graph) Outline() uint64 {
	h := uint64(seed)
	for _, n := range g.Nodes {
		op := n.Op
		if op == OpSizeOf {
			op = OpConstant
		}
		h = mix(mix(h, uint64(op)), uint64(n.Type.DType)<<8|uint64(n.Type.Rank()))
		for _, x := range n.In {
			h = mix(h, uint64(x.ID))
		}
		if op == OpConstant || op == OpParameter {
			continue
		}
		for i, a := range n.Attrs {
			if op.Info().Attrs[i].Kind.Sized() {
				continue
			}
			h = mix(h, uint64(a.Int))
			for _, d := range a.Ints {
				h = mix(h, uint64(d))
			}
		}
	}
	for i, r := range g.Results {
		h = mix(mix(h, uint64(r.ID)), uint64(g.Alias[i]))
	}
	return h
}

// Donate lets result i take over the memory of parameter p. It is for a graph
// that was captured and has not been looked up or lowered yet.
func (g *Graph) Donate(i, p int) {
	g.Alias[i] = p
	g.rehash()
}

func (g *Graph) rehash() {
	h := uint64(seed)
	for _, n := range g.Nodes {
		h = mix(h, uint64(n.Op))
		for _, x := range n.In {
			h = mix(h, uint64(x.ID))
		}
		if n.Op == OpParameter { // not its name; the types of others follow from operands and attributes
			h = mixType(mix(h, uint64(n.Attrs[ParameterIndex].Int)), n.Type)
		} else {
			h = mixAttrs(h, n.Attrs)
		}
		if n.Body != nil {
			h = n.Body.hash(h)
		}
	}
	for i, r := range g.Results {
		h = mix(mix(h, uint64(r.ID)), uint64(g.Alias[i]))
	}
	g.hash = h
}

// Clone returns a copy that shares nothing with g's nodes but types,
// attributes and bodies; the Values of parameters are left out.
func (g *Graph) Clone() *Graph {
	c := &Graph{Name: g.Name, Alias: slices.Clone(g.Alias), hash: g.hash}
	slab := make([]Node, len(g.Nodes))
	at := func(n *Node) *Node { return &slab[n.ID] }
	for i, n := range g.Nodes {
		m := &slab[i]
		*m = Node{Op: n.Op, ID: n.ID, Loc: n.Loc, Type: n.Type, read: n.read, several: n.several, Attrs: n.Attrs, Body: n.Body, Value: n.noted()}
		if n.Op == OpParameter {
			m.Attrs = slices.Clone(n.Attrs)
			c.Params = append(c.Params, m)
		}
		m.In = m.in[:0:len(m.in)]
		for _, x := range n.In {
			m.In = append(m.In, at(x))
		}
		c.Nodes = append(c.Nodes, m)
	}
	for _, r := range g.Results {
		c.Results = append(c.Results, at(r))
	}
	return c
}

// Forget drops g's nodes and keeps the memory of its slices for the next
// Capture.
func (g *Graph) Forget() {
	clear(g.Nodes)
	clear(g.Params)
	clear(g.Results)
	g.Nodes, g.Params, g.Results, g.Alias = g.Nodes[:0], g.Params[:0], g.Results[:0], g.Alias[:0]
}
