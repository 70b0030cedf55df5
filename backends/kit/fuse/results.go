package fuse

import (
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
)

// copyResults gives each result memory of its own: one that is an argument, a
// constant, or a result already is copied.
func copyResults(g *Graph) {
	g.sweep()
	seen := make([]bool, len(g.values))
	for j, v := range g.results {
		r := g.root(v)
		if g.values[v].splat == nil && g.values[r].def != nil && !seen[r] {
			seen[r] = true
			continue
		}
		t := g.values[v].typ
		b := kernel.NewBuilder("copy")
		from, to := b.Param(kernel.Dense("x0", t, false)), b.Param(kernel.Dense("y0", t, true))
		index := b.Axes(t.Shape)
		b.Stage()
		n := &node{operands: []plan.ValueID{v, plan.None}}
		if s := g.values[v].splat; s != nil {
			b.Store(to, b.Bits(t.DType, *s), index...)
		} else {
			b.Store(to, b.Load(from, index...), index...)
		}
		n.kernel = b.Kernel()
		n.operands[to] = g.newValue(t, n)
		seen = append(seen, true)
		g.results[j] = n.operands[to]
		cse(n)
		g.nodes = append(g.nodes, n)
	}
}
