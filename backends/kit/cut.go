package kit

import (
	"slices"

	"ltc/backends/kit/kernel"
)

// cutStages cuts kernels where the target wants them cut ([Options.Cut]), whose stages
// have nothing to do with each other: those that a concatenation of many operands has,
// for instance, which each write a part of one value. Nodes behind the first write over
// parts of what that has made.
func cutStages(g *graph) {
	if g.cut == nil {
		return
	}
	var nodes []*node
	for _, n := range g.nodes {
		if n.host != nil || n.onto || n.chained || !unrelated(n.kernel) {
			nodes = append(nodes, n)
			continue
		}
		first := len(nodes)
		from := 0
		for _, to := range append(g.cut(n.kernel), len(n.kernel.Stages)) {
			nodes = append(nodes, n.stages(from, to))
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
			earlier := func(v kernel.ID) bool { return v != kernel.None && v < begin }
			switch {
			case in.Op == kernel.Reduce, in.Op == kernel.Load && k.Params[in.Mem.Param].Out, slices.ContainsFunc(in.Args, earlier),
				in.Mem != nil && slices.ContainsFunc(in.Mem.Index, func(x kernel.Index) bool { return earlier(x.Value) }):
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
// no values of the others.
func (n *node) stages(from, to int) *node {
	k := n.kernel
	b := withAxes(k.Name, k)
	c := newCopier(b, k)
	c.declare()
	for s := from; s < to; s++ {
		b.Stage(slices.Clone(k.Stages[s].Axes)...)
		c.straight(s)
		for id := k.Stages[s].Begin; id < k.Stages[s].End; id++ {
			c.instr(id)
		}
	}
	m := n.clone()
	m.kernel = b.Kernel()
	cse(m) // operands that only the others have
	return m
}
