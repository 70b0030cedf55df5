package cuda

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/exec"
	"ltc/soa"
)

// executable is a program, or a region of one, with the constants that it was bound
// to. It is immutable but for runners, and what it counts.
type executable struct {
	*code
	bound  []soa.View // by argument, on the device; nil: none
	copied *atomic.Int64
	grown  *atomic.Int64 // bytes of variants
	times  []exec.Timer  // by step; nil unless they are measured
	// variants are nil where all views that are not dense are copied.
	variants *exec.Variants[*executable]

	last atomic.Pointer[runner] // the one that was given back last, if nobody has it
	mu   sync.Mutex
	idle []*runner // others that nobody uses
}

// Signature returns what the program takes and gives.
func (e *executable) Signature() *backends.Signature { return e.program.Signature }

// Program returns what the module became.
func (e *executable) Program() *kit.Program { return e.program }

// Compiled returns how many steps of the program and of its regions are kernels of
// the device, and how many the host runs.
func (x *code) Compiled() (kernels, evaluated int) {
	for _, x := range x.of.all {
		for i := range x.steps {
			switch s := &x.steps[i]; {
			case s.Host() != nil, s.lacks != nil:
				evaluated++
			case s.entry != nil:
				kernels++
			}
		}
	}
	return kernels, evaluated
}

// CopiedBytes is how many bytes runs have copied between the host's memory and the
// device's, for arguments and results.
func (e *executable) CopiedBytes() int64 { return e.copied.Load() }

// WorkspaceBytes is what a run takes of the device's memory besides arguments and
// results that are there, and what regions take: temporaries, what cuBLASLt
// takes, and results that take over an argument's memory but must not be written
// there at once.
func (e *executable) WorkspaceBytes() int {
	n := e.program.Arena + e.besides
	if !e.rules.Region {
		for t := range e.program.Waiting(e.fallible()) {
			n += aligned(t.Bytes())
		}
	}
	for t := range e.program.Carried() {
		n += aligned(t.Bytes())
	}
	regions := 0
	for i := range e.program.Steps {
		for _, r := range e.regions[i] {
			if x, ok := r.(backends.Sized); ok {
				regions = max(regions, x.WorkspaceBytes())
			}
		}
	}
	return n + regions
}

// Bind brings constants to the device, once.
func (e *executable) Bind(ctx context.Context, constants map[int]soa.View) (backends.Executable, error) {
	bound, err := e.bind(ctx, e.program.Signature, e.bound, constants)
	if err != nil {
		return nil, err
	}
	x := newExecutable(e.code, bound)
	x.times = e.times
	return x, nil
}

// bind returns what was bound, and constants more, which it brings to the device.
func (x *code) bind(ctx context.Context, sig *backends.Signature, before []soa.View, constants map[int]soa.View) ([]soa.View, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := backends.CheckBind(sig, constants); err != nil {
		return nil, err
	}
	bound := make([]soa.View, len(sig.Args))
	copy(bound, before)
	for i, v := range constants {
		if err := soa.Fits(v.Type.Bytes()); err != nil {
			return nil, fmt.Errorf("bind: argument %d: a copy of %v: %w", i, v, err)
		}
		w, err := x.on.dev.Make(v.Type)
		if err == nil {
			err = soa.Copy(w, v)
		}
		if err != nil {
			return nil, fmt.Errorf("bind: argument %d: %w", i, err)
		}
		bound[i] = w
	}
	return bound, nil
}

// Profile returns what the steps have taken, each waited for; see
// [backends.Profiler].
func (e *executable) Profile() []backends.StepProfile {
	if e.times == nil {
		return nil
	}
	return exec.Profile(e.program, e.times, e.regions, func(i int, of *backends.StepProfile) { of.Kernel = e.steps[i].lacks == nil })
}

// take returns a runner for a queue that nobody uses.
func (e *executable) take(q *Queue) *runner {
	if r := e.last.Swap(nil); r != nil {
		if r.q == q {
			return r
		}
		defer e.put(r)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := len(e.idle) - 1; i >= 0; i-- {
		if r := e.idle[i]; r.q == q {
			e.idle = slices.Delete(e.idle, i, i+1)
			return r
		}
	}
	return newRunner(e, q)
}

// keptRunners is how many runners that nobody uses an executable keeps.
const keptRunners = 16

func (e *executable) give(r *runner) {
	if !e.last.CompareAndSwap(nil, r) {
		e.put(r)
	}
}

func (e *executable) put(r *runner) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.idle) == keptRunners {
		e.idle = slices.Delete(e.idle, 0, 1) // its queue may be closed
	}
	e.idle = append(e.idle, r)
}
