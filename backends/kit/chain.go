package kit

import (
	"slices"

	"ltc/backends/kit/kernel"
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

// mostWritten is how many instructions of a chain's kernel may be those of nodes that
// are no products, a costly one counted as so many others. All of them are one block of
// code, which a compiler takes seconds for where there are a thousand. By then the
// sums are in memory anyway, and a product with a kernel that reads it is as fast.
const mostWritten, costlyWritten = 400, 4

// chain makes one kernel of products that follow each other with few columns
// each, and of what else reads these row by row: the layers of a small network.
// The kernel's axes are the rows, so that vectors can lie along them; for each
// column of a product there is a sum of its own, and what one product hands on to
// the next is as small as a row, and never in memory that nodes share.
//
// It is for targets that say so ([Options.Columns]), and where reading and
// writing what lies between the products costs more than to gather and scatter
// the rows of what is left.
func chain(g *graph) {
	if g.columns == nil {
		return
	}
	users := make([][]*node, len(g.values)) // by root
	for _, n := range g.nodes {
		for _, v := range n.ins() {
			if r := g.root(v); !slices.Contains(users[r], n) {
				users[r] = append(users[r], n)
			}
		}
	}
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
		for m := g.chainWith(rowwise{n, r.columns}, gathered, users); m != nil; {
			m = g.chainWith(rowwise{m, -1}, 0, users) // what reads what is scattered now
		}
	}
	g.nodes = slices.DeleteFunc(g.nodes, func(n *node) bool { return n.into != nil })
	g.number()
}

// rows is a product whose columns are few.
type rows struct {
	n       *node
	columns int // the kernel's axis of the columns; -1: there is one column
	count   int // of columns
	long    int // products in a sum
	source  ValueID
}

// rowsOf returns the product of few columns that a node is, if it is one: each of
// its rows times a matrix that is the same for all of them.
func (g *graph) rowsOf(n *node) (r rows, ok bool) {
	if n == nil || n.kernel == nil || n.chained {
		return r, false
	}
	k := n.kernel
	c, ok := kernel.AsContraction(k)
	if !ok || len(c.Batch) > 0 || len(c.K) != 1 || c.Type != types.F32 && c.Type != types.F64 {
		return r, false
	}
	r = rows{n: n, columns: -1, count: 1, long: int(k.Stages[0].Axes[0].Size)}
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
	return r, r.count <= mostColumns && last >= 0 && k.Axes[last].Size >= fewestRows && r.long <= longestRow
}

