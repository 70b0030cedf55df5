package lazy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"ltc/internal/callsite"
	"ltc/lazy/internal/metrics"
	"ltc/soa"
)

// depth is how many steps of a trace may be queued or running: MarkStep waits
// while there are as many.
const depth = 4

// queue runs the steps of a trace one after the other, on a goroutine that ends
// when there is nothing left to run. Steps wait for values of other queues; that
// these never wait for each other follows from order: what a step waits for was
// claimed before the step was, and each queue runs in the order of claims. Of
// step closures, which know no order, see [blocked].
type queue struct {
	dev     *Device
	closing atomic.Uint64 // the goroutine that runs step closures; 0 if none
	claims  int64         // of the device when their step was marked; for async.closure

	slab soa.Slab // of small results of steps; used by the flight that runs

	mu      sync.Mutex
	flights [depth]*flight // a ring of n from head on, which runs
	head, n int
	working bool          // there is a goroutine
	failing bool          // a failure is being settled
	failed  []*StepError  // the latest; some may have been reported
	changed chan struct{} // closed when any of the above has changed; made when somebody waits
	free    []*flight
}

// take returns a flight to use.
func (q *queue) take() *flight {
	q.mu.Lock()
	defer q.mu.Unlock()
	if n := len(q.free); n > 0 {
		f := q.free[n-1]
		q.free = q.free[:n-1]
		return f
	}
	return &flight{dev: q.dev, q: q}
}

// give returns a flight that is settled.
func (q *queue) give(f *flight) {
	f.reset()
	q.mu.Lock()
	q.free = append(q.free, f)
	q.mu.Unlock()
}

// idle reports whether nothing is queued or running.
func (q *queue) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.n == 0
}

// notify wakes who waits for a change; q.mu is held.
func (q *queue) notify() {
	if q.changed != nil {
		close(q.changed)
		q.changed = nil
	}
}

// until waits until ok, which is called with q.mu held, on behalf of op.
func (q *queue) until(ctx context.Context, op string, ok func() bool) error {
	for {
		q.mu.Lock()
		if ok() {
			q.mu.Unlock()
			return nil
		}
		if q.changed == nil {
			q.changed = make(chan struct{})
		}
		changed := q.changed
		q.mu.Unlock()
		err := blocked{op: op, done: changed, queue: q}.wait(ctx)
		if _, endless := err.(*OpError); endless {
			return err
		}
		if err != nil {
			return fmt.Errorf("%s: waiting for what runs on %s: %w", op, q.dev, err)
		}
	}
}

// enter waits until another step may be marked, and returns what has failed
// since the last report.
func (q *queue) enter(ctx context.Context) error {
	if q.dev.async.closed.Load() {
		var sites callsite.Cache
		return closedError(sites.Caller(), "mark_step", q.dev)
	}
	q.mu.Lock()
	ready := q.room()
	q.mu.Unlock()
	if !ready {
		defer q.dev.metrics.Since(metrics.LockWait, time.Now())
		if err := q.until(ctx, "mark_step", q.room); err != nil {
			return err
		}
	}
	return q.report()
}

// room reports whether there is room for a step; q.mu is held.
func (q *queue) room() bool { return q.n < depth && !q.failing }

// report returns what has failed and was not reported yet.
func (q *queue) report() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []error
	for _, e := range q.failed {
		if e.take() {
			all = append(all, e)
		}
	}
	q.failed = nil
	if len(all) == 1 {
		return all[0]
	}
	return errors.Join(all...)
}

// note remembers a failure for the next report; q.mu is held.
func (q *queue) note(e *StepError) {
	q.failed = append(q.failed, e)
	q.dev.async.note(e)
}

// unreported returns the first failure that nobody has heard of; q.mu is held.
func (q *queue) unreported() *StepError {
	for _, e := range q.failed {
		if !e.reported.Load() {
			return e
		}
	}
	return nil
}

// push queues f; there is room, or it returns false. A step behind a failure that nobody
// has heard of is cancelled at once: whoever hears of it goes on from the last good version.
func (q *queue) push(f *flight) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.room() {
		return false
	}
	if cause := q.unreported(); cause != nil && f.ended == nil {
		f.ended = f.cancelled(cause)
		q.mu.Unlock()
		f.settle(f.ended)
		q.mu.Lock()
		if !q.room() {
			return false
		}
	}
	q.flights[(q.head+q.n)%depth] = f
	q.n++
	if !q.working {
		q.working = true
		q.dev.async.add(q)
		go q.work()
	}
	return true
}

// follow has the closures of f, a step that was not run, called after those of
// the last one queued. There is no room for f itself, or it returns false: then
// the last has not come to its closures yet.
func (q *queue) follow(f *flight) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.room() {
		return false
	}
	last := q.flights[(q.head+q.n-1)%depth]
	last.late = append(last.late, f)
	return true
}

