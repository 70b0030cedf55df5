package body

import (
	"slices"

	"ltc/backends/kit/kernel"
)

// Parameters is how many the entry of a kernel has: addresses, sizes and strides.
func Parameters(k *kernel.Kernel) int {
	n := len(k.Params) + k.Sizes
	for i := range k.Params {
		n += RunTime(k.Params[i].Strides)
	}
	return n
}

// RunTime is how many strides are arguments.
func RunTime(all []kernel.Stride) int {
	n := 0
	for _, c := range all {
		if c == kernel.AnyStride {
			n++
		}
	}
	return n
}

// LoadsOut reports whether the kernel loads from what it stores to.
func LoadsOut(k *kernel.Kernel) bool {
	return slices.ContainsFunc(k.Instrs, func(i kernel.Instr) bool {
		return i.Op == kernel.Load && !i.Mem.Local && k.Params[i.Mem.Param].Out
	})
}

// Neighbours returns the axis along which an access of an operand goes to
// neighbours in memory; -1 if there is none.
func Neighbours(k *kernel.Kernel, id kernel.ID) int {
	m := k.Instrs[id].Mem
	if m == nil || m.Local {
		return -1
	}
	for d, class := range k.Params[m.Param].Strides {
		if terms := m.Index[d].Terms; class == kernel.UnitStride && len(terms) == 1 && terms[0].Factor == 1 && m.Index[d].Value == kernel.None {
			return terms[0].Axis
		}
	}
	return -1
}

// MostNeighbours returns, of the axes from one number to before another of a stage, the one
// along which most accesses go to neighbours, stores before loads, the last of
// equals; -1 if there are none.
func MostNeighbours(k *kernel.Kernel, stage, from, to int) int {
	best, most := -1, -1
	for a := from; a < to; a++ {
		n := 0
		for i := range k.Stages {
			if stage >= 0 && i != stage {
				continue
			}
			for id := k.Stages[i].Begin; id < k.Stages[i].End; id++ {
				if Neighbours(k, id) == a {
					if n++; k.Instrs[id].Op == kernel.Store {
						n += len(k.Instrs)
					}
				}
			}
		}
		if n >= most {
			best, most = a, n
		}
	}
	return best
}
