package exec

import (
	"context"
	"slices"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/tiles"
	"ltc/ir/types"
	"ltc/soa"
)

// HostCode returns the code of a kernel that a target cannot compile. The code is run in plain
// Go, on the host and in the host's memory: see [Run.KernelOnHost].
func HostCode(ctx context.Context, k *kernel.Kernel) (kernel.Code, error) {
	codes, err := tiles.Compiler{}.Compile(ctx, []*kernel.Kernel{k})
	if err != nil {
		return nil, err
	}
	return codes[0], nil
}

// hostKernel holds the copies of a kernel's operands in the host's memory, and the call
// that runs the kernel on them.
type hostKernel struct {
	ins  []soa.View // by operand
	call kernel.Call
}

// KernelOnHost runs the kernel of step i by code for the host. All operands are copied to the
// host first, also the operands that the kernel stores to, since the kernel may store only a
// part of their elements. The stored operands are copied back. The target must be a [Device].
func (r *Run) KernelOnHost(ctx context.Context, i int, code kernel.Code) error {
	s := &r.Program.Steps[i]
	l := s.Launch()
	k := r.Program.Kernels[l.Kernel]
	m := r.host[i].kernel
	if m == nil {
		m = r.newHostKernel(l, k, code)
		r.host[i].kernel = m
	}
	for j, o := range l.Operands {
		v := &r.Program.Values[o.Value]
		if v.Kind == plan.Constant || k.Params[j].Out && v.First == i || m.copied(j) {
			continue
		}
		if err := r.device.Fetch(m.ins[j], i, j, o.Value); err != nil {
			return err
		}
	}
	m.call.Done = ctx.Done()
	if err := code.Run(&m.call); err != nil {
		return Failure(ctx, s, err)
	}
	for j, o := range l.Operands {
		if !k.Params[j].Out || m.copied(j) {
			continue
		}
		if err := r.device.Store(o.Value, m.ins[j]); err != nil {
			return err
		}
	}
	return nil
}

// newHostKernel allocates the host's memory for a launch. Operands of the same value share
// one copy.
func (r *Run) newHostKernel(l *plan.Launch, k *kernel.Kernel, code kernel.Code) *hostKernel {
	m := new(hostKernel)
	pointers := make([]unsafe.Pointer, len(l.Operands))
	for j, o := range l.Operands {
		m.ins = append(m.ins, r.copyFor(m, l, j))
		pointers[j] = unsafe.Add(m.ins[j].Base(), int(o.Offset)*k.Params[j].DType.Size())
	}
	scratch := soa.Make(types.Of(types.U8, max(code.Scratch(l.Sizes, 1), 1)))
	m.call = kernel.Call{Mem: pointers, Sizes: l.Sizes, Strides: l.Strides, Scratch: scratch.Base(), Parts: 1}
	return m
}

// copyFor returns the host's memory for operand j.
func (r *Run) copyFor(m *hostKernel, l *plan.Launch, j int) soa.View {
	if before := slices.IndexFunc(l.Operands, func(o plan.Operand) bool { return o.Value == l.Operands[j].Value }); before < j {
		return m.ins[before]
	}
	v := &r.Program.Values[l.Operands[j].Value]
	if v.Kind == plan.Constant {
		c := soa.Make(types.Of(types.U8, max(len(v.Data), 1)))
		copy(soa.Slice[uint8](c), v.Data)
		return c
	}
	return soa.Make(v.Type)
}

// copied reports whether operand j shares its copy with an earlier operand.
func (m *hostKernel) copied(j int) bool {
	return slices.ContainsFunc(m.ins[:j], func(v soa.View) bool { return v.Base() == m.ins[j].Base() })
}
