package exec

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
	"unsafe"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/ir/types"
	"ltc/soa"
)

// Run runs a program on a target, one call at a time. A Run keeps its memory for the next call.
// Between calls, the target may replace Plan and Mem by those of the same program for other sizes.
type Run struct {
	*Plan
	// Mem is the address of each value, in memory that kernels access. The addresses of arguments
	// and results are set while a call runs. The target sets the addresses of other values.
	Mem []unsafe.Pointer
	// Strides are the strides, in elements, of the values that are not dense, by value.
	Strides [][]int
	// Moved says that Strides have changed since the target last reset Moved.
	Moved bool
	// Fresh is the memory that the run has allocated for results, by result.
	Fresh []soa.View
	// Tables are the tables of views, first of arguments and then of results. Tables is nil
	// until a call has a view with a table.
	Tables []Table

	target  Target
	at      int            // the step under way
	device  Device         // the target, if it has memory of its own; else nil
	queue   backends.Queue // the queue that regions are called with
	works   []work         // by step
	results []delivery
	dense   []staging     // by argument, then by result
	host    []hostMemory  // by step; nil where the target reaches the host's memory
	call    backends.Call // of a step that the evaluator runs
	driver  Driver

	sequencer Sequencer // the target, if it is one; else nil
}

// work says what runs a step.
type work uint8

const (
	launched  work = iota // by the target
	skipped               // by nobody: what it makes is known
	evaluated             // by the evaluator
	driven                // a loop or a branch, by the [Driver]
)

// NewRun returns a Run of a program on a target. The executables of regions are called with
// queue.
func NewRun(p *Plan, target Target, queue backends.Queue) *Run {
	args, results := len(p.Program.Args), len(p.Program.Results)
	r := &Run{
		Plan: p, target: target, queue: queue,
		Mem:     make([]unsafe.Pointer, len(p.Program.Values)),
		Strides: make([][]int, len(p.Program.Values)),
		Fresh:   make([]soa.View, results),
		works:   make([]work, len(p.Program.Steps)),
		results: make([]delivery, results),
		dense:   make([]staging, args+results),
	}
	for i := range p.Program.Steps {
		if p.Done != nil && p.Done[i] {
			r.works[i] = skipped
			continue
		}
		switch p.Program.Steps[i].Work.(type) {
		case *plan.Host:
			r.works[i] = evaluated
		case *plan.Loop, *plan.Branch:
			r.works[i] = driven
		}
	}
	r.driver.looper, _ = target.(Looper)
	r.driver.groups, _ = target.(GroupLooper)
	r.sequencer, _ = target.(Sequencer)
	if p.On.Memory != nil {
		r.device, r.host = target.(Device), make([]hostMemory, len(p.Program.Steps))
	}
	return r
}

// Execute runs a call that [Machine.Admit] has checked without an error. Direct is the result of
// [Code.Direct].
func (r *Run) Execute(ctx context.Context, c *backends.Call, direct bool) error {
	err := r.compute(ctx, c, direct)
	if r.device != nil {
		if bad := r.device.Release(c, err != nil); err == nil {
			err = bad
		}
	}
	if err == nil {
		err = r.commit(c)
	}
	r.forget()
	return err
}

// compute runs all steps of a call, or queues them on a device.
func (r *Run) compute(ctx context.Context, c *backends.Call, direct bool) error {
	if err := r.placeArgs(c); err != nil {
		return err
	}
	watch, err := r.placeResults(ctx, c, direct)
	if err != nil {
		return err
	}
	if r.device == nil {
		return r.steps(ctx, watch)
	}
	if err := r.device.Begin(); err != nil {
		return err
	}
	if err := r.steps(ctx, watch); err != nil {
		return err
	}
	return r.device.End(c.Queue == nil)
}

