package ir

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
