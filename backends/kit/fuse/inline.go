package fuse

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/dims"
)

// Limits of one kernel: more would take a compiler long and spill registers. Where each element is
// computed by itself, and nothing twice, one kernel has no more code than two, and few values that
// live long. Its limit is there for the time of making it: each op that is added copies the others.
const (
	mostInstrs    = 320
	mostPointwise = 512
	mostParams    = 24
)

// crowded reports whether two nodes have too many instructions for one kernel. Shared says that
// code of a is in other kernels, too.
func crowded(a, b *node, shared bool) bool {
	most := mostInstrs
	if !shared && a.axisless() && b.axisless() {
		most = mostPointwise
	}
	return len(a.kernel.Instrs)+len(b.kernel.Instrs) > most
}

// A value of fewestShared elements or more has a kernel of its own if a node needs each of its
// elements mostRepeated times or more often. Fewer elements take no time either way.
const fewestShared, mostRepeated = 16, 64

// inline computes values where they are used: those of nodes that are the same
// computation for every element, unless that would repeat work that is dearer
// than going to memory.
//
// What only moves elements is inlined first, so that who reads it finds what it
// moves instead of a copy: a product whose operand is a transpose reads the
// matrix itself.
func inline(g *Graph) {
	g.inlineWhere(func(def *node) bool { return moves(def.kernel) && workOf(def.kernel).loads <= 1 })
	g.inlineWhere(func(*node) bool { return true })
}

// inlineWhere inlines those nodes for which it pays that may be.
func (g *Graph) inlineWhere(may func(def *node) bool) {
	uses := g.uses()
	for _, n := range g.nodes {
		for n.kernel != nil {
			p := slices.IndexFunc(n.operands, func(v plan.ValueID) bool {
				g.Look()
				def := g.def(v)
				return def != nil && def != n && def.pointwise() && may(def) && g.worthInlining(n, v, uses)
			})
			if p < 0 {
				break
			}
			before, v := n.ins(), n.operands[p]
			def := g.def(v)
			g.inlineInto(n, p)
			for _, w := range before {
				uses[g.root(w)]--
			}
			for _, w := range n.ins() {
				uses[g.root(w)]++
			}
			if uses[g.root(v)] == 0 { // each op of a chain would keep all before it until the sweep
				def.kernel = &kernel.Kernel{Params: def.kernel.Params}
			}
		}
	}
	g.sweep()
}

// uses counts, by root, the nodes and results that use a value.
func (g *Graph) uses() []int {
	uses := make([]int, len(g.values))
	for _, n := range g.nodes {
		for _, v := range n.ins() {
			uses[g.root(v)]++
		}
	}
	for _, v := range g.results {
		uses[g.root(v)]++
	}
	return uses
}

// pointwise reports whether a node computes each element of one value by
// itself.
func (n *node) pointwise() bool {
	if n.kernel == nil || len(n.kernel.Stages) != 1 || len(n.kernel.Stages[0].Axes) > 0 {
		return false
	}
	outs := 0
	for i := range n.kernel.Instrs {
		if in := &n.kernel.Instrs[i]; in.Op == kernel.Store {
			outs++
			if in.Mem.Guard || in.Mem.Combine != kernel.Invalid {
				return false
			}
			for d, at := range in.Mem.Index {
				if !at.IsAxis(d) {
					return false
				}
			}
		}
	}
	return outs == 1
}

// work is what computing one element of a pointwise kernel takes.
type work struct{ loads, ops, costly int }

func workOf(k *kernel.Kernel) (w work) {
	for i := range k.Instrs {
		switch op := k.Instrs[i].Op; {
		case op == kernel.Load:
			w.loads++
		case op.Costly():
			w.costly++
		case op.Computes():
			w.ops++
		}
	}
	return w
}

// moves reports whether nothing is computed but elements of another type. Integers of larger
// elements are computed: who reads them has less to read.
func moves(k *kernel.Kernel) bool {
	for i := range k.Instrs {
		switch in := &k.Instrs[i]; {
		case in.Op == kernel.Convert && in.Type.IsInteger() && in.Type.Size() < k.Instrs[in.Args[0]].Type.Size():
			return false
		case in.Op.Computes() && in.Op != kernel.Convert && in.Op != kernel.BitcastConvert:
			return false
		}
	}
	return true
}

