package fuse

import (
	"slices"

	"ltc/backends/kit/kernel"
)

// cutStages splits kernels whose stages are independent of each other, where the target
// asks for it ([Options.Cut]). The stages of a concatenation of many operands are an
// example: each writes a part of one value. Nodes behind the first write over parts of
// the first node's result.
func cutStages(g *Graph) {
	if g.o.Cut == nil {
		return
	}
	var nodes []*node
	for _, n := range g.nodes {
		g.Look()
		if n.kernel == nil || n.onto || n.chained || !unrelated(n.kernel) {
			nodes = append(nodes, n)
			continue
		}
		first := len(nodes)
		from, c := 0, newCopier(nil, n.kernel)
		for _, to := range append(g.o.Cut(n.kernel.Typical()), len(n.kernel.Stages)) {
			g.Look()
			nodes = append(nodes, n.stages(c, from, to))
			from = to
		}
		for _, m := range nodes[first+1:] {
			m.onto = true
		}
		g.values[n.outs()[0]].def = nodes[first]
	}
	g.nodes = nodes
	g.number()
}

// unrelated reports whether each stage of a kernel stores to its only result, uses
// values of its own, and loads nothing that is stored.
func unrelated(k *kernel.Kernel) bool {
	if len(k.Stages) < 2 || len(k.Locals) > 0 || len(k.Outs()) != 1 {
		return false
	}
	for s := range k.Stages {
		begin, stores := k.Stages[s].Begin, false
		for id := begin; id < k.Stages[s].End; id++ {
			in := &k.Instrs[id]
			if in.Op == kernel.Reduce || in.Op == kernel.Load && k.Params[in.Mem.Param].Out || readsBefore(in, begin, kernel.None) {
				return false
			}
			stores = stores || in.Op == kernel.Store
		}
		if !stores {
			return false
		}
	}
	return true
}

// stages returns a node of the stages of n from one number to before another, which use
// no values of the others. It takes time by what they have, not by all of n; c is the
// copier of n's kernel for all of its parts.
func (n *node) stages(c *copier, from, to int) *node {
	k := n.kernel
	b := withAxes(k.Name, k)
	var used []int
	for id := k.Stages[from].Begin; id < k.Stages[to-1].End; id++ {
		if m := k.Instrs[id].Mem; m != nil {
			used = append(used, m.Param)
		}
	}
	slices.Sort(used)
	m := *n
	c.to, m.operands = b, nil
	for _, p := range slices.Compact(used) {
		c.params[p] = b.Param(k.Params[p])
		m.operands = append(m.operands, n.operands[p])
	}
	for s := from; s < to; s++ {
		b.Stage(slices.Clone(k.Stages[s].Axes)...)
		c.straight(s)
		c.instrs(k.Stages[s].Begin, k.Stages[s].End)
	}
	m.kernel = b.Kernel()
	cse(&m)
	return &m
}
