package lazy

import (
	"errors"
	"fmt"
	"strings"

	"ltc/internal/callsite"
	"ltc/lazy/internal/sched"
)

var (
	// ErrCancelled: a step did not run because one before it in its trace had
	// failed. The error wraps that one's.
	ErrCancelled = errors.New("cancelled")
	// ErrClosed: the device was closed.
	ErrClosed = errors.New("device is closed")
)

// StepError is the failure of a step when it ran. It comes back once from the MarkStep
// or Wait of the step's trace, whoever has met it elsewhere. Tensors that the step was to
// make keep it. The first read of a variable after the failure returns it, too, unless
// the trace has returned it by then.
type StepError struct {
	Step int64  // counts the MarkSteps of the trace, from 1
	Name string // as given to [Trace.NameStep]
	Err  error

	marked  callsite.Site // 0 if unknown
	failure *sched.Failure
}

// Error prints step 12 (train): train.go:41: stablehlo.dot_general: reason.
func (e *StepError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "step %d", e.Step)
	if e.Name != "" {
		fmt.Fprintf(&b, " (%s)", e.Name)
	}
	return b.String() + ": " + e.Err.Error()
}

// Unwrap returns what went wrong.
func (e *StepError) Unwrap() error { return e.Err }

// stepError makes the error of f's step.
func (f *flight) stepError(err error) *StepError {
	e := &StepError{Step: f.Step, Name: f.Name, Err: err, marked: f.Site()}
	e.failure = &sched.Failure{Err: e, Queue: f.Queue}
	return e
}

// Failed makes the failure of f's step, or of one behind a cause.
func (f *flight) Failed(err error, cause *sched.Failure) *sched.Failure {
	if cause != nil {
		err = fmt.Errorf("%w, because a step before it failed: %w", ErrCancelled, cause.Err)
	}
	e := f.stepError(err)
	e.failure.Cause = cause
	return e.failure
}

// isReported reports whether the step's trace or Device.Wait has returned the failure err. It
// is true of nil, and of errors that are no step's: those came back at once.
func isReported(err error) bool {
	e, ok := errors.AsType[*StepError](err)
	return !ok || e.failure.Known()
}

// closedError is the error of what a closed device does not do any more.
func closedError(at callsite.Site, op string, d *Device, operands ...*Tensor) *OpError {
	return opError(at, op, ErrClosed, operands, "device %s is closed: close it after its last use, or open another", d)
}

// errClosure: a step closure waited for what waits for it.
var errClosure = fmt.Errorf("step closure: %w", ErrUsage)

// closureWaits is the error of a step closure that waits for its own trace.
func closureWaits(op string) error {
	var sites callsite.Cache
	return opError(sites.Caller(), op, errClosure, nil, "%v", sched.ErrClosure)
}

// waitError makes an error of op out of one of a wait.
func waitError(op string, err error) error {
	if err == sched.ErrClosure {
		return closureWaits(op)
	}
	e, ok := err.(*sched.Endless)
	if !ok {
		return err
	}
	kind := ErrUsage
	if e.Closure {
		kind = errClosure
	}
	return opError(e.Site, e.Op, kind, nil, "%s", e.Reason)
}
