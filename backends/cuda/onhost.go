package cuda

import (
	"context"
	"slices"
	"unsafe"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/kernel"
	"ltc/soa"
)

// hostMemory is the host's memory of a kernel that the host runs: copies of what it takes
// and gives.
type hostMemory struct {
	ins      []soa.View
	pointers []unsafe.Pointer // by operand
	scratch  soa.View
	call     kernel.Call
}

// kernelOnHost runs a kernel that the device has no code for, on copies of its
// operands: of those that it writes, too, of which it may write a part.
func (r *runner) kernelOnHost(ctx context.Context, i int) error {
	s, m := &r.e.steps[i], &r.host[i]
	p, k := r.e.program, s.entry.kernel
	if m.pointers == nil {
		m.pointers = make([]unsafe.Pointer, len(s.Operands))
		for j, o := range s.Operands {
			m.ins = append(m.ins, r.copyOf(m, i, j, o.Value))
			m.pointers[j] = unsafe.Add(m.ins[j].Base(), int(o.Offset)*s.sizes[j])
		}
		m.scratch = soa.Make(byteType(s.entry.onHost.Scratch(s.Sizes, 1)))
		m.call = kernel.Call{Mem: m.pointers, Sizes: s.Sizes, Strides: s.Strides, Scratch: m.scratch.Base(), Parts: 1}
	}
	for j, o := range s.Operands {
		v := &p.Values[o.Value]
		if v.Kind == kit.Constant || k.Params[j].Out && v.First == i || r.copied(m, j) {
			continue
		}
		if err := r.Fetch(m.ins[j], i, j, o.Value); err != nil {
			return err
		}
	}
	m.call.Done = ctx.Done()
	if err := s.entry.onHost.Run(&m.call); err != nil {
		return exec.Failure(ctx, s.Step, err)
	}
	for j, o := range s.Operands {
		if !k.Params[j].Out || r.copied(m, j) {
			continue
		}
		if err := r.Store(o.Value, m.ins[j]); err != nil {
			return err
		}
	}
	return nil
}

// copyOf returns the host's memory for an operand: one for all that are one value.
func (r *runner) copyOf(m *hostMemory, i, j int, v kit.ValueID) soa.View {
	for before := range j {
		if r.e.steps[i].Operands[before].Value == v {
			return m.ins[before]
		}
	}
	val := &r.e.program.Values[v]
	if val.Kind == kit.Constant {
		c := soa.Make(byteType(len(val.Data)))
		copy(bytesOf(c), val.Data)
		return c
	}
	return soa.Make(val.Type)
}

// copied reports whether the memory of an operand is that of one before it.
func (r *runner) copied(m *hostMemory, j int) bool {
	for before := range j {
		if m.ins[before].Base() == m.ins[j].Base() {
			return true
		}
	}
	return false
}

// hosted is a program that the host runs as a whole, by the evaluator.
type hosted struct {
	dev   *Device
	run   backends.Executable
	bound []soa.View // by argument, on the host; nil: none
}

// Signature returns what the program takes and gives.
func (h *hosted) Signature() *backends.Signature { return h.run.Signature() }

// Artifact returns an error: no kernel was made.
func (h *hosted) Artifact() ([]byte, error) { return h.run.Artifact() }

// Compiled returns that the host runs the program as one.
func (h *hosted) Compiled() (kernels, evaluated int) { return 0, 1 }

// Bind fixes constants, in the host's memory.
func (h *hosted) Bind(ctx context.Context, constants map[int]soa.View) (backends.Executable, error) {
	if err := backends.CheckBind(h.Signature(), constants); err != nil {
		return nil, err
	}
	here := map[int]soa.View{}
	bound := make([]soa.View, len(h.Signature().Args))
	copy(bound, h.bound)
	for i, v := range constants {
		var err error
		if here[i], err = onHost(v); err != nil {
			return nil, err
		}
		bound[i] = here[i]
	}
	x, err := h.run.Bind(ctx, here)
	if err != nil {
		return nil, err
	}
	return &hosted{h.dev, x, bound}, nil
}

// onHost returns a view, or a copy of what is the device's.
func onHost(v soa.View) (soa.View, error) {
	if v.Remote() == nil {
		return v, nil
	}
	if err := soa.Fits(v.Type.Bytes()); err != nil {
		return soa.View{}, err
	}
	w := soa.Make(v.Type)
	return w, soa.Copy(w, v)
}

// Execute runs the program on copies of what is the device's.
func (h *hosted) Execute(ctx context.Context, c *backends.Call) error {
	m := h.dev.machine()
	if err := m.Admit(ctx, c, h.Signature(), h.bound); err != nil {
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
		w, err := onHost(v)
		if err != nil {
			return err
		}
		here.Args = append(here.Args, w)
	}
	if err := h.reserve(c); err != nil {
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

// belongs returns the memory of the caller's that result j of a call is for, if any.
func (h *hosted) belongs(c *backends.Call, j int) soa.View {
	if a := h.Signature().Results[j].Alias; c.Results[j].IsZero() && a >= 0 {
		return c.Args[a]
	}
	return c.Results[j]
}

// reserve has the host's memory in which results are copied to the device, before anything
// of the caller's is written.
func (h *hosted) reserve(c *backends.Call) error {
	n, q := 0, h.dev.home
	for j := range c.Results {
		if to := h.belongs(c, j); to.Remote() != nil && to.IsDense() {
			n = max(n, to.Type.Bytes())
		} else if to.Remote() != nil {
			n = q.staged // what lies between its elements is copied, too
		}
	}
	if n == 0 {
		return nil
	}
	return q.do(func() error { return q.reserve(n) })
}

// place returns where the evaluator is to write result j of a call; none where that is
// its own choice.
func (h *hosted) place(c *backends.Call, j int) soa.View {
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
