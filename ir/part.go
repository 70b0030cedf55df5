package ir

import (
	"slices"
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

// InlineClosures returns g with the composites of closures, such as checkpoints, written out: their nodes,
// with their lines, stand in place of each, also within one another. It shares nothing with g but types, attributes and
// bodies. A graph without them is returned as it is.
func (g *Graph) InlineClosures() *Graph {
	if !slices.ContainsFunc(g.Nodes, (*Node).ofClosure) {
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

func (n *Node) ofClosure() bool { return n.Op == OpComposite && n.Body.OfClosure() }

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
		case n.ofClosure():
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
