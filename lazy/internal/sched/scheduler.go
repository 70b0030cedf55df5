// Package sched runs the steps of traces in the background, one after the other in the queue
// of each trace. It settles what fails and what is queued behind it, runs step closures,
// and finds waits that would never end. Its central type is [Queue].
//
// The package imports only ltc/internal/callsite.
package sched

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Owner is the device that a scheduler works for.
type Owner interface {
	fmt.Stringer
	NewJob(*Queue) *Job
	// Waited hears of a call that has waited since start for steps under way.
	Waited(start time.Time)
	// Failed hears of a failed step, at a level that says whether its error has come back.
	Failed(f *Failure, level slog.Level)
}

// Scheduler is what a device knows of the queues of its traces.
type Scheduler struct {
	Owner Owner

	closed   atomic.Bool
	closures atomic.Int32 // goroutines that run step closures
	claims   atomic.Int64 // counts the steps that assign variables

	mu       sync.Mutex
	closing  []*Queue            // that run step closures
	queues   map[*Queue]struct{} // that have a goroutine
	failures []*Failure          // the latest; some may have been reported
}

// Close has no step marked from now on, and reports whether it was so before.
func (s *Scheduler) Close() (before bool) { return s.closed.Swap(true) }

// Closed reports whether the scheduler was closed.
func (s *Scheduler) Closed() bool { return s.closed.Load() }

// maxFailures bounds what a device remembers of traces that nobody asks.
const maxFailures = 64

func (s *Scheduler) add(q *Queue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queues == nil {
		s.queues = map[*Queue]struct{}{}
	}
	s.queues[q] = struct{}{}
}

func (s *Scheduler) remove(q *Queue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.queues, q)
}

// Claim counts a step that assigns variables. Of a step closure it returns how many
// there were when the closure's step was marked: it sees what it assigns.
func (s *Scheduler) Claim() int64 {
	n := s.claims.Add(1)
	if seen, ok := s.Closure(); ok {
		return seen
	}
	return n
}

// Claims returns how many steps have assigned variables.
func (s *Scheduler) Claims() int64 { return s.claims.Load() }

// beginClosures notes that q begins to run the closures of a step that was marked after
// so many claims; the function returned, that it has ended.
func (s *Scheduler) beginClosures(q *Queue, claims int64) (end func()) {
	q.closing.Store(Goroutine())
	q.claims = claims
	s.mu.Lock()
	s.closing = append(s.closing, q)
	s.mu.Unlock()
	s.closures.Add(1)
	called := Called()
	return func() {
		called()
		s.closures.Add(-1)
		s.mu.Lock()
		i := slices.Index(s.closing, q)
		s.closing = slices.Delete(s.closing, i, i+1)
		s.mu.Unlock()
		q.closing.Store(0)
	}
}

// Closure reports whether the calling goroutine runs a step closure, and how
// many claims there were when its step was marked; of closures within closures,
// that of the outermost.
func (s *Scheduler) Closure() (claims int64, ok bool) {
	if s.closures.Load() == 0 {
		return 0, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range s.closing {
		if q.ClosingHere() && (!ok || q.claims < claims) {
			claims, ok = q.claims, true
		}
	}
	return claims, ok
}

// note remembers a failure until somebody has heard of it.
func (s *Scheduler) note(f *Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.failures) == maxFailures {
		s.failures = append(s.failures[:0], s.failures[1:]...)
	}
	s.failures = append(s.failures, f)
}

// Begin returns a queue for work that runs beside all others, so that Wait waits for it;
// end says that the work has ended.
func (s *Scheduler) Begin() (q *Queue, end func()) {
	q = &Queue{sched: s, working: true}
	s.add(q)
	return q, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.working = false
		s.remove(q)
		q.notify()
	}
}

// Wait returns when no queue has a step queued or running, or ctx is done. Its error is
// ctx's, [ErrClosure], an [*Endless], or what neither it nor its trace has returned.
func (s *Scheduler) Wait(ctx context.Context) error {
	for {
		some, err := s.busy()
		switch {
		case err != nil:
			return err
		case some == nil:
			return s.report()
		}
		if err := some.until(ctx, "wait", func() bool { return !some.working }); err != nil {
			return err
		}
	}
}

// busy returns one of the queues that have a goroutine, nil if there is none.
func (s *Scheduler) busy() (some *Queue, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for q := range s.queues {
		if q.ClosingHere() {
			return nil, ErrClosure
		}
		some = q
	}
	return some, nil
}

// report returns the failures that neither it nor their traces have returned.
func (s *Scheduler) report() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []error
	for _, f := range s.failures {
		if !f.Known() {
			f.first().waited.Store(true)
			all = append(all, f.Err)
		}
	}
	s.failures = nil
	return joined(all)
}

// joined is errors.Join, but for one error.
func joined(all []error) error {
	if len(all) == 1 {
		return all[0]
	}
	return errors.Join(all...)
}
