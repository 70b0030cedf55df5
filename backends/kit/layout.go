package kit

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Layout is how the elements of an argument or a result lie, as far as code
// depends on it: the class of each dimension's stride. nil stands for memory that
// is dense and row-major. One dimension at most is of [kernel.TableStride]: along
// it elements lie anywhere, and those of the others as the table's entry says.
type Layout []kernel.Stride

// Table returns the dimension that a table is for; -1 if there is none.
func (l Layout) Table() int { return slices.Index(l, kernel.TableStride) }

// TakesView reports whether the elements of an argument or result can lie anywhere
// that strides say where a program's steps read or write them, with those along
// the dimension table where a table says; -1 if there is none. All that do must be
// kernels, at places that a variant of them finds.
func (p *Program) TakesView(v ValueID, table int) bool {
	all := p.Values[v].views
	return all&1 != 0 && (table < 0 || table < 63 && all>>(table+1)&1 != 0)
}

// shape returns that of a value; of an argument or result, as its caller has it.
func (p *Program) shape(v ValueID) types.Shape {
	switch val := &p.Values[v]; val.Kind {
	case Argument:
		return p.Signature.Args[val.Index].Type.Shape
	case Result:
		return p.Signature.Results[val.Index].Type.Shape
	default:
		return val.Type.Shape
	}
}

// findViews finds out of arguments and results which layouts steps take. place
// is what values of the graph are in the program.
func (g *graph) findViews(r *Program, place []ValueID) {
	g.shapes = map[ValueID]types.Shape{}
	for root, p := range place {
		if p != none && (r.Values[p].Kind == Argument || r.Values[p].Kind == Result) {
			r.Values[p].views = ^uint64(0)
			g.shapes[ValueID(root)] = r.shape(p)
		}
	}
	for i := range g.nodes {
		n := g.nodes[i]
		if n.kernel == nil {
			for _, v := range slices.Concat(n.ins(), n.outs()) {
				if p := place[g.root(v)]; p != none {
					r.Values[p].views = 0
				}
			}
			continue
		}
		for o, v := range n.operands {
			p := place[g.root(v)]
			if p == none || r.Values[p].views == 0 {
				continue
			}
			r.Values[p].views &= g.viewsOf(n, o)
		}
	}
}

// viewsOf returns which layouts an operand of a node can have: bit 0 any strides,
// bit 1+d a table for dimension d of the value that owns the memory.
func (g *graph) viewsOf(n *node, operand int) uint64 {
	v := n.operands[operand]
	parts, ok := parts(g.shapes[g.root(v)], g.values[v].typ.Shape)
	if !ok {
		return 0
	}
	all := ^uint64(0)
	for id := range n.kernel.Instrs {
		m := n.kernel.Instrs[id].Mem
		if m == nil || m.Local || m.Param != operand {
			continue
		}
		if m.Guard || m.Combine != kernel.Invalid {
			return all & 1
		}
		for d, x := range m.Index {
			if x.Value != kernel.None {
				all &^= 2 << parts[d].Dim
			}
		}
	}
	return all
}

// parts returns of each dimension of a shape of which of another shape of the
// same elements it is a part, and how many of that an element of it is: along a
// dimension of 6 those of 2 and 3 are parts, 3 and 1 of it. It is false where one
// of shape is made of several.
func parts(of, shape types.Shape) ([]Factor, bool) {
	all := make([]Factor, len(shape))
	d := len(of) - 1
	inner := 1
	for i := len(shape) - 1; i >= 0; i-- {
		for d >= 0 && inner == of[d] && shape[i] != 1 {
			d, inner = d-1, 1
		}
		if shape[i] == 1 { // its index is 0
			all[i] = Factor{max(d, 0), 0}
			continue
		}
		if d < 0 || inner*shape[i] == 0 || of[d]%(inner*shape[i]) != 0 {
			return nil, false
		}
		all[i] = Factor{d, int64(inner)}
		inner *= shape[i]
	}
	return all, true
}

// position is where the elements of a value are: how far apart neighbours are
// along each of its dimensions, and what an index along them adds to that of the
// table, if there is one.
type position struct {
	strides []linear
	table   ValueID // none if there is none
	entries []int64
}

// position returns where the elements of a value are that a node reads or writes.
func (g *graph) position(v ValueID) position {
	r := position{table: none}
	shape := g.values[v].typ.Shape
	root := g.root(v)
	l, ok := g.layouts[root]
	if !ok {
		n := int64(1)
		r.strides = make([]linear, len(shape))
		for d, s := range slices.Backward(shape) {
			if r.strides[d].n = n; g.values[v].splat != nil {
				r.strides[d].n = 0
			}
			n *= int64(s)
		}
		return r
	}
	of, _ := parts(g.shapes[root], shape)
	r.strides, r.entries = make([]linear, len(shape)), make([]int64, len(shape))
	for d, f := range of {
		switch l[f.Dim] {
		case kernel.UnitStride:
			r.strides[d].n = f.By
		case kernel.TableStride:
			r.entries[d], r.table = f.By, g.tables[root]
		case kernel.AnyStride:
			if f.By != 0 {
				r.strides[d].by = []Factor{f}
			}
		}
	}
	if l.Table() >= 0 {
		r.table = g.tables[root]
	}
	return r
}
