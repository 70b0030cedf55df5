package fuse

import (
	"slices"

	"ltc/backends/kit/kernel"
)

// unwrap makes nodes read a value itself instead of a shape of it that differs
// only in dimensions of one element, so that other passes see who reads what
// another makes.
func unwrap(g *Graph) {
	for _, n := range g.nodes {
		g.Look()
		if n.kernel == nil {
			continue
		}
		changed := false
		for p, v := range n.operands {
			root := g.root(v)
			if root == v || n.kernel.Params[p].Out || guards(n.kernel, p) {
				continue
			}
			dims := g.dimsOf(v)
			if dims == nil {
				continue
			}
			for _, in := range n.kernel.Accesses(p) {
				in.Mem.Index = along(dims, func(d int) kernel.Index { return in.Mem.Index[d] })
			}
			name := n.kernel.Params[p].Name
			n.kernel.Params[p] = kernel.Dense(name, g.values[root].typ, false)
			n.operands[p] = root
			changed = true
		}
		if changed {
			cse(n) // an operand that is there twice now
		}
	}
}

// guards reports whether a kernel accesses an operand where it may be outside.
func guards(k *kernel.Kernel, p int) bool {
	return slices.ContainsFunc(k.Instrs, func(i kernel.Instr) bool {
		return i.Mem != nil && !i.Mem.Local && i.Mem.Param == p && i.Mem.Guard
	})
}
