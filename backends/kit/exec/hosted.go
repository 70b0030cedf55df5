package exec

import (
	"context"
	"errors"
	"slices"

	"ltc/backends"
	"ltc/backends/reference/eval"
	"ltc/soa"
)

// Hosted is a program that the evaluator runs as a whole, for a machine with memory of its
// own: on copies of what is the machine's.
type Hosted struct {
	on      Machine
	run     backends.Executable
	bound   []soa.View // by argument, on the host; nil: none
	reserve func(results []soa.View) error
}

// CompileHosted has the evaluator compile a module for a machine of a backend. Errors
// name the backend, and why lists the parts of the module that could not be compiled.
// Reserve, if it is not nil, is called in each run before any memory of the caller is
// written. Its argument is the views of results in the machine's memory, to which the
// results on the host are copied at the end.
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

// Signature returns what the program takes and gives.
func (h *Hosted) Signature() *backends.Signature { return h.run.Signature() }

// Artifact returns an error: no kernel was made.
func (h *Hosted) Artifact() ([]byte, error) { return h.run.Artifact() }

// Compiled returns that the host runs the program as one.
func (h *Hosted) Compiled() (kernels, evaluated int) { return 0, 1 }

// Program returns the evaluator's program.
func (h *Hosted) Program() backends.Executable { return h.run }

// Bind fixes constants, in the host's memory.
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

// OnHost returns a view, or a copy of what is in a machine's own memory.
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

// Execute runs the program on copies of what is the machine's.
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
		here.Results = append(here.Results, h.place(c, j))
	}
	if err := h.run.Execute(ctx, &here); err != nil {
		return err
	}
	for j, v := range here.Results {
		to := h.belongs(c, j)
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

// reserveFor calls reserve for the results of a call.
func (h *Hosted) reserveFor(c *backends.Call) error {
	if h.reserve == nil {
		return nil
	}
	var there []soa.View
	for j := range c.Results {
		if to := h.belongs(c, j); to.Remote() != nil {
			there = append(there, to)
		}
	}
	if there == nil {
		return nil
	}
	return h.reserve(there)
}

// belongs returns the memory of the caller's that result j of a call is for, if any.
func (h *Hosted) belongs(c *backends.Call, j int) soa.View {
	if a := h.Signature().Results[j].Alias; c.Results[j].IsZero() && a >= 0 {
		return c.Args[a]
	}
	return c.Results[j]
}

// place returns where the evaluator is to write result j of a call; none where that is
// its own choice.
func (h *Hosted) place(c *backends.Call, j int) soa.View {
	v, a := c.Results[j], h.Signature().Results[j].Alias
	switch {
	case v.Remote() != nil:
		return soa.View{}
	case !v.IsZero() || !c.Resident || a < 0 || c.Args[a].IsZero() || c.Args[a].Remote() != nil:
		return v
	}
	t := c.Args[a].Type // which keeps its value
	t.Shape = slices.Clone(t.Shape)
	return c.Make(t)
}
