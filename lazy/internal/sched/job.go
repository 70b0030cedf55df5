package sched

import (
	"fmt"
	"sync"
	"sync/atomic"

	"ltc/internal/callsite"
)

// Work is what a [Job] does.
type Work interface {
	// Run does it, and publishes nothing yet.
	Run() error
	// Settle publishes what Run has made, or err in its place, and lets go of what the job held.
	Settle(err error)
	// Reset makes the work ready for another job.
	Reset()
	// Failed makes a failure of the job. Cause is that of a job before, which cancelled it;
	// nil if there is none.
	Failed(err error, cause *Failure) *Failure
}

// Job is a step on its way, or what runs like one beside all queues: a call, a copy. It is
// used again when it has ended: waiters ask for what it makes, not for the job.
type Job struct {
	Work  Work
	Queue *Queue // nil for a call, which runs on its caller's goroutine
	Step  int64
	Name  string
	// After is called once the job is settled, in this order, with its error.
	After  []func(error)
	Queued bool     // it waits its turn in the queue
	Claims int64    // of the scheduler when the step was marked, if it has closures
	Ended  *Failure // of a job that failed or was cancelled: only closures are left to run

	late   []*Job // of later steps that were not run: their closures come after these
	closed int    // how many of After were called
	flown  bool   // it was run
	marked atomic.Uint32

	mu   sync.Mutex
	done chan struct{} // closed at the end; made when somebody waits
}

// Mark says where the step was marked, or the copy started.
func (j *Job) Mark(at callsite.Site) { j.marked.Store(uint32(at)) }

// Site returns where the step was marked or the copy started; 0 if that is not known.
func (j *Job) Site() callsite.Site { return callsite.Site(j.marked.Load()) }

// Reset makes the job ready for another step.
func (j *Job) Reset() {
	if j.marked.Load() != 0 {
		j.Mark(0)
	}
	j.Queued, j.Ended, j.closed, j.flown = false, nil, 0, false
	clear(j.After)
	clear(j.late)
	j.After, j.late = j.After[:0], j.late[:0]
}

// fail makes a failure of the job itself.
func (j *Job) fail(err error) *Failure { return j.Work.Failed(err, nil) }

// String names the job in errors.
func (j *Job) String() string {
	switch {
	case j.Queue == nil:
		return "a call of a function"
	case j.Step == 0:
		return fmt.Sprintf("the copy started at %v", j.Site())
	}
	s := StepText(j.Step, j.Name)
	if at := j.Site(); at != 0 {
		s += " marked at " + at.String()
	}
	return s
}

// StepText names a step: step 12 (train).
func StepText(step int64, name string) string {
	if name == "" {
		return fmt.Sprintf("step %d", step)
	}
	return fmt.Sprintf("step %d (%s)", step, name)
}

// Done returns a channel that is closed when the job has ended; nil if it is not making what
// the caller wants any more.
func (j *Job) Done(making func() bool) <-chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case !making():
		return nil
	case j.done == nil:
		j.done = make(chan struct{})
	}
	return j.done
}

// Land wakes the waiters for what the job has published.
func (j *Job) Land() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.done != nil {
		close(j.done)
		j.done = nil
	}
}

// Failure is that of a step when it ran, and knows which calls have returned it.
type Failure struct {
	Err   error // as users see it
	Queue *Queue
	Cause *Failure // of the step that cancelled this one; nil if none did

	reported atomic.Bool // the step's trace has returned it
	waited   atomic.Bool // Wait of the scheduler has
}

// first is the failure that f comes from: of another step if that cancelled f's.
func (f *Failure) first() *Failure {
	for f.Cause != nil {
		f = f.Cause
	}
	return f
}

// Take marks the failure as returned by its trace, and tells whether it was not before.
func (f *Failure) Take() bool { return !f.first().reported.Swap(true) }

// Reported reports whether the step's trace has returned the failure.
func (f *Failure) Reported() bool { return f.first().reported.Load() }

// Known reports whether the step's trace or Wait of the scheduler has returned the failure.
func (f *Failure) Known() bool {
	f = f.first()
	return f.reported.Load() || f.waited.Load()
}
