package kernel

import "slices"

// The checks of [ruleInPlace] for memory that a kernel both loads from and stores to: the
// loaded values must not depend on the order in which points run.

// operands checks the operands that the kernel stores to.
func (v *verifier) operands(all map[memory][]ID) {
	for p := range v.k.Params {
		if !v.k.Params[p].Out {
			continue
		}
		v.at = "operand " + v.k.Params[p].Name
		loads, stores := v.split(all[memory{p, false}])
		if len(stores) == 0 {
			v.fail(ruleOperands, "nothing is stored to it")
		} else if len(loads) > 0 {
			v.apart(loads, stores)
			v.stagewise(all[memory{p, false}])
		}
	}
}

// locals checks the locals that one stage both loads from and stores to.
func (v *verifier) locals(all map[memory][]ID) {
	for l := range v.k.Locals {
		v.at = "local " + v.k.Locals[l].Name
		v.stagewise(all[memory{l, true}])
	}
}

// memory names a parameter or a local.
type memory struct {
	at    int // the index into Params or Locals
	local bool
}

// accesses returns the loads and stores of each memory, in their order.
func (v *verifier) accesses() map[memory][]ID {
	all := map[memory][]ID{}
	for id := range v.k.Instrs {
		if m := v.k.Instrs[id].Mem; m != nil {
			to := memory{m.Param, m.Local}
			all[to] = append(all[to], ID(id))
		}
	}
	return all
}

// split returns the loads and the stores among accesses.
func (v *verifier) split(accesses []ID) (loads, stores []ID) {
	for _, id := range accesses {
		if v.k.Instrs[id].Op == Load {
			loads = append(loads, id)
		} else {
			stores = append(stores, id)
		}
	}
	return loads, stores
}

// apart checks that different points of the kernel's axes access different elements. For
// each axis there must be a dimension whose index is a multiple of that axis plus a
// constant, and is the same in all accesses.
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

// stagewise checks the stages that load from and store to the same memory:
//   - All accesses are at the same indices.
//   - For each axis of the stage, one of the indices is a multiple of that axis plus a
//     constant. A local needs no such index for a scanned axis.
//   - Loads come before stores.
func (v *verifier) stagewise(accesses []ID) {
	s := 0
	for len(accesses) > 0 {
		for accesses[0] >= v.k.Stages[s].End {
			s++
		}
		n := 1
		for n < len(accesses) && accesses[n] < v.k.Stages[s].End {
			n++
		}
		loads, stores := v.split(accesses[:n])
		accesses = accesses[n:]
		if len(loads) == 0 || len(stores) == 0 {
			continue
		}
		first := v.k.Instrs[stores[0]].Mem
		for a, axis := range v.k.Stages[s].Axes {
			if (axis.Kind == FreeAxis || !first.Local) && !slices.ContainsFunc(first.Index, func(i Index) bool { return i.keepsApart(len(v.k.Axes) + a) }) {
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

// keepsApart reports whether i is a multiple of the axis plus a constant, so that it
// differs between points that differ in the axis.
func (i Index) keepsApart(axis int) bool {
	return len(i.Terms) == 1 && i.Terms[0].Axis == axis && i.Value == None
}

func sameIndex(a, b Index) bool {
	return slices.Equal(a.Terms, b.Terms) && a.Value == b.Value && a.Offset == b.Offset
}
