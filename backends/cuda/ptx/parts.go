package ptx

import (
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit/kernel"
)

// What keeps a device busy: threads of all of its multiprocessors, with as many
// elements of 4 bytes on their way as memory takes to answer. It is the same for all
// devices, so that sums have the same bits on each.
const (
	busyThreads = 1 << 18 // 2,048 on each of 128 multiprocessors
	busyBlocks  = 512     // of rows, each of which has a row's strips on their way
	longestRow  = 1 << 14 // of which a thread of a block has 16 strips of 4
	shortestRow = 1 << 10
	// shortestSlice is how many elements a thread adds at least, so that what sums of
	// parts cost is little beside.
	shortestSlice = 8
	// fewElements of a reduction are not worth a second launch.
	fewElements = 1 << 18
)

// Parts returns into how many parts to cut a kernel that is a reduction, of so many
// elements for each of so many points, so that a whole device is busy. The result is 1 if
// the device is busy without parts, or if a part of the device is as quick.
func Parts(k *kernel.Kernel, points, length int64) int64 {
	if points*length < fewElements {
		return 1
	}
	if byColumns(k) {
		slices := points * sliceCount
		return min(asm.Ceil(busyThreads, slices), length/(shortestSlice*sliceCount))
	}
	return max(min(asm.Ceil(busyBlocks, points), length/shortestRow), asm.Ceil(length, longestRow))
}

// byColumns reports whether what a reduction loads has neighbours along an axis of the
// kernel: operands are dense, whose last dimension that is.
func byColumns(k *kernel.Kernel) bool {
	columns, rows := 0, 0
	for id := range k.Stages[0].End {
		i := &k.Instrs[id]
		if i.Op != kernel.Load || i.Mem.Local || len(i.Mem.Index) == 0 {
			continue
		}
		for _, t := range i.Mem.Index[len(i.Mem.Index)-1].Terms {
			switch {
			case t.Factor != 1:
			case t.Axis < len(k.Axes):
				columns++
			default:
				rows++
			}
		}
	}
	return columns > rows
}
