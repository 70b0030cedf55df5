package fuse

import (
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/dims"
)

// scansOnly returns the scan of a node that does nothing else but what each point
// does by itself; None if it is none.
func scansOnly(k *kernel.Kernel) kernel.ID {
	found := kernel.None
	if len(k.Stages) != 1 || len(k.Locals) > 0 || k.Stages[0].Scanned() == kernel.FreeAxis {
		return kernel.None
	}
	for id := range k.Instrs {
		switch in := &k.Instrs[id]; {
		case in.Op == kernel.Scan && found != kernel.None,
			in.Op == kernel.Iota,
			in.Op == kernel.Store && !in.Mem.Plain(),
			in.Op == kernel.Load && k.Params[in.Mem.Param].Out:
			return kernel.None
		case in.Op == kernel.Scan:
			found = kernel.ID(id)
		}
	}
	return found
}

// scanInParts splits the scan of a node into parts, for a node that scans many elements
// for each of few points. The parts can run at the same time. It returns the new nodes
// that must run before n: the reduction of each part, and the scan of these results. It
// is nil where splitting does not pay. The split depends on the node's sizes alone.
func (g *Graph) scanInParts(n *node) []*node {
	if n.kernel == nil || n.updates {
		return nil
	}
	k := n.kernel
	id := scansOnly(k)
	if id == kernel.None {
		return nil
	}
	st := &k.Stages[0]
	points, length := dims.Typical(kernel.Points(k.Axes)), int64(dims.Typical(st.Axes[0].Size))
	if !Long(points, length) {
		return nil
	}
	parts, own, from := cut(k, st, longestPart)
	if parts == 0 {
		return nil
	}
	with, _ := kernel.AsScan(k.Instrs[id].Aux)
	kind := st.Axes[0].Kind

	sum, sums := g.inParts(n, id, with, parts, own, from)
	before, offsets := g.scanSums(n, sums, with, parts, kind)

	b := withAxes(k.Name, k)
	b.Axis(kernel.AxisName(len(k.Axes)), parts)
	ops := &operandList{b: b}
	c := newCopier(b, k)
	c.params = ops.add(n, func(int) bool { return true })
	c.straightTo(from)
	at := b.Param(kernel.Dense("offsets", g.values[offsets].typ, false))
	ops.values = append(ops.values, offsets)
	b.Stage(kernel.Axis{Name: own[0].Name, Size: own[0].Size, Kind: kind})
	for i := st.Begin; i < st.End; i++ {
		if c.instr(i); i == id {
			offset := b.Load(at, ofPart(len(k.Axes))...)
			c.ids[i] = b.Op(with, k.Instrs[id].Type, offset, c.ids[i])
		}
	}
	n.kernel, n.operands = b.Kernel(), ops.values
	cse(n)
	return []*node{sum, before}
}

// straightTo makes the kernel's axes those of the same number, and the stage's what
// is given.
func (c *copier) straightTo(stage []kernel.Index) {
	c.axes = c.axes[:0]
	for x := range c.from.Axes {
		c.axes = append(c.axes, kernel.Along(x))
	}
	c.axes = append(c.axes, stage...)
}

// scanSums returns a node that scans what parts combine to, but for each its own.
func (g *Graph) scanSums(n *node, sums plan.ValueID, with kernel.Op, parts kernel.Size, kind kernel.AxisKind) (p *node, offsets plan.ValueID) {
	k := n.kernel
	b := withAxes("offsets", k)
	typ := g.values[sums].typ
	x, y := b.Param(kernel.Dense("x0", typ, false)), b.Param(kernel.Dense("y0", typ, true))
	b.Stage(kernel.Axis{Name: "c", Size: parts, Kind: kind})
	index := ofPart(len(k.Axes))
	b.Store(y, b.Scan(with, b.Load(x, index...), true), index...)
	p = &node{ordinal: n.ordinal, loc: n.loc, kernel: b.Kernel()}
	offsets = g.newValue(typ, p)
	p.operands = []plan.ValueID{sums, offsets}
	return p, offsets
}
