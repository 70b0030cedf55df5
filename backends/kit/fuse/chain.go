package fuse

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// Limits of what runs row by row. Sums of more products than longestRow read more
// weights for each few rows than caches near a core hold; for fewer rows than
// fewestRows vectors along them are not full.
const (
	longestRow  = 512
	fewestRows  = 32
	mostColumns = 256  // of a product
	mostChained = 2048 // instructions of a kernel
)

// mostWritten is how many instructions of a chain's kernel may belong to nodes other
// than products. A costly instruction counts as costlyWritten others. The code of all
// unrolled columns is one block, and a compiler's time grows faster than the block's
// length. A node that brings the instructions above fewWritten loops over its columns,
// if it can.
const mostWritten, fewWritten, costlyWritten = 400, 100, 4

// chain makes one kernel of products that follow each other with few columns each, and
// of other nodes that read their results row by row: the layers of a small network. The
// kernel's axes are the rows, and vectors can run along them. Each column of a product
// has a sum of its own. An intermediate result between two products is as small as a
// row, and never in memory that nodes share.
//
// It is for targets that say so ([Options.Columns]), and where reading and
// writing what lies between the products costs more than to gather and scatter
// the rows of what is left.
func chain(g *Graph) {
	if g.o.Columns == nil {
		return
	}
	users := g.readers()
	for _, n := range slices.Backward(g.nodes) { // so that the users of n are as much as they can be
		g.Look()
		r, ok := g.rowsOf(n)
		if !ok {
			continue
		}
		gathered := 0
		if _, ok := g.rowsOf(g.def(r.source)); !ok {
			gathered = r.long / 2 // transposed
		}
		for m := g.chainWith(rowwise{node: n, axis: r.columns}, gathered, users); m != nil; {
			m = g.chainWith(rowwise{node: m, axis: -1}, 0, users) // what reads what is scattered now
		}
	}
	g.dropMerged()
}

// rows is a product whose columns are few.
type rows struct {
	n       *node
	columns int // the kernel's axis of the columns; -1: there is one column
	count   int // of columns
	long    int // products in a sum
	source  plan.ValueID
}

// rowsOf returns the product of few columns that a node is, if it is one: each of
// its rows times a matrix that is the same for all of them.
func (g *Graph) rowsOf(n *node) (r rows, ok bool) {
	if n == nil || n.kernel == nil || n.chained {
		return r, false
	}
	k := n.kernel
	c, ok := kernel.AsContraction(k)
	if !ok || len(c.Batch) > 0 || len(c.K) != 1 || c.Type != types.F32 && c.Type != types.F64 || dims.IsExpr(k.Stages[0].Axes[0].Size) {
		return r, false
	}
	r = rows{n: n, columns: -1, count: 1, long: int(dims.Typical(k.Stages[0].Axes[0].Size))}
	row, column := c.B, c.A
	if len(c.M) > 0 {
		if r.columns = c.N[0]; len(c.N) > 1 {
			return r, false
		}
		row, column, r.count = c.A, c.B, int(k.Axes[r.columns].Size)
	}
	if column.Load == kernel.None || column.Type != c.Type || row.Source == kernel.None || row.Load == kernel.None && r.count > 1 {
		return r, false
	}
	r.source = n.operands[k.Instrs[row.Source].Mem.Param]
	last := len(k.Axes) - 1 // the last axis of rows
	if last == r.columns {
		last--
	}
	return r, !dims.IsExpr(r.count) && r.count <= mostColumns && last >= 0 && dims.Typical(k.Axes[last].Size) >= fewestRows && r.long <= longestRow
}

// rowwise is a node that is to run by rows: without one of its kernel's axes, that of
// the columns; -1: it has no such axis. Each column is written out ([node.unrolled]),
// unless looped is set: then stages loop over them, of a product those behind its sums.
type rowwise struct {
	*node
	axis   int
	looped bool
}

// axisOf returns the number of the kernel's axis that is number a by rows.
func (r rowwise) axisOf(a int) int {
	if r.axis >= 0 && a >= r.axis {
		return a + 1
	}
	return a
}

// axes returns the kernel's axes by rows.
func (r rowwise) axes() []kernel.Axis {
	if r.axis < 0 {
		return r.kernel.Axes
	}
	return slices.Delete(slices.Clone(r.kernel.Axes), r.axis, r.axis+1)
}