// steps runs the steps in their order, up to the first that fails. Cancelling ctx stops
// them only before step watch, the first that writes memory of the caller. A panic is the error of
// its step.
func (r *Run) steps(ctx context.Context, watch int) (err error) {
	defer r.caught(watch, &err)
	done := ctx.Done()
	for i := 0; i < len(r.works); i++ {
		if i >= watch {
			done = nil
		}
		if done != nil {
			select {
			case <-done:
				return context.Cause(ctx)
			default:
			}
		}
		r.at = i
		switch {
		case r.works[i] == skipped:
			continue
		case r.Times != nil || r.Fenced:
			err = r.timed(ctx, i, done)
		case r.works[i] != launched:
			i, err = r.hostSteps(ctx, i)
		case r.sequencer != nil:
			if i, err = r.sequencer.LaunchFrom(ctx, i, watch, done); i >= watch {
				done = nil // the launches may have written memory of the caller
			}
		default:
			err = r.target.Launch(ctx, i, done)
		}
		if err != nil {
			if done != nil && ctx.Err() != nil { // the step was cancelled
				if _, placed := errors.AsType[*backends.RunError](err); placed && errors.Is(err, context.Cause(ctx)) {
					return err // of a loop, which may be endless
				}
				return context.Cause(ctx)
			}
			if i >= watch {
				return written(err)
			}
			return err
		}
	}
	if done != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// caught makes a panic of the step under way the error of the run. It is to be deferred.
func (r *Run) caught(watch int, err *error) {
	v := recover()
	if v == nil {
		return
	}
	s := &r.Program.Steps[r.at]
	*err = s.Failed(r.Panicked(s, r.target, v))
	if r.at >= watch {
		*err = written(*err)
	}
}

// Panicked returns the error of a step that panicked with a value in code of the given Go value.
// It has the stack of the goroutine: call it where the panic is recovered.
func (p *Plan) Panicked(s *plan.Step, code, value any) error {
	what := "the step"
	if l := s.Launch(); l != nil {
		what = "kernel " + p.Program.Kernels[l.Kernel].Name
	}
	return fmt.Errorf("%s panicked in code of type %T: %v\n%s", what, code, value, debug.Stack())
}

// written returns the error of a step that failed after the run may have written memory of the
// caller.
func written(err error) error {
	if op, ok := errors.AsType[*backends.RunError](err); ok {
		return &backends.RunError{Op: op.Op, At: op.At, Reason: fmt.Errorf("%w: %w", backends.ErrWritten, op.Reason)}
	}
	return fmt.Errorf("%w: %w", backends.ErrWritten, err)
}

// timed runs a step and, on a device, waits until it is done. It adds the time of a step
// that succeeds to Times.
func (r *Run) timed(ctx context.Context, i int, done <-chan struct{}) error {
	start := time.Now()
	var err error
	if r.works[i] == launched {
		err = r.target.Launch(ctx, i, done)
	} else {
		err = r.hostStep(ctx, i)
	}
	if err == nil && r.device != nil {
		if err = r.device.Fence(); err != nil {
			err = r.Program.Steps[i].Failed(err)
		}
	}
	if err == nil && r.Times != nil {
		r.Times[i].Add(time.Since(start))
	}
	return err
}

// hostSteps runs step i, which the host runs, and maybe loops after it. It returns the last step
// that it has run.
func (r *Run) hostSteps(ctx context.Context, i int) (last int, err error) {
	if r.works[i] == driven && r.device == nil {
		if last, ran, err := r.driver.runGroup(ctx, r.Program, i, r); ran {
			return last, err
		}
	}
	return i, r.hostStep(ctx, i)
}

// hostStep runs a step that the host runs: one for the evaluator, a loop or a branch.
func (r *Run) hostStep(ctx context.Context, i int) error {
	if r.device != nil {
		if err := r.device.Yield(i); err != nil {
			return err
		}
	}
	if r.works[i] == driven {
		return r.driver.Run(ctx, r.Program, r.Regions, i, r, r.queue, r.Sizes)
	}
	s := &r.Program.Steps[i]
	if r.device != nil {
		return r.evaluateCopies(ctx, i, s, s.Host())
	}
	return r.evaluate(ctx, s, s.Host())
}

// evaluate has the evaluator run an op on its operands in place.
func (r *Run) evaluate(ctx context.Context, s *plan.Step, h *plan.Host) error {
	show(&r.call, r.Program, r, h.Args, h.Outs)
	if err := h.Run.Execute(ctx, &r.call); err != nil {
		return Failure(ctx, s, err)
	}
	return nil
}

// hostMemory holds the host's copies of the operands of a device's step that the host runs.
type hostMemory struct {
	ins, outs []soa.View
	call      backends.Call
	kernel    *hostKernel // nil for a step of the evaluator, and before the first run
}

// evaluateCopies has the evaluator run an op on copies of its operands.
func (r *Run) evaluateCopies(ctx context.Context, i int, s *plan.Step, h *plan.Host) error {
	m := &r.host[i]
	if m.outs == nil {
		for _, a := range h.Args {
			m.ins = append(m.ins, soa.Make(a.Type))
		}
		for _, v := range h.Outs {
			m.outs = append(m.outs, soa.Make(r.Program.Values[v].Type))
		}
	}
	for j, a := range h.Args {
		if err := r.device.Fetch(m.ins[j], i, j, a.Value); err != nil {
			return err
		}
	}
	m.call.Args = append(m.call.Args[:0], m.ins...)
	m.call.Results = append(m.call.Results[:0], m.outs...)
	if err := h.Run.Execute(ctx, &m.call); err != nil {
		return Failure(ctx, s, err)
	}
	for j, v := range h.Outs {
		if err := r.device.Store(v, m.outs[j]); err != nil {
			return err
		}
	}
	return nil
}

// View returns a dense view of a value's memory as type t. It implements [RunMemory].
func (r *Run) View(v plan.ValueID, t types.Type) soa.View {
	if r.device != nil {
		return r.On.Space.RemoteAt(uintptr(r.Mem[v]), t)
	}
	return soa.At(r.Mem[v], t)
}

// Make returns memory for values that loops carry. It implements [RunMemory].
func (r *Run) Make(t types.Type) (soa.View, error) { return r.target.Make(t) }

// Copy copies between values of the run, or from a value to the host. It implements [RunMemory].
func (r *Run) Copy(dst, src soa.View) error { return r.target.Copy(dst, src) }

// forget drops the caller's memory, so that the run does not keep it between calls.
func (r *Run) forget() {
	for _, id := range r.Program.Args {
		r.Mem[id] = nil
	}
	for _, id := range r.Program.Results {
		r.Mem[id] = nil
	}
	clear(r.Fresh)
	clear(r.results)
	clear(r.call.Args)
	clear(r.call.Results)
	r.target.Forget()
}
