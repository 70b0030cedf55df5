package cuda

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/backends/kit"
	"ltc/backends/kit/exec"
	"ltc/internal/env"
	"ltc/ir/types"
	"ltc/soa"
)

// runner is what one run works with. All that it queues is in one queue, so that
// the next run may begin when what this one does is queued.
type runner struct {
	e         *executable
	q         *Queue
	mem       []driver.Ptr       // by value
	was       []driver.Ptr       // mem of the run before
	places    int                // how often it was another
	lies      [][]int            // by value, the strides of those that have a layout
	moved     bool               // lies is another than that of the run before
	strides   []int64            // of a step
	launches  []*driver.Launch   // by step; nil for those that are no kernels of the device
	then      [][]*driver.Launch // by step: what is launched behind it
	boxed     []*boxedLaunch     // by step; nil for those that have no other launch
	byLibrary []*libraryCall     // by step; nil for those that no library computes
	besides   driver.Ptr         // where the memory is that these take besides
	// block is the run's memory: temporaries, what is copied from the host, what is
	// copied to it, and results that must not be written where they belong at once.
	block block
	bytes int
	up    []transfer // in the order of the block
	pack  []transfer // of arguments that kernels copy from elsewhere on the device
	late  []transfer // large arguments, by the first step that reads each
	early []transfer // large results, by the last step that writes each
	// So many of late are queued, and of early are behind an event:
	prefetched, marked int
	events             []*driver.Event // behind the first of code.awaited

	down  []transfer
	place []transfer // of results that go to another place of the device
	fresh []soa.View // by result: memory made for it
	dense []soa.View // of the host, by argument, then by result: of views that are not dense

	tables []table    // by argument, then by result; nil before there is one
	held   []soa.View // the tables' memory

	graphs []graph // by row
	locked bool    // of the queue
	driver exec.Driver
	host   []hostMemory // by step
	views  []soa.View   // of a call that is queued
}

// transfer is what is copied between a place of the run's block and a view.
type transfer struct {
	at    int
	n     int
	value kit.ValueID
	view  soa.View // where it belongs
	host  []byte   // the host's memory, if it is there: that of the view, or of a dense copy
	// Of a view of the device's memory that is not dense, what copies it, and its table:
	kernel *Kernel
	table  driver.Ptr
	// Of one that is large:
	step  int           // the first that reads it, or the last that writes it
	after *driver.Event // behind that; nil: it is not yet queued, or was waited for
	own   bool          // host is not the caller's
}

func newRunner(e *executable, q *Queue) *runner {
	p := e.program
	r := &runner{
		e: e, q: q,
		mem:       make([]driver.Ptr, len(p.Values)),
		was:       make([]driver.Ptr, len(p.Values)),
		places:    1,
		launches:  make([]*driver.Launch, len(p.Steps)),
		then:      make([][]*driver.Launch, len(p.Steps)),
		boxed:     make([]*boxedLaunch, len(p.Steps)),
		byLibrary: make([]*libraryCall, len(p.Steps)),
		fresh:     make([]soa.View, len(p.Results)),
		dense:     make([]soa.View, len(p.Args)+len(p.Results)),
		host:      make([]hostMemory, len(p.Steps)),
	}
	for v := range p.Values {
		if p.Values[v].Kind == kit.Constant {
			r.mem[v] = driver.Ptr(e.constant[v])
		}
	}
	for i := range e.steps {
		s := &e.steps[i]
		if s.entry == nil || s.lacks != nil {
			continue
		}
		n := len(s.Operands)
		l := driver.NewLaunch(s.variant.fn, n+len(s.Sizes)+len(s.Strides))
		configure(l, s.launch)
		setNumbers(l, n, s.Sizes, s.Strides)
		r.launches[i] = l
		for _, x := range s.then {
			l := driver.NewLaunch(x.variant.fn, n+len(x.sizes))
			configure(l, x.launch)
			setNumbers(l, n, x.sizes, nil)
			r.then[i] = append(r.then[i], l)
		}
		if s.boxed != nil {
			b := newBoxed(s.boxed.variant.fn, n+len(s.Sizes)+len(s.Strides), s.boxed.launch, s.boxed.maps)
			configure(b.launch, s.boxed.launch)
			setNumbers(b.launch, n, s.Sizes, s.Strides)
			b.plain, r.boxed[i] = l, b
		}
		if s.taken {
			r.byLibrary[i] = r.libraryCall(s)
		}
	}
	for _, x := range e.rows {
		r.graphs = append(r.graphs, graph{row: x, stale: make([]bool, x.to-x.from)})
	}
	return r
}

