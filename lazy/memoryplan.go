package lazy

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/ir"
	"ltc/lazy/internal/programs"
	"ltc/lazy/internal/sched"
)

// MaxBytes refuses programs of which a run would take more than n bytes: arguments, results that
// take over no argument's memory, and the workspace of the backend's plan. MarkStep, a read or a
// call is then an [*OpError] of its line that wraps [ErrMemory] and names the largest tensors with theirs.
// Nothing is computed and variables are as before. n of 0 or less is no limit.
//
// The number is known when a program is compiled, unlike the need of a process that [MemoryLimit]
// bounds: it does not depend on what else is alive. [Trace.MemoryPlan] has it step by step.
func MaxBytes(n int64) Option { return func(d *Device) { d.maxBytes = max(n, 0) } }

// MemoryPlan compiles the program that MarkStep with the same roots would run, as Warmup does. It
// returns what a run takes of memory: altogether, at each step of the backend's plan, and by
// tensor, with the lines that recorded them. Nothing runs, and the step goes on. The evaluator does
// not plan by steps: of its programs there are the sizes, the arguments and the results.
func (tr *Trace) MemoryPlan(roots ...*Tensor) (plan backends.MemoryPlan, err error) {
	err = tr.rehearse("memory_plan", true, roots, func(tr *Trace, r *run) error {
		if len(r.results) == 0 {
			return nil
		}
		f := tr.take()
		defer tr.queue.Give(&f.Job)
		f.ctx = context.Background()
		if err := r.compile(tr, f, true); err != nil {
			return err
		}
		plan, err = tr.dev.planOf(f.ctx, f.program, &r.graph)
		return err
	})
	return plan, err
}

// MemoryPlan is [Trace.MemoryPlan] for the program that Call with arguments of these types would
// run.
func (f *Function) MemoryPlan(ctx context.Context, given ...*Tensor) (backends.MemoryPlan, error) {
	ctx = cmp.Or(ctx, context.Background())
	if err := f.usable("memory_plan", given); err != nil {
		return backends.MemoryPlan{}, err
	}
	args, err := seen(ctx, given)
	defer unsee(given, args)
	if err != nil {
		return backends.MemoryPlan{}, err
	}
	t, err := f.lookup(ctx, args)
	if err != nil {
		return backends.MemoryPlan{}, err
	}
	if t.program.Open == nil {
		return memoryPlan(t.program)
	}
	var plan backends.MemoryPlan
	again := &traced{types: t.types, owner: sched.Goroutine(), ready: make(chan struct{})}
	err = f.record(again, namesOf(args), func(g *ir.Graph) (err error) {
		plan, err = f.dev.planOf(ctx, t.program, g)
		return err
	})
	return plan, err
}

// planOf returns what a run of g takes, which p computes. What p takes whose sizes are open is known
// when it runs: a program of the sizes at hand is compiled in its place.
func (d *Device) planOf(ctx context.Context, p *programs.Program, g *ir.Graph) (backends.MemoryPlan, error) {
	if p.Open != nil {
		var err error
		if p, err = d.programs.GetStatic(ctx, g); err != nil {
			return backends.MemoryPlan{}, err
		}
	}
	return memoryPlan(p)
}

