package exec

import (
	"context"
	"sync/atomic"

	"ltc/internal/turn"
)

// Lazy is a value that is made when it is first asked for, such as a program that few
// calls need. Getting one that is there takes no lock. Make it with [NewLazy].
type Lazy[T any] struct {
	create func(context.Context) (T, error)
	making turn.Lock
	value  atomic.Pointer[T]
}

// NewLazy returns a value that create makes when it is first asked for.
func NewLazy[T any](create func(context.Context) (T, error)) *Lazy[T] {
	return &Lazy[T]{create: create, making: turn.New()}
}

// Get returns the value. A caller that waits for another's stops when its context ends. The
// value is not there after an error of create: the next caller tries again.
func (l *Lazy[T]) Get(ctx context.Context) (T, error) {
	if v := l.value.Load(); v != nil {
		return *v, nil
	}
	var none T
	if err := l.making.Take(ctx); err != nil {
		return none, err
	}
	defer l.making.Give()
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