// worthInlining reports whether n should compute v instead of loading it.
func (g *Graph) worthInlining(n *node, v plan.ValueID, uses []int) bool {
	def := g.def(v)
	if crowded(def, n, uses[g.root(v)] > 1) || operandsOf(n, def) > mostParams {
		return false
	}
	p := n.paramOf(v)
	if n.kernel.Params[p].Out {
		return false
	}
	if g.dimsOf(v) == nil || n.updates && g.readsCopied(n, def) {
		return false
	}
	loads, points, guard := 0, int64(0), false
	for id, in := range n.kernel.Accesses(p) {
		if in.Mem.Guard && slices.ContainsFunc(in.Mem.Index, func(x kernel.Index) bool { return x.Value != kernel.None }) {
			return false
		}
		guard = guard || in.Mem.Guard
		loads++
		points = max(points, pointsAt(n.kernel, id))
	}
	if guard && (loads > 1 || uses[v] > 1 || n.inParts != nil || g.root(v) != v || !permutes(def.kernel) || isContraction(n.kernel)) {
		return false
	}
	if uses[g.root(v)] > 1 && guarded(def.kernel) && permutes(n.kernel) {
		return false // it is written out for the others: what no load guards is transposed in registers
	}
	if g.o.Packs != nil && guarded(def.kernel) && permutes(n.kernel) && g.isFactor(n) {
		return false // packing permutes by strides, so the pad keeps the order of its input
	}
	w := workOf(def.kernel)
	own := pointsAt(def.kernel, 0)
	if g.narrows(def) {
		return false
	}
	switch {
	case isContraction(n.kernel) && points > own:
		if isBorder(def.kernel) && (g.o.Borders || g.readsWindowBorder(n, def, p)) {
			return hasWindow(n.kernel)
		}
		return moves(def.kernel) && w.loads == 1 && !guarded(def.kernel) && !hasWindow(n.kernel)
	case w.costly == 0 && w.loads <= 1 && w.ops <= 3:
		return true
	case own >= fewestShared && mostRepeated*own <= points && w.ops > 0:
		return false // the numbers of a channel, for each element of an image
	case points > 2*own && w.costly > 0:
		return false
	case uses[g.root(v)] == 1:
		return loads == 1 || w.costly == 0
	}
	return w.costly == 0 && w.loads <= 2 && w.ops <= 4
}

// narrows reports whether a node makes integers of the larger sums of a contraction. It
// becomes part of the contraction, which writes less then.
func (g *Graph) narrows(def *node) bool {
	t := g.values[def.outs()[0]].typ.DType
	return t.IsInteger() && slices.ContainsFunc(def.ins(), func(v plan.ValueID) bool {
		from := g.def(v)
		return from != nil && from.kernel != nil && isContraction(from.kernel) && g.values[v].typ.DType.Size() > t.Size()
	})
}

// isFactor reports whether contractions alone read what a node makes.
func (g *Graph) isFactor(n *node) bool {
	v := g.root(n.outs()[0])
	used := false
	for _, m := range g.nodes {
		if slices.ContainsFunc(m.ins(), func(w plan.ValueID) bool { return g.root(w) == v }) {
			if m.kernel == nil || !isContraction(m.kernel) {
				return false
			}
			used = true
		}
	}
	return used && !slices.ContainsFunc(g.results, func(w plan.ValueID) bool { return g.root(w) == v })
}

// permutes reports whether a pointwise kernel does nothing but to exchange dimensions, of which
// it reads all: a place outside of what it makes is outside of what it reads.
func permutes(k *kernel.Kernel) bool {
	if len(k.Instrs) != 2 || k.Instrs[0].Op != kernel.Load || k.Instrs[0].Mem.Guard || len(k.Instrs[0].Mem.Index) != len(k.Axes) {
		return false
	}
	m := k.Instrs[0].Mem
	for a, axis := range k.Axes {
		if d := dimAlong(m, a); d < 0 || k.Params[m.Param].Dims[d] != axis.Size {
			return false
		}
	}
	return !slices.ContainsFunc(m.Index, func(x kernel.Index) bool { return len(x.Terms) != 1 || !x.IsAxis(x.Terms[0].Axis) })
}

// guarded reports whether a kernel loads what may not be there.
func guarded(k *kernel.Kernel) bool {
	return slices.ContainsFunc(k.Instrs, func(i kernel.Instr) bool { return i.Mem != nil && i.Mem.Guard })
}

// isBorder reports whether a kernel does nothing but to put 0 around an operand. Elements
// along the last dimension must stay together, and must be so many that they fill tiles
// without the other elements of a window.
func isBorder(k *kernel.Kernel) bool {
	load := slices.IndexFunc(k.Instrs, func(i kernel.Instr) bool { return i.Op == kernel.Load })
	if load < 0 || workOf(k) != (work{loads: 1}) || !moves(k) {
		return false
	}
	in := &k.Instrs[load]
	if !in.Mem.Guard || len(in.Mem.Index) == 0 {
		return false
	}
	if other := &k.Instrs[in.Args[0]]; other.Op != kernel.Constant || other.Aux != 0 {
		return false
	}
	for d, x := range in.Mem.Index {
		if x.Value != kernel.None || len(x.Terms) != 1 || x.Terms[0] != (kernel.Term{Axis: d, Factor: 1}) {
			return false
		}
	}
	last := len(in.Mem.Index) - 1
	bytes := int(dims.Typical(k.Axes[last].Size)) * in.Type.Size()
	return in.Mem.Index[last].Offset == 0 && (bytes%borderBytes == 0 || bytes >= 4*borderBytes)
}

