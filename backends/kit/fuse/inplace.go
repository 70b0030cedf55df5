package fuse

import (
	"slices"

	"ltc/backends/kit/plan"
)

// delayDonated puts nodes that are late behind all others: then the old values of
// donated arguments have been read.
func delayDonated(g *Graph) {
	late := g.late()
	var nodes, behind []*node
	for _, n := range g.nodes {
		if late(n) {
			behind = append(behind, n)
		} else {
			nodes = append(nodes, n)
		}
	}
	g.nodes = append(nodes, behind...)
	g.number()
}

// late returns which nodes only make new values of donated arguments, which
// nothing else reads.
func (g *Graph) late() func(*node) bool {
	other := make([]bool, len(g.values)) // by root: it is no such value, or read
	for v := range other {
		other[v] = true
	}
	for j, v := range g.results {
		if g.alias[j] >= 0 {
			other[g.root(v)] = false
		}
	}
	for _, n := range g.nodes {
		for _, v := range n.ins() {
			other[g.root(v)] = true
		}
	}
	return func(n *node) bool {
		outs := n.outs()
		return n.kernel != nil && len(outs) > 0 && !slices.ContainsFunc(outs, func(v plan.ValueID) bool { return other[g.root(v)] })
	}
}
