package kit

import (
	"slices"

	"ltc/backends/kit/kernel"
)

// compact makes one stage of those that run over the same axes and need not
// wait for each other, and uses a value that was stored where it would be
// loaded at the same place.
func compact(n *node) {
	k := n.kernel
	groups := groupStages(k)
	b := withAxes(k.Name, k)
	c := newCopier(b, k)
	c.declare()
	for _, group := range groups {
		b.Stage(k.Stages[group[0]].Axes...)
		var stores []kernel.ID
		for _, s := range group {
			c.identity(s)
			st := &k.Stages[s]
			for id := st.Begin; id < st.End; id++ {
				in := &k.Instrs[id]
				if in.Op == kernel.Load && !in.Mem.Guard {
					if at := slices.IndexFunc(stores, func(st kernel.ID) bool { return samePlace(k.Instrs[st].Mem, in.Mem) }); at >= 0 {
						c.ids[id] = c.ids[k.Instrs[stores[at]].Args[0]]
						continue
					}
				}
				if c.instr(id); in.Op == kernel.Store && !in.Mem.Guard && in.Mem.Combine == kernel.Invalid {
					stores = append(stores, id)
				}
			}
		}
	}
	n.kernel = b.Kernel()
	c.forwardUniform(n)
	cse(n)
}

// forwardUniform uses values that a stage without axes stored where a later
// stage loads them at the same place.
func (c *copier) forwardUniform(n *node) {
	k := n.kernel
	same := map[kernel.ID]kernel.ID{}
	for id := range k.Instrs {
		in := &k.Instrs[id]
		if in.Op == kernel.Load && !in.Mem.Guard {
			for st := 0; st < id; st++ {
				s := &k.Instrs[st]
				if s.Op == kernel.Store && !s.Mem.Guard && s.Mem.Combine == kernel.Invalid && samePlace(s.Mem, in.Mem) &&
					len(k.Stages[k.StageOf(kernel.ID(st))].Axes) == 0 {
					same[kernel.ID(id)] = s.Args[0]
				}
			}
		}
		for j, a := range in.Args {
			if to, ok := same[a]; ok {
				in.Args[j] = to
			}
		}
		if in.Mem != nil {
			for d := range in.Mem.Index {
				if to, ok := same[in.Mem.Index[d].Value]; ok {
					in.Mem.Index[d].Value = to
				}
			}
		}
	}
}

// samePlace reports whether two accesses of one stage, or uniform ones of two,
// are to the same element.
func samePlace(a, b *kernel.Access) bool {
	if a.Param != b.Param || a.Local != b.Local {
		return false
	}
	return slices.EqualFunc(a.Index, b.Index, func(i, j kernel.Index) bool {
		return i.Value == kernel.None && j.Value == kernel.None && i.Offset == j.Offset && slices.Equal(i.Terms, j.Terms)
	})
}

// groupStages returns which stages can be one, in the order in which they run.
func groupStages(k *kernel.Kernel) [][]int {
	var groups [][]int
	home := make([]int, len(k.Stages)) // by stage: its group
	for t := range k.Stages {
		after, with := -1, -1 // it follows the one, and may at the earliest be in the other
		for s := range t {
			switch dependence(k, s, t) {
			case follows:
				after = max(after, home[s])
			case samePoint:
				with = max(with, home[s])
			}
		}
		at := -1
		for i := max(after+1, with, 0); i < len(groups) && at < 0; i++ {
			if sameAxes(k, groups[i][0], t) {
				at = i
			}
		}
		if at < 0 {
			at = len(groups)
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], t)
		home[t] = at
	}
	return groups
}

func sameAxes(k *kernel.Kernel, s, t int) bool {
	return slices.EqualFunc(k.Stages[s].Axes, k.Stages[t].Axes, func(a, b kernel.Axis) bool { return a.Size == b.Size })
}

const (
	independent = iota
	samePoint   // a point needs the same point only
	follows     // it begins when the other has ended
)

// dependence says how stage t depends on an earlier stage s.
func dependence(k *kernel.Kernel, s, t int) int {
	same := sameAxes(k, s, t)
	from, to := &k.Stages[s], &k.Stages[t]
	found := independent
	uses := func(v kernel.ID) {
		if v < from.Begin || v >= from.End {
			return
		}
		if found = max(found, samePoint); !same || k.Instrs[v].Op == kernel.Reduce {
			found = follows
		}
	}
	for id := to.Begin; id < to.End; id++ {
		in := &k.Instrs[id]
		for _, a := range in.Args {
			uses(a)
		}
		if in.Mem == nil {
			continue
		}
		for _, i := range in.Mem.Index {
			uses(i.Value)
		}
		for other := from.Begin; other < from.End; other++ {
			o := &k.Instrs[other]
			if o.Mem == nil || o.Mem.Param != in.Mem.Param || o.Mem.Local != in.Mem.Local || o.Op == kernel.Load && in.Op == kernel.Load {
				continue
			}
			if found = max(found, samePoint); !same || !samePlace(o.Mem, in.Mem) {
				found = follows
			}
		}
	}
	return found
}
