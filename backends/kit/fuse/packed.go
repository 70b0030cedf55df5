package fuse

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/dims"
)

// packed moves the elementwise computation of a factor into the contractions that read it:
// weights of bytes with their scales, or a normalisation by statistics that are there. It
// does so where the target computes factors as it packs them ([Options.Packs]), and where
// that takes less than to write them to memory and to read them again.
//
// Nodes are pointwise, and merged with what they could follow.
func packed(g *Graph) {
	if g.o.Packs == nil {
		return
	}
	users := g.readers() // nil among them stands for the caller
	for _, v := range g.results {
		users[g.root(v)] = append(users[g.root(v)], nil)
	}
	for _, def := range slices.Backward(g.nodes) { // what follows first
		g.Look()
		if !def.pointwise() {
			continue
		}
		v := g.root(def.outs()[0])
		for _, n := range g.pack(def, users[v]) {
			for _, w := range def.ins() {
				users[g.root(w)] = append(users[g.root(w)], n)
			}
		}
	}
	g.sweep()
}

// pack has all users of a pointwise node compute what it makes, if all are
// contractions and it pays, and returns them; else none.
func (g *Graph) pack(def *node, users []*node) []*node {
	var done []*node
	var with []node // what the users become
	times := 0
	for _, n := range users {
		if n == nil || n.kernel == nil {
			return nil
		}
		if slices.Contains(done, n) {
			continue
		}
		c, packs := g.packInto(n, def)
		if packs == 0 {
			return nil
		}
		done, with, times = append(done, n), append(with, c), times+packs
	}
	if !def.paysPacked(times) {
		return nil
	}
	for i, n := range done {
		n.kernel, n.operands = with[i].kernel, with[i].operands
	}
	return done
}

// packInto returns a contraction that computes what def makes where it loaded it,
// and how often it does so for each element; 0 if the target has no such
// contraction.
func (g *Graph) packInto(n, def *node) (c node, times int) {
	if len(n.kernel.Instrs)+len(def.kernel.Instrs) > mostInstrs || len(n.operands)+len(def.operands) > mostParams {
		return c, 0
	}
	k, ok := kernel.AsContraction(n.kernel)
	if !ok {
		return c, 0
	}
	ofA, ofB := false, false
	for id := range n.kernel.Instrs {
		in := &n.kernel.Instrs[id]
		if in.Mem == nil || g.def(n.operands[in.Mem.Param]) != def {
			continue
		}
		a, b := slices.Contains(k.A.Body, kernel.ID(id)), slices.Contains(k.B.Body, kernel.ID(id))
		if !a && !b || in.Mem.Guard || g.dimsOf(n.operands[in.Mem.Param]) == nil {
			return c, 0
		}
		ofA, ofB = ofA || a, ofB || b
	}
	c = *n
	for {
		p := slices.IndexFunc(c.operands, func(v plan.ValueID) bool { return g.def(v) == def })
		if p < 0 {
			break
		}
		g.inlineInto(&c, p)
	}
	asked := c
	w := g.normalise(&asked)
	sizes, strides := typical(w.sizes), typical(w.strides)
	table := w.kernel.StrideTable(nil, strides)
	if permutes(def.kernel) && g.windowOf(n, def) && !slices.ContainsFunc(w.kernel.Instrs, func(in kernel.Instr) bool {
		return in.Op == kernel.Load && !in.Mem.Local && w.operands[in.Mem.Param].Value == g.root(def.ins()[0]) && runsInStage(w.kernel, in.Mem, table)
	}) {
		return c, 0 // each element would be loaded alone, as often as it is in a window
	}
	timesA, timesB := g.o.Packs(w.kernel, sizes, strides)
	if timesA == 0 || timesB == 0 {
		return c, 0
	}
	if was, ok := kernel.AsContraction(w.kernel); ok && leftIsA(n.kernel, k) != leftIsA(w.kernel, was) {
		timesA, timesB = timesB, timesA
	}
	if ofA {
		times += timesA
	}
	if ofB {
		times += timesB
	}
	return c, times
}

// typical returns numbers as they typically are.
func typical(all []int64) []int64 {
	all = slices.Clone(all)
	for i, n := range all {
		all[i] = dims.Typical(n)
	}
	return all
}

// windowOf reports whether a contraction reads what def makes through a window.
func (g *Graph) windowOf(n, def *node) bool {
	return slices.ContainsFunc(n.kernel.Instrs, func(in kernel.Instr) bool {
		return in.Op == kernel.Load && !in.Mem.Local && g.def(n.operands[in.Mem.Param]) == def &&
			slices.ContainsFunc(in.Mem.Index, func(x kernel.Index) bool { return len(x.Terms) > 1 })
	})
}

// runsInStage reports whether a load of a normal kernel takes elements along an axis of the first
// stage that are neighbours, or two apart: vectors of both are loaded. The table has the strides of
// the kernel.
func runsInStage(k *kernel.Kernel, m *kernel.Access, table [][]int64) bool {
	for d, x := range m.Index {
		stride := table[m.Param][d]
		if (stride == 1 || stride == 2) && len(x.Terms) == 1 && x.Terms[0].Axis >= len(k.Axes) {
			return true
		}
	}
	return false
}

// leftIsA reports whether A is the product's first argument.
func leftIsA(k *kernel.Kernel, c *kernel.Contraction) bool {
	return c.A.Value == k.Instrs[c.Product].Args[0]
}

// What computing an element takes, in bytes that go to memory in the same time.
const (
	bytesOfOp     = 0.5
	bytesOfCostly = 4
)

// paysPacked reports whether to compute each element of what a pointwise node
// makes so many times takes less than to store it once and to load it as often.
func (n *node) paysPacked(times int) bool {
	w := workOf(n.kernel)
	each := float64(w.ops)*bytesOfOp + float64(w.costly)*bytesOfCostly
	all, made := float64(pointsAt(n.kernel, 0)), 0.
	for i := range n.kernel.Instrs {
		in := &n.kernel.Instrs[i]
		switch in.Op {
		case kernel.Store:
			made = float64(in.Type.Size())
		case kernel.Load:
			points := float64(1)
			for a := range n.kernel.Axes {
				if dimAlong(in.Mem, a) >= 0 {
					points *= float64(dims.Typical(n.kernel.Axes[a].Size))
				}
			}
			each += float64(in.Type.Size()) * min(points/all, 1)
		}
	}
	return float64(times)*each < each+float64(times+1)*made
}
