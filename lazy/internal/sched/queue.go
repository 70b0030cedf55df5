package sched

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
)

// depth is how many steps of a trace may be queued or running: MarkStep waits
// while there are as many.
const depth = 4

// Queue runs the steps of a trace one after the other, on a goroutine that ends when there
// is nothing left to run. Steps wait for values of other queues. Queues never wait for each
// other, by their order: a step is claimed after the steps that it waits for, and each
// queue runs in the order of claims. Step closures know no order: see [Wait].
type Queue struct {
	sched   *Scheduler
	closing atomic.Uint64 // the goroutine that runs step closures; 0 if none
	claims  int64         // of the scheduler when their step was marked

	mu      sync.Mutex
	jobs    [depth]*Job // a ring of n from head on, which runs
	head, n int
	working bool          // there is a goroutine
	failing bool          // a failure is being settled
	failed  []*Failure    // the latest; some may have been reported
	changed chan struct{} // closed when any of the above has changed; made when somebody waits
	free    []*Job
}

// NewQueue returns a queue of no steps.
func (s *Scheduler) NewQueue() *Queue { return &Queue{sched: s} }

// Take returns a job to use.
func (q *Queue) Take() *Job {
	q.mu.Lock()
	defer q.mu.Unlock()
	if n := len(q.free); n > 0 {
		j := q.free[n-1]
		q.free = q.free[:n-1]
		return j
	}
	return q.sched.Owner.NewJob(q)
}

// Give returns a job that is settled.
func (q *Queue) Give(j *Job) {
	j.Work.Reset()
	q.mu.Lock()
	q.free = append(q.free, j)
	q.mu.Unlock()
}

// Idle reports whether nothing is queued or running.
func (q *Queue) Idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.n == 0
}

// notify wakes who waits for a change; q.mu is held.
func (q *Queue) notify() {
	if q.changed != nil {
		close(q.changed)
		q.changed = nil
	}
}

// until waits until ok, which is called with q.mu held, on behalf of op.
func (q *Queue) until(ctx context.Context, op string, ok func() bool) error {
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
		err := Wait{Op: op, Done: changed, Queue: q}.Until(ctx)
		if _, endless := err.(*Endless); endless {
			return err
		}
		if err != nil {
			return fmt.Errorf("%s: waiting for what runs on %v: %w", op, q.sched.Owner, err)
		}
	}
}

// Enter waits until another step may be marked, and returns what has failed
// since the last report.
func (q *Queue) Enter(ctx context.Context) error {
	q.mu.Lock()
	ready := q.room()
	q.mu.Unlock()
	if !ready {
		defer q.sched.Owner.Waited(time.Now())
		if err := q.Room(ctx); err != nil {
			return err
		}
	}
	return q.Report()
}

// Room waits until there is room for a step.
func (q *Queue) Room(ctx context.Context) error { return q.until(ctx, "mark_step", q.room) }

// room reports whether there is room for a step; q.mu is held.
func (q *Queue) room() bool { return q.n < depth && !q.failing }

// Wait returns when all that is queued has ended, or ctx is done. Its error is ctx's,
// [ErrClosure], an [*Endless], or what has failed since the last report.
func (q *Queue) Wait(ctx context.Context) error {
	if q.ClosingHere() {
		return ErrClosure
	}
	if !q.Idle() {
		defer q.sched.Owner.Waited(time.Now())
	}
	if err := q.until(ctx, "wait", func() bool { return q.n == 0 }); err != nil {
		return err
	}
	return q.Report()
}

// Report returns what has failed and was not reported yet.
func (q *Queue) Report() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []error
	for _, f := range q.failed {
		if f.Take() {
			all = append(all, f.Err)
		}
	}
	q.failed = nil
	return joined(all)
}

// Note remembers a failure for the next report.
func (q *Queue) Note(f *Failure) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.note(f)
}

// note is Note with q.mu held.
func (q *Queue) note(f *Failure) {
	q.failed = append(q.failed, f)
	q.sched.note(f)
}

// unreported returns the first failure that nobody has heard of; q.mu is held.
func (q *Queue) unreported() *Failure {
	for _, f := range q.failed {
		if !f.reported.Load() {
			return f
		}
	}
	return nil
}

// Push queues j; there is room, or it returns false. A step behind a failure that nobody
// has heard of is cancelled at once: whoever hears of it goes on from the last good version.
func (q *Queue) Push(j *Job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.room() {
		return false
	}
	if cause := q.unreported(); cause != nil && j.Ended == nil {
		j.Ended = j.Work.Failed(nil, cause)
		q.mu.Unlock()
		j.Work.Settle(j.Ended.Err)
		q.mu.Lock()
		if !q.room() {
			return false
		}
	}
	q.jobs[(q.head+q.n)%depth] = j
	q.n++
	if !q.working {
		q.working = true
		q.sched.add(q)
		go q.work()
	}
	return true
}

// Follow has the closures of j, a step that was not run, called after those of
// the last one queued. There is no room for j itself, or it returns false: then
// the last has not come to its closures yet.
func (q *Queue) Follow(j *Job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.room() {
		return false
	}
	last := q.jobs[(q.head+q.n-1)%depth]
	last.late = append(last.late, j)
	return true
}

