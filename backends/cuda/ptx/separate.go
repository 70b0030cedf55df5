package ptx

import (
	"slices"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit/kernel"
)

// separable returns, for each stage, whether its points have to run in their order since
// their stores show it. They may store to the same places, and do not combine there
// atomically, or in a local for the next point. Points of the kernel's axes run at the same
// time in any case, so that it is an error if their order shows. With exact set, sums of
// floats are taken to show their order.
func separable(k *kernel.Kernel, exact bool) (inOrder []bool, err error) {
	shows := func(i *kernel.Instr) bool {
		return i.Mem.Combine == kernel.Invalid || exact && i.Type.IsFloat() && (i.Mem.Combine == kernel.Add || i.Mem.Combine == kernel.Multiply)
	}
	for p := range k.Params {
		if !k.Params[p].Out || onlyCombines(k, p) && !slices.ContainsFunc(k.Instrs, func(i kernel.Instr) bool {
			return i.Op == kernel.Store && !i.Mem.Local && i.Mem.Param == p && shows(&i)
		}) {
			continue
		}
		for a, axis := range k.Axes {
			if !k.DistinctElements(p, a) {
				return nil, asm.Unsupported(k, "points of %s store to the same places of %s, in an order", axis.Name, k.Params[p].Name)
			}
		}
	}
	deps := k.Dependence()
	inOrder = make([]bool, len(k.Stages))
	for s := range k.Stages {
		st := &k.Stages[s]
		inOrder[s] = k.Carries(s)
		type memory struct {
			number int
			local  bool
		}
		stored := map[memory]bool{}
		for id := st.Begin; id < st.End; id++ {
			m := k.Instrs[id].Mem
			if len(st.Axes) == 0 || k.Instrs[id].Op != kernel.Store || !shows(&k.Instrs[id]) {
				continue
			}
			for a := range st.Axes {
				if stored[memory{m.Param, m.Local}] || !injective(k, m, len(k.Axes)+a, deps) {
					inOrder[s] = true
				}
			}
			stored[memory{m.Param, m.Local}] = true
		}
	}
	return inOrder, nil
}

// onlyCombines reports whether the kernel does nothing with an operand but combine
// with what is there, with one op.
func onlyCombines(k *kernel.Kernel, p int) bool {
	op := kernel.Invalid
	for i := range k.Instrs {
		m := k.Instrs[i].Mem
		if m == nil || m.Local || m.Param != p {
			continue
		}
		if m.Combine == kernel.Invalid || op != kernel.Invalid && op != m.Combine {
			return false
		}
		op = m.Combine
	}
	return true
}

// injective reports whether points that differ in an axis store to different places.
func injective(k *kernel.Kernel, m *kernel.Access, axis int, deps []kernel.AxisSet) bool {
	for d := range m.Index {
		if k.DistinctIndex(m, d, axis, deps) {
			return true
		}
	}
	return false
}
