// Package account keeps what a trace, a function or a device has done: counts, compiles with
// their reasons, and implicit syncs. Its central type is [Account].
//
// The package imports only ltc/internal/callsite, ltc/lazy/internal/metrics and
// ltc/lazy/internal/programs.
package account

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ltc/internal/callsite"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/programs"
)

// Account counts what a trace or function has done. It may be read while that goes on. Reason
// is the type of the calls that sync.
type Account[Reason ~int] struct {
	Counts [metrics.NumCounters]atomic.Int64 // those that traces and functions have
	Runs   atomic.Int64
	Copied atomic.Int64 // bytes
	metrics.Peaks
	Calls  bool        // of a function
	Frozen atomic.Bool // compiles are refused

	mu       sync.Mutex
	compiles []Compile // the latest
	compiled int64
	syncs    map[syncKey[Reason]]*Sync[Reason]
}

// Compile is one compilation and why it was one.
type Compile struct {
	Compilation
	Number int64 // among those of the account, from 1
	Stack  []callsite.Site
	Change *programs.Change // nil if there is nothing to explain
	Again  bool             // the line had compiled a program before
}

// Compilation is what reports tell of a compilation.
type Compilation struct {
	Ops    int // nodes of the program
	Took   time.Duration
	At     string // file:line; "" for Warmup
	Reason string // what Change prints; "" without one
}

// maxCompiles is how many compilations an account lists: a program that compiles
// at every step must not grow by that.
const maxCompiles = 100

// Sync is the implicit syncs of a line by one call.
type Sync[R ~int] struct {
	Site   string // file:line
	Reason R      // the call
	Op     string // that made the tensor, the first time
	Count  int
	Took   time.Duration // altogether
}

type syncKey[Reason ~int] struct {
	at  callsite.Site
	why Reason
}

// Compiled notes a compilation, whose number it sets.
func (a *Account[Reason]) Compiled(c Compile) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.compiled++; len(a.compiles) == maxCompiles {
		a.compiles = slices.Delete(a.compiles, 0, 1)
	}
	c.Number = a.compiled
	a.compiles = append(a.compiles, c)
}

// Synced notes an implicit sync of what op made, by a call of the given reason.
func (a *Account[Reason]) Synced(at callsite.Site, op string, reason Reason, took time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.syncs == nil {
		a.syncs = map[syncKey[Reason]]*Sync[Reason]{}
	}
	key := syncKey[Reason]{at, reason}
	s := a.syncs[key]
	if s == nil {
		s = &Sync[Reason]{Site: at.String(), Reason: reason, Op: op}
		a.syncs[key] = s
	}
	s.Count++
	s.Took += took
}

// Compiles returns the number of compilations, and the latest of them.
func (a *Account[Reason]) Compiles() (n int64, latest []Compile) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.compiled, slices.Clone(a.compiles)
}

// Syncs returns the implicit syncs, those that took longest first.
func (a *Account[Reason]) Syncs() (all []Sync[Reason]) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.syncs {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b Sync[Reason]) int {
		return cmp.Or(cmp.Compare(b.Took, a.Took), cmp.Compare(a.Site, b.Site), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}

// Reset forgets what a device has done.
func (a *Account[Reason]) Reset() {
	a.Runs.Store(0)
	a.Copied.Store(0)
	a.Forget()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.compiles, a.compiled, a.syncs = nil, 0, nil
}
