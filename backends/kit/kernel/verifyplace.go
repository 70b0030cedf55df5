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
			v.onePlace(loads, stores, 0)
		}
	}
}

// locals checks the stages that load from and store to the same one.
func (v *verifier) locals() {
	for l := range v.k.Locals {
		v.at = "local " + v.k.Locals[l].Name
		for s := range v.k.Stages {
			loads, stores := v.accesses(s, s+1, Access{Param: l, Local: true})
			if len(loads) > 0 && len(stores) > 0 {
				v.onePlace(loads, stores, len(v.k.Axes))
			}
		}
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

// onePlace checks that all accesses are at the same indices, among which each
// axis from the given one on stands by itself, and that loads come first.
func (v *verifier) onePlace(loads, stores []ID, from int) {
	first := v.k.Instrs[stores[0]].Mem
	stage := v.k.Stages[v.k.StageOf(stores[0])]
	for a := from; a < len(v.k.Axes)+len(stage.Axes); a++ {
		if !slices.ContainsFunc(first.Index, func(i Index) bool { return i.IsAxis(a) }) {
			v.fail(ruleInPlace, "it is loaded from, but %%%d stores to it at the same place for different points", stores[0])
		}
	}
	for _, id := range slices.Concat(loads, stores) {
		axes := v.k.Stages[v.k.StageOf(id)].Axes
		same := slices.EqualFunc(v.k.Instrs[id].Mem.Index, first.Index, sameIndex) &&
			slices.EqualFunc(axes, stage.Axes, func(a, b Axis) bool { return a.Size == b.Size })
		if !same {
			v.fail(ruleInPlace, "%%%d is at other indices than the first store", id)
		}
	}
	if last := loads[len(loads)-1]; last > stores[0] {
		v.fail(ruleInPlace, "%%%d loads what was stored before", last)
	}
}

func sameIndex(a, b Index) bool {
	return slices.Equal(a.Terms, b.Terms) && a.Value == b.Value && a.Offset == b.Offset
}
