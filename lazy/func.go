package lazy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/internal/modes"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/account"
	"ltc/lazy/internal/guard"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/programs"
	"ltc/lazy/internal/sched"
)

// Traceable is a Go function that [Func] can compile: it records its results
// from its arguments in the trace it is given.
type Traceable interface {
	func(*Trace, *Tensor) *Tensor |
		func(*Trace, *Tensor, *Tensor) *Tensor |
		func(*Trace, []*Tensor) []*Tensor
}

// Function is a Go function compiled for a device, once for each combination
// of its arguments' types. It may be called from any goroutine.
type Function struct {
	dev     *Device
	fn      func(*Trace, []*Tensor) []*Tensor
	missing bool // the function given is nil
	account account.Account[SyncReason]
	calls   sync.Pool // of *flight

	mu         sync.RWMutex
	signatures []*traced // the latest maxSignatures, oldest first
	inputs     *inputs   // nil: calls take any
	takes      int       // how many arguments; -1: any number
}

// Func returns fn as a function compiled for d. It is traced at its first call with
// arguments of other types. Tensors that it uses besides its arguments belong to it from
// then on:
//
//   - variables and scalar arguments as they are at each call;
//   - random streams, which go on with each call;
//   - other tensors with their value.
//
// It is traced again after a change of what package nn/module or [Tensor.SetRequiresGrad] set:
// modes, hooks and frozen parameters. A program that there was before is not compiled again.
// Other Go variables that fn reads stay in the program as they were when fn was traced.
//
// A result has memory of its own, also one that is an argument or a variable: it does not
// change with that. fn cannot read what depends on an argument, nor call a Function with
// it. Variables that fn assigns are assigned by each call; of two calls that do so at once,
// one may fail with [ErrConflict]. A call that has begun to run sees its context only
// between ops.
func Func[F Traceable](d *Device, fn F) *Function {
	f := &Function{dev: d, takes: -1}
	f.account.Calls = true
	switch fn := any(fn).(type) {
	case func(*Trace, *Tensor) *Tensor:
		f.missing, f.takes = fn == nil, 1
		f.fn = func(tr *Trace, x []*Tensor) []*Tensor {
			if len(x) != 1 {
				return wrongCount(tr, x, 1)
			}
			return []*Tensor{fn(tr, x[0])}
		}
	case func(*Trace, *Tensor, *Tensor) *Tensor:
		f.missing, f.takes = fn == nil, 2
		f.fn = func(tr *Trace, x []*Tensor) []*Tensor {
			if len(x) != 2 {
				return wrongCount(tr, x, 2)
			}
			return []*Tensor{fn(tr, x[0], x[1])}
		}
	case func(*Trace, []*Tensor) []*Tensor:
		f.missing, f.fn = fn == nil, fn
	}
	f.calls.New = func() any { return d.newFlight(nil) }
	return f
}

func wrongCount(tr *Trace, x []*Tensor, want int) []*Tensor {
	return []*Tensor{tr.poisoned(opError(tr.site(), "func", ErrUsage, x, "it takes %s, got %d", diag.Count(want, "argument"), len(x)))}
}

// Warmup compiles the program that Call with arguments of these types would run, and runs
// nothing: the first Call is then as quick as those after it. After [Function.Inputs] it needs no
// arguments, and compiles the program for all sizes. Calls for whose sizes the function records other
// ops are compiled by Warmup with arguments of these sizes.
func (f *Function) Warmup(ctx context.Context, given ...*Tensor) error {
	ctx = cmp.Or(ctx, context.Background())
	if err := f.usable("warmup", given); err != nil {
		return err
	}
	in := f.inputsIn(modes.State())
	if len(given) == 0 && in != nil {
		if in.numbers && len(in.symbols) > 0 {
			return opError(callsite.Caller(), "warmup", ErrUsage, nil, "device %s compiles a program for each size; give Warmup an argument of each", f.dev.name)
		}
		if !in.numbers {
			if _, err := in.recorded(ctx, f); err != nil {
				return err
			}
		}
		given = in.typed(f.dev)
	}
	args, err := seen(ctx, given)
	defer unsee(given, args)
	if err != nil {
		return err
	}
	t, err := f.lookup(ctx, args)
	if err != nil {
		return err
	}
	if err := f.dev.admit("warmup", t.program); err != nil {
		return err
	}
	return finish(ctx, t.program)
}

// Call runs the function on args, variables or tensors with values, and returns
// its first result, which has a value and can be used in any trace of the
// device.
//
// A cancelled call leaves variables as they were. If ctx can end, the call therefore writes
// the variables that its last ops assign to memory of its own, and copies them at the end.
// [context.Background] avoids these copies. So it is with [Trace.MarkStepContext].
func (f *Function) Call(ctx context.Context, args ...*Tensor) (*Tensor, error) {
	all, err := f.CallAll(ctx, args...)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("func: it has no results: use CallAll")
	}
	return all[0], nil
}

