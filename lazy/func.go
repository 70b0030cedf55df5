package lazy

import (
	"context"
	"fmt"
	"sync"

	"ltc/internal/callsite"
	"ltc/lazy/internal/metrics"
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
	dev      *Device
	fn       func(*Trace, []*Tensor) []*Tensor
	missing  bool // the function given is nil
	counters counters
	calls    sync.Pool // of *flight

	mu         sync.RWMutex
	signatures []*traced // the latest maxSignatures, oldest first
}

// Func returns fn as a function compiled for d. It is traced at its first call
// with arguments of other types, and what it uses besides its arguments belongs
// to it from then on: variables and scalar arguments as they are at each call,
// random streams, which go on with each call, and other tensors with their
// value. A result has memory of its own, also one that is an argument or a
// variable: it does not change with that. fn cannot read what depends on an argument,
// nor call a Function with it. Variables that fn assigns are assigned by each call; of
// two calls that do so at once, one may fail with [ErrConflict]. A call that has begun
// to run sees its context only between ops.
func Func[F Traceable](d *Device, fn F) *Function {
	f := &Function{dev: d}
	f.counters.calls = true
	switch fn := any(fn).(type) {
	case func(*Trace, *Tensor) *Tensor:
		f.missing = fn == nil
		f.fn = func(tr *Trace, x []*Tensor) []*Tensor {
			if len(x) != 1 {
				return wrongCount(tr, x, 1)
			}
			return []*Tensor{fn(tr, x[0])}
		}
	case func(*Trace, *Tensor, *Tensor) *Tensor:
		f.missing = fn == nil
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
	return []*Tensor{tr.poisoned(opError(tr.site(), "func", ErrUsage, x, "it takes %d arguments, got %d", want, len(x)))}
}

// Call runs the function on args, variables or tensors with values, and returns
// its first result, which has a value and can be used in any trace of the
// device.
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
	if ctx == nil {
		ctx = context.Background()
	}
	if f == nil || !f.dev.opens() {
		return nil, fmt.Errorf("func: %w: the device given to Func is nil, or the Function is", ErrUsage)
	}
	if f.dev.sched.Closed() {
		var sites callsite.Cache
		return nil, closedError(sites.Caller(), "call", f.dev, args...)
	}
	return f.call(ctx, args)
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
	c := f.calls.Get().(*flight)
	defer func() { c.Reset(); f.calls.Put(c) }()
	c.ctx, c.program, c.count = ctx, t.program, &f.counters
	c.arguments(t, args)
	for _, v := range c.args {
		if d := v.gone.Load(); d != nil {
			return nil, fmt.Errorf("func: %w: an argument was donated at %v to the step marked at %v", ErrUsage, d.site, d.used)
		}
	}
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
			var sites callsite.Cache
			f.dev.born(v, "result", sites.Caller())
		}
		results[i] = &Tensor{dev: f.dev, val: v}
	}
	return results, nil
}

// arguments collects what the program is called with.
func (c *flight) arguments(t *traced, args []*Tensor) {
	for _, s := range t.params {
		switch {
		case s.v != nil:
			c.pin(s.v)
		case s.value != nil:
			c.hold(s.value)
		case s.draw != nil:
			c.args = append(c.args, s.draw.value())
		case args[s.arg].v != nil:
			c.pin(args[s.arg].v)
		default:
			c.hold(args[s.arg].val)
		}
	}
	for _, a := range t.assigns {
		a.read = c.args[a.arg]
		c.assigns = append(c.assigns, a)
	}
}

func (c *flight) pin(v *variable) {
	val := v.pin()
	c.pinned = append(c.pinned, val)
	c.args = append(c.args, val)
}

// hold is pin for a value, which its trace may donate meanwhile.
func (c *flight) hold(v *value) {
	v.pins.Add(1)
	c.pinned = append(c.pinned, v)
	c.args = append(c.args, v)
}

// Report returns what the calls so far have done.
func (f *Function) Report() Report {
	if f == nil {
		return Report{}
	}
	return f.counters.report()
}

// lookup returns the program for arguments of these types, traced if it is
// new.
func (f *Function) lookup(ctx context.Context, args []*Tensor) (*traced, error) {
	for i, a := range args {
		if err := f.checkArg(i, a, args); err != nil {
			return nil, err
		}
	}
	t, mine := f.signature(args)
	if mine {
		defer func() {
			t.lost = t.err != nil && ctx.Err() != nil
			if t.err != nil && t.err != errPanicked {
				f.forget(t)
			}
			close(t.ready)
		}()
		t.err = errPanicked // unless trace returns
		t.err = f.trace(ctx, t)
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
		f.dev.count(metrics.CachedCompile, &f.counters)
	}
	return t, t.err
}

func (f *Function) checkArg(i int, a *Tensor, args []*Tensor) error {
	if b := firstBad("func", a); b != nil {
		return b.err
	}
	var sites callsite.Cache
	if a.dev != f.dev {
		return opError(sites.Caller(), "func", ErrPlacement, args, "argument %d is elsewhere: %s", i, sameDevice(f.dev, a.dev))
	}
	if a.alias != nil && !a.restore() {
		return a.lost("func")
	}
	if a.v == nil && a.val == nil {
		return opError(sites.Caller(), "func", ErrPlacement, args,
			"argument %d, the %v recorded at %v, has no value yet; give it to its trace's MarkStep first", i, a.node.Op, a.node.Loc)
	}
	return nil
}
