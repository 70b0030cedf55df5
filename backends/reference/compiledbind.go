package reference

import (
	"context"
	"fmt"
	"slices"
	"sync"
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
	b.copied, b.bound, b.steps, b.results = new(atomic.Int64), bound, slices.Clone(e.steps), nil
	codes := boundCodes(b.program, b.codes, bound, nil, nil)
	for i := range b.steps {
		s := &b.steps[i]
		if s.Sort == nil {
			s.bound = codes[i]
		}
		s.code, s.prepared = nil, nil
	}
	if b.own { // bound programs serve many calls at once
		b.threads = 1
	}
	if err := b.fit(ctx); err != nil {
		return nil, err
	}
	b.ready()
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
		if err := soa.Copy(all[i], v); err != nil {
			return nil, fmt.Errorf("argument %d: %w", i, err)
		}
	}
	return all, nil
}

// boundCodes returns the code of each step of a program, given that of its kernels,
// nil for what is no kernel. Code is shown the operands that are the same in all
// runs: bound arguments, nil if there are none, and the program's own constants;
// without those for which moves is set, nil if it is for none. What is known, by
// step, stays.
func boundCodes(p *kit.Program, codes []kernel.Code, bound []soa.View, known []kernel.Code, moves func(step, operand int) bool) []kernel.Code {
	k := new(keeper)
	all := make([]kernel.Code, len(p.Steps))
	copy(all, known)
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Kernel < 0 || all[i] != nil {
			continue
		}
		all[i] = codes[s.Kernel]
		code, ok := all[i].(kernel.Binder)
		if !ok {
			continue
		}
		mem, some := make([]unsafe.Pointer, len(s.Operands)), false
		for j, o := range s.Operands {
			var base unsafe.Pointer
			switch v := &p.Values[o.Value]; {
			case moves != nil && moves(i, j):
				continue
			case v.Kind == kit.Constant:
				base = unsafe.Pointer(unsafe.SliceData(v.Data))
			case v.Kind == kit.Argument && bound != nil && !bound[v.Index].IsZero():
				base = bound[v.Index].Base()
			default:
				continue
			}
			if k := p.Kernels[s.Kernel]; !accessesNone(k, j, s.Sizes) {
				base = unsafe.Add(base, int(o.Offset)*k.Params[j].DType.Size())
			}
			mem[j], some = base, true
		}
		if some {
			all[i] = code.Bind(mem, k.alloc)
		}
	}
	return all
}

// unmoved returns, by step of a program's variant, the code that the program's own
// steps have: nil for those that work on what has a layout.
func unmoved(p *kit.Program, own []kernel.Code) []kernel.Code {
	all := make([]kernel.Code, len(p.Steps))
	for i := range p.Steps {
		if !slices.ContainsFunc(p.Steps[i].Operands, func(o kit.Operand) bool { return p.Values[o.Value].Layout != nil }) {
			all[i] = own[i]
		}
	}
	return all
}

// keeper holds what the code of steps makes of constants, for as long as there is
// code that may make more.
type keeper struct {
	mu   sync.Mutex
	kept []soa.View
}

func (k *keeper) alloc(bytes int) unsafe.Pointer {
	v := bytesView(bytes)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = append(k.kept, v)
	return v.Base()
}