// work runs what is queued, and ends.
func (q *Queue) work() {
	ended := false
	defer func() {
		if !ended { // a closure or the backend has called runtime.Goexit
			go q.work()
		}
	}()
	for j := q.next(); j != nil; j = q.next() {
		if !j.flown && j.Ended == nil {
			q.fly(j)
		}
		q.Close(j)
		for len(j.late) > 0 {
			k := j.late[0]
			q.Close(k)
			j.late = j.late[1:]
			q.Give(k)
		}
		q.pop(j)
	}
	ended = true
}

// next returns the job at the head; nil ends the goroutine.
func (q *Queue) next() *Job {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n == 0 {
		q.working = false
		q.sched.remove(q)
		q.notify()
		return nil
	}
	return q.jobs[q.head]
}

func (q *Queue) pop(j *Job) {
	j.Work.Reset()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs[q.head] = nil
	q.head, q.n = (q.head+1)%depth, q.n-1
	q.free = append(q.free, j)
	q.notify()
}

// fly runs j and settles it; when it fails, all that
// is queued behind it, too.
func (q *Queue) fly(j *Job) {
	j.flown = true
	err := ErrExited // unless run returns
	ran := false
	defer func() {
		if !ran {
			if r := recover(); r != nil {
				err = Panicked(r)
			}
		}
		if err == nil {
			return
		}
		j.Ended = j.fail(err)
		q.cancel(j)
		q.guard(j, "the logger", func() { q.sched.Owner.Failed(j.Ended, slog.LevelInfo) })
	}()
	err = j.Work.Run()
	if ran = true; err == nil {
		j.Work.Settle(nil)
	}
}

// Panicked is the failure of a run that panicked. That of a backend has become an error
// before.
func Panicked(r any) error {
	return fmt.Errorf("the run panicked outside of the backend, which is a mistake in this library: %v\n%s", r, debug.Stack())
}

// ErrExited is the failure of a step whose backend ended the goroutine.
var ErrExited = errors.New("the backend ended the goroutine that ran it with runtime.Goexit: it must return")

// cancel settles j, which has failed, and those behind it. Nobody marks a step
// meanwhile, so that who has heard of the failure does not meet versions of
// variables that are about to be taken back.
func (q *Queue) cancel(j *Job) {
	q.mu.Lock()
	q.failing = true
	q.note(j.Ended)
	var behind [depth]*Job
	n := q.n
	for i := range n {
		behind[i] = q.jobs[(q.head+i)%depth]
	}
	q.mu.Unlock()
	j.Work.Settle(j.Ended.Err)
	for _, k := range behind[:n] {
		if k != j && k.Ended == nil {
			k.Ended = k.Work.Failed(nil, j.Ended)
			k.Work.Settle(k.Ended.Err)
		}
	}
	q.mu.Lock()
	q.failing = false
	q.notify()
	q.mu.Unlock()
}

// Inline runs j on the calling goroutine, but for its closures; the queue is empty.
func (q *Queue) Inline(j *Job) (failure error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if r := recover(); r != nil {
			failure = q.landed(j, Panicked(r))
			return
		}
		q.exited(j) // nor does MarkStep return: the next one does so with the error
	}()
	err := j.Work.Run()
	returned = true
	return q.landed(j, err)
}

// landed settles j, which has run on the calling goroutine, and returns its failure.
func (q *Queue) landed(j *Job, err error) (failure error) {
	if err != nil {
		j.Mark(callsite.Caller())
		j.Ended = j.fail(err)
		j.Ended.Take()
		failure = j.Ended.Err
	}
	j.Work.Settle(failure)
	if j.Ended != nil {
		q.guard(j, "the logger", func() { q.sched.Owner.Failed(j.Ended, slog.LevelDebug) })
	}
	return failure
}

// exited ends j, whose backend is ending the goroutine that MarkStep was called on.
func (q *Queue) exited(j *Job) {
	defer q.Give(j)
	j.Ended = j.fail(ErrExited)
	q.cancel(j)
	q.guard(j, "the logger", func() { q.sched.Owner.Failed(j.Ended, slog.LevelInfo) })
	q.Close(j)
}

// Close runs the closures of j's step that have not run.
func (q *Queue) Close(j *Job) {
	if j.closed == len(j.After) {
		return
	}
	defer q.sched.beginClosures(q, j.Claims)()
	q.runClosures(j)
}

// runClosures is Close. Where a closure ends the goroutine, those behind it run before the
// goroutine has ended.
func (q *Queue) runClosures(j *Job) {
	var failed error
	if j.Ended != nil {
		failed = j.Ended.Err
	}
	defer func() {
		if j.closed < len(j.After) {
			q.runClosures(j)
		}
	}()
	for j.closed < len(j.After) {
		fn := j.After[j.closed]
		j.closed++
		q.guard(j, "a step closure", func() { fn(failed) })
	}
}

// guard calls a function of the user's, and notes a failure of j's step if it panics
// or ends the goroutine.
func (q *Queue) guard(j *Job, what string, fn func()) {
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
		q.note(j.fail(err))
		q.mu.Unlock()
	}()
	fn()
	returned = true
}

// ClosingHere reports whether the calling goroutine is running closures of this
// queue.
func (q *Queue) ClosingHere() bool {
	id := q.closing.Load()
	return id != 0 && id == Goroutine()
}
