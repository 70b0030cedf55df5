package native

import (
	"runtime"
	"unsafe"
)

// Link is a call of a kernel in a [Chain].
type Link struct {
	entry uintptr
	args  unsafe.Pointer
	test  *bool
	next  *Link
	cost  int64
}

// Set makes the link a call of k with args. Cost is about the nanoseconds that it takes. If
// test is not nil, the chain ends after a call that leaves false there. Otherwise next
// follows; the chain ends if it is nil. Who runs the chain keeps alive the memory that args
// points to, and k.
func (l *Link) Set(k Kernel, args unsafe.Pointer, cost int64, test *bool, next *Link) {
	if k.image.closed.Load() {
		panic("native: kernel called after its image was closed")
	}
	*l = Link{entry: k.entry, args: args, test: test, next: next, cost: cost}
}

// Chain calls kernels one after the other, without Go code in between. One goroutine at a
// time uses it.
type Chain struct {
	// At is the link to call next. After the chain has ended it is the last that was called,
	// and after a kernel has failed, the link of that kernel. Compiled code writes it, so
	// all links must be reachable otherwise.
	At *Link
	// budget is how many nanoseconds of work are left before Run returns.
	budget int64
	ended  uint32
}

// Run calls kernels from At on. It returns when the chain has ended, after calls whose cost is
// budget, or with the status of a kernel that failed. The bound of [Kernel.CallShort] holds for
// the budget.
func (c *Chain) Run(budget int64) (ended bool, status int32) {
	c.budget, c.ended = budget, 0
	status = callChain(c)
	runtime.KeepAlive(c)
	return c.ended != 0, status
}
