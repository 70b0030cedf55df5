package reference

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/internal/dense"
	"ltc/soa"
)

// Bind fixes constants: steps that depend on constants alone run once, and the code of
// others packs what it would pack in each run, and reads the rest in place.
func (e *compiled) Bind(ctx context.Context, constants map[int]soa.View) (backends.Executable, error) {
	bound, err := dense.Bind(ctx, e.Plan.Program.Signature, e.Bound, constants)
	if err != nil {
		return nil, err
	}
	b := *e
	b.Copied, b.Bound, b.steps = new(atomic.Int64), bound, slices.Clone(e.steps)
	b.keeper = e.keeper.forBound(bound)
	b.Known, b.Done, b.groups = nil, nil, nil
	if b.unbound == nil {
		b.unbound = e
	}
	if known := b.Plan.Program.Known(boundArgs(bound), nil); len(known.Values) > 0 {
		if err := know(ctx, &b.Plan, known, bound, b.unbound.launcher(), b.keeper); err != nil {
			return nil, err
		}
	}
	codes := boundCodes(b.Plan.Program, b.codes, bound, b.Known, b.keeper, nil, nil)
	for i := range b.steps {
		s := &b.steps[i]
		if _, own := s.bound.(claimedCode); !own {
			s.bound = codes[i]
		}
	}
	b.share()  // runs of e read its own
	if b.own { // bound programs serve many calls at once
		b.threads = 1
	}
	if e.deferred != nil {
		ctx = tiersFor(withDeferral(ctx, e.deferred), b.Plan.Program, b.compilers)
	}
	if err := b.fit(ctx); err != nil {
		return nil, err
	}
	b.ready()
	return &b, nil
}

// boundCodes returns the code of each step of a program, nil for a step that runs no
// kernel; codes has that of its kernels. Code is bound to the operands that are the same
// in all runs: bound arguments and known values, nil if there are none, and the program's
// own constants. Operands for which moves returns true are left out; a nil moves leaves out none. k
// keeps what code makes of its operands. Steps that have code in there keep it.
func boundCodes(p *plan.Program, codes []kernel.Code, bound, known []soa.View, k *keeper, there []kernel.Code, moves func(step, operand int) bool) []kernel.Code {
	all := make([]kernel.Code, len(p.Steps))
	copy(all, there)
	for i := range p.Steps {
		s := p.Steps[i].Launch()
		if s == nil || all[i] != nil {
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
			case v.Kind == plan.Constant:
				base = unsafe.Pointer(unsafe.SliceData(v.Data))
			case v.Kind == plan.Argument && bound != nil && !bound[v.Index].IsZero():
				base = bound[v.Index].Base()
			case v.Kind == plan.Temporary && known != nil && !known[o.Value].IsZero():
				base = known[o.Value].Base()
			default:
				continue
			}
			if of := p.Kernels[s.Kernel]; !accessesNone(of, j, s.Sizes) {
				base = unsafe.Add(base, int(o.Offset)*of.Params[j].DType.Size())
			}
			mem[j], some = base, true
		}
		if some {
			all[i] = code.Bind(mem, k)
		}
	}
	return all
}

// unmoved returns, by step of a program's variant, the code that the program's own
// steps have: nil for those that work on what has a layout.
func unmoved(p *plan.Program, own []kernel.Code) []kernel.Code {
	all := make([]kernel.Code, len(p.Steps))
	for i := range p.Steps {
		if l := p.Steps[i].Launch(); l == nil || !slices.ContainsFunc(l.Operands, func(o plan.Operand) bool { return p.Values[o.Value].Layout != nil }) {
			all[i] = own[i]
		}
	}
	return all
}

// keeper keeps constants as code has packed them, each form once for all steps, sizes and
// variants of a program. Keys contain addresses: a keeper lives as long as the owner of the
// constants. The memory of forms is that of other programs where these have the same ([sharedForms]).
type keeper struct {
	of    *keeper // of the program's own constants, whose forms it has; nil: none
	mu    sync.Mutex
	forms map[string]*keptForm
	bound []soa.View    // constants of the caller's
	known []*sharedForm // of values that the program knows
	made  atomic.Int64  // bytes of these
	// grown counts those of forms that are made once the program is ready; nil until then.
	grown *atomic.Int64
}

// keptForm is the memory of one form, which is written once.
type keptForm struct {
	once sync.Once
	mem  *sharedForm
}

// forBound returns a keeper for what is bound besides the program's own constants.
func (k *keeper) forBound(bound []soa.View) *keeper {
	for k.of != nil {
		k = k.of
	}
	return &keeper{of: k, bound: bound}
}

// unload gives back the memory of the constant that an operand is of, if the memory shows a mapped
// file. Its form was made: only steps that have no form of it read it again.
func (k *keeper) unload(operand unsafe.Pointer) {
	for i := range k.bound {
		v := &k.bound[i]
		if !v.IsZero() && uintptr(operand)-uintptr(v.Base()) < uintptr(v.Type.Bytes()) {
			v.Unload()
		}
	}
}

// Keep implements [kernel.Keeper].
func (k *keeper) Keep(f kernel.Form) unsafe.Pointer {
	key := f.Key
	for _, p := range f.Of {
		key = fmt.Sprintf("%s %p", key, p)
	}
	x := k.form(key, true)
	x.once.Do(func() {
		count := &k.made
		if k.grown != nil {
			count = k.grown
		}
		count.Add(int64(f.Bytes + len(f.Key)))
		x.mem = allForms.share(formKind{f.Key, f.Sample, f.Bytes}, f.Write)
		for _, p := range f.Of {
			k.unload(p)
		}
	})
	return x.mem.view.Base()
}

// know returns the memory of a value that a program knows: another program's where that has the
// same.
func (k *keeper) know(v soa.View) soa.View {
	f := allForms.shareValue(v)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known = append(k.known, f)
	return f.view
}

// form returns the form of a key; nil if there is none and none is to be added.
func (k *keeper) form(key string, add bool) *keptForm {
	if k.of != nil {
		if f := k.of.form(key, false); f != nil {
			return f
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	f := k.forms[key]
	if f == nil && add {
		if k.forms == nil {
			k.forms = map[string]*keptForm{}
		}
		f = new(keptForm)
		k.forms[key] = f
	}
	return f
}
