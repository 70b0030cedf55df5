package lazy

import (
	"context"
	"errors"

	"ltc/lazy/internal/sched"
)

// A version of a variable whose step failed has never been: the version before it
// holds. Readers in other traces that had taken the failed version as an operand
// read the one before instead. A step thus fails only of its own program, of its own
// context, or of operands that nobody else can give it. The trace of the failed step
// itself hears of the failure.

// effective returns the version that holds in place of v: v itself unless it is a
// version of a variable whose step failed. Steps of q keep the versions that q
// failed to make until q's trace has heard of it; nil is no trace's queue.
func (v *value) effective(q *sched.Queue) *value {
	for old := v.fallback(); old != nil && !isOwnUnreported(v.err, q); old = v.fallback() {
		v = old
	}
	return v
}

// effectiveForTensor is effective for a tensor of q's trace, which keeps the error for good.
func (v *value) effectiveForTensor(q *sched.Queue) *value {
	for old := v.fallback(); old != nil && !ownFailure(v.err, q); old = v.fallback() {
		v = old
	}
	return v
}

// fallback returns the version before v if that is one that failed, or nil.
func (v *value) fallback() *value {
	if !v.version || v.failed() == nil {
		return nil
	}
	return v.old
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
		next := v.effectiveForTensor(t.queue())
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