// readsWindowBorder reports whether a contraction reads a padded image, def, as its operand p instead of
// having it written: see [Options.WindowBorders].
func (g *Graph) readsWindowBorder(n, def *node, p int) bool {
	return g.o.WindowBorders && isThin(def.kernel) && sumsEachFeature(n.kernel, p)
}

// sumsEachFeature reports whether a contraction has a sum for each point of an operand's axes, so
// that it is no product of matrices: the operand is read along all parallel axes.
func sumsEachFeature(k *kernel.Kernel, param int) bool {
	read := kernel.AxisSet(0)
	for _, in := range k.Accesses(param) {
		for _, x := range in.Mem.Index {
			for _, t := range x.Terms {
				read |= 1 << t.Axis
			}
		}
	}
	for a, axis := range k.Axes {
		if axis.Size != 1 && !read.Has(a) {
			return false
		}
	}
	return true
}

// isThin reports whether a border is at most two fifths of what it makes. Windows with elements of
// the border are summed one by one.
func isThin(k *kernel.Kernel) bool {
	inner := 1.0
	for _, in := range k.Instrs {
		if in.Op == kernel.Load {
			for _, n := range k.Params[in.Mem.Param].Dims {
				inner *= float64(dims.Typical(n))
			}
		}
	}
	return 5*inner >= 3*float64(dims.Typical(kernel.Points(k.Axes)))
}

// borderBytes are what a tile takes of a dimension at a time.
const borderBytes = 128

// hasWindow reports whether a kernel loads from places that several of its axes
// move along one dimension. Schedules read what lies together in these, each
// element often: what moves elements there is done once, before.
func hasWindow(k *kernel.Kernel) bool {
	return slices.ContainsFunc(k.Instrs, func(i kernel.Instr) bool {
		return i.Op == kernel.Load && slices.ContainsFunc(i.Mem.Index, func(x kernel.Index) bool { return len(x.Terms) > 1 })
	})
}

// pointsAt returns how often an instruction runs, typically.
func pointsAt(k *kernel.Kernel, id kernel.ID) int64 {
	return dims.Typical(kernel.Points(k.Axes)) * dims.Typical(kernel.Points(k.Stages[k.StageOf(id)].Axes))
}

// isContraction reports whether a kernel has the form of a matrix product: it
// sums products of two operands, one of which does not run along all axes.
func isContraction(k *kernel.Kernel) bool {
	first := k.Stages[0]
	if len(first.Axes) == 0 {
		return false
	}
	for _, s := range k.Stages[1:] {
		if len(s.Axes) > 0 {
			return false
		}
	}
	product := kernel.None
	for id := first.Begin; id < first.End; id++ {
		switch in := &k.Instrs[id]; in.Op {
		case kernel.Store:
			return false
		case kernel.Reduce:
			if product != kernel.None || kernel.Op(in.Aux) != kernel.Add {
				return false
			}
			product = in.Args[0]
		}
	}
	if product == kernel.None || k.Instrs[product].Op != kernel.Multiply {
		return false
	}
	x, y := factor(k, k.Instrs[product].Args[0]), factor(k, k.Instrs[product].Args[1])
	if x == nil || y == nil {
		return false
	}
	for a := range k.Axes {
		if (dimAlong(x, a) < 0) != (dimAlong(y, a) < 0) {
			return true
		}
	}
	return false
}

// factor returns what a factor of a product loads; nil if it is computed.
func factor(k *kernel.Kernel, v kernel.ID) *kernel.Access {
	if k.Instrs[v].Op == kernel.Convert {
		v = k.Instrs[v].Args[0]
	}
	if k.Instrs[v].Op == kernel.BitcastConvert {
		v = k.Instrs[v].Args[0]
	}
	if in := &k.Instrs[v]; in.Op == kernel.Load && !in.Mem.Local {
		return in.Mem
	}
	return nil
}

// dimsOf returns, for each axis of the pointwise node that makes v, which of
// v's dimensions it runs along; -1 for one that has a single element. It is nil
// if v is another shape of what the node makes that has no such dimensions.
func (g *Graph) dimsOf(v plan.ValueID) []int {
	from, to := g.values[g.root(v)].typ.Shape, g.values[v].typ.Shape
	along := make([]int, len(from))
	d := 0
	for a, n := range from {
		if along[a] = -1; n == 1 && g.root(v) != v {
			continue
		}
		for g.root(v) != v && d < len(to) && to[d] == 1 {
			d++
		}
		if d == len(to) || to[d] != n {
			return nil
		}
		along[a] = d
		d++
	}
	for ; d < len(to); d++ {
		if to[d] != 1 {
			return nil
		}
	}
	return along
}