// CallAll is Call for all results.
func (f *Function) CallAll(ctx context.Context, args ...*Tensor) ([]*Tensor, error) {
	ctx = cmp.Or(ctx, context.Background())
	if err := f.usable("call", args); err != nil {
		return nil, err
	}
	return f.call(ctx, args)
}

// usable returns why f cannot do op.
func (f *Function) usable(op string, args []*Tensor) error {
	if f == nil || !f.dev.opens() {
		return fmt.Errorf("func: %w: the device given to Func is nil, or the Function is", ErrUsage)
	}
	if f.dev.sched.Closed() {
		return closedError(callsite.Caller(), op, f.dev, args...)
	}
	return nil
}

// call is CallAll, also for copies that were under way when the device was
// closed.
func (f *Function) call(ctx context.Context, given []*Tensor) ([]*Tensor, error) {
	args, err := seen(ctx, given)
	defer unsee(given, args)
	if err != nil {
		return nil, err
	}
	t, err := f.lookup(ctx, args)
	if err != nil {
		return nil, err
	}
	if err := f.dev.admit("call", t.program); err != nil {
		return nil, err
	}
	c := f.calls.Get().(*flight)
	defer func() { c.Reset(); f.calls.Put(c) }()
	c.ctx, c.program, c.count = ctx, t.program, &f.account
	c.arguments(t, args)
	for _, v := range c.args {
		if d := v.gone.Load(); d != nil {
			return nil, fmt.Errorf("func: %w: an argument was donated at %v to the step marked at %v", ErrUsage, d.site, d.used)
		}
	}
	c.notePeak()
	if err := f.dev.claim(c); err != nil {
		return nil, err
	}
	if err := c.runHere(); err != nil {
		return nil, err
	}
	results := make([]*Tensor, t.results)
	for i := range results {
		v := &value{view: c.call.Results[i]}
		v.pins.Add(1)
		if f.dev.live != nil {
			f.dev.born(v, "result", callsite.Caller())
		}
		results[i] = &Tensor{dev: f.dev, val: v}
	}
	return results, nil
}

// arguments collects what the program is called with.
func (c *flight) arguments(t *traced, args []*Tensor) {
	c.indices = t.indices
	for _, s := range t.params {
		v, val := s.v, s.value
		if s.arg >= 0 {
			v, val = args[s.arg].v, args[s.arg].val
		}
		switch {
		case s.draw != nil:
			c.args = append(c.args, s.draw.value())
			continue
		case v != nil:
			val = v.pin()
		default:
			val.pins.Add(1) // its trace may donate it meanwhile
		}
		c.pinned, c.args = append(c.pinned, val), append(c.args, val)
	}
	for _, a := range t.assigns {
		a.read = c.args[a.arg]
		c.assigns = append(c.assigns, a)
	}
}

// Report returns what the calls so far have done.
func (f *Function) Report() Report {
	if f == nil {
		return Report{}
	}
	r := report(&f.account)
	if r.Compiled == 1 { // its only program was compared with those of other functions
		r.recompiled = Compile{}
	}
	return r
}

// Explain returns why each program of the function after its device's first was compiled,
// the latest last, at most 100.
func (f *Function) Explain() []Explanation {
	if f == nil {
		return nil
	}
	return explanations(&f.account)
}

// lookup returns the program for arguments of these types, traced if it is
// new.
func (f *Function) lookup(ctx context.Context, args []*Tensor) (*traced, error) {
	for i, a := range args {
		if err := f.checkArg(i, a, args); err != nil {
			return nil, err
		}
	}
	state := modes.State()
	in := f.inputsIn(state)
	if in != nil {
		if err := in.admit(args); err != nil {
			return nil, err
		}
	}
	t, mine := f.signature(args, state)
	if mine {
		defer func() {
			t.lost = t.err != nil && ctx.Err() != nil
			if t.err != nil && t.err != errPanicked {
				f.forget(t)
			}
			close(t.ready)
		}()
		t.err = errPanicked // unless trace returns
		if in != nil {
			if t.err = in.compile(ctx, f); t.err != nil {
				return t, t.err
			}
			t.err = errPanicked
		}
		t.err = f.trace(ctx, t, in.looking())
		return t, t.err
	}
	select {
	case <-t.ready:
	default:
		if err := t.await(ctx, args); err != nil {
			return nil, err
		}
	}
	if t.lost && ctx.Err() == nil {
		return f.lookup(ctx, args)
	}
	if t.err == nil {
		f.dev.count(metrics.CachedCompile, &f.account)
	}
	return t, t.err
}

