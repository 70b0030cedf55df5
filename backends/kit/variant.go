package kit

import (
	"fmt"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Variant returns the program for arguments and results that lie otherwise than
// dense. Layouts are by argument and result; values without one are dense, and
// lists that are shorter leave out the last. What a step does with memory that
// has a layout is known but for the strides, which are run-time arguments
// ([Operand.By], [Launch.Moving]), and the entries of tables ([Table]).
//
// Steps that neither read nor write such memory are those of p, as are Values
// but for those of kind Table, which follow them. It reports an error for a layout
// that p does not take ([Program.TakesView]).
func (p *Program) Variant(args, results []Layout) (*Program, error) {
	r := *p
	r.Values, r.Steps, r.Kernels = slices.Clone(p.Values), slices.Clone(p.Steps), slices.Clone(p.Kernels)
	g := *p.graph
	g.values, g.layouts, g.tables = slices.Clone(g.values), map[ValueID]Layout{}, map[ValueID]ValueID{}
	r.graph, r.place = &g, slices.Clone(p.place)
	lay := func(what string, i int, v ValueID, l Layout) error {
		switch {
		case l == nil:
			return nil
		case len(l) != len(p.shape(v)) || p.Values[v].Layout != nil || !p.TakesView(v, l.Table()):
			return fmt.Errorf("kit: %s %d is taken dense, not as %v", what, i, l)
		}
		r.Values[v].Layout = l
		root := ValueID(slices.Index(r.place, v))
		g.layouts[root] = l
		if t := l.Table(); t >= 0 {
			typ := types.Of(types.I64, p.shape(v)[t])
			g.tables[root] = g.newValue(typ, nil)
			r.Values[v].Table = ValueID(len(r.Values))
			r.place = append(r.place, r.Values[v].Table)
			r.Values = append(r.Values, Value{Kind: Table, Type: typ, Index: int(v)})
		}
		return nil
	}
	for i, l := range args {
		if err := lay("argument", i, p.Args[i], l); err != nil {
			return nil, err
		}
	}
	for j, l := range results {
		if err := lay("result", j, p.Results[j], l); err != nil {
			return nil, err
		}
	}
	r.remake(&g)
	r.Arena = 0
	plan(&r)
	return &r, r.check()
}

// remake makes the kernels of steps anew that work on what has a layout.
func (p *Program) remake(g *graph) {
	kernels := map[string]int{}
	for i, k := range p.Kernels {
		kernels[k.String()] = i
	}
	for i, n := range g.nodes {
		if n.kernel == nil || !slices.ContainsFunc(n.operands, func(v ValueID) bool { return g.layouts[g.root(v)] != nil }) {
			continue
		}
		m := *n
		m.operands = slices.Clone(n.operands)
		k := g.normalise(&m)
		text := k.kernel.String()
		at, ok := kernels[text]
		if !ok {
			at = len(p.Kernels)
			kernels[text] = at
			p.Kernels = append(p.Kernels, k.kernel)
		}
		l := *p.Steps[i].Launch()
		l.Kernel, l.Copies = at, false
		l.write(k, func(v ValueID) ValueID { return p.place[g.root(v)] })
		p.Steps[i].Work = &l
	}
}

// write writes down what a kernel is for one step.
func (s *Launch) write(k normal, at func(ValueID) ValueID) {
	s.Sizes, s.Strides, s.Moving, s.Operands = k.sizes, k.strides, k.moving, nil
	for _, op := range k.operands {
		op.Value = at(op.Value)
		s.Operands = append(s.Operands, op)
	}
}

// Lies returns the layout that a view with these strides has; the dimension
// table, unless it is -1, is given by a table.
func Lies(strides []int, table int) Layout {
	l := make(Layout, len(strides))
	for d := range strides {
		l[d] = classOf(strides, table, d)
	}
	return l
}

// Fits reports whether l is the layout of a view; see [Lies].
func (l Layout) Fits(strides []int, table int) bool {
	if len(l) != len(strides) {
		return false
	}
	for d := range l {
		if l[d] != classOf(strides, table, d) {
			return false
		}
	}
	return true
}

func classOf(strides []int, table, d int) kernel.Stride {
	switch {
	case d == table:
		return kernel.TableStride
	case strides[d] == 1:
		return kernel.UnitStride
	case strides[d] == 0:
		return kernel.ZeroStride
	}
	return kernel.AnyStride
}
