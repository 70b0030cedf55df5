package ir

import (
	"slices"

	"ltc/internal/callsite"
	"ltc/ir/types"
)

// Part returns the program that computes some nodes of g, and which of g's parameters it
// takes. It shares nothing with g but types, attributes and bodies.
func (g *Graph) Part(results []*Node) (part *Graph, params []int) {
	all := g.Clone()
	needed := make([]bool, len(all.Nodes))
	for _, r := range results {
		needed[r.ID] = true
	}
	for i := len(all.Nodes) - 1; i >= 0; i-- {
		for _, x := range all.Nodes[i].In {
			needed[x.ID] = needed[x.ID] || needed[i]
		}
	}
	part = &Graph{Name: g.Name}
	for _, r := range results {
		part.Results, part.Alias = append(part.Results, all.Nodes[r.ID]), append(part.Alias, -1)
	}
	for i, n := range all.Nodes {
		if !needed[i] {
			continue
		}
		n.ID = int32(len(part.Nodes))
		part.Nodes = append(part.Nodes, n)
		if n.Op == OpParameter {
			params = append(params, int(n.Attrs[ParameterIndex].Int))
			n.Attrs[ParameterIndex].Int = int64(len(part.Params))
			part.Params = append(part.Params, n)
		}
	}
	part.rehash()
	return part, params
}

// Checkpoints returns g with its checkpoints written out: their nodes, with their lines, stand in
// place of each, also within one another. It shares nothing with g but types, attributes and
// bodies. A graph without checkpoints is returned as it is.
func (g *Graph) Checkpoints() *Graph {
	if !slices.ContainsFunc(g.Nodes, (*Node).checkpoint) {
		return g
	}
	out := &Graph{Name: g.Name, Alias: slices.Clone(g.Alias)}
	nodes := out.write(g, nil)
	for _, p := range g.Params {
		out.Params = append(out.Params, nodes[p.ID])
	}
	for _, r := range g.Results {
		out.Results = append(out.Results, nodes[r.ID])
	}
	out.rehash()
	return out
}

func (n *Node) checkpoint() bool { return n.Op == OpComposite && n.Body.Name == Checkpoint }

// write adds the nodes of from, on args if they are not nil, and returns them by their ids there.
func (g *Graph) write(from *Graph, args []*Node) []*Node {
	nodes, bodies := make([]*Node, len(from.Nodes)), map[*Node][]*Node{}
	for i, n := range from.Nodes {
		in := make([]*Node, len(n.In))
		for k, x := range n.In {
			in[k] = nodes[x.ID]
		}
		switch {
		case n.Op == OpParameter && args != nil:
			nodes[i] = args[n.Attrs[ParameterIndex].Int]
		case n.Op == OpResult && bodies[n.In[0]] != nil:
			body := n.In[0].Body.Graph
			nodes[i] = bodies[n.In[0]][body.Results[n.Attrs[ResultIndex].Int].ID]
		case n.checkpoint():
			bodies[n] = g.write(n.Body.Graph, in)
			nodes[i] = bodies[n][n.Body.Graph.Results[0].ID]
		default:
			nodes[i] = &Node{Op: n.Op, ID: int32(len(g.Nodes)), Loc: n.Loc, Type: n.Type, read: n.read, several: n.several, In: in, Attrs: n.Attrs, Body: n.Body, Value: n.noted()}
			if n.Op == OpParameter {
				nodes[i].Attrs = slices.Clone(n.Attrs)
			}
			g.Nodes = append(g.Nodes, nodes[i])
		}
	}
	return nodes
}

// Check says that a call of the host looks at the values of a node.
type Check struct {
	Of      *Node
	Host    string // the function: it takes the least and the largest element, and returns 0 of their dtype
	Numbers []int  // its other arguments
	Loc     callsite.Site
}

// Checks are those of a graph, and of the graphs that its nodes call or run, by node.
type Checks struct {
	Own []Check
	In  map[*Node][]Checks // for each graph of the node's body
}

