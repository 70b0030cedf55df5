package kernel

import "slices"

// Memory that a kernel both loads from and stores to: what is loaded must not
// depend on the order in which points run.

// operands checks those that are stored to.
func (v *verifier) operands() {
	for p := range v.k.Params {
		if !v.k.Params[p].Out {
			continue
		}
		v.at = "operand " + v.k.Params[p].Name
		loads, stores := v.accesses(0, len(v.k.Stages), Access{Param: p})
		if len(stores) == 0 {
			v.fail(ruleOperands, "nothing is stored to it")
		} else if len(loads) > 0 {
			v.apart(loads, stores)
			v.stagewise(Access{Param: p})
		}
	}
}

// locals checks the stages that load from and store to the same one.
func (v *verifier) locals() {
	for l := range v.k.Locals {
		v.at = "local " + v.k.Locals[l].Name
		v.stagewise(Access{Param: l, Local: true})
	}
}

// accesses returns the loads and stores of the memory of m in the stages from
// the given one to before the other.
func (v *verifier) accesses(from, to int, m Access) (loads, stores []ID) {
	for s := from; s < to; s++ {
		for id := v.k.Stages[s].Begin; id < v.k.Stages[s].End; id++ {
			i := &v.k.Instrs[id]
			switch {
			case i.Mem == nil || i.Mem.Param != m.Param || i.Mem.Local != m.Local:
			case i.Op == Load:
				loads = append(loads, id)
			default:
				stores = append(stores, id)
			}
		}
	}
	return loads, stores
}

// apart checks that different points of the kernel's axes access different
// elements: for each axis there is a dimension whose index, the same in all
// accesses, is a multiple of it and a constant.
func (v *verifier) apart(loads, stores []ID) {
	first := v.k.Instrs[stores[0]].Mem.Index
	for a, axis := range v.k.Axes {
		d := slices.IndexFunc(first, func(i Index) bool { return i.keepsApart(a) })
		if d < 0 {
			v.fail(ruleInPlace, "it is loaded from, but %%%d stores to it at the same place for different points of %s", stores[0], axis.Name)
			return
		}
		for _, id := range slices.Concat(loads, stores) {
			if !sameIndex(v.k.Instrs[id].Mem.Index[d], first[d]) {
				v.fail(ruleInPlace, "index %d, which keeps points of %s apart, is another in %%%d", d, axis.Name, id)
			}
		}
	}
}

// stagewise checks the stages that load from and store to the same memory: all
// accesses are at the same indices, among which is a multiple of each axis of the
// stage with no other, and loads come first.
func (v *verifier) stagewise(m Access) {
	for s := range v.k.Stages {
		loads, stores := v.accesses(s, s+1, m)
		if len(loads) == 0 || len(stores) == 0 {
			continue
		}
		first := v.k.Instrs[stores[0]].Mem
		for a, axis := range v.k.Stages[s].Axes {
			if !slices.ContainsFunc(first.Index, func(i Index) bool { return i.keepsApart(len(v.k.Axes) + a) }) {
				v.fail(ruleInPlace, "it is loaded from, but %%%d stores to it at the same place for different points of %s", stores[0], axis.Name)
			}
		}
		for _, id := range slices.Concat(loads, stores) {
			if !slices.EqualFunc(v.k.Instrs[id].Mem.Index, first.Index, sameIndex) {
				v.fail(ruleInPlace, "%%%d is at other indices than %%%d of the same stage", id, stores[0])
			}
		}
		if last := loads[len(loads)-1]; last > stores[0] {
			v.fail(ruleInPlace, "%%%d loads what was stored before in its stage", last)
		}
	}
}

// keepsApart reports whether i is a multiple of the axis and a constant.
func (i Index) keepsApart(axis int) bool {
	return len(i.Terms) == 1 && i.Terms[0].Axis == axis && i.Value == None
}

func sameIndex(a, b Index) bool {
	return slices.Equal(a.Terms, b.Terms) && a.Value == b.Value && a.Offset == b.Offset
}
