package ptx

import (
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit/kernel"
)

// leastAlone is how many points a stage has, in all blocks, that is worth a launch of
// its own.
const leastAlone = 1 << 14

// Cut returns which stages of a kernel are to begin one of their own, where each only
// stores a part of the result. No entry then has more parameters than it may. Stages of
// many points are then not run through by a few blocks, one after the other. A kernel that
// is for all sizes is cut for the parameters alone.
func Cut(k *kernel.Kernel, allSizes bool) []int {
	blocks := int64(1)
	for _, a := range k.Axes {
		blocks *= int64(a.Size)
	}
	var begins []int
	total, after := len(k.Axes), false
	for s := range k.Stages {
		n, points := atMost(k, s), blocks
		for _, a := range k.Stages[s].Axes {
			points *= int64(a.Size)
		}
		alone := !allSizes && blocks < busyBlocks && points >= leastAlone
		if s > 0 && (alone || after || total+n > asm.MostParameters) {
			begins, total = append(begins, s), len(k.Axes)
		}
		total, after = total+n, alone
	}
	return begins
}

// atMost is how many parameters a stage takes at most, however its operands lie: each
// access has an address, perhaps a table's, and a size and a stride along each dimension.
func atMost(k *kernel.Kernel, stage int) int {
	n := 0
	for id := k.Stages[stage].Begin; id < k.Stages[stage].End; id++ {
		if m := k.Instrs[id].Mem; m != nil && !m.Local {
			n += 2 + 2*len(m.Index)
		}
	}
	return n
}