// rowwise is a node that is to run by rows: without one of its kernel's axes, each
// point of which is written out ([node.unrolled]); -1: it has no such axis.
type rowwise struct {
	*node
	axis int
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
		times := int(pointsOf(k.Stages[s].Axes))
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
func (g *graph) chainWith(n rowwise, gathered int, users [][]*node) *node {
	with := g.worthChaining(n, gathered, users)
	if len(with) == 0 {
		return nil
	}
	// Nothing is asked of the target before: it may have to load its compiler to know.
	if r, ok := g.rowsOf(n.node); ok && r.count > g.columns() {
		return nil
	}
	written := g.writtenOut(n)
	for _, w := range with {
		written += g.writtenOut(w)
	}
	if written > mostWritten {
		return nil
	}
	m := n.unrolled(n.axis)
	for _, w := range with {
		w := w.unrolled(w.axis)
		if len(m.kernel.Instrs)+len(w.kernel.Instrs) > mostChained || len(m.operands)+len(w.operands) > mostParams {
			return nil
		}
		var pairs []axisPair
		for a := range m.kernel.Axes {
			pairs = append(pairs, axisPair{a, a})
		}
		m = g.join(m, w, pairs)
	}
	if !rowsFit(m.kernel, g.localBytes) {
		return nil
	}
	m.chained, m.written, m.at = true, written, n.at
	n.into, g.nodes[n.at] = m, m
	for _, w := range with {
		w.into = m
	}
	return m
}

// writtenOut returns how many instructions a node adds to the block of a chain's kernel
// in which what reads its products is written out; see [mostWritten].
func (g *graph) writtenOut(n rowwise) int {
	if n.chained {
		return n.written
	}
	if g.isRows(n.node) {
		return 0
	}
	w := workOf(n.kernel)
	count := len(n.kernel.Instrs) + (costlyWritten-1)*w.costly
	if n.axis >= 0 {
		count *= int(n.kernel.Axes[n.axis].Size)
	}
	return count
}

// worthChaining returns all that reads what a node makes, if it can run by the same
// rows and that saves more than it costs; else nothing.
func (g *graph) worthChaining(n rowwise, gathered int, users [][]*node) (with []rowwise) {
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
func (g *graph) early(n, u *node) bool {
	return !slices.ContainsFunc(u.ins(), func(v ValueID) bool {
		d := g.def(v)
		return d != nil && d != n && d.at > n.at
	})
}

// isResult reports whether the caller gets a value.
func (g *graph) isResult(root ValueID) bool {
	return slices.ContainsFunc(g.results, func(v ValueID) bool { return g.root(v) == root })
}

// byRows returns a user of what a kernel of rows makes as one whose axes are those
// rows, if it reads of them only its own.
func (g *graph) byRows(first rowwise, u *node) (w rowwise, ok bool) {
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
		if axis >= 0 && int(u.kernel.Axes[axis].Size)*len(u.kernel.Instrs) > mostChained {
			continue
		}
		w := rowwise{u, axis}
		if slices.EqualFunc(w.axes(), rows, func(a, b kernel.Axis) bool { return a.Size == b.Size }) && g.followsRows(first, w) {
			return w, true
		}
	}
	return w, false
}

func (g *graph) isRows(u *node) bool { _, ok := g.rowsOf(u); return ok }

// followsRows reports whether w, of the same axes as first, reads of what first
// makes only what the same point makes.
func (g *graph) followsRows(first, w rowwise) bool {
	points := pointsOf(w.axes())
	for s := range w.kernel.Stages {
		st := &w.kernel.Stages[s]
		if points*pointsOf(st.Axes) > longestRow*max(points, 1) {
			return false
		}
		for id := st.Begin; id < st.End; id++ {
			in := &w.kernel.Instrs[id]
			if in.Mem == nil || in.Mem.Local {
				continue
			}
			v := w.operands[in.Mem.Param]
			at := slices.IndexFunc(first.operands, func(o ValueID) bool { return g.root(o) == g.root(v) })
			if at < 0 || !first.kernel.Params[at].Out {
				continue
			}
			if first.operands[at] != v || in.Op == kernel.Store || !plain(in.Mem) || !sameRow(first, at, w, in.Mem) {
				return false
			}
		}
	}
	return true
}

// pointsOf returns how many points axes of literal sizes have.
func pointsOf(axes []kernel.Axis) int64 {
	n := int64(1)
	for _, a := range axes {
		n *= int64(a.Size)
	}
	return n
}

// sameRow reports whether an access of w is at the same point of all rows as those
// by which first stores to an operand.
func sameRow(first rowwise, p int, w rowwise, m *kernel.Access) bool {
	k := first.kernel
	for id := range k.Instrs {
		in := &k.Instrs[id]
		if in.Op != kernel.Store || in.Mem.Local || in.Mem.Param != p {
			continue
		}
		if !plain(in.Mem) {
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
	k := n.kernel
	b := kernel.NewBuilder(k.Name)
	for a, x := range k.Axes {
		if a != axis {
			b.Axis(x.Name, x.Size)
		}
	}
	c := newCopier(b, k)
	c.declare()
	on := k.Dependence()
	ids := make([][]kernel.ID, k.Axes[axis].Size)
	for j := range ids {
		ids[j] = slices.Clone(c.ids)
	}
	for s := range k.Stages {
		st := &k.Stages[s]
		b.Stage(st.Axes...)
		c.straight(s)
		for a := range c.axes {
			if a > axis {
				c.axes[a] = kernel.Along(a - 1)
			}
		}
		for id := st.Begin; id < st.End; id++ {
			for j := range ids {
				if j > 0 && !on[id].Has(axis) {
					ids[j][id] = ids[0][id]
					continue
				}
				c.ids, c.axes[axis] = ids[j], kernel.At(int64(j))
				c.instr(id)
			}
		}
	}
	w := *n
	w.kernel = b.Kernel()
	return &w
}
