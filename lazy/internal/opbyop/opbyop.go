// Package opbyop compiles each op of a graph as a program of its own, and runs these one after
// the other. Its central type is [Program].
//
// The package imports only ltc/backends, ltc/ir, ltc/ir/types, ltc/lazy/internal/programs,
// ltc/shapeinfer and ltc/soa.
package opbyop

import (
	"context"
	"errors"

	"ltc/backends"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/programs"
	"ltc/shapeinfer"
	"ltc/soa"
)

// Program is a graph whose ops run alone. Any number of goroutines may run it once it was
// compiled.
type Program struct {
	See func(Step) error // called after each op; may be nil

	graph *ir.Graph
	cache *programs.Cache // of the programs of single ops
	ops   []op            // by the number of the node; those that were compiled have a runner
	last  []int           // by the number of the node: that of the node which reads it last
}

// op is an op of a graph and the program of it alone.
type op struct {
	args []*ir.Node // each once
	exec programs.Runner
}

// Step is an op that has run.
type Step struct {
	Node    *ir.Node
	Index   int        // of the op in its program
	Results []soa.View // to be read before the function returns
	Values  []soa.View // of operands, by the numbers of their nodes
}

// Error is that of an op that was compiled, run or seen alone.
type Error struct {
	Node  *ir.Node
	Doing string
	Err   error
}

func (e *Error) Error() string { return e.Doing + ": " + e.Err.Error() }

// Unwrap returns what went wrong.
func (e *Error) Unwrap() error { return e.Err }

func failed(n *ir.Node, doing string, err error) *Error {
	if run, ok := errors.AsType[*backends.RunError](err); ok {
		err = run.Reason // the ordinal is that in the op's own text
	}
	return &Error{n, doing, err}
}

// New returns the program of g, whose ops are compiled when they first run.
func New(g *ir.Graph, cache *programs.Cache) *Program {
	p := &Program{graph: g, cache: cache, ops: make([]op, len(g.Nodes)), last: make([]int, len(g.Nodes))}
	for i, n := range g.Nodes {
		for _, x := range n.In {
			p.last[x.ID] = i
		}
	}
	for _, r := range g.Results {
		p.last[r.ID] = len(g.Nodes)
	}
	return p
}

// runs reports whether n is an op that runs.
func runs(n *ir.Node) bool { return n.Op != ir.OpParameter && n.Op != ir.OpResult }

// Compile compiles all ops. The error is an [*Error], or the cause of ctx.
func (p *Program) Compile(ctx context.Context) error {
	for _, n := range p.graph.Nodes {
		if !runs(n) {
			continue
		}
		err := p.compile(ctx, n)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return failed(n, "compile alone", err)
		}
	}
	return nil
}

// compile compiles n as a program of its own, unless its like was before.
func (p *Program) compile(ctx context.Context, n *ir.Node) error {
	b := ir.NewBuilder(shapeinfer.Infer)
	b.SetLoc(n.Loc)
	var one op
	in := make([]*ir.Node, len(n.In))
	params := map[*ir.Node]*ir.Node{}
	for i, x := range n.In {
		if params[x] == nil {
			params[x] = b.Parameter(x.Type, "", nil)
			one.args = append(one.args, x)
		}
		in[i] = params[x]
	}
	m, err := b.Node(n.Op, in, n.Attrs, n.Body)
	results := []*ir.Node{m}
	if err == nil && m.Results() != nil {
		results = results[:0]
		for i := range m.Results() {
			r, failed := b.Node(ir.OpResult, []*ir.Node{m}, []ir.Attr{ir.ResultIndex: {Int: int64(i)}}, nil)
			results, err = append(results, r), errors.Join(err, failed)
		}
	}
	if err != nil {
		return err
	}
	var g ir.Graph
	b.Capture(&g, nil, results, nil)
	x, _, err := p.cache.Get(ctx, &g, nil)
	if err != nil {
		return err // x may be compiled still, for others
	}
	one.exec = x.Exec
	p.ops[n.ID] = one
	return nil
}

// Run runs the ops on values of the parameters, and returns those of the results by the
// numbers of their nodes. Memory comes from alloc, if that is not nil. The error is an
// [*Error], or that of See.
func (p *Program) Run(ctx context.Context, args []soa.View, alloc func(types.Type) soa.View) ([]soa.View, error) {
	values := make([]soa.View, len(p.graph.Nodes))
	for i, x := range p.graph.Params {
		values[x.ID] = args[i]
	}
	several := map[*ir.Node][]soa.View{} // results of nodes with several
	index := 0
	for i, n := range p.graph.Nodes {
		switch {
		case n.Op == ir.OpResult:
			values[i] = several[n.In[0]][n.Attrs[ir.ResultIndex].Int]
		case runs(n):
			if p.ops[i].exec == nil {
				if err := p.compile(ctx, n); err != nil {
					return nil, failed(n, "compile alone", err)
				}
			}
			one := backends.Call{Alloc: alloc}
			for _, x := range p.ops[i].args {
				one.Args = append(one.Args, values[x.ID])
			}
			if err := p.ops[i].exec.Execute(ctx, &one); err != nil {
				return nil, failed(n, "run alone", err)
			}
			if values[i] = one.Results[0]; n.Results() != nil {
				several[n] = one.Results
			}
			if p.See != nil {
				if err := p.See(Step{n, index, one.Results, values}); err != nil {
					return nil, err
				}
			}
			index++
		}
		for _, x := range n.In {
			if p.last[x.ID] == i {
				values[x.ID] = soa.View{}
				delete(several, x)
			}
		}
	}
	return values, nil
}

// Execute runs the ops. Donated arguments are written when all have run.
func (p *Program) Execute(ctx context.Context, c *backends.Call) error {
	values, err := p.Run(ctx, c.Args, c.Alloc)
	if err != nil {
		return err
	}
	return p.finish(c, values)
}

// finish puts the values of the results where the call wants them: those that
// it brings memory for or donates are copied there last.
func (p *Program) finish(c *backends.Call, values []soa.View) error {
	for len(c.Results) < len(p.graph.Results) {
		c.Results = append(c.Results, soa.View{})
	}
	given := map[*ir.Node]bool{} // values that are somebody's memory
	for _, arg := range p.graph.Params {
		given[arg] = true
	}
	results := make([]soa.View, len(p.graph.Results))
	for i, r := range p.graph.Results {
		if results[i] = values[r.ID]; given[r] { // which copying may overwrite
			results[i] = c.Make(r.Type)
			if err := soa.Copy(results[i], values[r.ID]); err != nil {
				return err
			}
		}
		given[r] = true
	}
	for i, a := range p.graph.Alias {
		switch {
		case !c.Results[i].IsZero():
		case a >= 0:
			c.Results[i] = c.Args[a]
		default:
			c.Results[i] = results[i]
			continue
		}
		if err := soa.Copy(c.Results[i], results[i]); err != nil {
			return err
		}
	}
	return nil
}
