package kit

import (
	"slices"

	"ltc/backends/kit/kernel"
)

// delayDonated puts nodes that are late behind all others: then the old values of
// donated arguments have been read.
func delayDonated(g *graph) {
	late := g.late()
	slices.SortStableFunc(g.nodes, func(a, b *node) int { return rank(late(a)) - rank(late(b)) })
	g.number()
}

// late returns which nodes only make new values of donated arguments, which
// nothing else reads.
func (g *graph) late() func(*node) bool {
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
		return n.kernel != nil && len(outs) > 0 && !slices.ContainsFunc(outs, func(v ValueID) bool { return other[g.root(v)] })
	}
}

func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// InPlace reports whether result j can be written over the argument that it
// takes over: no step reads this after the result is written, but for the one
// that writes it, which reads each element before it writes it, or is a copy that
// then need not be made.
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
	case p.Values[old].Last > p.Values[now].First:
		return false
	}
	first := p.Steps[p.Values[now].First].Work
	l, _ := first.(*Launch)
	if _, loop := first.(*Loop); !loop && (l == nil || !l.Copies) && p.Values[now].First != p.Values[now].Last {
		return false
	}
	return first.overwrites(p, old, now)
}

func (s *Launch) overwrites(p *Program, old, now ValueID) bool {
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

// overwrites reports whether a loop that begins with old, and with it alone where it
// is, leaves now in its place.
func (l *Loop) overwrites(_ *Program, old, now ValueID) bool {
	reads, at := 0, -1
	for i, a := range l.Init {
		if a.Value == old {
			reads, at = reads+1, i
		}
	}
	for _, a := range l.Captured {
		if a.Value == old {
			reads++
		}
	}
	return reads == 1 && at >= 0 && l.Outs[at] == now && l.Stays[at]
}

func sameIndex(a, b *kernel.Access) bool {
	m := *a
	m.Param = b.Param
	return !a.Guard && samePlace(&m, b)
}
