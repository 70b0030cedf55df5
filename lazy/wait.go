package lazy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/sched"
	"ltc/lazy/internal/settings"
)

// AfterStep has fn called once when the step being recorded has ended, with nil
// or the step's error. Closures are called in the order of AfterStep, after the step's
// results are there and before the trace's next step runs. They are called on the
// goroutine that runs the trace's steps, or within MarkStep.
//
// fn may read the results of this step and earlier ones. It sees variables as this step
// left them. Where a step of another trace is writing over such a variable, reading waits
// for what it writes. Two variables may so be of different steps.
//
// fn must not record in this trace, which may be at the next step already. It is an error
// to wait for this trace, to mark a step of it or to read results of later ones. It is
// also one to wait for another trace that waits for these. Waits through a channel of
// the caller's own are not seen.
//
// A panic in fn is a failure of the step, which the next MarkStep or Wait returns: the
// step's results stay, and other closures are called all the same.
//
// More than the environment variable LTC_MAX_ASYNC_QUEUE allows for one step,
// 1024 unless it is set, make the step fail.
func (tr *Trace) AfterStep(fn func(failed error)) {
	tr = tr.some()
	switch {
	case fn == nil:
		tr.fail(opError(tr.site(), "after_step", ErrUsage, nil, "the function is nil"))
	case len(tr.after) == tr.dev.closures:
		tr.fail(opError(tr.site(), "after_step", ErrUsage, nil, "the step has %s already; one closure may do all of it, or set %s", diag.Count(tr.dev.closures, "closure"), settings.Closures.Name))
	default:
		tr.after = append(tr.after, fn)
	}
}

// queueOwner is a device as its scheduler knows it.
type queueOwner struct{ *Device }

func (d queueOwner) NewJob(q *sched.Queue) *sched.Job { return &d.newFlight(q).Job }

func (d queueOwner) Waited(start time.Time) { d.metrics.Since(metrics.LockWait, start) }

// Failed counts and logs the failure of a step: for debugging if MarkStep returns it
// at once, as information if it comes back later.
func (d queueOwner) Failed(f *sched.Failure, level slog.Level) {
	e, _ := errors.AsType[*StepError](f.Err)
	d.metrics.Add(metrics.StepFailed, 1)
	d.log(level, "step failed", slog.Int64("step", e.Step), slog.String("name", e.Name), slog.Any("error", e.Err))
}

// Wait returns when the steps marked so far have ended and their closures have
// returned, or ctx is done: then they go on all the same. Its error is ctx's, or
// what has failed since the last report. A device that is lost is an error of each Wait. It
// may be called from any goroutine, but not from a closure of the trace's own steps.
func (tr *Trace) Wait(ctx context.Context) error {
	if tr = tr.some(); tr.broken != nil {
		return tr.broken
	}
	return tr.dev.settled(ctx, waitError("wait", tr.queue.Wait(ctx)))
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
	return d.settled(ctx, waitError("wait", d.sched.Wait(ctx)))
}

// settled waits for what runs that have returned have left queued on the device. before is
// the error of a wait for the runs, if there was one.
func (d *Device) settled(ctx context.Context, before error) error {
	ctx = cmp.Or(ctx, context.Background())
	if before != nil && ctx.Err() != nil {
		return before
	}
	err := d.backend.Wait(ctx)
	switch {
	case err == nil:
		return before
	case ctx.Err() != nil:
		err = fmt.Errorf("wait: waiting for what is queued on %v: %w", d, err)
	}
	if before == nil {
		return err
	}
	return errors.Join(before, err)
}

// reach waits for what is queued on the device before v is read, if the context may end
// first: copies of the device's memory have none.
func (d *Device) reach(ctx context.Context, v *value) error {
	if ctx.Done() == nil || v.view.Remote() == nil {
		return nil
	}
	return d.backend.Wait(ctx)
}

// Close waits for what is queued on the device and returns what Wait would. It also waits for
// code that is still being compiled ([Tiers]). Assignments
// of steps that were not marked are lost, which is a warning with a line for each trace.
// From then on marking steps and calling functions are errors wrapping
// [ErrClosed]; values stay readable. A device that is not closed is freed like
// anything else when nothing refers to it.
func (d *Device) Close() error {
	if !d.opens() {
		return notOpened("close")
	}
	if !d.sched.Close() {
		d.warnUnmarked()
	}
	err := d.Wait(context.Background())
	for _, p := range d.programs.Compiled() { // no code of the device is compiled any more
		err = cmp.Or(err, finish(context.Background(), p))
	}
	return err
}

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
func (e *StepError) Error() string { return sched.StepText(e.Step, e.Name) + ": " + e.Err.Error() }

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
	return opError(callsite.Caller(), op, errClosure, nil, "%v", sched.ErrClosure)
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
