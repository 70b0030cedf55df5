package lazy

import (
	"context"
	"errors"
	"fmt"

	"ltc/backends"
	"ltc/internal/border"
	"ltc/internal/callsite"
	"ltc/lazy/internal/sched"
)

// assignment is a variable that a program assigns.
type assignment struct {
	v      *variable
	read   *value // the version that the program read
	result int    // of the program
	arg    int    // the argument that read is
	site   callsite.Site

	next *value // the version that the program makes
}

// claim announces the new versions that f makes: who reads a variable from now
// on waits for them. It also announces which memory of [Share] f uses.
func (d *Device) claim(f *flight) error {
	shares := f.usesShared()
	if len(f.assigns) == 0 && !shares {
		return nil
	}
	d.commit.Lock()
	defer d.commit.Unlock()
	for i := range f.assigns {
		a := &f.assigns[i]
		a.v.mu.Lock()
		read := a.read.effective(f.Queue)
		taken, past, host := a.v.now != read, a.v.assigned, a.v.now.host
		a.v.mu.Unlock()
		if err := read.failed(); err != nil { // of the trace's own step, since this one read it
			return err
		}
		if taken {
			return conflict(a, past, host)
		}
	}
	if shares {
		f.claimShared()
	}
	if len(f.assigns) == 0 {
		return nil
	}
	claim := d.sched.Claim()
	for i := range f.assigns {
		a := &f.assigns[i]
		a.next = pending(f, a.v.name, a.v.typ)
		a.next.version, a.next.claim = true, claim
		d.born(a.next, "variable", a.v.made)
		a.v.mu.Lock()
		a.v.waits.Store(0)
		a.next.old, a.next.before, a.v.assigned, a.v.now = a.v.now, a.v.assigned, a.site, a.next
		a.v.mu.Unlock()
	}
	return nil
}

// takeOver reports whether the program may write the new version where the one before
// is, which nobody else reads. The claim hides that one from all but step closures; they
// wait for the new version from here on, which waits for nothing any more.
func (a *assignment) takeOver() bool {
	if a.read.shared() {
		return false
	}
	a.next.over.Store(true)
	if a.read.shared() { // a closure has pinned it since
		a.next.over.Store(false)
		return false
	}
	return true
}

// conflict is the error of a step that assigns a version which is not the latest
// any more: since it read that, the host or a trace has made another at past.
func conflict(a *assignment, past callsite.Site, host bool) error {
	what := fmt.Sprintf("another trace assigned it at %v since this step read it: record the step again, and end a step that assigns it before another one reads it", past)
	if host {
		what = fmt.Sprintf("it was set at %v since this step read it: record the step again, and set it before a step reads it", past)
	}
	return opError(a.site, "mark_step", ErrConflict, nil, "variable %q is assigned at %v, but %s", a.v.name, a.site, what)
}

// settle makes the new version that of the program, or takes it back, and with
// it those before it that failed, too.
func (a *assignment) settle(f *flight, err error) {
	v := a.v
	v.mu.Lock()
	if err == nil {
		a.next.view.Locate(&f.call.Results[a.result])
		a.next.old = nil
	} else {
		a.next.err = fmt.Errorf("variable %q has no new value: the program that assigns it at %v failed: %w", v.name, a.site, err)
		if _, ok := errors.AsType[*StepError](err); ok { // others come back at once
			v.failed = a.next.err
		}
		for v.now.err != nil {
			v.assigned, v.now = v.now.before, v.now.old
		}
		a.next.rollBack()
		if f.mayHaveWritten(f.args[a.arg], a.result, err) {
			v.invalidate(overwritten(a.site, v.name, err))
		}
	}
	v.mu.Unlock()
	a.next.from.Store(nil)
}

// overwritten is the error of a variable whose values a run that failed with err may have
// written over.
func overwritten(at callsite.Site, name string, err error) *OpError {
	kind, by := border.ErrBroken, "the run of a backend that broke its contract"
	if errors.Is(err, backends.ErrWritten) {
		kind, by = backends.ErrWritten, "a run that failed after it had begun to write results"
	}
	if queued, ok := errors.AsType[queuedError](err); ok {
		kind, by = queued.error, "a run that was queued when the device failed"
	}
	return opError(at, "mark_step", kind, nil, "variable %q may have been written over by %s: give it values again, by Init or SetValues; %v", name, by, err)
}

