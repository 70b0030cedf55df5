package fuse

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/dims"
)

// smallWork is how many points two kernels may have together to be worth one
// that runs them one behind the other without any axis in common.
const smallWork = 4096

// merge makes one kernel of a node and a later node that reads its result. Both must be
// able to run for the same points of parallel axes. Examples are a reduction of rows
// with the ops that use it, and a matrix product with its epilogue. The merged kernel
// has the stages of the first node, then the stages of the second.
//
// The order of nodes still holds.
func merge(g *Graph) {
	g.number()
	g.users = g.readers()
	for _, v := range g.results {
		g.users[g.root(v)] = append(g.users[g.root(v)], nil) // the caller
	}
	for at := range g.nodes {
		for next := at; next >= 0; {
			g.Look()
			next = g.mergeBack(next)
		}
	}
	g.users = nil
	g.dropMerged()
}

// between reports whether a value is made by one of two nodes, and read by these alone, so that nothing of it
// is left in memory once they are one.
func (g *Graph) between(v plan.ValueID, a, b *node) bool {
	if def := g.def(v); def != a && def != b {
		return false
	}
	users := g.users[g.root(v)]
	return len(users) <= mostReaders && !slices.ContainsFunc(users, func(n *node) bool {
		for n != nil && n.into != nil {
			n = n.into
		}
		return n != a && n != b
	})
}

// merged puts m at a place, for two nodes that it was made of.
func (g *Graph) merged(a, b, m *node, at int) *node {
	a.into, b.into, m.at, g.nodes[at] = m, m, at, m
	return m
}

// dropMerged drops the nodes that others were made of.
func (g *Graph) dropMerged() {
	g.nodes = slices.DeleteFunc(g.nodes, func(n *node) bool { return n.into != nil })
	g.number()
}

// number writes down where each node stands.
func (g *Graph) number() {
	for i, n := range g.nodes {
		n.at = i
	}
}

// def returns the node that makes a value; nil for arguments and constants.
func (g *Graph) def(v plan.ValueID) *node {
	n := g.values[g.root(v)].def
	for n != nil && n.into != nil {
		n = n.into
	}
	return n
}

// mergeBack merges the node at a place with one whose values it reads. It
// returns where the result stands; -1 if there is none.
func (g *Graph) mergeBack(at int) int {
	n := g.nodes[at]
	if n.into != nil || n.kernel == nil {
		return -1
	}
	for _, v := range n.ins() {
		if def := g.def(v); def != nil && def != n && def.kernel != nil {
			if m := g.mergePair(def, n); m != nil {
				return m.at
			}
		}
	}
	return -1
}

// mergePair merges a with b, which reads it, where that can be and pays. It
// returns nil where not.
func (g *Graph) mergePair(a, b *node) *node {
	if a.updates || b.updates || crowded(a, b, false) || g.memoryOf(a, b) > mostParams {
		return nil
	}
	small := dims.AtMost(dims.Add(most(a.kernel), most(b.kernel)), smallWork)
	pairs, ok := g.pair(a, b, small)
	switch {
	case !ok,
		isContraction(b.kernel),
		isContraction(a.kernel) && (len(pairs) < len(a.kernel.Axes) || len(pairs) < len(b.kernel.Axes) || !b.axisless()),
		len(pairs) < len(a.kernel.Axes) && !demotable(a.kernel),
		len(pairs) < len(b.kernel.Axes) && !demotable(b.kernel),
		len(pairs) == 0 && !small:
		return nil
	}
	at := g.meet(a, b)
	if at < 0 {
		return nil
	}
	m := g.join(a, b, pairs)
	if !rowsFit(m.kernel, g.o.LocalBytes) {
		return nil
	}
	return g.merged(a, b, m, at)
}

// operandsOf counts what two nodes read and make together.
func operandsOf(a, b *node) int {
	n := len(a.operands)
	for _, v := range b.operands {
		if !slices.Contains(a.operands, v) {
			n++
		}
	}
	return n
}

// memoryOf counts what two nodes read and make together, without what is between them.
func (g *Graph) memoryOf(a, b *node) int {
	n := operandsOf(a, b)
	if n <= mostParams {
		return n
	}
	n = 0
	for i, v := range a.operands {
		if !slices.Contains(a.operands[:i], v) && !g.between(v, a, b) {
			n++
		}
	}
	for i, v := range b.operands {
		if !slices.Contains(b.operands[:i], v) && !slices.Contains(a.operands, v) && !g.between(v, a, b) {
			n++
		}
	}
	return n
}

// meet returns the place of a or b at which both can stand: all that they read
// is made before, and all that they make is read later. -1 if neither is such.
func (g *Graph) meet(a, b *node) int {
	early := true
	for _, v := range b.ins() {
		if def := g.def(v); def != nil && def != a && def.at > a.at {
			early = false
		}
	}
	if early {
		return a.at
	}
	if b.at-a.at > farApart {
		return -1
	}
	for _, n := range g.nodes[a.at+1 : b.at] {
		g.Look()
		if n.into == nil && slices.ContainsFunc(n.ins(), func(v plan.ValueID) bool { return g.def(v) == a }) {
			return -1
		}
	}
	return b.at
}

// farApart bounds the search for a place, so that large programs compile in
// time that grows with their size.
const farApart = 512

