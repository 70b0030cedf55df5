package llvm

import (
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

// wakeCost is how many nanoseconds of work are worth waking a thread for a part of
// them, which takes several thousand. Less is left to threads that are awake, in
// parts of partCost at least: to hand one on takes some hundred. Products, whose
// parts pack their own shares of operands, have parts of half of wakeCost. Tests
// make both less.
var (
	wakeCost = 36_000.0
	partCost = 2_000.0
)

// fewParts are less work than a launch is cut for.
const fewParts = 4

// partsPerThread is how many parts a thread has, where more parts cost nothing: a thread
// that begins late, or whose processor has other work, then takes fewer than others.
const partsPerThread = 16

// callCost is how many nanoseconds of work, about, are done in one call, without
// the scheduler and before it is looked whether the run has been given up. What
// memory bounds takes some times as long.
const callCost = 200_000

// mostCallCost is what a call takes at most, by the same count, that keeps the scheduler's
// processor or does more than an item because these are better done together.
const mostCallCost = 10 * callCost

// Parts returns how many parts of enough work there are.
func (c *code) Parts(sizes []int64, threads int) int {
	if threads <= 1 {
		return 1
	}
	items := c.schedule.Items(c.kernel, sizes)
	most := min(int64(threads)*partsPerThread, items)
	if most <= 1 {
		return 1
	}
	cost := c.cost(sizes)
	if together := c.together(sizes, cost/float64(items)); together > 1 && cost > callCost {
		most = min(most, max(4*items/together, int64(threads)))
	}
	parts := min(float64(most), cost/partCost)
	if parts < fewParts {
		return 1
	}
	return int(parts)
}

// cost returns about how many nanoseconds a launch takes on one thread: the time of its operations,
// or that of its bytes if it is longer.
func (c *code) cost(sizes []int64) float64 {
	const byteCost = 0.025 // nanoseconds a byte, read from a cache
	return max(c.schedule.Cost(c.kernel, sizes), c.schedule.Bytes(c.kernel, sizes)*byteCost)
}

// IsShort implements [kernel.ShortLauncher].
func (c *code) IsShort(sizes []int64) bool { return c.cost(sizes) < wakeCost }

// scheduleBytes is about what a schedule takes, or the description of a product, beside
// the kernel, which is the program's.
const scheduleBytes = 512

// ResidentBytes is what the machine code and its schedule take.
func (c *code) ResidentBytes() int { return c.entry.Bytes() + scheduleBytes }

// Scratch returns the bytes of locals and what is kept between stages.
func (c *code) Scratch(sizes []int64, _ int) int { return c.schedule.Scratch(c.kernel, sizes) }

// Run runs a part: a range of the schedule's items.
func (c *code) Run(call *kernel.Call) error {
	items := c.schedule.Items(c.kernel, call.Sizes)
	from, to := call.Share(items)
	c.point(call)
	b := &call.Block
	step, long := c.itemsPerCall(call.Sizes, items)
	for from < to {
		b.From, b.To = from, min(from+step, to)
		var status int32
		if long {
			status = c.entry.Call(unsafe.Pointer(b))
		} else {
			status = c.entry.CallShort(unsafe.Pointer(b))
		}
		if status != 0 {
			return c.failure(status)
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

// itemsPerCall returns how many of so many items one call of the machine code runs, and
// whether a call takes long.
func (c *code) itemsPerCall(sizes []int64, items int64) (step int64, long bool) {
	all := c.schedule.Cost(c.kernel, sizes)
	if all <= callCost {
		return max(items, 1), false
	}
	each := all / float64(items)
	return max(int64(callCost/each), c.together(sizes, each), 1), each > mostCallCost
}

// together returns how many items, each of that cost, are best run in one call, of
// those that it has time for.
func (c *code) together(sizes []int64, each float64) int64 {
	return int64(min(float64(c.schedule.Together(c.kernel, sizes)), mostCallCost/each))
}
