package reference

import (
	"context"
	"slices"
	"sync/atomic"
	"unsafe"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/kernel"
	"ltc/soa"
)

// Bind fixes constants: it copies them, and has the code of steps that reads
// them pack what it would pack in each run.
func (e *compiled) Bind(ctx context.Context, constants map[int]soa.View) (backends.Executable, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	bound, err := copyBound(e.program.Signature, e.bound, constants)
	if err != nil {
		return nil, err
	}
	b := *e
	b.copied, b.bound = new(atomic.Int64), bound
	b.steps, b.kept = slices.Clone(e.steps), slices.Clone(e.kept)
	b.bindSteps(func(*compiledStep) bool { return true })
	if b.own { // bound programs serve many calls at once
		b.threads = 1
	}
	b.cut()
	if b.variants != nil {
		b.vary()
	}
	return &b, nil
}

// copyBound returns, by argument, what is bound already, nil if nothing is, and
// copies of further constants.
func copyBound(sig *backends.Signature, bound []soa.View, constants map[int]soa.View) ([]soa.View, error) {
	if err := backends.CheckBind(sig, constants); err != nil {
		return nil, err
	}
	all := make([]soa.View, len(sig.Args))
	copy(all, bound)
	copies := 0 // bytes
	for i, v := range constants {
		if err := fitsCopy(&copies, i, v); err != nil {
			return nil, err
		}
		all[i] = soa.Make(v.Type)
		soa.TouchRead(v)
		copyInto(all[i], v)
	}
	return all, nil
}

// bindSteps shows the code of steps for which which is true the operands that are
// the same in all runs: bound arguments and the program's own constants.
func (e *compiled) bindSteps(which func(*compiledStep) bool) {
	alloc := func(bytes int) unsafe.Pointer {
		v := bytesView(bytes)
		e.kept = append(e.kept, v)
		return v.Base()
	}
	for i := range e.steps {
		s := &e.steps[i]
		code, ok := s.code.(kernel.Binder)
		if !ok || !which(s) {
			continue
		}
		mem, some := make([]unsafe.Pointer, len(s.Operands)), false
		for j, o := range s.Operands {
			var base unsafe.Pointer
			switch v := &e.program.Values[o.Value]; {
			case v.Kind == kit.Constant:
				base = unsafe.Pointer(unsafe.SliceData(v.Data))
			case v.Kind == kit.Argument && e.bound != nil && !e.bound[v.Index].IsZero():
				base = e.bound[v.Index].Base()
			default:
				continue
			}
			mem[j], some = unsafe.Add(base, int(o.Offset)*s.sizes[j]), true
		}
		if some {
			s.code = code.Bind(mem, alloc)
		}
	}
}