// Execute runs the program. Without a queue it returns when all is done, also with an
// error; with one when it is queued, or, where the host takes part, when that has been done.
func (e *executable) Execute(ctx context.Context, c *backends.Call) error {
	q, err := e.begin(ctx, c, e.program.Signature, e.bound)
	if err != nil {
		return err
	}
	if e, err = e.variants.Of(ctx, e, c, true); err != nil {
		return err
	}
	return e.execute(ctx, q, c)
}

// begin checks a call of a program, and returns its queue.
func (x *code) begin(ctx context.Context, c *backends.Call, sig *backends.Signature, bound []soa.View) (*Queue, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	q, err := x.on.dev.queueOf(c)
	if err != nil {
		return nil, err
	}
	return q, backends.CheckCallOn(sig, c, bound, x.on.dev)
}

// queueOf returns the queue of a call.
func (d *Device) queueOf(c *backends.Call) (*Queue, error) {
	if c.Queue == nil {
		return d.home, nil
	}
	q, ok := c.Queue.(*Queue)
	if !ok || q == nil || q.dev != d {
		return nil, fmt.Errorf("execute: a queue of another backend or device than %v: %T", d, c.Queue)
	}
	return q, nil
}

// execute runs a call that was checked.
func (e *executable) execute(ctx context.Context, q *Queue, c *backends.Call) error {
	if !e.rules.Region { // of which the run it is of has the queue
		if err := q.enter(); err != nil {
			return fmt.Errorf("execute: %w", err)
		}
		defer q.life.RUnlock()
	}
	if err := q.dev.ctx.Enter(); err != nil {
		return fmt.Errorf("execute: %w", err)
	}
	defer q.dev.ctx.Leave()
	r := e.take(q)
	err := r.run(ctx, c)
	r.forget()
	e.give(r)
	return err
}

// run runs the program.
func (r *runner) run(ctx context.Context, c *backends.Call) error {
	err := r.queued(ctx, c)
	if bad := r.release(c, err != nil); err == nil {
		err = bad
	}
	if err != nil {
		return err
	}
	return r.commit(c) // what is not dense is copied by the queue, too
}

// queued runs the program but for what follows when all is queued.
func (r *runner) queued(ctx context.Context, c *backends.Call) error {
	watch, err := r.prepare(c)
	if err != nil {
		return err
	}
	if err := r.reserve(); err != nil {
		return err
	}
	if err := r.upload(); err != nil {
		return err
	}
	if err := r.note(atOnce); err != nil {
		return err
	}
	if err := r.steps(ctx, watch); err != nil {
		return err
	}
	if err := r.ahead(); err != nil {
		return err
	}
	return r.finish(c.Queue == nil)
}

// release gives back what the run has, unless the device is lost. What a run that failed
// has queued uses the program's kernels, which nobody keeps then: where no queue does, it
// is waited for.
func (r *runner) release(c *backends.Call, failed bool) error {
	defer r.unlock()
	if r.e.on.dev.Err() != nil {
		return nil
	}
	var errs [3]error
	if len(r.events) > 0 {
		r.lock()
		r.q.idle = append(r.q.idle, r.events...)
	}
	for i := range r.early { // of a run that failed
		if e := r.early[i].after; e != nil {
			r.lock()
			r.q.idle = append(r.q.idle, e)
		}
	}
	if r.block.used > 0 {
		r.lock()
		errs[2] = r.q.join()
		errs[0] = r.q.yield(r.block)
	}
	switch {
	case r.q != r.e.on.dev.home:
		r.lock()
		errs[1] = r.q.keep(r, c.Args, c.Results, r.fresh, r.held)
	case failed:
		r.lock()
		errs[1] = r.q.stream.Synchronize()
	}
	return errors.Join(errs[:]...)
}

