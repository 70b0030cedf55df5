package exec

import (
	"context"
	"errors"
	"slices"

	"ltc/backends"
	"ltc/backends/reference/eval"
	"ltc/soa"
)

// Hosted is an executable of a device whose whole program the evaluator runs on the host. The
// evaluator is the slow and exact interpreter of package eval. Arguments and results in the
// device's memory are copied.
type Hosted struct {
	on      Machine
	run     backends.Executable
	bound   []soa.View // by argument, on the host; nil: none
	reserve func(results []soa.View) error
}

// CompileHosted compiles a module for the evaluator, on behalf of a backend and its machine.
// Errors name the backend. Why lists the reasons for the fallback, which are reported as the
// options say. If reserve is not nil, each run calls reserve before the run writes memory of the
// caller. Reserve gets the views of those results that are in the machine's memory, and the run
// ends if reserve returns an error.
func CompileHosted(ctx context.Context, backend string, on Machine, m backends.Module, o backends.Options, why []backends.Fallback, reserve func(results []soa.View) error) (*Hosted, error) {
	evaluated := o
	evaluated.Compiled = false
	x, err := eval.New().Compile(ctx, m, evaluated)
	if u, ok := errors.AsType[*backends.UnsupportedError](err); ok {
		u.Backend = backend
	}
	if err == nil {
		err = backends.ReportFallbacks(backend, m, o, why)
	}
	if err != nil {
		return nil, err
	}
	return &Hosted{on: on, run: x, reserve: reserve}, nil
}

// Signature returns the program's signature.
func (h *Hosted) Signature() *backends.Signature { return h.run.Signature() }

// Artifact returns the evaluator's error: there is no compiled code.
func (h *Hosted) Artifact() ([]byte, error) { return h.run.Artifact() }

// Compiled returns 0 kernels and 1 evaluated step: the evaluator runs the whole program.
func (h *Hosted) Compiled() (kernels, evaluated int) { return 0, 1 }

// Program returns the evaluator's executable.
func (h *Hosted) Program() backends.Executable { return h.run }

// Bind implements [backends.Executable]. Constants in the machine's memory are copied to the
// host.
func (h *Hosted) Bind(ctx context.Context, constants map[int]soa.View) (backends.Executable, error) {
	if err := backends.CheckBind(h.Signature(), constants); err != nil {
		return nil, err
	}
	here := map[int]soa.View{}
	bound := make([]soa.View, len(h.Signature().Args))
	copy(bound, h.bound)
	for i, v := range constants {
		var err error
		if here[i], err = OnHost(v); err != nil {
			return nil, err
		}
		bound[i] = here[i]
	}
	x, err := h.run.Bind(ctx, here)
	if err != nil {
		return nil, err
	}
	return &Hosted{h.on, x, bound, h.reserve}, nil
}

// OnHost returns v if v is in the host's memory, and otherwise a dense copy of v in the host's
// memory. Too little memory of the host for the copy is an error.
func OnHost(v soa.View) (soa.View, error) {
	if v.Remote() == nil {
		return v, nil
	}
	if err := soa.Fits(v.Type.Bytes()); err != nil {
		return soa.View{}, err
	}
	w := soa.Make(v.Type)
	return w, soa.Copy(w, v)
}

// Execute implements [backends.Executable]. Execute waits for the queue of the call first, and
// returns when the run is done.
func (h *Hosted) Execute(ctx context.Context, c *backends.Call) error {
	if err := h.on.Admit(ctx, c, h.Signature(), h.bound); err != nil {
		return err
	}
	if c.Queue != nil {
		if err := c.Queue.Wait(ctx); err != nil {
			return err
		}
	}
	here := backends.Call{Alloc: c.Alloc}
	for i, v := range c.Args {
		if h.bound != nil && !h.bound[i].IsZero() {
			v = soa.View{}
		}
		w, err := OnHost(v)
		if err != nil {
			return err
		}
		here.Args = append(here.Args, w)
	}
	if err := h.reserveFor(c); err != nil {
		return err
	}
	for j := range c.Results {
		here.Results = append(here.Results, h.resultFor(c, j))
	}
	if err := h.run.Execute(ctx, &here); err != nil {
		return err
	}
	for j, v := range here.Results {
		to := h.destination(c, j)
		if to.Remote() == nil {
			c.Results[j] = v
			continue
		}
		if err := soa.Copy(to, v); err != nil {
			return err
		}
		c.Results[j] = to
	}
	return nil
}

// reserveFor calls reserve with the results of a call that are in the machine's memory, if
// there are any.
func (h *Hosted) reserveFor(c *backends.Call) error {
	if h.reserve == nil {
		return nil
	}
	var there []soa.View
	for j := range c.Results {
		if to := h.destination(c, j); to.Remote() != nil {
			there = append(there, to)
		}
	}
	if there == nil {
		return nil
	}
	return h.reserve(there)
}

// destination returns the caller's memory for result j of a call: the result's view, or the
// argument that it takes over; the zero View if the run allocates the result.
func (h *Hosted) destination(c *backends.Call, j int) soa.View {
	if a := h.Signature().Results[j].Alias; c.Results[j].IsZero() && a >= 0 {
		return c.Args[a]
	}
	return c.Results[j]
}

// resultFor returns the memory that the evaluator writes result j of a call to; the zero
// View if the evaluator allocates it.
func (h *Hosted) resultFor(c *backends.Call, j int) soa.View {
	v, a := c.Results[j], h.Signature().Results[j].Alias
	switch {
	case v.Remote() != nil:
		return soa.View{}
	case !v.IsZero() || !c.Resident || a < 0 || c.Args[a].IsZero() || c.Args[a].Remote() != nil:
		return v
	}
	t := c.Args[a].Type // not written: with Resident the donated argument keeps its value
	t.Shape = slices.Clone(t.Shape)
	return c.Make(t)
}
