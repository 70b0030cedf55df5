package kit

import (
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
)

// copyResults gives each result memory of its own: one that is an argument, a
// constant, or a result already is copied.
func copyResults(g *graph) {
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
		from := b.Param(memory("x0", t))
		out := memory("y0", t)
		out.Out = true
		to := b.Param(out)
		index := make([]kernel.Index, len(t.Shape))
		for d, n := range t.Shape {
			index[d] = kernel.Along(b.Axis(axisName(d), kernel.Size(n)))
		}
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
