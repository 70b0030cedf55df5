package fuse

import (
	"slices"

	"ltc/backends/kit/plan"
)

// placing is what [placeUpdates] knows of a graph, by the root of a value, as roots
// were before it.
type placing struct {
	*Graph
	bases   map[*node]plan.ValueID // of what updates: what it copies
	readers [][]*node
	results []bool           // it is one
	hosts   [][]plan.ValueID // what the host makes in its memory
}

// placeUpdates makes two nodes of each that updates: one that copies the operand and
// one that writes over the copy. Nothing is copied of an operand that nobody needs
// any more: then it has the result's memory from the beginning. Where it is an
// argument, whose memory a run knows, the copy is a step that a run leaves out if both
// are one ([plan.Launch.Copies]).
//
// Comes last: who reads the operand before it is written over is known by the order
// of nodes, which must not change any more.
func placeUpdates(g *Graph) {
	p := newPlacing(g)
	if len(p.bases) == 0 {
		return
	}
	p.delayLast()
	var nodes []*node // the last one first
	for _, n := range slices.Backward(g.nodes) {
		g.Look()
		base, updates := p.bases[n]
		if !updates {
			nodes = append(nodes, n)
			continue
		}
		copied, written := stagesOf(n, 0, 1), stagesOf(n, 1, len(n.kernel.Stages))
		written.onto = true
		nodes = append(nodes, written)
		y := n.outs()[0]
		if base != plan.None && p.spent(base, y, n, written) && copies(g.normalise(copied.clone())) {
			to := g.root(y)
			g.values[base].base = to // and not y: the way to the root of a long chain stays short
			p.hosts[to] = append(p.hosts[to], p.hosts[base]...)
			continue
		}
		g.values[y].def = copied
		nodes = append(nodes, copied)
	}
	slices.Reverse(nodes)
	g.nodes = nodes
	g.number()
}

// newPlacing looks at each node and each value once: programs may update thousands of
// times.
func newPlacing(g *Graph) *placing {
	p := &placing{Graph: g, bases: map[*node]plan.ValueID{}}
	g.number()
	for _, n := range g.nodes {
		if n.updates && writesOnly(n) {
			p.bases[n] = plan.None
			if i := n.copied(); i >= 0 {
				p.bases[n] = g.root(n.operands[i])
			}
		}
	}
	if len(p.bases) == 0 {
		return p
	}
	p.readers, p.results, p.hosts = g.readers(), make([]bool, len(g.values)), make([][]plan.ValueID, len(g.values))
	for _, v := range g.results {
		p.results[g.root(v)] = true
	}
	for v := range g.values {
		if def := g.values[v].def; def != nil && def.kernel == nil {
			r := g.root(plan.ValueID(v))
			p.hosts[r] = append(p.hosts[r], plan.ValueID(v))
		}
	}
	return p
}

// spent reports whether y can take over the memory of a root value that n copies to
// make y. The value must be made by a node and be no result. Neither written, the node
// that follows the copy, nor a node after n may read it. Values that the host makes of
// it must have the type of y's memory, because host steps write values of the types
// that memory has.
func (p *placing) spent(base, y plan.ValueID, n, written *node) bool {
	v, to := &p.values[base], p.root(y)
	return v.def != nil && v.splat == nil && v.data == nil && !p.results[base] && !p.reads(written, base) &&
		!slices.ContainsFunc(p.readers[base], func(m *node) bool { return m.at > n.at }) &&
		!slices.ContainsFunc(p.hosts[base], func(h plan.ValueID) bool { return !p.values[h].typ.Equal(p.values[to].typ) })
}

// reads reports whether a node reads a root.
func (p *placing) reads(n *node, r plan.ValueID) bool {
	return slices.ContainsFunc(n.ins(), func(v plan.ValueID) bool { return p.root(v) == r })
}

// delayLast delays, of the nodes that update copies of one value, the last that can
// be: the others are behind it no more, and have to copy in any case.
func (p *placing) delayLast() {
	done := map[plan.ValueID]bool{plan.None: true}
	for _, n := range slices.Backward(slices.Clone(p.nodes)) {
		if base, updates := p.bases[n]; updates && !done[base] {
			done[base] = p.delay(n, base)
		}
	}
}

// delay puts a node that updates behind all that read what it copies, and with it
// what depends on it, unless these do: then what they read is gone no sooner, and
// nothing changes.
func (p *placing) delay(n *node, base plan.ValueID) bool {
	first, last := n.at, n.at
	for _, m := range p.readers[base] {
		last = max(last, m.at)
	}
	made := map[plan.ValueID]bool{} // by root: of what is put behind
	var before, behind []*node
	for _, m := range p.nodes[first : last+1] {
		if m != n && !slices.ContainsFunc(m.ins(), func(v plan.ValueID) bool { return made[p.root(v)] }) {
			before = append(before, m)
			continue
		}
		if m != n && (m.kept || p.reads(m, base)) {
			return false
		}
		for _, v := range m.outs() {
			made[p.root(v)] = true
		}
		behind = append(behind, m)
	}
	for i, m := range slices.Concat(before, behind) {
		p.nodes[first+i], m.at = m, first+i
	}
	return true
}
