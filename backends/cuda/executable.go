package cuda

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"ltc/backends"
	"ltc/backends/kit/exec"
	"ltc/internal/env"
	"ltc/ir/types"
	"ltc/soa"
)

// executable is a program, or a region of one, with the constants that it was bound
// to. It is immutable but for runners, and what it counts.
type executable struct {
	*code
	exec.Executable[*executable]

	last atomic.Pointer[runner] // the one that was given back last, if nobody has it
	mu   sync.Mutex
	idle []*runner // others that nobody uses
	// grown counts the bytes of runners, of which held are of this executable's.
	grown *atomic.Int64
	held  atomic.Int64
}

// newExecutable returns the executable of a program; bound has the arguments that are
// bound, on the device, and is nil if none is.
func newExecutable(x *code, bound []soa.View) *executable {
	of := exec.Plan{Bound: bound, Copied: new(atomic.Int64)}
	if x.of.o.Profile {
		of.Times = make([]exec.Timer, len(x.steps))
	}
	e := x.executable(&of, nil)
	e.Vary(e, exec.VariantOptions[*executable]{Make: e.variant, Passes: x.passes, Bytes: func(v *executable) int { return v.size() }})
	e.grown = e.Grown()
	return e
}

// CountIn is that of [exec.Executable]; n counts runners, too.
func (e *executable) CountIn(n *atomic.Int64) {
	e.Executable.CountIn(n)
	e.grown = n
}

// executable returns the executable of a program that is a variant or a size of another. of
// has what the two have in common, and grown counts the bytes of their runners.
func (x *code) executable(of *exec.Plan, grown *atomic.Int64) *executable {
	e := &executable{code: x, grown: grown}
	e.Plan = x.plan(of)
	return e
}

// plan returns the rules of a program's runs; of is as for [code.executable].
func (x *code) plan(of *exec.Plan) exec.Plan {
	return exec.Plan{
		Program: x.program, On: x.of.gpu, Rules: x.rules, Regions: x.regions,
		Bound: of.Bound, Copied: of.Copied, Times: of.Times,
		Fenced: env.Checks.On(), Explain: x.short,
	}
}

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

// WorkspaceBytes is how many bytes of the device's memory a run takes besides arguments
// and results that are there, those of regions included. They are temporaries,
// cuBLASLt's workspace, and results that take over an argument's memory but must not be
// written there at once.
func (e *executable) WorkspaceBytes() int {
	n := e.program.Arena + e.besides
	add := func(t types.Type) { n += aligned(t.Bytes()) }
	if !e.rules.Region {
		e.program.Waiting(e.failing(), add)
	}
	e.program.Carried(add)
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
	bound, err := e.bind(ctx, e.program.Signature, e.Bound, constants)
	if err != nil {
		return nil, err
	}
	x := newExecutable(e.code, bound)
	x.Times = e.Times
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
	return e.Plan.Profile(func(i int, of *backends.StepProfile) { of.Kernel = e.steps[i].lacks == nil })
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
	r := newRunner(e, q)
	e.count(r.takes())
	return r
}

// count adds n bytes of runners to the counters.
func (e *executable) count(n int) {
	e.grown.Add(int64(n))
	e.held.Add(int64(n))
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
		e.count(-e.idle[0].takes())
		e.idle = slices.Delete(e.idle, 0, 1) // its queue may be closed
	}
	e.idle = append(e.idle, r)
}
