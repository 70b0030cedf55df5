package ir

import "math/rand/v2"

// Shuffled returns a copy of g, as Clone does, whose nodes stand in an order
// drawn from seed: operands before users and parameters as they were, all else
// by chance. Bodies are shuffled, too; equal ones alike. What the compiler makes
// of the two graphs must be the same.
func (g *Graph) Shuffled(seed uint64) *Graph {
	s := shuffler{seed: seed, graphs: map[*Graph]*Graph{}, bodies: map[*Composite]*Composite{}}
	return s.graph(g)
}

// shuffler keeps what is shared shared.
type shuffler struct {
	seed   uint64
	graphs map[*Graph]*Graph
	bodies map[*Composite]*Composite
}

func (s *shuffler) graph(g *Graph) *Graph {
	if c := s.graphs[g]; c != nil {
		return c
	}
	c := g.Clone()
	nodes := c.Nodes
	c.Nodes = make([]*Node, 0, len(nodes))
	for _, i := range g.topological(rand.New(rand.NewPCG(s.seed, g.hash))) {
		n := nodes[i]
		n.ID, n.Body = int32(len(c.Nodes)), s.composite(n.Body)
		c.Nodes = append(c.Nodes, n)
	}
	c.rehash()
	s.graphs[g] = c
	return c
}

func (s *shuffler) composite(c *Composite) *Composite {
	if c == nil {
		return nil
	}
	if s.bodies[c] == nil {
		shuffled := &Composite{Name: c.Name, Params: c.Params, Graph: s.graph(c.Graph)}
		for _, g := range c.More {
			shuffled.More = append(shuffled.More, s.graph(g))
		}
		s.bodies[c] = shuffled
	}
	return s.bodies[c]
}

// topological returns the nodes' ids in an order drawn from r: at each place
// any of those whose operands stand before it.
func (g *Graph) topological(r *rand.Rand) []int32 {
	after := make([][]int32, len(g.Nodes)) // what waits for each
	waits := make([]int, len(g.Nodes))     // for how many
	edge := func(from, to *Node) {
		after[from.ID] = append(after[from.ID], to.ID)
		waits[to.ID]++
	}
	for _, n := range g.Nodes {
		for _, x := range n.In {
			edge(x, n)
		}
	}
	for i := 1; i < len(g.Params); i++ {
		edge(g.Params[i-1], g.Params[i])
	}
	var ready, order []int32
	for i, w := range waits {
		if w == 0 {
			ready = append(ready, int32(i))
		}
	}
	for len(ready) > 0 {
		k, last := r.IntN(len(ready)), len(ready)-1
		i := ready[k]
		ready[k] = ready[last]
		ready = ready[:last]
		order = append(order, i)
		for _, j := range after[i] {
			if waits[j]--; waits[j] == 0 {
				ready = append(ready, j)
			}
		}
	}
	return order
}
