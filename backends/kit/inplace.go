package kit

import (
	"slices"

	"ltc/backends/kit/kernel"
)

// delayDonated puts nodes that make the new value of a donated argument, which
// nothing else reads, behind all others: then the old value has been read.
func delayDonated(g *graph, donated []ValueID) {
	late := func(n *node) bool {
		if n.kernel == nil {
			return false
		}
		outs := n.outs()
		return len(outs) > 0 && !slices.ContainsFunc(outs, func(v ValueID) bool { return !slices.Contains(donated, v) })
	}
	read := make([]bool, len(g.values))
	for _, n := range g.nodes {
		for _, v := range n.ins() {
			read[g.root(v)] = true
		}
	}
	slices.SortStableFunc(g.nodes, func(a, b *node) int {
		return rank(late(a) && !anyRead(a, read)) - rank(late(b) && !anyRead(b, read))
	})
	g.number()
}

func anyRead(n *node, read []bool) bool {
	return slices.ContainsFunc(n.outs(), func(v ValueID) bool { return read[v] })
}

func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// InPlace reports whether result j can be written over the argument that it
// takes over: no step reads this after the result is written, but for the one
// that writes it, which reads each element before it writes it.
func (p *Program) InPlace(j int) bool {
	i := p.Signature.Results[j].Alias
	if i < 0 {
		return false
	}
	old, now := p.Args[i], p.Results[j]
	switch {
	case p.Values[old].Layout != nil || p.Values[now].Layout != nil:
		return false
	case p.Values[old].Last < p.Values[now].First:
		return true
	case p.Values[old].Last > p.Values[now].First || p.Values[now].First != p.Values[now].Last:
		return false
	}
	return p.overwrites(&p.Steps[p.Values[now].First], old, now)
}

// overwrites reports whether a step that reads old and makes now can have both
// in the same memory.
func (p *Program) overwrites(s *Step, old, now ValueID) bool {
	if s.Kernel < 0 {
		return false
	}
	k := p.Kernels[s.Kernel]
	store, at := -1, kernel.None
	for i, o := range s.Operands {
		if o.Value == now {
			if store >= 0 {
				return false
			}
			store = i
		}
	}
	for id := range k.Instrs {
		if in := &k.Instrs[id]; in.Op == kernel.Store && !in.Mem.Local && in.Mem.Param == store {
			if at != kernel.None || !plain(in.Mem) {
				return false
			}
			at = kernel.ID(id)
		}
	}
	if at == kernel.None {
		return false
	}
	strides := k.StrideTable(nil, s.Strides)
	for i, o := range s.Operands {
		if o.Value != old {
			continue
		}
		if o.Offset != s.Operands[store].Offset || !slices.Equal(strides[i], strides[store]) {
			return false
		}
		for id := range k.Instrs {
			in := &k.Instrs[id]
			if in.Mem == nil || in.Mem.Local || in.Mem.Param != i {
				continue
			}
			if kernel.ID(id) > at || k.StageOf(kernel.ID(id)) != k.StageOf(at) || !sameIndex(in.Mem, k.Instrs[at].Mem) {
				return false
			}
		}
	}
	return true
}

func sameIndex(a, b *kernel.Access) bool {
	m := *a
	m.Param = b.Param
	return !a.Guard && samePlace(&m, b)
}