// memoryPlan returns what a run of a program takes. Arguments and results have the lines of the
// graph.
func memoryPlan(p *programs.Program) (backends.MemoryPlan, error) {
	var plan backends.MemoryPlan
	e, _ := p.Exec.(*executable)
	if e.whole != nil {
		var err error
		if plan, err = e.whole.MemoryPlan(); err != nil {
			return plan, err
		}
	}
	plan.Arguments, plan.Results = bytesOf(p.Graph.Params), bytesOf(ownResults(p.Graph)) // also of ops that run one by one
	if len(plan.Values) == 0 {
		plan.Values = borderValues(p.Graph)
	}
	for i := range plan.Values {
		v := &plan.Values[i]
		switch {
		case v.Kind == backends.ArgumentValue && v.Index < len(p.Graph.Params):
			n := p.Graph.Params[v.Index]
			v.Name, v.Line = cmp.Or(v.Name, n.ParamName()), lineOf(n)
		case v.Kind == backends.ResultValue && v.Index < len(p.Graph.Results):
			v.Line = lineOf(p.Graph.Results[v.Index])
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

// admit returns the error of a program that takes more than [MaxBytes], at the line of the user's
// call op, which would run it.
func (d *Device) admit(op string, p *programs.Program) error {
	if d.maxBytes == 0 || p.Exec.(*executable).peak <= d.maxBytes {
		return nil
	}
	return d.tooLarge(op, callsite.Caller(), p)
}

// mostNamed is how many tensors the error of a program that is too large names.
const mostNamed = 3

func (d *Device) tooLarge(op string, site callsite.Site, p *programs.Program) error {
	plan, err := memoryPlan(p)
	if err != nil {
		return err
	}
	var largest []string
	for _, v := range plan.AtPeak() {
		if len(largest) == mostNamed {
			break
		}
		largest = append(largest, fmt.Sprintf("%s %v", v.Kind, v))
	}
	at := ""
	if i := plan.PeakStep(); i >= 0 && plan.Steps[i].Line != "" {
		at = " at " + plan.Steps[i].Line
	}
	return opError(site, op, ErrMemory, nil, "a run of the program takes %s (arguments %s, results %s, workspace %s), and MaxBytes allows %s; the largest tensors in memory%s are: %s. "+
		"Use smaller batches, dtypes of fewer bits, Checkpoint in gradients, or several steps; Trace.MemoryPlan tells what each step needs",
		diag.Bytes(plan.Peak()), diag.Bytes(plan.Arguments), diag.Bytes(plan.Results), diag.Bytes(plan.Workspace), diag.Bytes(d.maxBytes), at, strings.Join(largest, "; "))
}

// WatchPeak watches the memory of programs that the trace runs, until stop is called. stop
// returns the most bytes that one of them takes: its arguments, the results that take over no
// argument's memory, and the workspace that its plan has. The number is known when the program is
// compiled, so that it is the same in each run; it depends on the backend, and on its number of
// threads. A program counts when its step is marked. Watches may overlap.
func (tr *Trace) WatchPeak() (stop func() int64) { return tr.some().counters.Watch() }

// WatchPeak watches the programs of calls of the function, as [Trace.WatchPeak] does.
func (f *Function) WatchPeak() (stop func() int64) {
	if f == nil {
		return func() int64 { return 0 }
	}
	return f.counters.Watch()
}

// WatchPeak watches the programs that all traces and functions of the device run, as
// [Trace.WatchPeak] does. Programs that run at the same time are not added up.
func (d *Device) WatchPeak() (stop func() int64) {
	if d == nil {
		return func() int64 { return 0 }
	}
	return d.all.Watch()
}

// took returns the bytes that a run has taken whose sizes are open.
func (e *executable) took(c *backends.Call) int64 {
	n, _ := e.workspace()
	for i := range c.Args {
		n += int64(c.Args[i].Type.Bytes())
	}
	for j := range c.Results {
		if e.of.Graph.Alias[j] < 0 {
			n += int64(c.Results[j].Type.Bytes())
		}
	}
	return n
}

// planned returns the bytes that a run takes: arguments, results and workspace. If sizes are open
// it is what the run tells.
func (e *executable) planned() (int64, error) {
	if e.of.Open != nil {
		return 0, nil // see took
	}
	n, err := e.workspace()
	return n + bytesOf(e.of.Graph.Params) + bytesOf(ownResults(e.of.Graph)), err
}

// ownResults returns the results of a program that take over no argument's memory.
func ownResults(g *ir.Graph) (own []*ir.Node) {
	for j, r := range g.Results {
		if g.Alias[j] < 0 {
			own = append(own, r)
		}
	}
	return own
}

func bytesOf(nodes []*ir.Node) (n int64) {
	for _, x := range nodes {
		n += int64(atMost(x.Type).Bytes())
	}
	return n
}
