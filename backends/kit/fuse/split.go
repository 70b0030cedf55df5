package fuse

import (
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// A reduction of at least longReduction elements for each of fewer than fewPoints
// points is done in two steps, unless the target says otherwise ([Options.Parts]). The
// first step reduces parts, which can run at the same time. The second step reduces the
// results of the parts. The split depends on sizes alone, so the result does not depend
// on which thread runs which part.
const (
	longReduction = 1 << 16
	fewPoints     = 16
	longestPart   = 1 << 14
	// ShortestPart is how many elements a part has at least, of what is cut by its
	// length.
	ShortestPart = 256
)

// Long reports whether so many elements are reduced or scanned in parts, for each of so
// many points.
func Long(points, length int64) bool {
	return points > 0 && points < fewPoints && length >= longReduction
}

// split cuts long reductions, and sums of products.
func split(g *Graph) {
	var nodes []*node
	for _, n := range g.nodes {
		g.Look()
		p := g.partial(n)
		if p == nil {
			p = g.partialProduct(n)
		}
		if p != nil {
			nodes = append(nodes, p)
		}
		nodes = append(nodes, g.scanInParts(n)...)
		nodes = append(nodes, n)
	}
	g.nodes = nodes
}

// partial makes n reduce what a new node, which it returns, gives; nil where
// that does not pay.
func (g *Graph) partial(n *node) *node {
	if n.kernel == nil || isContraction(n.kernel) || len(n.kernel.Stages) != 2 || len(n.kernel.Stages[1].Axes) > 0 {
		return nil
	}
	k := n.kernel
	st := &k.Stages[0]
	last := &k.Instrs[st.End-1]
	points := dims.Typical(kernel.Points(k.Axes))
	if len(st.Axes) == 0 || last.Op != kernel.Reduce {
		return nil
	}
	longest := g.part(k, points, pointsAt(k, st.Begin)/max(points, 1))
	if longest == 0 {
		return nil
	}
	for id := st.Begin; id < st.End-1; id++ {
		if op := k.Instrs[id].Op; op == kernel.Store || op == kernel.Reduce {
			return nil
		}
	}
	parts, own, from := cut(k, st, longest)
	if parts == 0 {
		return nil
	}

	with := kernel.Op(last.Aux)
	p, sums := g.inParts(n, st.End-1, with, parts, own, from)
	g.fromParts(n, sums, func(b *kernel.Builder, from int) kernel.ID {
		b.Stage(kernel.Axis{Name: "c", Size: parts})
		all := b.Reduce(with, b.Load(from, ofPart(len(k.Axes))...))
		b.Stage()
		return all
	})
	return p
}

// inParts returns a new node that combines, of each of some parts, what instruction id of
// the first stage of n combines: over axes of its own, and with the stage's axes from
// there. The part's number is the axis behind the kernel's.
func (g *Graph) inParts(n *node, id kernel.ID, with kernel.Op, parts kernel.Size, own []kernel.Axis, from []kernel.Index) (p *node, sums plan.ValueID) {
	k := n.kernel
	b := withAxes("partial", k)
	b.Axis(kernel.AxisName(len(k.Axes)), parts)
	ops := &operandList{b: b}
	c := newCopier(b, k)
	c.params = ops.add(n, func(p int) bool { return !k.Params[p].Out })
	c.straightTo(from)
	b.Stage(own...)
	for i := k.Stages[0].Begin; i < id; i++ {
		if k.Instrs[i].Op != kernel.Store {
			c.instr(i)
		}
	}
	sum := b.Reduce(with, c.ids[k.Instrs[id].Args[0]])
	t := types.Of(k.Instrs[id].Type, int(parts))
	for _, a := range k.Axes {
		t.Shape = append(t.Shape, int(a.Size))
	}
	p = &node{ordinal: n.ordinal, loc: n.loc}
	sums = g.newValue(t, p)
	at := b.Param(kernel.Dense("y0", t, true))
	b.Stage()
	b.Store(at, sum, ofPart(len(k.Axes))...)
	p.kernel, p.operands = b.Kernel(), append(ops.values, sums)
	cse(p)
	return p, sums
}

// part returns how long the parts of a reduction may be, of so many elements for each
// of so many points; 0: it is not cut.
func (g *Graph) part(k *kernel.Kernel, points, length int64) int64 {
	switch {
	case points == 0:
		return 0
	case g.o.Parts != nil:
		if n := g.o.Parts(k.Typical(), points, length); n > 1 {
			return min(max(length/n, 1), longestPart)
		}
		return 0
	case Long(points, length):
		return longestPart
	}
	return 0
}

// ofPart returns the index of a part's result for a point of n axes. The part's number
// is the axis behind the n axes. In memory it comes before them, so that results of
// neighbouring points are neighbours.
func ofPart(n int) []kernel.Index {
	index := []kernel.Index{kernel.Along(n)}
	for a := range n {
		index = append(index, kernel.Along(a))
	}
	return index
}

// cut cuts the axes of a stage into parts of a length at most. It returns the number of
// parts, the axes of a part, and the stage's axes in terms of these. The part's number is
// the axis after the kernel's. No parts: the axes cannot be cut.
func cut(k *kernel.Kernel, st *kernel.Stage, longest int64) (parts kernel.Size, own []kernel.Axis, from []kernel.Index) {
	x := len(k.Axes)
	if first := st.Axes[0].Size; dims.Typical(first) >= fewPoints && len(st.Axes) > 1 {
		from = append(from, kernel.Along(x))
		for i, a := range st.Axes[1:] {
			own, from = append(own, a), append(from, kernel.Along(x+1+i))
		}
		return first, own, from
	}
	n := int64(st.Axes[0].Size)
	length := int64(1)
	for 2*length <= longest && dims.Divides(n, 2*length) {
		length *= 2
	}
	if dims.Typical(n)/length < 2 || length < min(ShortestPart, longest/2) {
		return 0, nil, nil
	}
	own = append(own, kernel.Axis{Name: st.Axes[0].Name, Size: kernel.Size(length)})
	from = append(from, kernel.Index{Terms: []kernel.Term{{Axis: x, Factor: length}, {Axis: x + 1, Factor: 1}}, Value: kernel.None})
	for i, a := range st.Axes[1:] {
		own, from = append(own, a), append(from, kernel.Along(x+2+i))
	}
	return kernel.Size(dims.Div(n, length)), own, from
}

// fromParts makes n do what follows its first stage with what combine makes of the values of
// parts, an operand, where the stage had combined them.
func (g *Graph) fromParts(n *node, sums plan.ValueID, combine func(b *kernel.Builder, from int) kernel.ID) {
	k := n.kernel
	b := withAxes(k.Name, k)
	ops := &operandList{b: b}
	c := newCopier(b, k)
	c.params = ops.add(n, func(int) bool { return true })
	from := b.Param(kernel.Dense("sums", g.values[sums].typ, false))
	c.ids[k.Stages[0].End-1] = combine(b, from)
	c.straight(1)
	c.instrs(k.Stages[1].Begin, k.Stages[1].End)
	n.kernel, n.operands = b.Kernel(), append(ops.values, sums)
	cse(n)
}