// isAxis reports whether an index is just axis a of those by rows.
func (r rowwise) isAxis(i kernel.Index, a int) bool {
	if r.axis >= 0 && r.kernel.Axes[r.axis].Size == 1 {
		i.Terms = slices.DeleteFunc(slices.Clone(i.Terms), func(t kernel.Term) bool { return t.Axis == r.axis })
	}
	return i.IsAxis(r.axisOf(a))
}

// stored returns how many elements of each operand are stored to for a row.
func (r rowwise) stored() []int {
	k := r.kernel
	all := make([]int, len(k.Params))
	var on []kernel.AxisSet
	if r.axis >= 0 {
		on = k.Dependence()
	}
	for s := range k.Stages {
		times := int(dims.Typical(kernel.Points(k.Stages[s].Axes)))
		for id := k.Stages[s].Begin; id < k.Stages[s].End; id++ {
			in := &k.Instrs[id]
			switch {
			case in.Op != kernel.Store || in.Mem.Local:
			case r.axis >= 0 && on[id].Has(r.axis):
				all[in.Mem.Param] += times * int(k.Axes[r.axis].Size)
			default:
				all[in.Mem.Param] += times
			}
		}
	}
	return all
}

// chainWith makes one kernel of a node and of all that reads what it makes, by rows,
// if that can be and pays. It returns the new node; nil if there is none. gathered
// is how many elements of a row the node reads from far apart then.
func (g *Graph) chainWith(n rowwise, gathered int, users [][]*node) *node {
	with := g.worthChaining(n, gathered, users)
	if len(with) == 0 {
		return nil
	}
	// Nothing is asked of the target before: it may have to load its compiler to know.
	if r, ok := g.rowsOf(n.node); ok && r.count > g.o.Columns() {
		return nil
	}
	all := append([]rowwise{n}, with...)
	written, ok := g.writtenOut(all)
	if !ok {
		return nil
	}
	m := g.unrolled(all[0]).node
	for _, w := range all[1:] {
		w = g.unrolled(w)
		if len(m.kernel.Instrs)+len(w.kernel.Instrs) > mostChained || len(m.operands)+len(w.operands) > mostParams {
			return nil
		}
		var pairs []axisPair
		for a := range m.kernel.Axes {
			pairs = append(pairs, axisPair{a, w.axisOf(a)})
		}
		m = g.join(m, w.node, pairs)
	}
	if !rowsFit(m.kernel, g.o.LocalBytes) {
		return nil
	}
	loops := slices.ContainsFunc(all, func(n rowwise) bool { return n.looped || n.loops })
	if loops && n.chained && slices.ContainsFunc(with, func(w rowwise) bool { return w.chained || g.isRows(w.node) }) {
		return nil // what two steps hand on is more than caches near a core hold
	}
	m.chained, m.loops, m.written, m.at = true, loops, written, n.at
	n.into, g.nodes[n.at] = m, m
	for _, w := range with {
		w.into = m
	}
	return m
}

// writtenOut decides which nodes of a chain loop over their columns. It returns how many
// instructions the chain has; ok is false if these are too many all the same.
func (g *Graph) writtenOut(all []rowwise) (written int, ok bool) {
	for i := range all {
		n := &all[i]
		if n.chained {
			written += n.written
			continue
		}
		once := g.instrs(n.node)
		more := once
		if n.axis >= 0 {
			more *= int(n.kernel.Axes[n.axis].Size)
		}
		if n.looped = written+more > fewWritten && g.canLoop(*n); n.looped {
			more = once
		}
		written += more
	}
	return written, written <= mostWritten
}

// instrs returns how many instructions a node adds to a chain's kernel, for each of its
// columns, beside those that any product has; see [mostWritten].
func (g *Graph) instrs(n *node) int {
	begin := kernel.ID(0)
	if g.isRows(n) {
		begin = n.kernel.Stages[1].Begin
	}
	count, costly := 0, false
	for id := begin; int(id) < len(n.kernel.Instrs); id++ {
		in := &n.kernel.Instrs[id]
		// What a row has of its own is loaded element by element.
		row := begin > 0 && in.Op == kernel.Load && len(in.Mem.Index) > 1
		if count++; in.Op.Costly() || row {
			count += costlyWritten - 1
		}
		costly = costly || row
	}
	if begin > 0 && !costly {
		return 0
	}
	return count
}

