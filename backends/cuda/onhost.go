package cuda

import (
	"context"
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

// hosted has the evaluator run a module as a whole; why says what of it could not be
// compiled.
func (d *Device) hosted(ctx context.Context, m backends.Module, o backends.Options, why []backends.Fallback) (*exec.Hosted, error) {
	return exec.CompileHosted(ctx, "cuda", d.machine(), m, o, why, d.reserveFor)
}

// reserveFor has the host's memory in which results are copied to the device.
func (d *Device) reserveFor(results []soa.View) error {
	n, q := 0, d.home
	for _, to := range results {
		if to.IsDense() {
			n = max(n, to.Type.Bytes())
		} else {
			n = q.staged // what lies between its elements is copied, too
		}
	}
	if n == 0 {
		return nil
	}
	return q.do(func() error { return q.reserve(n) })
}
