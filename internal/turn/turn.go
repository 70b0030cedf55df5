// Package turn has a lock for work that takes long, such as compiling: who waits for it
// stops when a context ends. Its central type is [Lock].
//
// imports only the standard library.
package turn

import "context"

// Lock is a mutual exclusion lock. Make it with [New].
type Lock struct{ held chan struct{} }

// New returns a lock that nobody holds.
func New() Lock { return Lock{make(chan struct{}, 1)} }

// Take waits until the caller has the lock, or returns the cause of ctx.
func (l Lock) Take(ctx context.Context) error {
	select {
	case l.held <- struct{}{}:
		return nil
	default:
	}
	select {
	case l.held <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Give lets the next caller have the lock.
func (l Lock) Give() { <-l.held }
