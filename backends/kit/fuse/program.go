package fuse

import (
	"bytes"
	"context"
	"fmt"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/soa"
)

// Program writes the graph down as the program that p becomes. The graph is the program's
// then, which makes variants of it.
func (g *Graph) Program(ctx context.Context, p *backends.Program) (r *plan.Program, err error) {
	defer g.Catch(&err)
	r = &plan.Program{Signature: p.Signature, LastFallible: -1, Logger: backends.LoggerOf(ctx)}
	place := make([]plan.ValueID, len(g.values))
	for v := range g.values {
		place[v] = plan.None
	}
	at := func(v plan.ValueID) plan.ValueID {
		root := g.root(v)
		if place[root] == plan.None {
			val := &g.values[root]
			place[root] = plan.ValueID(len(r.Values))
			w := plan.Value{Type: val.typ, First: -1, Last: -1}
			switch {
			case val.splat != nil:
				w.Kind, w.Data = plan.Constant, make([]byte, val.typ.DType.Size())
				kernel.StoreBits(w.Data, len(w.Data), *val.splat)
			case val.data != nil:
				w.Kind, w.Data = plan.Constant, val.data
			}
			r.Values = append(r.Values, w)
		}
		return place[root]
	}
	callers := func(kind plan.Kind, values []plan.ValueID) (ids []plan.ValueID) {
		for i, v := range values {
			id := at(v)
			r.Values[id].Kind, r.Values[id].Index = kind, i
			ids = append(ids, id)
		}
		return ids
	}
	r.Args = callers(plan.Argument, g.args)
	kernels := map[string]int{}
	repeated := 0 // bytes of such constants
	for _, n := range g.nodes {
		g.Look()
		step := plan.Step{Ordinal: n.ordinal, Loc: n.loc}
		if n.kernel == nil {
			if step.Work, err = n.step.Work(g.operands(n.reads, at), g.operands(n.writes, at)); err != nil {
				return nil, err
			}
			reads, _ := step.Work.Access(r)
			for _, v := range reads {
				if err := repeat(r, v, &repeated); err != nil {
					return nil, fmt.Errorf("%s: the constants that %s reads whole: %w", p.File, n.name, err)
				}
			}
			if step.Work.Fallible() {
				r.LastFallible = len(r.Steps)
			}
		} else {
			k := g.normalise(n)
			l := n.launch(r, k, kernels, at)
			l.Copies = copies(k)
			step.Work = l
		}
		r.Steps = append(r.Steps, step)
	}
	r.Results = callers(plan.Result, g.results)
	g.planSteps(r)
	r.From = &origin{g, place}
	g.findViews(r, place)
	g.forget()
	return r, r.Check()
}

// planSteps plans the program, whose steps and their nodes may have another order then.
func (g *Graph) planSteps(r *plan.Program) {
	if g.o.Alone == nil {
		r.Plan()
		return
	}
	order := r.BringTogether(g.o.Alone)
	if order == nil {
		return
	}
	nodes := make([]*node, len(order))
	for i, before := range order {
		nodes[i] = g.nodes[before]
		if r.Steps[i].Work.Fallible() {
			r.LastFallible = i
		}
	}
	g.nodes = nodes
}

// operands returns values of the graph as those of a program, and their types.
func (g *Graph) operands(values []plan.ValueID, at func(plan.ValueID) plan.ValueID) []plan.HostArg {
	var all []plan.HostArg
	for _, v := range values {
		all = append(all, plan.HostArg{Value: at(v), Type: g.values[v].typ})
	}
	return all
}

// forget drops the nodes that passes have merged or inlined into others, and the
// alternative forms of the remaining nodes. The remaining nodes stand for themselves: a
// program keeps its graph for [plan.Program.Variant], which makes kernels of them.
func (g *Graph) forget() {
	g.Watch, g.o = nil, Options{} // whose functions may hold the context
	for v := range g.values {
		g.values[v].def = nil
	}
	for _, n := range g.nodes {
		n.inParts, n.step = nil, nil
		for _, v := range n.outs() {
			g.values[g.root(v)].def = n
		}
	}
}

// repeat makes a constant of one element for all one that has each: steps that are no
// kernels read memory that is dense. It adds to the bytes of all of them, for which there
// must be memory.
func repeat(r *plan.Program, id plan.ValueID, all *int) error {
	v := &r.Values[id]
	n := v.Type.Bytes()
	if v.Kind != plan.Constant || len(v.Data) >= n {
		return nil
	}
	if err := soa.Fits(*all + n); err != nil { // which takes what overflows for too much
		return err
	}
	*all += n
	v.Data = bytes.Repeat(v.Data, n/len(v.Data))
	return nil
}
