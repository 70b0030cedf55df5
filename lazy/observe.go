package lazy

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"ltc/backends"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/programs"
	"ltc/lower"
	"ltc/shapeinfer"
	"ltc/soa"
)

// hook is a function given to OnNode.
type hook struct{ f func(NodeInfo) }

// OnNode has f called after every node that the trace makes, within the op that
// makes it. Nodes are ops, those that gradients and broadcasting are made of among
// them, constants, host data, and variables when the step first reads them. An op that
// a step repeats is no new node. Functions are called in the order of OnNode; f must not
// record in the trace. A panic of f goes through the op, and the step fails with an error
// that says so. remove ends it, at once and also from within f; removing twice does
// nothing.
func (tr *Trace) OnNode(f func(NodeInfo)) (remove func()) {
	tr = tr.some()
	h := &hook{f}
	tr.hooks = append(slices.Clip(tr.hooks), h) // those being called are in the old list
	tr.b.OnNode(tr.nodeMade)
	return func() {
		i := slices.Index(tr.hooks, h)
		if i < 0 {
			return
		}
		h.f = nil
		if tr.hooks = slices.Delete(slices.Clone(tr.hooks), i, i+1); len(tr.hooks) == 0 {
			tr.b.OnNode(nil)
		}
	}
}

// nodeMade calls the hooks for a node. If one does not return, the op that made the
// node is cut short, and the step with it: whoever goes on does not lose a write.
func (tr *Trace) nodeMade(n *ir.Node) {
	info, returned := infoOf(n), false
	defer func() {
		if !returned && tr.bad == nil {
			tr.bad = opError(n.Loc, info.Op, ErrUsage, nil, "a function given to OnNode panicked when the op was recorded, which ended the op or write that made it; record the step again")
		}
	}()
	for _, h := range tr.hooks {
		if h.f != nil {
			h.f(info)
		}
	}
	returned = true
}

// OpByOp makes the device compile and run every op of a program alone, each as
// a program of its own, once for each combination of op, attributes and types:
// slow, and for finding which op fails, or gives other numbers than elsewhere.
// Results are those of the whole program as long as the backend computes each op
// alone as it does among others. Failures name the line of the op.
func OpByOp() Option { return func(d *Device) { d.opByOp = true } }

// ObserveOps makes the device run programs op by op, and has f called after each
// op, in the order of the program, on the goroutine that runs it. Two devices
// that are given the same steps can be compared op by op:
// the first difference is where the wrong numbers come from.
func ObserveOps(f func(OpRun)) Option { return func(d *Device) { d.opByOp, d.observer = true, f } }

// OpRun is an op that was run alone.
type OpRun struct {
	Node   NodeInfo
	Index  int      // of the op in its program
	Result soa.View // to be read before the function returns
	Output int      // which result of the op it is: those of an op with several are observed one by one
}

// opByOp is an executable that runs the ops of a graph one by one.
type opByOp struct {
	dev   *Device
	graph *ir.Graph
	ops   []opAlone
}

// opAlone is an op of a program and the program of it alone.
type opAlone struct {
	node *ir.Node
	args []*ir.Node // each once
	exec programs.Runner
}

func newOpByOp(ctx context.Context, d *Device, g *ir.Graph) (*opByOp, error) {
	e := &opByOp{dev: d, graph: g}
	for _, n := range g.Nodes {
		if n.Op == ir.OpParameter || n.Op == ir.OpResult {
			continue
		}
		one, err := d.alone(ctx, n)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			return nil, aloneError(n, "compile alone", err)
		}
		e.ops = append(e.ops, one)
	}
	return e, nil
}

// alone compiles n as a program of its own, unless its like was before.
func (d *Device) alone(ctx context.Context, n *ir.Node) (opAlone, error) {
	b := ir.NewBuilder(shapeinfer.Infer)
	b.SetLoc(n.Loc)
	one := opAlone{node: n}
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
		return one, err
	}
	var g ir.Graph
	b.Capture(&g, nil, results, nil)
	p, _, err := d.ops.Get(ctx, &g)
	if err != nil {
		return one, err // p may be compiled still, for others
	}
	one.exec = p.Exec
	return one, nil
}