// canLoop reports whether a node can loop over its columns: they may be an axis of its
// stages, of a product of all but the first.
func (g *Graph) canLoop(n rowwise) bool {
	return n.axis >= 0 && (demotable(n.kernel) || g.isRows(n.node) && len(n.kernel.Stages) == 2)
}

// unrolled returns a node without the axis of its columns, or with it as one that its
// stages are to loop over.
func (g *Graph) unrolled(n rowwise) rowwise {
	switch {
	case !n.looped:
		n.node = n.node.unrolled(n.axis)
	case g.isRows(n.node):
		n.node = n.sumsUnrolled(n.axis)
	default:
		return n
	}
	n.axis = -1
	return n
}

// worthChaining returns all that reads what a node makes, if it can run by the same
// rows and that saves more than it costs; else nothing.
func (g *Graph) worthChaining(n rowwise, gathered int, users [][]*node) (with []rowwise) {
	saved, cost := 0, gathered
	stored := n.stored()
	for p, v := range n.operands {
		if !n.kernel.Params[p].Out {
			continue
		}
		root, count := g.root(v), stored[p]
		var others []*node
		for _, u := range users[root] {
			for u.into != nil {
				u = u.into
			}
			if u != n.node {
				others = append(others, u)
			}
		}
		switch {
		case g.isResult(root) && !n.chained:
			cost += scattering(count)
		case !g.isResult(root) && len(others) > 0:
			if saved += count; n.chained {
				saved += scattering(count)
			}
		}
		for _, u := range others {
			saved += count
			if slices.ContainsFunc(with, func(w rowwise) bool { return w.node == u }) {
				continue
			}
			w, ok := g.byRows(n, u)
			if !ok || !g.early(n.node, u) {
				return nil
			}
			if with = append(with, w); !u.chained {
				stored := w.stored()
				for p, v := range w.operands {
					if root := g.root(v); g.isResult(root) || len(users[root]) > 0 {
						cost += scattering(stored[p])
					}
				}
			}
		}
	}
	if saved <= cost {
		return nil
	}
	return with
}

// scattering is what it costs to store so many elements of a row apart from those of
// others, in elements that are stored or loaded beside others.
func scattering(count int) int {
	if count <= 1 {
		return 0
	}
	return 4 * count
}

// early reports whether all that u reads is made before n, or by n.
func (g *Graph) early(n, u *node) bool {
	return !slices.ContainsFunc(u.ins(), func(v plan.ValueID) bool {
		d := g.def(v)
		return d != nil && d != n && d.at > n.at
	})
}

// isResult reports whether the caller gets a value.
func (g *Graph) isResult(root plan.ValueID) bool {
	return slices.ContainsFunc(g.results, func(v plan.ValueID) bool { return g.root(v) == root })
}

// byRows returns a user of what a kernel of rows makes as one whose axes are those
// rows, if it reads of them only its own.
func (g *Graph) byRows(first rowwise, u *node) (w rowwise, ok bool) {
	if u.kernel == nil || u.updates {
		return w, false
	}
	rows := first.axes()
	more := len(u.kernel.Axes) - len(rows)
	if more < 0 || more > 1 {
		return w, false
	}
	axes := []int{-1}
	if more == 1 {
		if axes = nil; u.axisless() || isContraction(u.kernel) || g.isRows(u) {
			for a := range u.kernel.Axes {
				axes = append([]int{a}, axes...)
			}
		}
	}
	for _, axis := range axes {
		w := rowwise{node: u, axis: axis}
		if axis >= 0 && (dims.IsExpr(u.kernel.Axes[axis].Size) || int(u.kernel.Axes[axis].Size)*len(u.kernel.Instrs) > mostChained && !g.canLoop(w)) {
			continue
		}
		if slices.EqualFunc(w.axes(), rows, func(a, b kernel.Axis) bool { return a.Size == b.Size }) && g.followsRows(first, w) {
			return w, true
		}
	}
	return w, false
}

func (g *Graph) isRows(u *node) bool { _, ok := g.rowsOf(u); return ok }

