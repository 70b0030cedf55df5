// Package ctxmutex has a mutex for work that takes long, such as compiling: a caller that
// waits for it stops waiting when its context ends. Its central type is [Mutex].
//
// The package imports only the standard library.
package ctxmutex

import "context"

// Mutex is a mutual exclusion lock. [New] makes one.
type Mutex struct{ held chan struct{} }

// New returns an unlocked mutex.
func New() Mutex { return Mutex{make(chan struct{}, 1)} }

// Lock locks m. If m is in use, it waits until m is free, or until ctx ends, and then
// returns the cause of ctx.
func (m Mutex) Lock(ctx context.Context) error {
	select {
	case m.held <- struct{}{}:
		return nil
	default:
	}
	select {
	case m.held <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Unlock unlocks m.
func (m Mutex) Unlock() { <-m.held }