// alone compiles programs of one op. Their errors name no line: all ops of a kind share one.
type alone struct{ compiler }

func (alone) Located(*ir.Graph) bool { return false }

func (d alone) Compile(ctx context.Context, p *programs.Program) (err error) {
	p.Text = lower.Text(p.Graph, true)
	o := d.options
	if !d.opByOp { // it only looks
		o = d.quietly()
	}
	p.Exec, err = d.withRoom(func() (programs.Runner, error) { return d.whole(ctx, p, o) })
	return err
}

// aloneError makes the error of an op that was compiled or run alone.
func aloneError(n *ir.Node, doing string, err error) *OpError {
	if failed, ok := errors.AsType[*backends.RunError](err); ok {
		err = failed.Reason // the ordinal is that in the op's own text
	}
	return nodeError(n, err, doing+": "+err.Error())
}

// Execute runs the ops one by one. Donated arguments are written when all have
// run.
func (e *opByOp) Execute(ctx context.Context, c *backends.Call) error {
	values := make([]soa.View, len(e.graph.Nodes))
	for i, p := range e.graph.Params {
		values[p.ID] = c.Args[i]
	}
	results := map[*ir.Node][]soa.View{} // of nodes with several
	value := func(n *ir.Node) soa.View {
		if n.Op == ir.OpResult {
			return results[n.In[0]][n.Attrs[ir.ResultIndex].Int]
		}
		return values[n.ID]
	}
	for i, op := range e.ops {
		one := backends.Call{Alloc: c.Alloc}
		for _, x := range op.args {
			one.Args = append(one.Args, value(x))
		}
		if err := op.exec.Execute(ctx, &one); err != nil {
			return aloneError(op.node, "run alone", err)
		}
		values[op.node.ID] = one.Results[0]
		if op.node.Results() != nil {
			results[op.node] = one.Results
		}
		for k, v := range one.Results {
			info := infoOf(op.node)
			info.Type = v.Type
			if err := e.observe(OpRun{Node: info, Index: i, Result: v, Output: k}); err != nil {
				return aloneError(op.node, "observe", err)
			}
		}
	}
	for _, n := range e.graph.Results {
		values[n.ID] = value(n)
	}
	return e.finish(c, values)
}

// observe shows a run of an op to the function of [ObserveOps]. A panic of it is an error.
func (e *opByOp) observe(op OpRun) (err error) {
	if e.dev.observer == nil {
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the function given to ObserveOps panicked: %v\n%s", r, debug.Stack())
		}
	}()
	e.dev.observer(op)
	return nil
}

// finish puts the values of the results where the call wants them: those that
// it brings memory for or donates are copied there last.
func (e *opByOp) finish(c *backends.Call, values []soa.View) error {
	for len(c.Results) < len(e.graph.Results) {
		c.Results = append(c.Results, soa.View{})
	}
	given := map[*ir.Node]bool{} // values that are somebody's memory
	for _, p := range e.graph.Params {
		given[p] = true
	}
	results := make([]soa.View, len(e.graph.Results))
	for i, r := range e.graph.Results {
		if results[i] = values[r.ID]; given[r] { // which copying may overwrite
			results[i] = c.Make(r.Type)
			if err := soa.Copy(results[i], values[r.ID]); err != nil {
				return err
			}
		}
		given[r] = true
	}
	for i, a := range e.graph.Alias {
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

// NodeInfo describes an op of a program.
type NodeInfo struct {
	Op       string // mnemonic; a composite's name without ltc.
	Type     types.Type
	Operands []types.Type
	Site     string // the line that recorded it, file:line
	Scope    string // see Trace.Scope
}

func infoOf(n *ir.Node) NodeInfo {
	info := NodeInfo{Op: n.Op.String(), Type: n.Type, Site: n.Loc.String(), Scope: n.Loc.Scope()}
	if n.Op == ir.OpComposite {
		info.Op = trimmed(n.Body.Name)
	}
	for _, x := range n.In {
		info.Operands = append(info.Operands, x.Type)
	}
	return info
}
