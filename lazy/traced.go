package lazy

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/programs"
	"ltc/lazy/internal/sched"
)

// maxSignatures is how many combinations of types a function stays traced for.
const maxSignatures = 256

// traced is a function's program for one signature.
type traced struct {
	types   []types.Type
	owner   uint64        // the goroutine that traces it
	ready   chan struct{} // closed when that is done
	err     error
	lost    bool // err is that the caller that traced it could not wait
	program *programs.Program
	params  []source
	results int // of the function; those after them are assigned variables
	assigns []assignment
}

// source says where an argument of the program comes from: one of its fields.
type source struct {
	arg   int // of the call; -1 if none
	v     *variable
	value *value
	draw  *draw
}

// await waits until another goroutine has traced t.
func (t *traced) await(ctx context.Context, args []*Tensor) error {
	if t.owner == sched.Goroutine() {
		var sites callsite.Cache
		return opError(sites.Caller(), "func", ErrUsage, args,
			"the function calls itself with arguments of the types it is being traced for, so that its program would contain itself; call the Go function instead, with an end to the recursion")
	}
	err := sched.Wait{Op: "func", Done: t.ready, Tracer: t.owner}.Until(ctx)
	if _, endless := err.(*sched.Endless); endless {
		return waitError("func", err)
	}
	if err != nil {
		return fmt.Errorf("func: while another goroutine traced it: %w", err)
	}
	return nil
}

// signature returns the entry for arguments of these types; mine says that it is
// new, and the caller's to trace.
func (f *Function) signature(args []*Tensor) (t *traced, mine bool) {
	same := func(t *traced) bool {
		return slices.EqualFunc(t.types, args, func(a types.Type, b *Tensor) bool { return a.Equal(b.Type()) })
	}
	f.mu.RLock()
	t = find(f.signatures, same)
	f.mu.RUnlock()
	if t != nil {
		return t, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if t = find(f.signatures, same); t != nil {
		return t, false
	}
	t = &traced{owner: sched.Goroutine(), ready: make(chan struct{})}
	for _, a := range args {
		t.types = append(t.types, a.Type())
	}
	if len(f.signatures) == maxSignatures {
		f.signatures = slices.Delete(f.signatures, 0, 1)
	}
	f.signatures = append(f.signatures, t)
	return t, true
}

// forget drops a signature whose tracing failed: the next call tries again.
func (f *Function) forget(t *traced) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.Index(f.signatures, t); i >= 0 {
		f.signatures = slices.Delete(f.signatures, i, i+1)
	}
}

func find(signatures []*traced, same func(*traced) bool) *traced {
	if i := slices.IndexFunc(signatures, same); i >= 0 {
		return signatures[i]
	}
	return nil
}

// errPanicked is the error of a function that panicked while it was traced.
var errPanicked = errors.New("func: the Go function panicked when it was traced with arguments of these types")

// placeholder is the Value of an argument while a function is traced.
type placeholder int

// trace records and compiles the function for a signature.
func (f *Function) trace(ctx context.Context, t *traced) error {
	names := make([]string, len(t.types))
	for i := range names {
		names[i] = fmt.Sprintf("arg%d", i)
	}
	return f.record(t, names, func(g *ir.Graph) (err error) {
		t.err = programs.ErrPanicked // unless it returns: the next call tries again
		t.program, err = f.dev.program(ctx, g, &f.counters, func() callsite.Site {
			var sites callsite.Cache
			return sites.Caller()
		})
		return err
	})
}

// record records the function for a signature and hands on its graph, which is
// there as long as use runs. The arguments have the given names.
func (f *Function) record(t *traced, names []string, use func(g *ir.Graph) error) error {
	if f.missing {
		return fmt.Errorf("func: %w: the function given to Func is nil", ErrUsage)
	}
	defer sched.Called()()
	tr := newTrace(f.dev).registered()
	tr.function = true
	defer tr.endStep()
	params, xs := make([]*ir.Node, len(t.types)), make([]*Tensor, len(t.types))
	for i, typ := range t.types {
		params[i] = tr.b.Detached(typ, names[i], placeholder(i))
		xs[i] = tr.wrap(params[i])
		xs[i].mem().argument = true
	}
	r := &tr.run
	for _, y := range f.fn(tr, xs) {
		n := tr.operand(y)
		if n == nil {
			return tr.refusal("func", y)
		}
		r.results, r.alias = append(r.results, n), append(r.alias, nil)
	}
	if tr.bad != nil {
		return tr.bad
	}
	t.results = len(r.results)
	for _, s := range tr.order {
		if err := r.assigned(s); err != nil {
			return err
		}
	}
	tr.b.Capture(&r.graph, params, r.results, r.alias)
	for _, n := range r.graph.Params {
		t.params = append(t.params, tr.source(n))
	}
	t.assigns = append(t.assigns, r.assigns...)
	for i := range t.assigns {
		t.assigns[i].arg = r.graph.Alias[t.assigns[i].result]
	}
	f.dev.captured(&r.graph)
	return use(&r.graph)
}

func (tr *Trace) source(n *ir.Node) source {
	for _, s := range tr.order {
		if s.param == n {
			return source{arg: -1, v: s.v}
		}
	}
	switch from := n.Value.(type) {
	case placeholder:
		return source{arg: int(from)}
	case *draw:
		return source{arg: -1, draw: from}
	}
	v := n.Value.(*value)
	v.captured = true
	return source{arg: -1, value: v}
}
