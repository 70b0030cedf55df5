package fuse

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
	b.Expect(k)
	c := newCopier(b, k)
	c.declare()
	for _, group := range groups {
		b.Stage(groupAxes(k, group)...)
		stores := map[memoryAt][]kernel.ID{}
		for _, s := range group {
			c.identity(s)
			st := &k.Stages[s]
			for id := st.Begin; id < st.End; id++ {
				in := &k.Instrs[id]
				if in.Op == kernel.Load && !in.Mem.Guard {
					if st := lastAt(k, stores[memoryKey(in.Mem)], in.Mem); st != kernel.None {
						c.ids[id] = c.ids[k.Instrs[st].Args[0]]
						continue
					}
				}
				if c.instr(id); in.Op == kernel.Store && !in.Mem.Guard && in.Mem.Combine == kernel.Invalid {
					m := memoryKey(in.Mem)
					stores[m] = append(stores[m], id)
				}
			}
		}
	}
	n.kernel = b.Kernel()
	c.forwardUniform(n)
	cse(n)
}

// lastAt returns the last of some stores that is where an access is; None if none is.
func lastAt(k *kernel.Kernel, stores []kernel.ID, m *kernel.Access) kernel.ID {
	for _, st := range slices.Backward(stores) {
		if k.Instrs[st].Mem.SameElement(m) {
			return st
		}
	}
	return kernel.None
}

// memoryAt is what an access is to: a parameter or a local.
type memoryAt struct {
	at    int
	local bool
}

func memoryKey(a *kernel.Access) memoryAt { return memoryAt{a.Param, a.Local} }

