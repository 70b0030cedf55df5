package exec

import (
	"context"
	"sync/atomic"

	"ltc/internal/ctxmutex"
)

// Lazy is a value that is computed on the first call of Get, such as a program that few
// calls need. Later calls of Get take no lock. Make it with [NewLazy].
type Lazy[T any] struct {
	create func(context.Context) (T, error)
	making ctxmutex.Mutex
	value  atomic.Pointer[T]
}

// NewLazy returns a Lazy whose value the function create computes.
func NewLazy[T any](create func(context.Context) (T, error)) *Lazy[T] {
	return &Lazy[T]{create: create, making: ctxmutex.New()}
}

// Get returns the value. The first caller computes it, and others wait. A caller whose context
// ends while it waits returns the context's cause. An error of create is returned and not kept:
// the next caller calls create again.
func (l *Lazy[T]) Get(ctx context.Context) (T, error) {
	if v := l.value.Load(); v != nil {
		return *v, nil
	}
	var none T
	if err := l.making.Lock(ctx); err != nil {
		return none, err
	}
	defer l.making.Unlock()
	if v := l.value.Load(); v != nil { // another goroutine was faster
		return *v, nil
	}
	v, err := l.create(ctx)
	if err != nil {
		return none, err
	}
	l.value.Store(&v)
	return v, nil
}
