package execution

import (
	"cmp"
	"slices"

	"ltc/backends"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy/internal/memory"
)

// needs returns the bytes that results of a run take.
func (e *Executable) needs(c *backends.Call) int64 {
	n := int64(0)
	for j, r := range e.of.Graph.Results {
		if e.of.Graph.Alias[j] < 0 && (j >= len(c.Results) || c.Results[j].IsZero()) {
			n += memory.PooledBytes(atMost(r.Type))
		}
	}
	return n
}

func (e *Executable) workspace() (int64, error) {
	if e.Whole == nil {
		return 0, nil
	}
	n, err := e.Whole.WorkspaceBytes()
	return int64(n), err
}

// Took returns the bytes that a run has taken if sizes of its program are open; else false:
// [Executable.Peak] has them.
func (e *Executable) Took(c *backends.Call) (bytes int64, open bool) {
	if e.of.Open == nil {
		return 0, false
	}
	n, _ := e.workspace()
	for i := range c.Args {
		n += int64(c.Args[i].Type.Bytes())
	}
	for j := range c.Results {
		if e.of.Graph.Alias[j] < 0 {
			n += int64(c.Results[j].Type.Bytes())
		}
	}
	return n, true
}

// planned returns the bytes that a run takes: arguments, results and workspace. If sizes are open
// it is what the run tells.
func (e *Executable) planned() (int64, error) {
	if e.of.Open != nil {
		return 0, nil // see Took
	}
	n, err := e.workspace()
	return n + mostBytes(e.of.Graph.Params) + mostBytes(OwnResults(e.of.Graph)), err
}

// OwnResults returns the results of a program that take over no argument's memory.
func OwnResults(g *ir.Graph) (own []*ir.Node) {
	for j, r := range g.Results {
		if g.Alias[j] < 0 {
			own = append(own, r)
		}
	}
	return own
}

// mostBytes returns the most bytes that the values of nodes can take.
func mostBytes(nodes []*ir.Node) (n int64) {
	for _, x := range nodes {
		n += int64(atMost(x.Type).Bytes())
	}
	return n
}

// atMost returns t with the most that its sizes can be.
func atMost(t types.Type) types.Type {
	if dims.HasExpr(t.Shape...) {
		t.Shape = slices.Clone(t.Shape)
		for i, d := range t.Shape {
			_, t.Shape[i] = dims.Bounds(d)
		}
	}
	return t
}

// MemoryPlan returns what a run of the program takes. Arguments and results have the lines of
// the graph.
func (e *Executable) MemoryPlan() (backends.MemoryPlan, error) {
	var plan backends.MemoryPlan
	g := e.of.Graph
	if e.Whole != nil {
		var err error
		if plan, err = e.Whole.MemoryPlan(); err != nil {
			return plan, err
		}
	}
	plan.Arguments, plan.Results = mostBytes(g.Params), mostBytes(OwnResults(g)) // also of ops that run one by one
	if len(plan.Values) == 0 {
		plan.Values = borderValues(g)
	}
	for i := range plan.Values {
		v := &plan.Values[i]
		switch {
		case v.Kind == backends.ArgumentValue && v.Index < len(g.Params):
			n := g.Params[v.Index]
			v.Name, v.Line = cmp.Or(v.Name, n.ParamName()), lineOf(n)
		case v.Kind == backends.ResultValue && v.Index < len(g.Results):
			v.Line = lineOf(g.Results[v.Index])
		}
	}
	return plan, nil
}

func lineOf(n *ir.Node) string {
	if file, _ := n.Loc.Position(); file == "" {
		return ""
	}
	return n.Loc.String()
}

// borderValues returns the arguments and the results of a program that take memory of their own,
// those with most bytes first.
func borderValues(g *ir.Graph) (all []backends.ValueMemory) {
	for i, n := range g.Params {
		all = append(all, backends.ValueMemory{Type: n.Type, Kind: backends.ArgumentValue, Index: i, Op: -1})
	}
	for i, n := range g.Results {
		if g.Alias[i] < 0 {
			all = append(all, backends.ValueMemory{Type: n.Type, Kind: backends.ResultValue, Index: i, Op: -1})
		}
	}
	slices.SortStableFunc(all, func(a, b backends.ValueMemory) int { return b.Type.Bytes() - a.Type.Bytes() })
	return all
}
