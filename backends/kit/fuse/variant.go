package fuse

import (
	"fmt"
	"slices"

	"ltc/backends/kit/plan"
	"ltc/ir/types"
)

// origin is the [plan.Origin] of a program: the graph that it was made from, whose values
// are in the program at a place each.
type origin struct {
	graph *Graph
	place []plan.ValueID
}

// Variant is [plan.Program.Variant].
func (from *origin) Variant(p *plan.Program, args, results []plan.Layout) (*plan.Program, error) {
	r, g, place := *p, *from.graph, slices.Clone(from.place)
	r.Values, r.Steps, r.Kernels = slices.Clone(p.Values), slices.Clone(p.Steps), slices.Clone(p.Kernels)
	g.values, g.layouts, g.tables = slices.Clone(g.values), map[plan.ValueID]plan.Layout{}, map[plan.ValueID]plan.ValueID{}
	lay := func(what string, i int, v plan.ValueID, l plan.Layout) error {
		switch {
		case l == nil:
			return nil
		case len(l) != len(p.Shape(v)) || p.Values[v].Layout != nil || !p.TakesView(v, l.Table()):
			return fmt.Errorf("kit: %s %d is taken dense, not as %v", what, i, l)
		}
		r.Values[v].Layout = l
		root := plan.ValueID(slices.Index(place, v))
		g.layouts[root] = l
		if t := l.Table(); t >= 0 {
			typ := types.Of(types.I64, p.Shape(v)[t])
			g.tables[root] = g.newValue(typ, nil)
			r.Values[v].Table = plan.ValueID(len(r.Values))
			place = append(place, r.Values[v].Table)
			r.Values = append(r.Values, plan.Value{Kind: plan.Table, Type: typ, Index: int(v)})
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
	remake(&r, &g, place)
	r.Arena, r.From = 0, &origin{&g, place}
	r.Plan()
	return &r, r.Check()
}

// remake makes the kernels of steps anew that work on what has a layout.
func remake(p *plan.Program, g *Graph, place []plan.ValueID) {
	kernels := map[string]int{}
	for i, k := range p.Kernels {
		kernels[k.String()] = i
	}
	for i, n := range g.nodes {
		if n.kernel == nil || !slices.ContainsFunc(n.operands, func(v plan.ValueID) bool { return g.layouts[g.root(v)] != nil }) {
			continue
		}
		p.Steps[i].Work = n.launch(p, g.normalise(n.clone()), kernels, func(v plan.ValueID) plan.ValueID { return place[g.root(v)] })
	}
}

// launch returns the launch of a node's kernel, which it adds to a program unless kernels,
// which has the numbers of those by their texts, knows it.
func (n *node) launch(p *plan.Program, k normal, kernels map[string]int, at func(plan.ValueID) plan.ValueID) *plan.Launch {
	text := k.kernel.String()
	i, ok := kernels[text]
	if !ok {
		i = len(p.Kernels)
		kernels[text] = i
		p.Kernels = append(p.Kernels, k.kernel)
	}
	l := &plan.Launch{Kernel: i, Sizes: k.sizes, Strides: k.strides, Moving: k.moving, Parts: n.parts, Pitches: n.pitches}
	for _, op := range k.operands {
		op.Value = at(op.Value)
		l.Operands = append(l.Operands, op)
	}
	return l
}