// work runs what is queued, and ends.
func (q *queue) work() {
	ended := false
	defer func() {
		if !ended { // a closure or the backend has called runtime.Goexit
			go q.work()
		}
	}()
	for f := q.next(); f != nil; f = q.next() {
		if !f.flown && f.ended == nil {
			q.fly(f)
		}
		q.close(f)
		for len(f.late) > 0 {
			g := f.late[0]
			q.close(g)
			f.late = f.late[1:]
			q.give(g)
		}
		q.pop(f)
	}
	ended = true
}

// next returns the flight at the head; nil ends the goroutine.
func (q *queue) next() *flight {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n == 0 {
		q.working = false
		q.dev.async.remove(q)
		q.notify()
		return nil
	}
	return q.flights[q.head]
}

func (q *queue) pop(f *flight) {
	f.reset()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.flights[q.head] = nil
	q.head, q.n = (q.head+1)%depth, q.n-1
	q.free = append(q.free, f)
	q.notify()
}

// fly runs f and settles it; when it fails, all that
// is queued behind it, too.
func (q *queue) fly(f *flight) {
	f.flown = true
	err := errExited // unless run returns
	defer func() {
		if err == nil {
			return
		}
		f.ended = f.stepError(err)
		q.cancel(f)
		q.guard(f, "the logger", func() { q.dev.stepFailed(f.ended, slog.LevelInfo) })
	}()
	if err = f.run(); err == nil {
		f.settle(nil)
	}
}

// errExited is the failure of a step whose backend ended the goroutine.
var errExited = errors.New("the backend ended the goroutine that ran it with runtime.Goexit: it must return")

// cancel settles f, which has failed, and those behind it. Nobody marks a step
// meanwhile, so that who has heard of the failure does not meet versions of
// variables that are about to be taken back.
func (q *queue) cancel(f *flight) {
	q.mu.Lock()
	q.failing = true
	q.note(f.ended)
	var behind [depth]*flight
	n := q.n
	for i := range n {
		behind[i] = q.flights[(q.head+i)%depth]
	}
	q.mu.Unlock()
	f.settle(f.ended)
	for _, g := range behind[:n] {
		if g != f && g.ended == nil {
			g.ended = g.cancelled(f.ended)
			g.settle(g.ended)
		}
	}
	q.mu.Lock()
	q.failing = false
	q.notify()
	q.mu.Unlock()
}

// inline runs f on the calling goroutine, but for its closures; the queue is empty.
func (q *queue) inline(f *flight) error {
	returned := false
	defer func() {
		if !returned { // nor does MarkStep return: the next one does so with the error
			q.exited(f)
		}
	}()
	err := f.run()
	returned = true
	var failure error
	if err != nil {
		var sites callsite.Cache
		f.marked.Store(uint32(sites.Caller()))
		f.ended = f.stepError(err)
		f.ended.take()
		failure = f.ended
	}
	f.settle(failure)
	if f.ended != nil {
		q.guard(f, "the logger", func() { q.dev.stepFailed(f.ended, slog.LevelDebug) })
	}
	return failure
}

// exited ends f, whose backend is ending the goroutine that MarkStep was called on.
func (q *queue) exited(f *flight) {
	defer q.give(f)
	f.ended = f.stepError(errExited)
	q.cancel(f)
	q.guard(f, "the logger", func() { q.dev.stepFailed(f.ended, slog.LevelInfo) })
	q.close(f)
}

// close runs the closures of f's step that have not run.
func (q *queue) close(f *flight) {
	if f.closed == len(f.after) {
		return
	}
	defer q.dev.async.close(q, f.claims)()
	q.runClosures(f)
}

// runClosures is close. Where a closure ends the goroutine, those behind it run before the
// goroutine has ended.
func (q *queue) runClosures(f *flight) {
	var failed error
	if f.ended != nil {
		failed = f.ended
	}
	defer func() {
		if f.closed < len(f.after) {
			q.runClosures(f)
		}
	}()
	for f.closed < len(f.after) {
		fn := f.after[f.closed]
		f.closed++
		q.guard(f, "a step closure", func() { fn(failed) })
	}
}

// guard calls a function of the user's, and notes a failure of f's step if it panics
// or ends the goroutine.
func (q *queue) guard(f *flight, what string, fn func()) {
	returned := false
	defer func() {
		var err error
		switch r := recover(); {
		case r != nil:
			err = fmt.Errorf("%s panicked: %v\n%s", what, r, debug.Stack())
		case !returned:
			err = fmt.Errorf("%s ended its goroutine with runtime.Goexit, as FailNow of package testing does: it must return", what)
		default:
			return
		}
		q.mu.Lock()
		q.note(f.stepError(err))
		q.mu.Unlock()
	}()
	fn()
	returned = true
}

// closingHere reports whether the calling goroutine is running closures of this
// queue.
func (q *queue) closingHere() bool {
	id := q.closing.Load()
	return id != 0 && id == goid()
}
