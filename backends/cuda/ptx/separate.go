package ptx

import (
	"slices"

	"ltc/backends/kit/kernel"
)

// separable returns, for each stage, whether its points have to run in their order
// since what they store shows it: they may store to the same places, and do not
// combine there atomically. Points of the kernel's axes run at the same time in any
// case, so that it is an error if these do. With exact set, sums of floats are taken
// to show their order.
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
			if !separates(k, p, a) {
				return nil, unsupported(k, "points of %s store to the same places of %s, in an order", axis.Name, k.Params[p].Name)
			}
		}
	}
	deps := k.Dependence()
	inOrder = make([]bool, len(k.Stages))
	for s := range k.Stages {
		st := &k.Stages[s]
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

// along returns the index of an access along a dimension; of one that a table is for,
// that at which the table is read: columns of what is written are apart, by the word of
// the caller that they are columns.
func along(k *kernel.Kernel, m *kernel.Access, d int) kernel.Index {
	x := m.Index[d]
	if m.Local || k.Params[m.Param].Strides[d] != kernel.TableStride {
		return x
	}
	if t := k.Instrs[x.Value].Mem; t != nil && !t.Local && len(t.Index) == 1 {
		return t.Index[0]
	}
	return x
}

// separates reports whether points that differ in an axis of the kernel access
// different elements of an operand: a dimension has the same index in all
// accesses, a multiple of the axis and what is one for all points.
func separates(k *kernel.Kernel, p, axis int) bool {
	deps := k.Dependence()
	for d, class := range k.Params[p].Strides {
		var first kernel.Index
		some := false
		apart := class != kernel.ZeroStride
		for i := range k.Instrs {
			m := k.Instrs[i].Mem
			if m == nil || m.Local || m.Param != p {
				continue
			}
			x := along(k, m, d)
			if !some {
				first, some = x, true
			}
			apart = apart && len(x.Terms) == 1 && x.Terms[0].Axis == axis && x.Value == first.Value && (x.Value == kernel.None || deps[x.Value] == 0) &&
				slices.Equal(x.Terms, first.Terms) && x.Offset == first.Offset
		}
		if apart && some {
			return true
		}
	}
	return false
}

// injective reports whether points that differ in an axis store to different
// places: a dimension's index is a multiple of it, and what is the same for all
// points.
func injective(k *kernel.Kernel, m *kernel.Access, axis int, deps []kernel.AxisSet) bool {
	for d := range m.Index {
		class, x := kernel.AnyStride, along(k, m, d)
		if !m.Local {
			class = k.Params[m.Param].Strides[d]
		}
		if class != kernel.ZeroStride && len(x.Terms) == 1 && x.Terms[0].Axis == axis && (x.Value == kernel.None || deps[x.Value] == 0) {
			return true
		}
	}
	return false
}