// A version of a variable whose step failed has never been: the version before it
// holds. Readers in other traces that had taken the failed version as an operand
// read the one before instead. A step thus fails only of its own program, of its own
// context, or of operands that nobody else can give it. The trace of the failed step
// itself hears of the failure.

// effective returns the version that holds in place of v: v itself unless it is a
// version of a variable whose step failed. Steps of q keep the versions that q
// failed to make until q's trace has heard of it; nil is no trace's queue.
func (v *value) effective(q *sched.Queue) *value {
	return v.standIn(q, isOwnUnreported)
}

// standIn is effective where steps of q, or its tensors, keep versions that failed with
// errors that own is true of.
func (v *value) standIn(q *sched.Queue, own func(error, *sched.Queue) bool) *value {
	for v.version && v.failed() != nil && v.old != nil && !own(v.err, q) {
		v = v.old
	}
	return v
}

// ownFailure reports whether err is the failure of a step of q.
func ownFailure(err error, q *sched.Queue) bool {
	if q == nil || err == nil {
		return false
	}
	e, ok := errors.AsType[*StepError](err)
	return ok && e.failure.Queue == q
}

// isOwnUnreported reports whether err is a failure of a step of q that its trace has not returned.
func isOwnUnreported(err error, q *sched.Queue) bool {
	if !ownFailure(err, q) {
		return false
	}
	e, _ := errors.AsType[*StepError](err)
	return !e.failure.Reported()
}

// rollBack has v, a version whose step failed, pin the version before it for as long as
// readers have v pinned: they read that one.
func (v *value) rollBack() {
	v.old.pins.Add(1)
	v.rolledBack.Store(true)
	if v.pins.Load() == 0 {
		v.unpinPrevious()
	}
}

// unpinPrevious undoes rollBack, once.
func (v *value) unpinPrevious() {
	if v.rolledBack.Load() && v.rolledBack.Swap(false) {
		v.old.drop()
	}
}

// shared reports whether anybody but one reader, who has pinned v, may read v or the
// version that stands in for it.
func (v *value) shared() bool {
	for v.pins.Load() <= 1 {
		if !v.version || v.failed() == nil || v.old == nil {
			return false
		}
		v = v.old
	}
	return true
}

// await waits for v or the version that stands in for it. The error is ctx's, that of
// a wait without end, or says which step was to make v.
func (f *flight) await(v *value) (*value, error) {
	for {
		err := v.wait(f.ctx, f)
		if err == nil {
			return v, nil
		}
		next := v.effective(f.Queue)
		if next == v {
			if v.failed() != nil && !ownFailure(err, f.Queue) {
				err = operandError{err}
			}
			return nil, err
		}
		v = next
	}
}

// awaitValue waits for v, a value of t that is pinned. It returns v or, pinned in its
// place, the version that stands in for it; nil if t is to be looked at anew, which
// failed steps have left as it was before.
func (t *Tensor) awaitValue(ctx context.Context, v *value) (*value, error) {
	for {
		err := v.wait(ctx, nil)
		if err == nil {
			return v, nil
		}
		if v.failed() == nil { // the wait itself has failed
			v.drop()
			return nil, err
		}
		if t.v != nil || t.restorable() && isReported(err) {
			v.drop()
			return nil, nil
		}
		next := v.standIn(t.queue(), ownFailure) // a tensor of the trace keeps its error for good
		if next == v {
			v.drop()
			return nil, err
		}
		next.pins.Add(1)
		v.drop()
		v = next
	}
}

// queue returns that of t's trace; nil if it has none.
func (t *Tensor) queue() *sched.Queue {
	if t.tr == nil {
		return nil
	}
	return t.tr.queue
}

// operandError is why a step has no operand: a step of another trace failed. It is
// what that failed of, but for a context, which is not the step's own.
type operandError struct{ err error }

func (e operandError) Error() string {
	at := ""
	if s, ok := errors.AsType[*StepError](e.err); ok && s.marked != 0 {
		at = ", which another trace made in the step marked at " + s.marked.String() + ","
	}
	return "an operand" + at + " has no value: " + e.err.Error()
}

// Is hides whether a context was done that is another step's.
func (e operandError) Is(target error) bool {
	return target != context.Canceled && target != context.DeadlineExceeded && errors.Is(e.err, target)
}

// As finds the errors that the other step failed with.
func (e operandError) As(target any) bool { return errors.As(e.err, target) }
