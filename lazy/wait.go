package lazy

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ltc/lazy/internal/metrics"
)

// async is what a device knows of the queues of its traces.
type async struct {
	closed   atomic.Bool
	closures atomic.Int32 // goroutines that run step closures
	claims   atomic.Int64 // counts the steps that assign variables

	mu       sync.Mutex
	closing  []*queue            // that run step closures
	queues   map[*queue]struct{} // that have a goroutine
	failures []*StepError        // the latest; some may have been reported
}

// maxFailures bounds what a device remembers of traces that nobody asks.
const maxFailures = 64

func (a *async) add(q *queue) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.queues == nil {
		a.queues = map[*queue]struct{}{}
	}
	a.queues[q] = struct{}{}
}

func (a *async) remove(q *queue) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.queues, q)
}

// close notes that q begins to run the closures of a step that was marked after
// so many claims; the function returned, that it has ended.
func (a *async) close(q *queue, claims int64) (end func()) {
	q.closing.Store(goid())
	q.claims = claims
	a.mu.Lock()
	a.closing = append(a.closing, q)
	a.mu.Unlock()
	a.closures.Add(1)
	deadlocks.callers.Add(1)
	return func() {
		deadlocks.callers.Add(-1)
		a.closures.Add(-1)
		a.mu.Lock()
		i := slices.Index(a.closing, q)
		a.closing = slices.Delete(a.closing, i, i+1)
		a.mu.Unlock()
		q.closing.Store(0)
	}
}

// closure reports whether the calling goroutine runs a step closure, and how
// many claims there were when its step was marked; of closures within closures,
// that of the outermost.
func (a *async) closure() (claims int64, ok bool) {
	if a.closures.Load() == 0 {
		return 0, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, q := range a.closing {
		if q.closingHere() && (!ok || q.claims < claims) {
			claims, ok = q.claims, true
		}
	}
	return claims, ok
}

// note remembers a failure until somebody has heard of it.
func (a *async) note(e *StepError) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.failures) == maxFailures {
		a.failures = append(a.failures[:0], a.failures[1:]...)
	}
	a.failures = append(a.failures, e)
}

// Wait returns when the steps marked so far have ended and their closures have
// returned, or ctx is done: then they go on all the same. Its error is ctx's, or
// what has failed since the last report. It may be called from any goroutine,
// but not from a closure of the trace's own steps.
func (tr *Trace) Wait(ctx context.Context) error {
	if tr = tr.some(); tr.broken != nil {
		return tr.broken
	}
	if tr.queue.closingHere() {
		return closureWaits("wait")
	}
	if !tr.queue.idle() {
		defer tr.dev.metrics.Since(metrics.LockWait, time.Now())
	}
	if err := tr.queue.until(ctx, "wait", func() bool { return tr.queue.n == 0 }); err != nil {
		return err
	}
	return tr.queue.report()
}

// Wait returns when no trace of the device, and of this device only, has a step
// queued or running, or ctx is done. Its error is ctx's, or what has failed in
// the device's traces, unless these or this function have returned it already. The
// traces themselves return it all the same. It may be called from any goroutine, but
// not from a step closure.
func (d *Device) Wait(ctx context.Context) error {
	if !d.opens() {
		return notOpened("wait")
	}
	a := &d.async
	for {
		some, err := a.busy()
		switch {
		case err != nil:
			return err
		case some == nil:
			return a.report()
		}
		if err := some.until(ctx, "wait", func() bool { return !some.working }); err != nil {
			return err
		}
	}
}

// busy returns one of the queues that have a goroutine, nil if there is none.
func (a *async) busy() (some *queue, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for q := range a.queues {
		if q.closingHere() {
			return nil, closureWaits("wait")
		}
		some = q
	}
	return some, nil
}

// report returns the failures that neither it nor their traces have returned.
func (a *async) report() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []error
	for _, e := range a.failures {
		if !isReported(e) {
			e.first().waited.Store(true)
			all = append(all, e)
		}
	}
	a.failures = nil
	if len(all) == 1 {
		return all[0]
	}
	return errors.Join(all...)
}

// Close waits for what is queued on the device and returns what Wait would. Assignments
// of steps that were not marked are lost, which is a warning with a line for each trace.
// From then on marking steps and calling functions are errors wrapping
// [ErrClosed]; values stay readable. A device that is not closed is freed like
// anything else when nothing refers to it.
func (d *Device) Close() error {
	if !d.opens() {
		return notOpened("close")
	}
	if !d.async.closed.Swap(true) {
		d.warnUnmarked()
	}
	return d.Wait(context.Background())
}