// steps runs the steps, rows of kernels as one where none is waited for. From step
// watch on, which is the first that writes memory of the caller's, they cannot be
// cancelled.
func (r *runner) steps(ctx context.Context, watch int) error {
	waits := r.e.times != nil || env.Checks.On()
	return exec.Steps(ctx, r.e.program, watch, func(i int, _ <-chan struct{}) error {
		if !waits {
			if n := r.e.steps[i].row; n >= 0 {
				return r.upTo(i, &r.graphs[n])
			}
			return r.between(ctx, i)
		}
		start := time.Now()
		if err := r.between(ctx, i); err != nil {
			return err
		}
		return r.settle(i, start)
	})
}

// between runs or queues a step between the copies that it waits for and those that wait
// for it.
func (r *runner) between(ctx context.Context, i int) error {
	if err := r.prefetch(i); err != nil {
		return err
	}
	if err := r.step(ctx, i); err != nil {
		return err
	}
	return r.mark(i)
}

// settle waits for a step, to say how long it took, or which one failed.
func (r *runner) settle(i int, start time.Time) error {
	r.lock()
	if err := r.q.stream.Synchronize(); err != nil {
		return &backends.RunError{Op: r.e.steps[i].Ordinal, Reason: err}
	}
	if r.e.times != nil {
		r.e.times[i].Add(time.Since(start))
	}
	return nil
}

// step runs or queues a step.
func (r *runner) step(ctx context.Context, i int) error {
	s := &r.e.steps[i]
	if r.launches[i] != nil {
		if s.empty() {
			return nil
		}
		if s.Copies && r.mem[s.Operands[0].Value] == r.mem[s.Operands[1].Value] {
			return nil
		}
		r.arguments(i)
		n, err := r.launchStep(i)
		if err != nil {
			return err
		}
		r.e.on.launches.kernels.Add(n + int64(len(r.then[i])))
		return r.behind(i)
	}
	r.unlock()
	switch {
	case s.lacks != nil:
		return r.kernelOnHost(ctx, i)
	case s.Host() != nil:
		return r.evaluate(ctx, i)
	}
	return r.driver.Run(ctx, r.e.program, r.e.regions, i, r, r.q)
}

// launchStep queues the first launch of a step whose arguments are up to date: its kernel,
// or what a library computes instead. It returns how many kernels it has launched.
func (r *runner) launchStep(i int) (kernels int64, err error) {
	if x := r.byLibrary[i]; x != nil && x.taken {
		if x.queue(r) {
			return 0, nil
		}
		r.kernelArguments(i)
	}
	r.lock()
	return 1, r.q.stream.Launch(r.launches[i])
}

// behind queues what is launched behind the first launch of a step.
func (r *runner) behind(i int) error {
	s := &r.e.steps[i]
	for _, l := range r.then[i] {
		for j := range s.Operands {
			l.Change(j, uint64(r.address(s, j)))
		}
		if err := r.q.stream.Launch(l); err != nil {
			return err
		}
	}
	return nil
}

// lock has the runner use the queue's stream.
func (r *runner) lock() {
	if !r.locked {
		r.q.mu.Lock()
		r.locked = true
	}
}

// unlock lets others use it.
func (r *runner) unlock() {
	if r.locked {
		r.locked = false
		r.q.mu.Unlock()
	}
}

// View is where a value is, for [exec.Driver].
func (r *runner) View(v kit.ValueID, t types.Type) soa.View { return r.e.on.dev.view(r.mem[v], t) }

// Make returns memory of the device for what loops carry.
func (r *runner) Make(t types.Type) (soa.View, error) { return r.e.on.dev.Make(t) }

// Copy copies between values of the device, or one of them to the host.
func (r *runner) Copy(dst, src soa.View) error {
	n, from := src.Type.Bytes(), driver.Ptr(uintptr(src.Base()))
	if dst.Remote() == nil {
		return r.q.download(bytesOf(dst), from)
	}
	return r.q.do(func() error { return r.q.stream.Copy(driver.Ptr(uintptr(dst.Base())), from, n) })
}

// forget drops what is the caller's.
func (r *runner) forget() {
	for _, list := range [...]*[]transfer{&r.up, &r.late, &r.pack, &r.down, &r.early, &r.place} {
		clear(*list)
		*list = (*list)[:0]
	}
	clear(r.fresh)
	clear(r.views)
	r.views = r.views[:0]
	r.prefetched, r.marked = 0, 0
	clear(r.events)
	r.events = r.events[:0]
	r.block = block{}
}
