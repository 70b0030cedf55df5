package exec

import (
	"context"
	"sync/atomic"

	"ltc/internal/turn"
)

// Later is a value that is made when it is first asked for, such as a program that few
// calls need. Getting one that is there takes no lock. Make it with [NewLater].
type Later[T any] struct {
	making turn.Lock
	value  atomic.Pointer[T]
}

// NewLater returns a value that is not made yet.
func NewLater[T any]() *Later[T] { return &Later[T]{making: turn.New()} }

// Get returns the value, which one makes unless it is there. A caller that waits for
// another's stops when its context ends. The value is not there after an error of one: the
// next caller tries again.
func (l *Later[T]) Get(ctx context.Context, one func(context.Context) (T, error)) (T, error) {
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
	v, err := one(ctx)
	if err != nil {
		return none, err
	}
	l.value.Store(&v)
	return v, nil
}