// along returns the index along dimensions; 0 for -1.
func along(dimsOf []int, at func(d int) kernel.Index) []kernel.Index {
	index := make([]kernel.Index, len(dimsOf))
	for a, d := range dimsOf {
		if index[a] = kernel.At(0); d >= 0 {
			index[a] = at(d)
		}
	}
	return index
}

// inlineInto rebuilds n so that it computes its operand p where it loaded it.
func (g *Graph) inlineInto(n *node, p int) {
	v := n.operands[p]
	def, dimsOf := g.def(v), g.dimsOf(v)
	b := withAxes(n.kernel.Name, n.kernel)
	b.Reserve(len(n.kernel.Instrs) + len(def.kernel.Instrs))
	for _, l := range n.kernel.Locals {
		b.Local(l)
	}
	outer, inner := newCopier(b, n.kernel), newCopier(b, def.kernel)
	ops := &operandList{b: b}
	outer.params = ops.add(n, func(i int) bool { return i != p })
	inner.params = ops.add(def, func(i int) bool { return !def.kernel.Params[i].Out })
	for s := range n.kernel.Stages {
		st := &n.kernel.Stages[s]
		b.Stage(st.Axes...)
		outer.identity(s)
		for id := st.Begin; id < st.End; id++ {
			in := &n.kernel.Instrs[id]
			if in.Op != kernel.Load || in.Mem.Local || in.Mem.Param != p {
				outer.instr(id)
				continue
			}
			inner.axes = along(dimsOf, func(d int) kernel.Index { return outer.index(in.Mem.Index[d]) })
			if in.Mem.Guard {
				from := def.kernel.Instrs[0].Mem
				index := make([]kernel.Index, len(from.Index))
				for d := range index {
					index[d] = inner.index(from.Index[d])
				}
				outer.ids[id] = b.LoadOr(outer.ids[in.Args[0]], inner.params[from.Param], index...)
				continue
			}
			outer.ids[id] = inner.body()
		}
	}
	n.kernel, n.operands = b.Kernel(), ops.values
	cse(n)
}

// body copies a pointwise kernel's instructions but the store, and returns what
// it stores.
func (c *copier) body() kernel.ID {
	for id := range c.from.Instrs {
		if in := &c.from.Instrs[id]; in.Op == kernel.Store {
			return c.ids[in.Args[0]]
		}
		c.instr(kernel.ID(id))
	}
	panic("kit: a pointwise kernel without a store")
}

// identity makes the axes of stage s, and the locals, those of the same number.
func (c *copier) identity(s int) {
	c.straight(s)
	c.locals = c.locals[:0]
	for i := range c.from.Locals {
		c.locals = append(c.locals, i)
	}
}

// straight makes the axes of stage s those of the same number.
func (c *copier) straight(s int) {
	n := len(c.from.Axes) + len(c.from.Stages[s].Axes)
	if len(c.plain) < n {
		terms := make([]kernel.Term, n)
		for i := len(c.plain); i < n; i++ {
			terms[i] = kernel.Term{Axis: i, Factor: 1}
			c.plain = append(c.plain, kernel.Index{Terms: terms[i : i+1 : i+1], Value: kernel.None})
		}
	}
	c.axes = append(c.axes[:0], c.plain[:n]...)
}

// operandList is the operands of a kernel that is being built.
type operandList struct {
	b      *kernel.Builder
	values []plan.ValueID
}

// add adds the operands of n that are wanted, each value once, and returns
// their parameters by n's.
func (l *operandList) add(n *node, wanted func(int) bool) []int {
	params := make([]int, len(n.operands))
	for i, v := range n.operands {
		if params[i] = -1; !wanted(i) {
			continue
		}
		at := slices.Index(l.values, v)
		if at < 0 {
			at = l.b.Param(n.kernel.Params[i])
			l.values = append(l.values, v)
		} else if n.kernel.Params[i].Out {
			l.b.Out(at)
		}
		params[i] = at
	}
	return params
}

// sweep takes away nodes whose values nobody uses.
func (g *Graph) sweep() {
	uses := g.uses()
	var kept []*node
	for _, n := range slices.Backward(g.nodes) {
		if n.kept || slices.ContainsFunc(n.outs(), func(v plan.ValueID) bool { return uses[g.root(v)] > 0 }) {
			kept = append(kept, n)
			continue
		}
		for _, v := range n.ins() {
			uses[g.root(v)]--
		}
	}
	slices.Reverse(kept)
	g.nodes = kept
}
