// Package spare keeps what one run has worked with for the next. Its central type
// is [Pool].
//
// The package imports only the standard library.
package spare

import (
	"sync"
	"sync/atomic"
)

// Pool has things to lend, which any number of goroutines take and give back. A
// [sync.Pool] loses what lies idle for two collections of garbage, and allocates
// after each: what must allocate nothing keeps some besides, which stay for as long
// as the pool. Neither locks.
type Pool[T any] struct {
	kept  []atomic.Pointer[T]
	rest  sync.Pool
	fresh func() *T
}

// New returns an empty pool that keeps so many of what was given back, and leaves
// the others to the garbage collector; fresh makes one where none is left.
func New[T any](keep int, fresh func() *T) *Pool[T] {
	return &Pool[T]{kept: make([]atomic.Pointer[T], keep), fresh: fresh}
}

// Get returns one that nobody else has until it is given back.
func (p *Pool[T]) Get() *T {
	for i := range p.kept {
		if p.kept[i].Load() == nil {
			continue
		}
		if x := p.kept[i].Swap(nil); x != nil {
			return x
		}
	}
	if x, ok := p.rest.Get().(*T); ok {
		return x
	}
	return p.fresh()
}

// Put gives x back.
func (p *Pool[T]) Put(x *T) {
	for i := range p.kept {
		if p.kept[i].CompareAndSwap(nil, x) {
			return
		}
	}
	p.rest.Put(x)
}
