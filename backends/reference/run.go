package reference

import (
	"context"
	"unsafe"

	"ltc/backends"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/internal/loops"
	"ltc/ir/types"
	"ltc/soa"
)

// machine is the host: runs are on the calling goroutine and, where a step is cut into
// parts, on helpers besides.
var machine exec.Machine

// Run runs a call that was admitted.
func (e *compiled) Run(ctx context.Context, c *backends.Call) error {
	e.deferred.running()
	l := e.pool.Get()
	err := l.Execute(ctx, c, e.Direct(ctx))
	e.pool.Put(l)
	e.deferred.ended()
	return err
}

// Direct reports whether a run may write memory of the caller's before it is done: it cannot
// be cancelled, or takes so little that it need not be.
func (e *compiled) Direct(ctx context.Context) bool { return ctx.Done() == nil || !e.long }

// Launch runs a kernel.
func (l *launcher) Launch(_ context.Context, i int, done <-chan struct{}) error {
	s := &l.of.steps[i]
	pointers := l.pointers[s.first : s.first+len(s.Operands)]
	s.point(pointers, l.Mem)
	if s.Copies && pointers[0] == pointers[1] {
		return nil
	}
	strides := s.Strides
	if l.of.views != nil {
		strides = l.move(s, pointers)
	}
	if err := l.launch(s, pointers, strides, done); err != nil {
		return s.Failed(err)
	}
	return nil
}

// point sets the pointers of a step to its operands, in the memory of values.
func (s *compiledStep) point(pointers, mem []unsafe.Pointer) {
	for j := range s.Operands {
		o := &s.Operands[j]
		if pointers[j] = mem[o.Value]; !s.void[j] {
			pointers[j] = unsafe.Add(pointers[j], int(o.Offset)*s.sizes[j])
		}
	}
}

// launch runs all parts of a step.
func (l *launcher) launch(s *compiledStep, pointers []unsafe.Pointer, strides []int64, done <-chan struct{}) error {
	cut, start := s.parts > 1, true
	if cut && s.short {
		cut, start = l.crew.short()
	}
	if !cut {
		c := &l.workers[0].call
		c.Mem, c.Sizes, c.Strides = pointers, s.Sizes, strides
		c.Part, c.More, c.Parts, c.Done = 0, 0, 1, done
		return s.now().Run(c) // [exec.Run] recovers a panic
	}
	l.now = launched{s, s.now(), pointers, s.Sizes, strides, s.parts, done}
	l.crew.do(s.parts, start)
	if l.failed.Load() {
		return l.firstFailed().err
	}
	return nil
}

// part has a worker run parts of the launch under way: n, from p on.
func (l *launcher) part(worker, p, n int) {
	switch {
	case len(l.group) > 0:
		l.groupParts(worker, p, n)
		return
	case l.loopGroup.ctx != nil:
		l.runLoops(worker, p, n)
		return
	}
	l.parts(worker, &l.now, 0, p, n)
}

// parts has a worker run parts of a launch: n, from p on. The launch may be a member of a group,
// whose part first is the launch's first.
func (l *launcher) parts(worker int, now *launched, first, p, n int) {
	w := &l.workers[worker]
	c := &w.call
	c.Mem, c.Sizes, c.Strides = now.mem, now.sizes, now.strides
	c.Part, c.More, c.Parts, c.Done = p, n-1, now.parts, now.done
	if err := l.runCode(now.step, now.code, c); err != nil {
		if l.failed.Store(true); w.err == nil || first+p < w.first {
			w.err, w.first = err, first+p
		}
	}
}

// runCode runs code of a step on a worker. A panic of the code is the worker's error: no other
// goroutine can recover the panic of a helper, and the caller may not leave before the helpers.
func (l *launcher) runCode(s *compiledStep, code kernel.Code, c *kernel.Call) (err error) {
	defer l.of.caught(s, code, &err)
	return code.Run(c)
}

// caught makes a panic of code of a step an error. It is to be deferred.
func (e *compiled) caught(s *compiledStep, code kernel.Code, err *error) {
	if r := recover(); r != nil {
		*err = e.Panicked(s.Step, code, r)
	}
}

// firstFailed returns the worker of the first part that failed.
func (l *launcher) firstFailed() (first *worker) {
	for i := range l.workers {
		if w := &l.workers[i]; w.err != nil && (first == nil || w.first < first.first) {
			first = w
		}
	}
	return first
}

// Make returns memory for what loops carry.
func (l *launcher) Make(t types.Type) (soa.View, error) { return soa.Make(t), nil }

// Copy copies between values of the run.
func (l *launcher) Copy(dst, src soa.View) error {
	loops.CopyBytes(dst.Base(), src.Base(), dst.Type.Bytes())
	return nil
}

// Forget drops the caller's memory, so that a pooled launcher does not keep it.
func (l *launcher) Forget() {
	clear(l.pointers)
	if l.failed.Swap(false) {
		for i := range l.workers {
			l.workers[i].err = nil
		}
	}
	l.now, l.group = launched{}, l.group[:0]
	l.sequence.settle()
}
