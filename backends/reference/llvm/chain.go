package llvm

import (
	"fmt"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/native"
)

var (
	_ kernel.Chainer = (*code)(nil)
	_ kernel.Chainer = (*product)(nil)
)

// chain is a [kernel.Chain] of machine code.
type chain struct {
	native.Chain
	links []native.Link
	codes []*code // by link
}

// linkCost is how many nanoseconds a launch in a chain takes at least.
const linkCost = 4

// NewChain implements [kernel.Chainer].
func (c *code) NewChain(launches int) kernel.Chain {
	return &chain{links: make([]native.Link, launches), codes: make([]*code, launches)}
}

// NewChain implements [kernel.Chainer]: a product that is a kernel of its own can be in it.
func (r *product) NewChain(launches int) kernel.Chain { return (*code)(nil).NewChain(launches) }

// Set implements [kernel.Chain].
func (n *chain) Set(i int, of kernel.Code, call *kernel.Call, test *bool, next int) bool {
	if r, ok := of.(*product); ok {
		of = r.own
	}
	c, ok := of.(*code)
	if !ok {
		return false
	}
	items, cost := c.schedule.Items(c.kernel, call.Sizes), c.schedule.Cost(c.kernel, call.Sizes)
	if items == 0 || cost > callCost {
		return false
	}
	c.point(call)
	call.Block.From, call.Block.To = 0, items
	n.codes[i] = c
	var to *native.Link
	if next != kernel.ChainEnds {
		to = &n.links[next]
	}
	n.links[i].Set(c.entry, unsafe.Pointer(&call.Block), int64(cost)+linkCost, test, to)
	return true
}

// Run implements [kernel.Chain].
func (n *chain) Run(first int, nanoseconds int64) (at int, ended bool, err error) {
	n.At = &n.links[first]
	ended, status := n.Chain.Run(nanoseconds)
	at = int(uintptr(unsafe.Pointer(n.At))-uintptr(unsafe.Pointer(&n.links[0]))) / int(unsafe.Sizeof(native.Link{}))
	if status != 0 {
		err = n.codes[at].failure(status)
	}
	return at, ended, err
}

// failure is the error of a kernel that returned a status.
func (c *code) failure(status int32) error {
	return fmt.Errorf("llvm: kernel %s: check %d failed", c.kernel.Name, status)
}

// point has the block of a call point to the memory of the call.
func (c *code) point(call *kernel.Call) {
	b := &call.Block
	b.Mem, b.Sizes, b.Strides = unsafe.SliceData(call.Mem), unsafe.SliceData(call.Sizes), unsafe.SliceData(call.Strides)
	b.Scratch = call.Scratch
}
