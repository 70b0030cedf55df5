package cuda

import (
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// epilogue is what becomes of the sums of a contraction, where cuBLASLt can do it.
type epilogue struct {
	to    *kernel.Access
	added []*kernel.Access // to the sums, before they are stored
}

// epilogueOf returns what becomes of a contraction's sums; false if it is something else
// than additions. docs/rationale-backends.md says why the library's ReLU and GELU are not used.
//
// Sums of f16 and bf16 that the text rounds before something is added are rounded once,
// after that: the result is no farther from the exact one.
func epilogueOf(k *kernel.Kernel, c *kernel.Contraction) (e epilogue, ok bool) {
	end := k.Stages[0].End
	store := kernel.None
	for id := end; int(id) < len(k.Instrs); id++ {
		if k.Instrs[id].Op != kernel.Store {
			continue
		}
		if store != kernel.None {
			return e, false
		}
		store = id
	}
	if store == kernel.None || !straight(k.Instrs[store].Mem) {
		return e, false
	}
	e.to = k.Instrs[store].Mem
	out := k.Params[e.to.Param].DType
	for i := range k.Instrs {
		if m := k.Instrs[i].Mem; m != nil && kernel.ID(i) != store && m.Param == e.to.Param {
			return e, false // what was there before matters
		}
	}
	f := &finder{k: k, c: c, out: out}
	e.added, ok = f.added(k.Instrs[store].Args[0])
	return e, ok
}

// straight reports whether an access is at sums of axes, always, and of an operand.
func straight(m *kernel.Access) bool {
	if m.Local || m.Guard || m.Combine != kernel.Invalid {
		return false
	}
	for _, x := range m.Index {
		if x.Value != kernel.None {
			return false
		}
	}
	return true
}

// finder looks for additions in what follows a contraction.
type finder struct {
	k   *kernel.Kernel
	c   *kernel.Contraction
	out types.DType // of the result
}

// rounded returns what a value is rounded from, if it is rounded to the result's type.
func (f *finder) rounded(v kernel.ID) kernel.ID {
	if i := &f.k.Instrs[v]; i.Op == kernel.Convert && i.Type == f.out && f.k.Instrs[i.Args[0]].Type == f.c.Type {
		return i.Args[0]
	}
	return v
}

// added reports whether a value is the sum with operands added to it, and where these
// are loaded.
func (f *finder) added(v kernel.ID) (all []*kernel.Access, ok bool) {
	v = f.rounded(v)
	if v == f.c.Sum {
		return nil, true
	}
	i := &f.k.Instrs[v]
	if i.Op != kernel.Add {
		return nil, false
	}
	for n, other := range i.Args {
		m := f.loaded(other)
		if m == nil {
			continue
		}
		if all, ok = f.added(i.Args[1-n]); ok {
			return append(all, m), true
		}
	}
	return nil, false
}

// loaded returns where an operand of the result's type is loaded, if a value is that;
// nil if it is something else.
func (f *finder) loaded(v kernel.ID) *kernel.Access {
	i := &f.k.Instrs[v]
	if i.Op == kernel.Convert && i.Type == f.c.Type {
		i = &f.k.Instrs[i.Args[0]] // exactly
	}
	if i.Op != kernel.Load || !straight(i.Mem) || f.k.Params[i.Mem.Param].DType != f.out {
		return nil
	}
	return i.Mem
}
