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

// StepError is the failure of a step when it ran. It comes back once from the MarkStep
// or Wait of the step's trace, whoever has met it elsewhere. Tensors that the step was to
// make keep it. The first read of a variable after the failure returns it, too, unless
// the trace has returned it by then.
type StepError struct {
	Step int64  // counts the MarkSteps of the trace, from 1
	Name string // as given to [Trace.NameStep]
	Err  error

	q        *queue        // of the trace
	marked   callsite.Site // 0 if unknown
	cause    *StepError    // the step whose failure cancelled this one; nil if none
	reported atomic.Bool   // the trace has returned it
	waited   atomic.Bool   // Device.Wait has
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
	return &StepError{Step: f.step, Name: f.name, Err: err, q: f.q, marked: f.site()}
}

// cancelled makes the error of a step behind one that failed.
func (f *flight) cancelled(cause *StepError) *StepError {
	e := f.stepError(fmt.Errorf("%w, because a step before it failed: %w", ErrCancelled, cause))
	e.cause = cause
	return e
}

// first is the failure that e comes from: of another step if that cancelled e's.
func (e *StepError) first() *StepError {
	for e.cause != nil {
		e = e.cause
	}
	return e
}

// take marks the failure as reported, and tells whether it was not before.
func (e *StepError) take() bool { return !e.first().reported.Swap(true) }

// isReported reports whether the step's trace or Device.Wait has returned the failure err. It
// is true of nil, and of errors that are no step's: those came back at once.
func isReported(err error) bool {
	e, ok := errors.AsType[*StepError](err)
	if !ok {
		return true
	}
	e = e.first()
	return e.reported.Load() || e.waited.Load()
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