// followsRows reports whether w, of the same axes as first, reads of what first
// makes only what the same point makes.
func (g *Graph) followsRows(first, w rowwise) bool {
	points := dims.Typical(kernel.Points(w.axes()))
	for s := range w.kernel.Stages {
		st := &w.kernel.Stages[s]
		if each := kernel.Points(st.Axes); dims.IsExpr(each) || points*each > longestRow*max(points, 1) {
			return false
		}
		for id := st.Begin; id < st.End; id++ {
			in := &w.kernel.Instrs[id]
			if in.Mem == nil || in.Mem.Local {
				continue
			}
			v := w.operands[in.Mem.Param]
			at := slices.IndexFunc(first.operands, func(o plan.ValueID) bool { return g.root(o) == g.root(v) })
			if at < 0 || !first.kernel.Params[at].Out {
				continue
			}
			if first.operands[at] != v || in.Op == kernel.Store || !in.Mem.Plain() || !sameRow(first, at, w, in.Mem) {
				return false
			}
		}
	}
	return true
}

// sameRow reports whether an access of w is at the same point of all rows as those
// by which first stores to an operand.
func sameRow(first rowwise, p int, w rowwise, m *kernel.Access) bool {
	for _, in := range first.kernel.Accesses(p) {
		if in.Op != kernel.Store {
			continue
		}
		if !in.Mem.Plain() {
			return false
		}
		for a := range first.axes() {
			d := slices.IndexFunc(in.Mem.Index, func(i kernel.Index) bool { return first.isAxis(i, a) })
			if d < 0 || !w.isAxis(m.Index[d], a) {
				return false
			}
		}
	}
	return true
}

// unrolled returns a node that does the same without one of its kernel's parallel
// axes: what depends on it is there once for each of its points. -1 is none.
func (n *node) unrolled(axis int) *node {
	if axis < 0 {
		return n
	}
	u := newUnroller(n.kernel, axis)
	for s := range n.kernel.Stages {
		u.stage(s)
	}
	w := *n
	w.kernel = u.to.Kernel()
	return &w
}

// sumsUnrolled returns a product that does the same without one of its kernel's parallel
// axes: there is a sum for each of its points, and what becomes of them is a loop.
func (n *node) sumsUnrolled(axis int) *node {
	k := n.kernel
	u := newUnroller(k, axis)
	sum, size := k.Stages[0].End-1, k.Axes[axis].Size
	row := u.to.Local(kernel.Local{Name: kernel.LocalName(0), DType: k.Instrs[sum].Type, Dims: []kernel.Size{size}})
	u.stage(0)
	u.to.Stage()
	for j := range u.columns {
		u.to.StoreLocal(row, u.columns[j][sum], kernel.At(int64(j)))
	}
	column := kernel.Along(len(k.Axes) - 1)
	u.to.Stage(kernel.Axis{Name: kernel.StageAxisName(0), Size: size})
	u.begin(1, column)
	u.ids = u.columns[0]
	u.ids[sum] = u.to.LoadLocal(row, column)
	u.instrs(k.Stages[1].Begin, k.Stages[1].End)
	w := *n
	w.kernel = u.to.Kernel()
	return &w
}

// unroller copies a kernel without one of its parallel axes.
type unroller struct {
	*copier
	axis    int
	on      []kernel.AxisSet
	columns [][]kernel.ID // by point of the axis: what values are there
}

func newUnroller(k *kernel.Kernel, axis int) *unroller {
	b := kernel.NewBuilder(k.Name)
	for a, x := range k.Axes {
		if a != axis {
			b.Axis(x.Name, x.Size)
		}
	}
	u := &unroller{copier: newCopier(b, k), axis: axis, on: k.Dependence(), columns: make([][]kernel.ID, k.Axes[axis].Size)}
	u.declare()
	for j := range u.columns {
		u.columns[j] = slices.Clone(u.ids)
	}
	return u
}

// begin makes the axes of stage s those of the new kernel; the one that is left out is
// given.
func (u *unroller) begin(s int, axis kernel.Index) {
	u.straight(s)
	for a := range u.axes {
		if a > u.axis {
			u.axes[a] = kernel.Along(a - 1)
		}
	}
	u.axes[u.axis] = axis
}

// stage adds a stage in which what depends on the axis is there for each of its points.
func (u *unroller) stage(s int) {
	st := &u.from.Stages[s]
	u.to.Stage(st.Axes...)
	u.begin(s, kernel.Index{})
	for id := st.Begin; id < st.End; id++ {
		for j := range u.columns {
			if j > 0 && !u.on[id].Has(u.axis) {
				u.columns[j][id] = u.columns[0][id]
				continue
			}
			u.ids, u.axes[u.axis] = u.columns[j], kernel.At(int64(j))
			u.instr(id)
		}
	}
}