// forwardUniform uses values that a stage without axes stored where a later
// stage loads them at the same place, unless one with axes stores to that memory, too.
func (c *copier) forwardUniform(n *node) {
	k := n.kernel
	same := map[kernel.ID]kernel.ID{}
	stores := map[memoryAt][]kernel.ID{} // of the stages without axes
	stage := -1
	for id := range k.Instrs {
		in := &k.Instrs[id]
		for stage < 0 || kernel.ID(id) >= k.Stages[stage].End {
			stage++
			c.forget(k, stage, stores)
		}
		if in.Op == kernel.Load && !in.Mem.Guard {
			for _, st := range stores[memoryKey(in.Mem)] {
				if s := &k.Instrs[st]; s.Mem.SameElement(in.Mem) {
					same[kernel.ID(id)] = s.Args[0]
				}
			}
		}
		if in.Op == kernel.Store && !in.Mem.Guard && in.Mem.Combine == kernel.Invalid && len(k.Stages[stage].Axes) == 0 {
			m := memoryKey(in.Mem)
			stores[m] = append(stores[m], kernel.ID(id))
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

// forget drops the stores to what a stage with axes stores to.
func (c *copier) forget(k *kernel.Kernel, stage int, stores map[memoryAt][]kernel.ID) {
	st := &k.Stages[stage]
	if len(st.Axes) == 0 {
		return
	}
	for id := st.Begin; id < st.End; id++ {
		if k.Instrs[id].Op == kernel.Store {
			delete(stores, memoryKey(k.Instrs[id].Mem))
		}
	}
}

// groupStages returns which stages can be one, in the order in which they run.
func groupStages(k *kernel.Kernel) [][]int {
	g := &grouping{k: k, home: make([]int, len(k.Stages)), stage: make([]int, len(k.Instrs)), loads: map[memoryAt][]int{}, stores: map[memoryAt][]int{}}
	for t := range k.Stages {
		g.place(t)
	}
	return g.groups
}

// grouping is the groups of the stages so far.
type grouping struct {
	k             *kernel.Kernel
	groups        [][]int
	home          []int              // by stage: its group
	stage         []int              // by instruction
	loads, stores map[memoryAt][]int // the stages with such, by rising home
}

// place adds stage t to the first group that it can be in.
func (g *grouping) place(t int) {
	after, with := g.earliest(t)
	at := -1
	for i := max(after+1, with, 0); i < len(g.groups) && at < 0; i++ {
		if sameAxes(g.k, g.groups[i][0], t) && together(g.k, g.groups[i], t) {
			at = i
		}
	}
	if at < 0 {
		at = len(g.groups)
		g.groups = append(g.groups, nil)
	}
	g.groups[at] = append(g.groups[at], t)
	g.home[t] = at
	for id := g.k.Stages[t].Begin; id < g.k.Stages[t].End; id++ {
		if in := &g.k.Instrs[id]; in.Op == kernel.Load {
			g.note(g.loads, memoryKey(in.Mem), t)
		} else if in.Mem != nil {
			g.note(g.stores, memoryKey(in.Mem), t)
		}
	}
}

// earliest returns the group that stage t follows, and the first one that it can be in; -1
// if there is none.
func (g *grouping) earliest(t int) (after, with int) {
	after, with = -1, -1
	needs := func(s int) {
		switch dependence(g.k, s, t) {
		case follows:
			after = max(after, g.home[s])
		case samePoint:
			with = max(with, g.home[s])
		}
	}
	begin, end := g.k.Stages[t].Begin, g.k.Stages[t].End
	value := func(v kernel.ID) {
		if v != kernel.None && v < begin && g.home[g.stage[v]] > after {
			needs(g.stage[v])
		}
	}
	// What is in no later group than the one that it follows tells nothing new.
	accesses := func(list []int) {
		for _, s := range slices.Backward(list) {
			if g.home[s] <= after {
				break
			}
			needs(s)
		}
	}
	for id := begin; id < end; id++ {
		in := &g.k.Instrs[id]
		g.stage[id] = t
		for _, a := range in.Args {
			value(a)
		}
		if in.Mem == nil {
			continue
		}
		for _, i := range in.Mem.Index {
			value(i.Value)
		}
		accesses(g.stores[memoryKey(in.Mem)])
		if in.Op != kernel.Load {
			accesses(g.loads[memoryKey(in.Mem)])
		}
	}
	return after, with
}

// note adds stage s to those that access m, if it is not there.
func (g *grouping) note(to map[memoryAt][]int, m memoryAt, s int) {
	list := to[m]
	at, _ := slices.BinarySearchFunc(list, g.home[s]+1, func(s, home int) int { return g.home[s] - home })
	if at == 0 || list[at-1] != s {
		to[m] = slices.Insert(list, at, s)
	}
}

func sameAxes(k *kernel.Kernel, s, t int) bool {
	return slices.EqualFunc(k.Stages[s].Axes, k.Stages[t].Axes, func(a, b kernel.Axis) bool { return a.Size == b.Size })
}

// together reports whether stage t, which has the axes of a group, can be in it: a
// stage scans in one order, and does not reduce besides.
func together(k *kernel.Kernel, group []int, t int) bool {
	kind, reduces := k.Stages[t].Scanned(), reducesIn(k, t)
	for _, s := range group {
		other := k.Stages[s].Scanned()
		if other != kind && other != kernel.FreeAxis && kind != kernel.FreeAxis || other != kernel.FreeAxis && reduces || kind != kernel.FreeAxis && reducesIn(k, s) {
			return false
		}
	}
	return true
}

func reducesIn(k *kernel.Kernel, s int) bool {
	return slices.ContainsFunc(k.Instrs[k.Stages[s].Begin:k.Stages[s].End], func(in kernel.Instr) bool { return in.Op == kernel.Reduce })
}

// groupAxes returns the axes of a group's stages: as the first of them that scans has
// them.
func groupAxes(k *kernel.Kernel, group []int) []kernel.Axis {
	for _, s := range group {
		if k.Stages[s].Scanned() != kernel.FreeAxis {
			return k.Stages[s].Axes
		}
	}
	return k.Stages[group[0]].Axes
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
			if found = max(found, samePoint); !same || !o.Mem.SameElement(in.Mem) {
				found = follows
			}
		}
	}
	return found
}
