package fuse

import (
	"fmt"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// pitchRows lays out operands of products whose rows are not as far apart as the target
// wants them ([Options.Pitch]). A temporary that kernels alone use gets longer rows at
// once: nobody reads what lies between them. A constant is copied at once. Other operands
// are copied to such a temporary, once for all products that want the same.
//
// An image that is read through a window gets more features instead, and so do the
// kernels: all are 0. Rows of the window then stay together, and the result is that of a
// convolution, as libraries have it. What writes zeros around the image writes these, too.
//
// Comes before the order of nodes decides what is written over, as copies read operands.
func pitchRows(g *Graph) {
	if g.o.Pitch == nil {
		return
	}
	p := &pitching{Graph: g, users: make([][]*node, len(g.values)), shared: make([]bool, len(g.values)), copies: map[string]plan.ValueID{}}
	for _, n := range g.nodes {
		for _, v := range slices.Concat(n.ins(), n.outs()) {
			r := g.root(v)
			p.users[r] = append(p.users[r], n)
			p.shared[r] = p.shared[r] || r != v || n.kernel == nil
		}
	}
	for _, v := range slices.Concat(g.args, g.results) {
		p.shared[g.root(v)] = true
	}
	for _, n := range g.nodes {
		g.Look()
		if n.kernel != nil && !n.updates && !n.chained && isContraction(n.kernel) {
			p.lay(n)
		}
		p.nodes = append(p.nodes, n)
	}
	g.nodes = p.nodes
	g.number()
}

// pitching is what [pitchRows] knows of a graph.
type pitching struct {
	*Graph
	nodes  []*node   // what the graph's become
	users  [][]*node // by root: who reads or makes it
	shared []bool    // by root: not kernels alone use it, or in several shapes
	copies map[string]plan.ValueID
}

// lay lays out the operands of a product.
func (p *pitching) lay(n *node) {
	c, ok := kernel.AsContraction(n.kernel)
	if !ok {
		return
	}
	windows, copied := make([]*window, len(n.operands)), make([]bool, len(n.operands))
	for i, v := range n.operands {
		if n.kernel.Params[i].Out {
			continue
		}
		windows[i] = windowOf(n.kernel, c, i)
		copied[i] = !p.stretches(v) && !p.literal(v)
		if windows[i] != nil {
			copied[i] = p.borderOf(v, n) == nil
		}
	}
	rows := p.o.Pitch(n.kernel.Typical(), copied)
	if !n.kernel.Static() {
		rows = p.ofNumbers(n, rows)
	}
	for i, w := range windows {
		if i < len(rows) && w != nil && rows[i] > 0 {
			p.widen(n, w, rows)
			return
		}
	}
	for i, by := range rows {
		if by == 0 || hasMixedIndex(n.kernel, c, i) {
			continue
		}
		v := n.operands[i]
		shape := slices.Clone(p.values[v].typ.Shape)
		shape[len(shape)-1] = roundTo(shape[len(shape)-1], by)
		if p.stretches(v) {
			p.stretch(v, shape)
			continue
		}
		p.replace(n, i, p.copied(n, v, shape, p.values[v].typ.Shape))
	}
}

// ofNumbers leaves out, of the rows that a target wants, those whose length is an expression.
// Images that are read through a window stay as they are.
func (p *pitching) ofNumbers(n *node, rows []int64) []int64 {
	rows = slices.Clone(rows)
	for i := range rows {
		shape := p.values[n.operands[i]].typ.Shape
		if len(shape) == 0 || dims.IsExpr(shape[len(shape)-1]) || hasWindow(n.kernel) {
			rows[i] = 0
		}
	}
	return rows
}

func roundTo(n int, by int64) int { return (n + int(by) - 1) / int(by) * int(by) }

// stretches reports whether a value can have longer rows: kernels alone use it, in one
// shape, and none of them depends on how long its rows are.
func (p *pitching) stretches(v plan.ValueID) bool {
	val := &p.values[v]
	if p.root(v) != v || p.shared[v] || val.def == nil || val.splat != nil || val.data != nil || len(val.typ.Shape) == 0 {
		return false
	}
	for _, n := range p.users[v] {
		if n.updates || n.onto || n.chained || n.inParts != nil {
			return false
		}
		for id := range n.kernel.Instrs {
			m := n.kernel.Instrs[id].Mem
			if m != nil && !m.Local && n.operands[m.Param] == v && (m.Guard || m.Combine != kernel.Invalid) {
				return false
			}
		}
	}
	return true
}

// literal reports whether a value is a constant: its copy is made when it is compiled.
func (p *pitching) literal(v plan.ValueID) bool { return p.root(v) == v && p.values[v].data != nil }

// stretch gives a value the rows of a shape, wherever it is used.
func (p *pitching) stretch(v plan.ValueID, shape types.Shape) {
	for _, n := range p.users[v] {
		for i, w := range n.operands {
			if w == v {
				p.replace(n, i, v, shape...)
			}
		}
	}
	p.values[v].typ.Shape = shape
}

// replace has a node use a value as its operand i, in the value's shape or a given one.
func (p *pitching) replace(n *node, i int, v plan.ValueID, shape ...int) {
	if len(shape) == 0 {
		shape = p.values[v].typ.Shape
	}
	k := *n.kernel
	k.Params, n.operands = slices.Clone(k.Params), slices.Clone(n.operands)
	k.Params[i].Dims = nil
	for _, size := range shape {
		k.Params[i].Dims = append(k.Params[i].Dims, kernel.Size(size))
	}
	n.kernel, n.operands[i] = &k, v
}

// copied returns a copy of a value with longer dimensions, made before n. Elements up to
// a shape are written, those that the value has not as 0.
func (p *pitching) copied(n *node, v plan.ValueID, shape, written types.Shape) plan.ValueID {
	key := fmt.Sprint(v, shape, written)
	if to, ok := p.copies[key]; ok {
		return to
	}
	from := p.values[v].typ
	if p.literal(v) {
		to := p.newValue(types.Type{DType: from.DType, Shape: shape}, nil)
		p.users, p.shared = append(p.users, nil), append(p.shared, true)
		p.values[to].data = make([]byte, p.values[to].typ.Bytes())
		spread(p.values[to].data, p.values[v].data, shape, from.Shape, from.DType.Size())
		p.copies[key] = to
		return to
	}
	m := &node{ordinal: n.ordinal, loc: n.loc, pitches: true}
	to := p.newValue(types.Type{DType: from.DType, Shape: shape}, m)
	p.users, p.shared = append(p.users, nil), append(p.shared, true)
	p.users[p.root(v)] = append(p.users[p.root(v)], m)
	b := kernel.NewBuilder("pitch")
	x, y := b.Param(kernel.Dense("x0", from, false)), b.Param(kernel.Dense("y0", p.values[to].typ, true))
	index := b.Axes(written)
	b.Stage()
	value := kernel.None
	if written.Equal(from.Shape) {
		value = b.Load(x, index...)
	} else {
		value = b.LoadOr(b.Bits(from.DType, 0), x, slices.Clone(index)...)
	}
	b.Store(y, value, index...)
	m.kernel, m.operands = b.Kernel(), []plan.ValueID{v, to}
	p.nodes, p.copies[key] = append(p.nodes, m), to
	return to
}

// spread copies dense elements of some bytes to where they are in a shape of longer
// dimensions.
func spread(to, from []byte, shape, of types.Shape, size int) {
	if len(of) == 1 {
		copy(to, from[:of[0]*size])
		return
	}
	apart, beside := shape[1:].Elements()*size, of[1:].Elements()*size
	for i := range of[0] {
		spread(to[i*apart:], from[i*beside:], shape[1:], of[1:], size)
	}
}

// window is an image of a convolution, whose last dimension is the features that are
// summed, and the kernels.
type window struct {
	image, kernels int // parameters
	axis           int // of the stage: the features
	along          int // the dimension of the kernels that it is
}

// windowOf returns the window through which operand i is read; nil if there is none, or
// its features cannot be more: their axis moves nothing but a dimension of either operand.
func windowOf(k *kernel.Kernel, c *kernel.Contraction, i int) *window {
	if !hasMixedIndex(k, c, i) {
		return nil
	}
	w := &window{image: i, kernels: -1, axis: -1, along: -1}
	loads := make([]int, len(k.Params))
	var image *kernel.Access
	for id := range k.Instrs {
		if m := k.Instrs[id].Mem; m != nil && !m.Local {
			if loads[m.Param]++; m.Param == i {
				image = m
			}
		}
	}
	last := len(image.Index) - 1
	row := &image.Index[last]
	if loads[i] > 1 || len(row.Terms) != 1 || row.Terms[0].Axis < len(k.Axes) || !row.IsAxis(row.Terms[0].Axis) {
		return nil
	}
	w.axis = row.Terms[0].Axis
	size := k.Axis(0, w.axis).Size
	for id := k.Stages[0].Begin; id < k.Stages[0].End; id++ {
		in := &k.Instrs[id]
		if in.Op == kernel.Iota && int(in.Aux) == w.axis {
			return nil
		}
		if in.Mem == nil {
			continue
		}
		for d, x := range in.Mem.Index {
			moved := slices.ContainsFunc(x.Terms, func(t kernel.Term) bool { return t.Axis == w.axis })
			switch {
			case !moved:
			case !x.IsAxis(w.axis) || in.Mem.Local || k.Params[in.Mem.Param].Dims[d] != size || loads[in.Mem.Param] > 1:
				return nil
			case in.Mem.Param == i && d == last:
			case w.kernels >= 0 || in.Mem.Param == i:
				return nil
			default:
				w.kernels, w.along = in.Mem.Param, d
			}
		}
	}
	if w.kernels < 0 {
		return nil
	}
	return w
}

// hasMixedIndex reports whether an operand of a contraction is read along a dimension by
// an axis that is summed over and one of rows or columns.
func hasMixedIndex(k *kernel.Kernel, c *kernel.Contraction, i int) bool {
	own := func(axis int) bool { return slices.Contains(c.M, axis) || slices.Contains(c.N, axis) }
	return slices.ContainsFunc(k.Instrs[:k.Stages[0].End], func(in kernel.Instr) bool {
		return in.Mem != nil && !in.Mem.Local && in.Mem.Param == i && slices.ContainsFunc(in.Mem.Index, func(x kernel.Index) bool {
			return slices.ContainsFunc(x.Terms, func(t kernel.Term) bool { return own(t.Axis) }) &&
				slices.ContainsFunc(x.Terms, func(t kernel.Term) bool { return t.Axis >= len(k.Axes) })
		})
	})
}

// widen gives an image and its kernels more features.
func (p *pitching) widen(n *node, w *window, rows []int64) {
	image, kernels := n.operands[w.image], n.operands[w.kernels]
	shape := slices.Clone(p.values[image].typ.Shape)
	features := roundTo(shape[len(shape)-1], rows[w.image])
	shape[len(shape)-1] = features
	if def := p.borderOf(image, n); def != nil {
		k := *def.kernel
		k.Axes = slices.Clone(k.Axes)
		k.Axes[len(k.Axes)-1].Size = kernel.Size(features)
		def.kernel = &k
		p.stretch(image, shape)
	} else {
		p.replace(n, w.image, p.copied(n, image, shape, shape))
	}
	written := slices.Clone(p.values[kernels].typ.Shape)
	written[w.along] = features
	shape = slices.Clone(written)
	if by := rows[w.kernels]; by > 0 {
		shape[len(shape)-1] = roundTo(shape[len(shape)-1], by)
	}
	p.replace(n, w.kernels, p.copied(n, kernels, shape, written))
	k := *n.kernel
	k.Stages = slices.Clone(k.Stages)
	k.Stages[0].Axes = slices.Clone(k.Stages[0].Axes)
	k.Stages[0].Axes[w.axis-len(k.Axes)].Size = kernel.Size(features)
	n.kernel = &k
}

// borderOf returns the node that makes a value for n alone, of what it loads with 0 around
// that, and would write 0 as further elements of rows; nil if something else makes it.
func (p *pitching) borderOf(v plan.ValueID, n *node) *node {
	def := p.def(v)
	if p.root(v) != v || p.shared[v] || def == nil || len(p.users[v]) != 2 || !def.pointwise() || !moves(def.kernel) || def.inParts != nil {
		return nil
	}
	k := def.kernel
	last := len(k.Axes) - 1
	found := false
	for id := range k.Instrs {
		in := &k.Instrs[id]
		switch in.Op {
		case kernel.Constant, kernel.Store:
		case kernel.Load:
			other := kernel.None
			if in.Mem.Guard {
				other = in.Args[0]
			}
			if found || other == kernel.None || k.Instrs[other].Op != kernel.Constant || k.Instrs[other].Aux != 0 {
				return nil
			}
			for d, x := range in.Mem.Index {
				along := slices.ContainsFunc(x.Terms, func(t kernel.Term) bool { return t.Axis == last })
				if x.Value != kernel.None || along && (!x.IsAxis(last) || k.Params[in.Mem.Param].Dims[d] != k.Axes[last].Size) {
					return nil
				}
				found = found || along
			}
		default:
			return nil
		}
	}
	if !found {
		return nil
	}
	return def
}
