package ptx

import (
	"slices"

	"ltc/backends/kit/kernel"
)

// separable reports stores whose order shows: points of the kernel's axes, or of
// a stage's, run at the same time, so they have to store to different places, or
// to combine atomically.
func separable(k *kernel.Kernel) error {
	for p := range k.Params {
		if !k.Params[p].Out || onlyCombines(k, p) {
			continue
		}
		for a, axis := range k.Axes {
			if !separates(k, p, a) {
				return unsupported(k, "points of %s store to the same places of %s, in an order", axis.Name, k.Params[p].Name)
			}
		}
	}
	deps := k.Dependence()
	for s := range k.Stages {
		st := &k.Stages[s]
		type memory struct {
			number int
			local  bool
		}
		stored := map[memory]bool{}
		for id := st.Begin; id < st.End; id++ {
			m := k.Instrs[id].Mem
			if len(st.Axes) == 0 || k.Instrs[id].Op != kernel.Store || m.Combine != kernel.Invalid {
				continue
			}
			for a, axis := range st.Axes {
				if stored[memory{m.Param, m.Local}] || !injective(k, m, len(k.Axes)+a, deps) {
					return unsupported(k, "points of %s store to the same places, in an order", axis.Name)
				}
			}
			stored[memory{m.Param, m.Local}] = true
		}
	}
	return nil
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

// separates reports whether points that differ in an axis of the kernel access
// different elements of an operand: a dimension has the same index in all
// accesses, a multiple of the axis and a constant.
func separates(k *kernel.Kernel, p, axis int) bool {
	for d, class := range k.Params[p].Strides {
		var first *kernel.Index
		apart := class != kernel.ZeroStride
		for i := range k.Instrs {
			m := k.Instrs[i].Mem
			if m == nil || m.Local || m.Param != p {
				continue
			}
			x := &m.Index[d]
			if first == nil {
				first = x
			}
			apart = apart && len(x.Terms) == 1 && x.Terms[0].Axis == axis && x.Value == kernel.None &&
				slices.Equal(x.Terms, first.Terms) && x.Offset == first.Offset
		}
		if apart && first != nil {
			return true
		}
	}
	return false
}

// injective reports whether points that differ in an axis store to different
// places: a dimension's index is a multiple of it, and what is the same for all
// points.
func injective(k *kernel.Kernel, m *kernel.Access, axis int, deps []kernel.AxisSet) bool {
	for d, x := range m.Index {
		class := kernel.AnyStride
		if !m.Local {
			class = k.Params[m.Param].Strides[d]
		}
		if class != kernel.ZeroStride && len(x.Terms) == 1 && x.Terms[0].Axis == axis && (x.Value == kernel.None || deps[x.Value] == 0) {
			return true
		}
	}
	return false
}
