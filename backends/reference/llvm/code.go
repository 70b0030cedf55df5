package llvm

import (
	"fmt"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/emit"
	"ltc/backends/reference/llvm/native"
)

// code is a kernel's machine code.
type code struct {
	kernel   *kernel.Kernel
	schedule *emit.Schedule
	entry    native.Kernel
}

// partCost is how many nanoseconds of work make a part worth a thread: waking
// one takes several thousand. Less than two such parts stay on one thread, and
// so do programs of nothing else. Tests make it less.
var partCost = 18_000.0

// turnCost is how many nanoseconds of work, about, are done in one call, without
// the scheduler and before it is looked whether the run has been given up. What
// memory bounds takes some times as long.
const turnCost = 200_000

// Parts returns how many parts of enough work there are.
func (c *code) Parts(sizes []int64, threads int) int {
	if threads <= 1 {
		return 1
	}
	most := min(int64(threads), c.schedule.Items(c.kernel, sizes))
	if most <= 1 {
		return 1
	}
	return int(max(min(float64(most), c.schedule.Cost(c.kernel, sizes)/partCost), 1))
}

// Scratch returns the bytes of locals and what is kept between stages.
func (c *code) Scratch(sizes []int64, _ int) int { return c.schedule.Scratch(c.kernel, sizes) }

// Run runs a part: a range of the schedule's items.
func (c *code) Run(call *kernel.Call) error {
	items := c.schedule.Items(c.kernel, call.Sizes)
	from, to := call.Share(items)
	b := &call.Block
	b.Mem, b.Sizes, b.Strides = unsafe.SliceData(call.Mem), unsafe.SliceData(call.Sizes), unsafe.SliceData(call.Strides)
	b.Scratch = call.Scratch
	step, long := to-from, false
	if all := c.schedule.Cost(c.kernel, call.Sizes); all > turnCost {
		each := all / float64(items)
		step, long = max(int64(turnCost/each), 1), each > 10*turnCost
	}
	for from < to {
		b.From, b.To = from, min(from+step, to)
		var status int32
		if long {
			status = c.entry.Call(unsafe.Pointer(b))
		} else {
			status = c.entry.CallShort(unsafe.Pointer(b))
		}
		if status != 0 {
			return fmt.Errorf("llvm: kernel %s: check %d failed", c.kernel.Name, status)
		}
		from = b.To
		select {
		case <-call.Done:
			return nil
		default:
		}
	}
	return nil
}
