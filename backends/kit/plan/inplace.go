package plan

import (
	"slices"

	"ltc/backends/kit/kernel"
)

// InPlace reports whether result j can be written over the argument that it takes over.
// No step may read the argument after the result is written. The step that writes the
// result may read the argument, if it reads each element before it writes it. That step
// may also be a copy, which in place need not be made.
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
	for id, in := range k.Accesses(store) {
		if in.Op == kernel.Store {
			if at != kernel.None || !in.Mem.Plain() {
				return false
			}
			at = id
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
		for id, in := range k.Accesses(i) {
			if id > at || k.StageOf(id) != k.StageOf(at) || in.Mem.Guard || !in.Mem.SameIndex(k.Instrs[at].Mem) {
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
