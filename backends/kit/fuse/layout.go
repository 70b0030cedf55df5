package fuse

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// findViews finds out of arguments and results which layouts steps take. place
// is what values of the graph are in the program.
func (g *Graph) findViews(r *plan.Program, place []plan.ValueID) {
	g.shapes = map[plan.ValueID]types.Shape{}
	for root, p := range place {
		if p != plan.None && (r.Values[p].Kind == plan.Argument || r.Values[p].Kind == plan.Result) {
			r.Values[p].Views = ^uint64(0)
			g.shapes[plan.ValueID(root)] = r.Shape(p)
		}
	}
	for i := range g.nodes {
		n := g.nodes[i]
		if n.kernel == nil {
			for _, v := range slices.Concat(n.ins(), n.outs()) {
				if p := place[g.root(v)]; p != plan.None {
					r.Values[p].Views = 0
				}
			}
			continue
		}
		for o, v := range n.operands {
			p := place[g.root(v)]
			if p == plan.None || r.Values[p].Views == 0 {
				continue
			}
			r.Values[p].Views &= g.viewsOf(n, o)
		}
	}
}

// viewsOf returns which layouts an operand of a node can have: bit 0 any strides,
// bit 1+d a table for dimension d of the value that owns the memory.
func (g *Graph) viewsOf(n *node, operand int) uint64 {
	v := n.operands[operand]
	parts, ok := parts(g.shapes[g.root(v)], g.values[v].typ.Shape)
	if !ok {
		return 0
	}
	all := ^uint64(0)
	for _, in := range n.kernel.Accesses(operand) {
		if in.Mem.Guard || in.Mem.Combine != kernel.Invalid {
			return all & 1
		}
		for d, x := range in.Mem.Index {
			if x.Value != kernel.None {
				all &^= 2 << parts[d].Dim
			}
		}
	}
	return all
}

// parts maps each dimension of a shape to a dimension of another shape with the same
// elements. It returns the other dimension that the first one is a factor of, and the
// stride along it. A dimension of 6, for instance, has the factors 2 and 3, with the
// strides 3 and 1. It is false where a dimension of shape is merged from several of the
// other.
func parts(of, shape types.Shape) ([]plan.Factor, bool) {
	all := make([]plan.Factor, len(shape))
	d := len(of) - 1
	inner := 1
	for i := len(shape) - 1; i >= 0; i-- {
		for d >= 0 && inner == of[d] && shape[i] != 1 {
			d, inner = d-1, 1
		}
		if shape[i] == 1 { // its index is 0
			all[i] = plan.Factor{Dim: max(d, 0)}
			continue
		}
		next := dims.Mul(inner, shape[i])
		if d < 0 || !dims.Divides(of[d], next) {
			return nil, false
		}
		all[i] = plan.Factor{Dim: d, By: int64(inner)}
		inner = next
	}
	return all, true
}

// position is where the elements of a value are: how far apart neighbours are
// along each of its dimensions, and what an index along them adds to that of the
// table, if there is one.
type position struct {
	strides []plan.Linear
	table   plan.ValueID // none if there is none
	entries []int64
}

// position returns where the elements of a value are that a node reads or writes.
func (g *Graph) position(v plan.ValueID) position {
	r := position{table: plan.None}
	shape := g.values[v].typ.Shape
	root := g.root(v)
	l, ok := g.layouts[root]
	if !ok {
		n := int64(1)
		r.strides = make([]plan.Linear, len(shape))
		for d, s := range slices.Backward(shape) {
			if r.strides[d].N = n; g.values[v].splat != nil {
				r.strides[d].N = 0
			}
			n = dims.Mul(n, int64(s))
		}
		return r
	}
	of, _ := parts(g.shapes[root], shape)
	r.strides, r.entries = make([]plan.Linear, len(shape)), make([]int64, len(shape))
	for d, f := range of {
		switch l[f.Dim] {
		case kernel.UnitStride:
			r.strides[d].N = f.By
		case kernel.TableStride:
			r.entries[d], r.table = f.By, g.tables[root]
		case kernel.AnyStride:
			if f.By != 0 {
				r.strides[d].By = []plan.Factor{f}
			}
		}
	}
	if l.Table() >= 0 {
		r.table = g.tables[root]
	}
	return r
}