// Within adds the checks of the first graph that n calls or runs.
func (c *Checks) Within(n *Node, of Checks) {
	if !of.Any() {
		return
	}
	if c.In == nil {
		c.In = map[*Node][]Checks{}
	}
	c.In[n] = []Checks{of}
}

// Any reports whether there are checks.
func (c *Checks) Any() bool { return len(c.Own)+len(c.In) > 0 }

// Checked returns g with calls of the host behind nodes of integers. Other nodes use what the calls
// return; results stay. It shares nothing with g but types, attributes and bodies.
func (g *Graph) Checked(checks *Checks) *Graph {
	c := g.Clone()
	nodes := c.Nodes
	c.Nodes = make([]*Node, 0, len(nodes)+4*len(checks.Own))
	last := make([]*Node, len(nodes)) // by the ids in g: what stands for a node
	add := func(n *Node) *Node {
		n.ID = int32(len(c.Nodes))
		c.Nodes = append(c.Nodes, n)
		return n
	}
	numbers := map[int64]*Node{} // an equal number is the same node
	for i, n := range nodes {
		was := g.Nodes[i]
		if n.Op == OpConstant && n.Type.DType == types.I64 {
			x := n.Attrs[ConstantValue].Int
			if numbers[x] != nil && !slices.Contains(c.Results, n) {
				last[i] = numbers[x]
				continue
			}
			numbers[x] = n
		}
		for k, x := range was.In {
			n.In[k] = last[x.ID]
		}
		if inner := checks.In[was]; inner != nil {
			n.Body = n.Body.checked(inner)
		}
		last[i] = add(n)
		for _, k := range checks.Own {
			if k.Of != was {
				continue
			}
			last[i] = look(add, numbers, last[i], &k)
		}
	}
	c.rehash()
	return c
}

// look adds what looks at n, and returns what stands for it: n and the 0 that the call
// returns. The call takes the least and the largest element, which have the same types for all sizes.
func look(add func(*Node) *Node, numbers map[int64]*Node, n *Node, k *Check) *Node {
	node := func(op Op, t types.Type, attrs []Attr, in ...*Node) *Node {
		return add(&Node{Op: op, Type: t, In: in, Attrs: attrs, Loc: k.Loc})
	}
	scalar := types.Of(n.Type.DType)
	in := []*Node{n, n}
	if n.Type.Rank() > 0 {
		axes := make([]int, n.Type.Rank())
		for i := range axes {
			axes[i] = i
		}
		in = []*Node{node(OpMin, scalar, []Attr{{Ints: axes}}, n), node(OpMax, scalar, []Attr{{Ints: axes}}, n)}
	}
	for _, number := range k.Numbers {
		x := int64(number)
		if numbers[x] == nil {
			numbers[x] = node(OpConstant, types.Of(types.I64), []Attr{ConstantDType: {Int: int64(types.I64)}, ConstantValue: {Int: x}})
		}
		in = append(in, numbers[x])
	}
	zero := node(OpHostCall, scalar, []Attr{HostCallName: {Str: k.Host}, HostCallResults: {Str: HostResultsText([]types.Type{scalar})}}, in...)
	if n.Type.Rank() > 0 {
		zero = node(OpBroadcast, n.Type, []Attr{BroadcastShape: {Ints: n.Type.Shape}, BroadcastAxes: {}}, zero)
	}
	return node(OpAdd, n.Type, nil, n, zero)
}

// checked returns the composite, or the regions, with the checks of each graph.
func (c *Composite) checked(all []Checks) *Composite {
	out := *c
	out.More = slices.Clone(c.More)
	for i, g := range c.Graphs() {
		if i >= len(all) || !all[i].Any() {
			continue
		}
		if g = g.Checked(&all[i]); i == 0 {
			out.Graph = g
		} else {
			out.More[i-1] = g
		}
	}
	return &out
}
