package emit

import (
	"ltc/backends/kit/kernel"
)

// maxAxes is how many axes a stage may have with the kernel's.
const maxAxes = 63

// dependence returns the axes that each value, load and store depends on: for a
// value that is used in later stages, the kernel's alone. An operand's dimension
// of stride 0 is not what its axis depends on. In strips along an axis, which is
// -1 for none, what is reduced and what is in locals lies there by its points.
func dependence(k *kernel.Kernel, strip int) []kernel.AxisSet {
	on := make([]kernel.AxisSet, len(k.Instrs))
	for s := range k.Stages {
		carries := k.Carries(s)
		for id := k.Stages[s].Begin; id < k.Stages[s].End; id++ {
			i := &k.Instrs[id]
			use := func(v kernel.ID) {
				d := on[v]
				if v < k.Stages[s].Begin {
					d &= kernel.AxisRange(0, len(k.Axes))
				}
				on[id] |= d
			}
			for _, a := range i.Args {
				use(a)
			}
			switch {
			case i.Op == kernel.Iota:
				on[id] |= 1 << i.Aux
			case i.Op == kernel.Scan && strip >= 0:
				on[id] |= 1<<strip | 1<<len(k.Axes)
			case i.Op == kernel.Scan:
				on[id] |= 1 << len(k.Axes)
			case i.Op == kernel.Reduce && strip >= 0:
				on[id] |= 1 << strip
			}
			if i.Mem == nil {
				continue
			}
			if i.Mem.Local && strip >= 0 {
				on[id] |= 1 << strip
			}
			if i.Mem.Local && i.Op == kernel.Load && carries {
				on[id] |= 1 << len(k.Axes)
			}
			for d, x := range i.Mem.Index {
				if zeroStride(k, i.Mem, d) && !i.Mem.Guard {
					continue
				}
				for _, t := range x.Terms {
					on[id] |= 1 << t.Axis
				}
				if x.Value != kernel.None {
					use(x.Value)
				}
			}
		}
	}
	return on
}

func zeroStride(k *kernel.Kernel, m *kernel.Access, d int) bool {
	return !m.Local && k.Params[m.Param].Strides[d] == kernel.ZeroStride
}

// along is how an access moves along an axis.
type along uint8

const (
	still   along = iota // it does not
	unit                 // to the next element
	strided              // by a number of elements
	indexed              // by a value
)

// move returns how an access of stage s moves along an axis. on is what values
// depend on. Locals of strips have an element for each point of the axis.
func (p *planner) move(s int, m *kernel.Access, axis int) along {
	k, r := p.k, still
	if m.Local && p.stripAxis == axis {
		r = unit
	}
	for d, x := range m.Index {
		if zeroStride(k, m, d) {
			continue
		}
		if x.Value != kernel.None && p.depends(s, x.Value).Has(axis) {
			return indexed
		}
		for _, t := range x.Terms {
			if t.Axis != axis {
				continue
			}
			one := m.Local && d == len(m.Index)-1 || !m.Local && k.Params[m.Param].Strides[d] == kernel.UnitStride
			if r == still && one && t.Factor == 1 {
				r = unit
			} else {
				r = strided
			}
		}
	}
	return r
}

// backward reports whether an access moves along an axis to the element before, and no value
// says where it is.
func (p *planner) backward(m *kernel.Access, axis int) bool {
	found := false
	for d, x := range m.Index {
		if x.Value != kernel.None || m.Local && p.stripAxis == axis {
			return false
		}
		for _, t := range x.Terms {
			if t.Axis != axis || zeroStride(p.k, m, d) {
				continue
			}
			one := m.Local && d == len(m.Index)-1 || !m.Local && p.k.Params[m.Param].Strides[d] == kernel.UnitStride
			if found || !one || t.Factor != -1 {
				return false
			}
			found = true
		}
	}
	return found
}

// depends returns the axes that a value depends on as seen from stage s.
func (p *planner) depends(s int, v kernel.ID) kernel.AxisSet {
	if v < p.k.Stages[s].Begin {
		return p.on[v] & kernel.AxisRange(0, len(p.k.Axes))
	}
	return p.on[v]
}

// apart reports whether a store of stage s is to different places at any two
// points that differ in an axis; if beside is set, at two that differ in it
// alone.
func (p *planner) apart(s int, m *kernel.Access, axis int, beside bool) bool {
	if m.Local && axis < len(p.k.Axes) {
		return true
	}
	for d, x := range m.Index {
		if zeroStride(p.k, m, d) {
			continue
		}
		on := kernel.AxisSet(0)
		if x.Value != kernel.None {
			on = p.depends(s, x.Value)
		}
		has, others := false, false
		for _, t := range x.Terms {
			has = has || t.Axis == axis
			others = others || t.Axis != axis
		}
		if has && !on.Has(axis) && (beside || on == 0 && (!others || p.mixed(s, x))) {
			return true
		}
	}
	return false
}

// mixed reports whether an index of several axes differs at any two points: one
// number of a system whose places have literal sizes.
func (p *planner) mixed(s int, x kernel.Index) bool {
	done, reach := kernel.AxisSet(0), int64(1)
	for range x.Terms {
		least := -1
		for i, t := range x.Terms {
			if !done.Has(t.Axis) && (least < 0 || abs(t.Factor) < abs(x.Terms[least].Factor)) {
				least = i
			}
		}
		t := x.Terms[least]
		if abs(t.Factor) < reach {
			return false
		}
		done |= 1 << t.Axis
		n := p.k.Axis(s, t.Axis).Size
		if n < 0 {
			n = 1 << 40 // then none may follow
		}
		if abs(t.Factor) > 1<<20 {
			return false
		}
		reach += abs(t.Factor) * int64(max(min(n, 1<<40)-1, 0))
	}
	return true
}

func abs(x int64) int64 { return max(x, -x) }

// serial reports whether the points along an axis must run in order in stage s. Stores that
// combine, or whose place is a value, may meet. A point may also store a local for the
// next.
func (p *planner) serial(s int, axis int, beside bool) bool {
	if axis == len(p.k.Axes) && p.k.Carries(s) {
		return true
	}
	for id := p.k.Stages[s].Begin; id < p.k.Stages[s].End; id++ {
		m := p.k.Instrs[id].Mem
		if p.k.Instrs[id].Op != kernel.Store {
			continue
		}
		if m.Guard && p.move(s, m, axis) == still {
			return true
		}
		ordered := m.Combine != kernel.Invalid
		for d, x := range m.Index {
			if !zeroStride(p.k, m, d) && x.Value != kernel.None && p.depends(s, x.Value) != 0 {
				ordered = true
			}
		}
		if ordered && !p.apart(s, m, axis, beside) {
			return true
		}
	}
	return false
}
