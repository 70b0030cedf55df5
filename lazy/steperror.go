package lazy

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"ltc/internal/callsite"
)

var (
	// ErrCancelled: a step did not run because one before it in its trace had
	// failed. The error wraps that one's.
	ErrCancelled = errors.New("cancelled")
	// ErrClosed: the device was closed.
	ErrClosed = errors.New("device is closed")
)

// StepError is the failure of a step when it ran. It comes back once, from the
// first of MarkStep, Wait and reading something that the step was to make;
// tensors that it was to make keep it.
type StepError struct {
	Step int64  // counts the MarkSteps of the trace, from 1
	Name string // as given to [Trace.NameStep]
	Err  error

	q        *queue     // of the trace
	cause    *StepError // the step whose failure cancelled this one; nil if none
	reported atomic.Bool
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
	return &StepError{Step: f.step, Name: f.name, Err: err, q: f.q}
}

// cancelled makes the error of a step behind one that failed.
func (f *flight) cancelled(cause *StepError) *StepError {
	e := f.stepError(fmt.Errorf("%w, because a step before it failed: %w", ErrCancelled, cause))
	e.cause = cause
	return e
}

// take marks the failure as reported, and that which caused it, and tells
// whether it was not before.
func (e *StepError) take() bool {
	if e.cause != nil {
		return e.cause.take()
	}
	return !e.reported.Swap(true)
}

// takeStep is take for an error of reading: that of the step it names first.
// Errors of no step are always new.
func takeStep(err error) bool {
	e, ok := errors.AsType[*StepError](err)
	return !ok || e.take()
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
	return opError(sites.Caller(), op, errClosure, nil,
		"a step closure waits for the trace that runs it, which goes on only when the closure has returned; do this on another goroutine or after Wait")
}