// most returns how often the instructions of the longest stage run.
func most(k *kernel.Kernel) int64 {
	n := int64(0)
	for s := range k.Stages {
		n = dims.Max(n, dims.Mul(kernel.Points(k.Axes), kernel.Points(k.Stages[s].Axes)))
	}
	return n
}

// axisless reports whether no stage has axes of its own.
func (n *node) axisless() bool {
	return !slices.ContainsFunc(n.kernel.Stages, func(s kernel.Stage) bool { return len(s.Axes) > 0 })
}

// demotable reports whether axes of a kernel can become axes of its stages:
// none of them uses a value of another, or a local that points have each.
func demotable(k *kernel.Kernel) bool {
	if len(k.Locals) > 0 {
		return false
	}
	for s := range k.Stages {
		st := &k.Stages[s]
		for id := st.Begin; id < st.End; id++ {
			in := &k.Instrs[id]
			if in.Op == kernel.Reduce || in.Op == kernel.Scan || slices.ContainsFunc(in.Args, func(a kernel.ID) bool { return a < st.Begin }) {
				return false
			}
		}
	}
	return true
}

// axisPair is an axis of one kernel and one of another that run together.
type axisPair struct{ a, b int }

// pair returns the parallel axes that a and b can share: along them b reads
// what a stored at the same point. ok is false where b reads in a way that
// they cannot be merged.
func (g *Graph) pair(a, b *node, small bool) (pairs []axisPair, ok bool) {
	first := true
	for id := range b.kernel.Instrs {
		in := &b.kernel.Instrs[id]
		if in.Op != kernel.Load || in.Mem.Local {
			continue
		}
		v := b.operands[in.Mem.Param]
		if g.def(v) != a || b.kernel.Params[in.Mem.Param].Out {
			continue
		}
		store := storeOf(a, v)
		if store == nil {
			return nil, false
		}
		var here []axisPair
		for d, i := range store.Index {
			for x, ax := range a.kernel.Axes {
				if !i.IsAxis(x) {
					continue
				}
				for y, bx := range b.kernel.Axes {
					if in.Mem.Index[d].IsAxis(y) && ax.Size == bx.Size {
						here = append(here, axisPair{x, y})
					}
				}
			}
		}
		if first {
			pairs, first = here, false
			continue
		}
		pairs = slices.DeleteFunc(pairs, func(p axisPair) bool { return !slices.Contains(here, p) })
	}
	slices.SortFunc(pairs, func(p, q axisPair) int { return p.a - q.a })
	if !small { // rows, not columns: what they share is the outer axes
		n := 0
		for n < len(pairs) && pairs[n] == (axisPair{n, n}) {
			n++
		}
		pairs = pairs[:n]
	}
	return pairs, !first
}

// storeOf returns where a node stores v; nil if that is not plainly once.
func storeOf(n *node, v plan.ValueID) *kernel.Access {
	var found *kernel.Access
	for id := range n.kernel.Instrs {
		in := &n.kernel.Instrs[id]
		if in.Op != kernel.Store || in.Mem.Local || n.operands[in.Mem.Param] != v {
			continue
		}
		if found != nil || in.Mem.Guard || in.Mem.Combine != kernel.Invalid {
			return nil
		}
		found = in.Mem
	}
	return found
}

// join builds the kernel of a and b with the given axes in common.
func (g *Graph) join(a, b *node, pairs []axisPair) *node {
	k := kernel.NewBuilder(a.kernel.Name + "_" + b.kernel.Name)
	for i, p := range pairs {
		k.Axis(kernel.AxisName(i), a.kernel.Axes[p.a].Size)
	}
	ops := &operandList{b: k}
	j := &joiner{g: g, to: k, ops: ops, shared: len(pairs)}
	shared := map[int]int{}
	for i, p := range pairs {
		shared[p.a] = i
	}
	j.add(a, shared)
	clear(shared)
	for i, p := range pairs {
		shared[p.b] = i
	}
	j.add(b, shared)
	m := &node{kernel: k.Kernel(), operands: ops.values, ordinal: a.ordinal, loc: a.loc}
	compact(m)
	return m
}

type joiner struct {
	g      *Graph
	to     *kernel.Builder
	ops    *operandList
	shared int
	locals int
}

// add adds the stages of a node whose axes of the given numbers are shared ones.
func (j *joiner) add(n *node, shared map[int]int) {
	c := newCopier(j.to, n.kernel)
	c.params = j.ops.add(n, func(int) bool { return true })
	for _, l := range n.kernel.Locals {
		l.Name = kernel.LocalName(j.locals)
		c.locals = append(c.locals, j.to.Local(l))
		j.locals++
	}
	for s := range n.kernel.Stages {
		st := &n.kernel.Stages[s]
		c.axes = c.axes[:0]
		var own []kernel.Axis
		along := func(a kernel.Axis) kernel.Index {
			own = append(own, kernel.Axis{Name: kernel.StageAxisName(len(own)), Size: a.Size, Kind: a.Kind})
			return kernel.Along(j.shared + len(own) - 1)
		}
		for x, a := range n.kernel.Axes {
			if at, ok := shared[x]; ok {
				c.axes = append(c.axes, kernel.Along(at))
			} else {
				c.axes = append(c.axes, along(a))
			}
		}
		for _, a := range st.Axes {
			c.axes = append(c.axes, along(a))
		}
		j.to.Stage(own...)
		c.instrs(st.Begin, st.End)
	}
}