func (f *Function) checkArg(i int, a *Tensor, args []*Tensor) error {
	if b := firstBad("func", a); b != nil {
		return b.err
	}
	if a.dev != f.dev {
		return opError(callsite.Caller(), "func", ErrPlacement, args, "argument %d is elsewhere: %s", i, sameDevice(f.dev, a.dev))
	}
	if a.alias != nil && !a.restore() {
		return a.lost("func")
	}
	switch {
	case a.v != nil || a.val != nil:
	case a.epoch&inClosure != 0:
		return opError(callsite.Caller(), "func", ErrPlacement, args,
			"argument %d, the %v recorded at %v, is of a closure of control flow, which records what is run later; record what the function computes in the closure itself", i, a.node.Op, a.node.Loc)
	default:
		return opError(callsite.Caller(), "func", ErrPlacement, args,
			"argument %d, the %v recorded at %v, has no value yet; give it to its trace's MarkStep first", i, a.node.Op, a.node.Loc)
	}
	return nil
}

// maxSignatures is how many signatures a function stays traced for: combinations of types, each in maxModes states at
// most.
const (
	maxSignatures = 256
	maxModes      = 4
)

// traced is a function's program for one signature.
type traced struct {
	types   []types.Type
	state   uint64        // of the modes of layers and the like, in which it was recorded: see package modes
	open    bool          // sizes may be expressions: see [Dim]
	anySize bool          // the program is that of all sizes, also where they are numbers
	export  bool          // it is recorded for Export
	owner   uint64        // the goroutine that traces it
	ready   chan struct{} // closed when that is done
	err     error
	lost    bool // err is that the caller that traced it could not wait
	program *programs.Program
	params  []source
	results int // of the function; those after them are assigned variables
	assigns []assignment
	indices guard.Indices // what they are to be
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
		return opError(callsite.Caller(), "func", ErrUsage, args,
			"the function calls itself with arguments of the types it is being traced for, so that its program would contain itself; call the Go function instead, with an end to the recursion")
	}
	return awaitTracing(ctx, t.ready, t.owner)
}

// awaitTracing waits until the goroutine owner has traced.
func awaitTracing(ctx context.Context, done <-chan struct{}, owner uint64) error {
	err := sched.Wait{Op: "func", Done: done, Tracer: owner}.Until(ctx)
	if _, endless := err.(*sched.Endless); endless {
		return waitError("func", err)
	}
	if err != nil {
		return fmt.Errorf("func: while another goroutine traced it: %w", err)
	}
	return nil
}

// signature returns the entry for arguments of these types in a state; mine says that it is
// new, and the caller's to trace.
func (f *Function) signature(args []*Tensor, state uint64) (t *traced, mine bool) {
	ofTypes := func(t *traced) bool {
		return slices.EqualFunc(t.types, args, func(a types.Type, b *Tensor) bool { return a.Equal(b.Type()) })
	}
	same := func(t *traced) bool { return t.state == state && ofTypes(t) }
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
	t = &traced{state: state, owner: sched.Goroutine(), ready: make(chan struct{})}
	for _, a := range args {
		t.types = append(t.types, a.Type())
	}
	inOthers, oldest := 0, 0
	for i, t := range slices.Backward(f.signatures) {
		if ofTypes(t) {
			inOthers, oldest = inOthers+1, i
		}
	}
	if inOthers == maxModes || len(f.signatures) == maxSignatures {
		f.signatures = slices.Delete(f.signatures, oldest, oldest+1)
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
func (f *Function) trace(ctx context.Context, t *traced, l looking) error {
	return f.record(t, f.names(len(t.types)), func(g *ir.Graph) (err error) {
		t.err = programs.ErrPanicked // unless it returns: the next call tries again
		t.indices, g = f.dev.looksAt(g, l)
		t.program, err = f.dev.program(ctx, "func", g, &f.account, func() (callsite.Site, purpose) { return callsite.Caller(), purpose{} })
		return err
	})
}

// names returns the names of n arguments, those of Inputs if there are.
func (f *Function) names(n int) []string {
	f.mu.RLock()
	in := f.inputs
	f.mu.RUnlock()
	names := make([]string, n)
	for i := range names {
		if names[i] = fmt.Sprint("arg", i); in != nil && len(in.all) == n {
			names[i] = in.all[i].Name
		}
	}
	return names
}

// record records the function for a signature and hands on its graph, which is
// there as long as use runs. The arguments have the given names.
func (f *Function) record(t *traced, names []string, use func(g *ir.Graph) error) error {
	if f.missing {
		return fmt.Errorf("func: %w: the function given to Func is nil", ErrUsage)
	}
	defer sched.Called()()
	tr := newTrace(f.dev).registered()
	tr.sizes, tr.anySize, tr.exporting = t.open, t.anySize, t.export
	defer tr.endStep()
	defer tr.beginFunction()()
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
	tr.captureAll(&r.graph, params, r.results, r.alias)
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
