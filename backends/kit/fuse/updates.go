package fuse

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
)

// What an op writes over parts of an operand need not be the whole of its result:
// where the result takes over the operand's memory, only these parts are written.
//
// Such an op has two kernels. One makes each element of the result, of the operand or
// of what is written over it; it can be computed where the result is used. The other
// has a stage that copies the operand, and others that write over parts of the copy.
// [update] chooses the latter where the operand's memory may become the result's, and
// [placeUpdates] makes nodes of both: one that copies, which is left out if there is
// nothing to copy, and one that writes.

// update makes ops write over their operand where the operand may give its memory up.
// One such operand is an argument whose memory the result takes over, directly or
// through more of such ops. Another is a value that is not computed element by element:
// it is in memory in any case. An op that updates all of its operand, or whose operand
// is not in memory, stays unchanged.
func update(g *Graph) {
	into := make([]plan.ValueID, len(g.values)) // by root: the argument whose memory it is to have
	for v := range into {
		into[v] = plan.None
	}
	for j, v := range g.results {
		if a := g.alias[j]; a >= 0 {
			into[g.root(v)] = g.root(g.args[a])
		}
	}
	base := func(n *node) plan.ValueID { return g.root(n.inParts.operands[n.inParts.copied()]) }
	var all []*node
	for _, n := range g.nodes {
		if n.inParts != nil && n.inParts.copied() >= 0 {
			all = append(all, n)
		}
	}
	for _, n := range slices.Backward(all) {
		if to, b := into[g.root(n.outs()[0])], base(n); to != plan.None && into[b] == plan.None {
			into[b] = to
		}
	}
	for _, n := range all {
		g.Look()
		b := base(n)
		def := g.values[b].def
		if def == nil && into[g.root(n.outs()[0])] != b || def != nil && def.pointwise() && def.inParts == nil {
			continue
		}
		n.kernel, n.operands, n.updates = n.inParts.kernel, n.inParts.operands, true
	}
}

// copied returns the parameter of n that the first stage of its kernel copies: the
// operand that the other stages write over a copy of. It is -1 where that stage does
// something else: what makes the operand has become part of it, or another kernel.
func (n *node) copied() int {
	k := n.kernel
	st := &k.Stages[0]
	if len(k.Axes) > 0 || len(k.Stages) < 2 || st.End-st.Begin != 2 {
		return -1
	}
	from, to := &k.Instrs[st.Begin], &k.Instrs[st.Begin+1]
	if from.Op != kernel.Load || to.Op != kernel.Store || to.Args[0] != st.Begin || !from.Mem.Plain() || !to.Mem.Plain() {
		return -1
	}
	return from.Mem.Param
}

// readsCopied reports whether def reads what n, which updates a copy, copies: were it
// computed in n, the operand would be read when its memory is the result's.
func (g *Graph) readsCopied(n, def *node) bool {
	p := n.copied()
	return p >= 0 && slices.ContainsFunc(def.ins(), func(v plan.ValueID) bool { return g.root(v) == g.root(n.operands[p]) })
}

// writesOnly reports whether the stages of n that follow the first can be a kernel of
// their own: they use none of its values, and load nothing that is stored.
func writesOnly(n *node) bool {
	k := n.kernel
	if len(k.Axes) > 0 || len(k.Locals) > 0 || len(k.Stages) != 2 || len(k.Outs()) != 1 {
		return false
	}
	begin := k.Stages[1].Begin
	for id := range k.Instrs {
		in := &k.Instrs[id]
		switch {
		case in.Op == kernel.Reduce, in.Op == kernel.Scan, in.Op == kernel.Load && k.Params[in.Mem.Param].Out, in.Op == kernel.Store && in.Mem.Local:
			return false
		case kernel.ID(id) < begin:
			continue
		case readsBefore(in, begin, kernel.None):
			return false
		}
	}
	return true
}

// stagesOf returns the stage of n, from one number to before the next, as a node. Its
// axes are the kernel's: points run in any order.
func stagesOf(n *node, from, to int) *node {
	st := &n.kernel.Stages[from]
	b := kernel.NewBuilder(n.kernel.Name)
	for i, a := range st.Axes {
		b.Axis(kernel.AxisName(i), a.Size)
	}
	b.Stage()
	c := newCopier(b, n.kernel)
	c.declare()
	c.straight(from)
	c.instrs(st.Begin, n.kernel.Stages[to-1].End)
	m := &node{kernel: b.Kernel(), operands: slices.Clone(n.operands), ordinal: n.ordinal, loc: n.loc}
	cse(m) // operands that only the others have
	return m
}

// clone returns a node for what changes the kernel and operands of one.
func (n *node) clone() *node {
	m := *n
	m.operands = slices.Clone(n.operands)
	return &m
}

// copies reports whether a kernel of plain views stores each element that it loads at
// the same place of another value, and does nothing else.
func copies(k normal) bool {
	if len(k.kernel.Stages) != 1 || len(k.kernel.Stages[0].Axes) > 0 || len(k.kernel.Instrs) != 2 || len(k.operands) != 2 || len(k.moving) > 0 {
		return false
	}
	from, to := &k.kernel.Instrs[0], &k.kernel.Instrs[1]
	if from.Op != kernel.Load || to.Op != kernel.Store || !from.Mem.Plain() || !to.Mem.Plain() || from.Type != to.Type {
		return false
	}
	x, y := k.operands[from.Mem.Param], k.operands[to.Mem.Param]
	strides := k.kernel.StrideTable(nil, k.strides)
	return x.Offset == y.Offset && len(x.By) == 0 && len(y.By) == 0 && from.Mem.SameIndex(to.Mem) &&
		slices.Equal(strides[from.Mem.Param], strides[to.Mem.Param])
}
