package fuse

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
)

// Limits of joining: a joined kernel makes at most mostJoined values and has at most
// mostStreams operands. Loops keep few operands in registers, and processors prefetch
// few streams. Each node looks for siblings among the last mostReaders nodes that read
// a value.
const mostJoined, mostStreams, mostReaders = 4, 16, 16

// joinSiblings makes one kernel of independent nodes that compute elementwise and load
// the same elements. None of the nodes may need a result of another. The joined kernel
// loads the common elements once, and computes common expressions once.
//
// Comes last: a node of several values is no part of another. Its kernels load all
// that they need for a point before they store, as kernels must whose results take
// the place of what they read.
func joinSiblings(g *Graph) {
	g.number()
	late := g.late()
	readers := make([][]*node, len(g.values))
	for _, n := range g.nodes {
		g.Look()
		if !joinable(n.kernel) {
			continue
		}
		for m := n; m != nil; {
			n, m = m, g.joinWith(m, readers, late)
		}
		for _, v := range n.ins() {
			all := append(readers[v], n)
			readers[v] = all[max(len(all)-mostReaders, 0):]
		}
	}
	g.dropMerged()
}

// joinable reports whether a kernel loads, computes and stores each element by
// itself.
func joinable(k *kernel.Kernel) bool {
	if k == nil || len(k.Stages) != 1 || len(k.Stages[0].Axes) > 0 || len(k.Locals) > 0 {
		return false
	}
	return !slices.ContainsFunc(k.Instrs, func(in kernel.Instr) bool {
		return in.Op == kernel.Store && !in.Mem.Plain() || in.Op == kernel.Load && k.Params[in.Mem.Param].Out
	})
}

// joinWith joins n with one of the nodes that read what it reads, where that can be
// and pays. It returns nil where not.
func (g *Graph) joinWith(n *node, readers [][]*node, late func(*node) bool) *node {
	for _, v := range n.ins() {
		for _, other := range slices.Backward(readers[v]) {
			if other.into != nil || other == n || late(other) != late(n) {
				continue
			}
			a, b := other, n
			if b.at < a.at {
				a, b = b, a
			}
			if m := g.joinPair(a, b); m != nil {
				return m
			}
		}
	}
	return nil
}

// joinPair joins a with b, which comes later, where that can be and pays. It
// returns nil where not.
func (g *Graph) joinPair(a, b *node) *node {
	if len(a.kernel.Instrs)+len(b.kernel.Instrs) > mostInstrs || len(a.kernel.Outs())+len(b.kernel.Outs()) > mostJoined {
		return nil
	}
	x, y := axisFormOf(a), axisFormOf(b)
	if !slices.Equal(x.sizes, y.sizes) || !sameElements(x, y) || slices.ContainsFunc(b.ins(), func(v plan.ValueID) bool { return g.def(v) == a }) {
		return nil
	}
	at := g.meet(a, b)
	if at < 0 {
		return nil
	}
	m := joined(x, y)
	if len(m.operands) > mostStreams {
		return nil
	}
	return g.merged(a, b, m, at)
}

// axisForm is a node by its axes of more than one element, in their order: how
// many elements they have, and what each of the node's is of them.
type axisForm struct {
	*node
	sizes []kernel.Size
	axes  []kernel.Index
}

func axisFormOf(n *node) axisForm {
	p := axisForm{node: n}
	for _, a := range n.kernel.Axes {
		if a.Size == 1 {
			p.axes = append(p.axes, kernel.At(0))
			continue
		}
		p.axes = append(p.axes, kernel.Along(len(p.sizes)))
		p.sizes = append(p.sizes, a.Size)
	}
	return p
}

// sameElements reports whether x and y load an element of the same value that is
// another one for each point.
func sameElements(x, y axisForm) bool {
	for id := range x.kernel.Instrs {
		in := &x.kernel.Instrs[id]
		if in.Op != kernel.Load || !in.Mem.Plain() {
			continue
		}
		at, p := x.index(in.Mem), y.paramOf(x.operands[in.Mem.Param])
		along := kernel.AxisSet(0)
		for _, i := range at {
			for _, t := range i.Terms {
				along |= kernel.AxisRange(t.Axis, t.Axis+1)
			}
		}
		if along == kernel.AxisRange(0, len(x.sizes)) && slices.ContainsFunc(y.kernel.Instrs, func(in kernel.Instr) bool {
			return in.Op == kernel.Load && in.Mem.Param == p && in.Mem.Plain() &&
				slices.EqualFunc(at, y.index(in.Mem), func(i, j kernel.Index) bool { return i.Offset == j.Offset && slices.Equal(i.Terms, j.Terms) })
		}) {
			return true
		}
	}
	return false
}

// index returns where a plain access is by the points.
func (p axisForm) index(m *kernel.Access) []kernel.Index {
	at := make([]kernel.Index, len(m.Index))
	for d := range at {
		at[d] = m.Index[d].Over(p.axes)
	}
	return at
}

// joined is the node of both, of the same points: what they load and compute, then
// what they store.
func joined(nodes ...axisForm) *node {
	first := nodes[0]
	b := kernel.NewBuilder(first.kernel.Name + "_" + nodes[1].kernel.Name)
	for i, size := range first.sizes {
		b.Axis(kernel.AxisName(i), size)
	}
	b.Stage()
	ops := &operandList{b: b}
	var stores []func()
	for _, n := range nodes {
		c := newCopier(b, n.kernel)
		c.params, c.axes = ops.add(n.node, func(int) bool { return true }), n.axes
		for id := range n.kernel.Instrs {
			if id := kernel.ID(id); n.kernel.Instrs[id].Op == kernel.Store {
				stores = append(stores, func() { c.instr(id) })
			} else {
				c.instr(id)
			}
		}
	}
	for _, store := range stores {
		store()
	}
	m := &node{kernel: b.Kernel(), operands: ops.values, ordinal: first.ordinal, loc: first.loc}
	cse(m)
	return m
}
