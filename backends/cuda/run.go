package cuda

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/plan"
	"ltc/ir/types"
	"ltc/soa"
)

// runner is the [exec.Device] of one run at a time. All that it queues is in one queue, so
// that the next run may begin when what this one does is queued.
type runner struct {
	*exec.Run
	e         *executable
	q         *Queue
	was       []unsafe.Pointer   // Mem of the run before
	places    int                // how often it was another
	strides   []int64            // of a step
	launches  []*driver.Launch   // by step; nil for those that are no kernels of the device
	then      [][]*driver.Launch // by step: what is launched behind it
	byMaps    []*mapLaunch       // by step; nil for those that have no other launch
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

	graphs []graph // by row
	locked bool    // of the queue
}

var _ exec.Device = (*runner)(nil)

// transfer is what is copied between a place of the run's block and a view.
type transfer struct {
	at    int
	n     int
	value plan.ValueID
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
		was:       make([]unsafe.Pointer, len(p.Values)),
		places:    1,
		launches:  make([]*driver.Launch, len(p.Steps)),
		then:      make([][]*driver.Launch, len(p.Steps)),
		byMaps:    make([]*mapLaunch, len(p.Steps)),
		byLibrary: make([]*libraryCall, len(p.Steps)),
	}
	r.Run = exec.NewRun(&e.Plan, r, q)
	r.bytes = e.least()
	for v := range p.Values {
		if p.Values[v].Kind == plan.Constant {
			r.Mem[v] = pointer(driver.Ptr(e.constant[v]))
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
		if s.byMaps != nil {
			b := newMapLaunch(s.byMaps.variant.fn, n+len(s.Sizes)+len(s.Strides), s.byMaps.launch, s.byMaps.maps)
			configure(b.launch, s.byMaps.launch)
			setNumbers(b.launch, n, s.Sizes, s.Strides)
			b.plain, r.byMaps[i] = l, b
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

// queueOf returns a queue of a call.
func (d *Device) queueOf(of backends.Queue) (*Queue, error) {
	if of == nil {
		return d.home, nil
	}
	q, ok := of.(*Queue)
	if !ok || q == nil || q.dev != d {
		return nil, fmt.Errorf("execute: a queue of another backend or device than %v: %T", d, of)
	}
	return q, nil
}

// machine is the device as programs are loaded on it.
func (d *Device) machine() exec.Machine {
	return exec.Machine{Memory: d, Space: d.space, Queue: func(q backends.Queue) error {
		_, err := d.queueOf(q)
		return err
	}}
}

// Direct reports that runs write results where they belong as soon as nothing can fail.
func (e *executable) Direct(context.Context) bool { return true }

// Run runs a call that was admitted. Without a queue it returns when all is done, also with
// an error; with one when it is queued, or, where the host takes part, when that has been
// done.
func (e *executable) Run(ctx context.Context, c *backends.Call) error {
	q, err := e.on.dev.queueOf(c.Queue)
	if err != nil {
		return err
	}
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
	if c.Queue != nil && !e.rules.Region {
		if err := q.room(ctx); err != nil {
			return fmt.Errorf("execute: waiting for the runs before it: %w", err)
		}
	}
	r := e.take(q)
	err = r.Execute(ctx, c, true)
	e.give(r)
	return err
}

// Release gives back what the run has, unless the device is lost. What a run that failed
// has queued uses the program's kernels, which nobody keeps then: where no queue does, it
// is waited for.
func (r *runner) Release(c *backends.Call, failed bool) error {
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
	case c.Queue != nil:
		r.lock()
		errs[1] = r.q.keep(r, c.Args, c.Results, r.Fresh)
	case failed:
		r.lock()
		errs[1] = r.q.stream.Synchronize()
	}
	return errors.Join(errs[:]...)
}

// Launch queues a kernel, rows of them as one where none is waited for.
func (r *runner) Launch(ctx context.Context, i int, _ <-chan struct{}) error {
	s := &r.e.steps[i]
	if s.row >= 0 && r.Times == nil && !r.Fenced {
		return r.upTo(i, &r.graphs[s.row])
	}
	if err := r.before(i); err != nil {
		return err
	}
	if s.lacks != nil {
		r.unlock()
		return r.KernelOnHost(ctx, i, r.e.steps[i].entry.onHost)
	}
	if s.empty() || s.Copies && r.Mem[s.Operands[0].Value] == r.Mem[s.Operands[1].Value] {
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

// before notes what steps before one have written, and queues the copies that it waits for.
func (r *runner) before(i int) error {
	if err := r.mark(i - 1); err != nil {
		return err
	}
	return r.prefetch(i)
}

// Yield has others use the queue while the host runs a step.
func (r *runner) Yield(i int) error {
	err := r.before(i)
	r.unlock()
	return err
}

// Fence waits for what is queued.
func (r *runner) Fence() error {
	r.lock()
	return r.q.stream.Synchronize()
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

// Store copies from the host's memory to a value.
func (r *runner) Store(v plan.ValueID, src soa.View) error {
	return r.q.upload(r.at(v), bytesOf(src))
}

// at returns the address of a value.
func (r *runner) at(v plan.ValueID) driver.Ptr { return driver.Ptr(uintptr(r.Mem[v])) }

// pointer is an address of the device's memory as [exec.Run.Mem] has it. Nobody follows it:
// the collector knows that it is none of Go's memory.
func pointer(p driver.Ptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// Forget drops what is the caller's.
func (r *runner) Forget() {
	for _, list := range [...]*[]transfer{&r.up, &r.late, &r.pack, &r.down, &r.early, &r.place} {
		clear(*list)
		*list = (*list)[:0]
	}
	r.prefetched, r.marked = 0, 0
	clear(r.events)
	r.events = r.events[:0]
	r.block, r.bytes = block{}, r.e.least()
}
