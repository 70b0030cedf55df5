package lazy

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/sched"
)

// steps is a device as its scheduler knows it.
type steps struct{ *Device }

func (d steps) NewJob(q *sched.Queue) *sched.Job { return &d.newFlight(q).Job }

func (d steps) Waited(start time.Time) { d.metrics.Since(metrics.LockWait, start) }

// Failed counts and logs the failure of a step: for debugging if MarkStep returns it
// at once, as information if it comes back later.
func (d steps) Failed(f *sched.Failure, level slog.Level) {
	e, _ := errors.AsType[*StepError](f.Err)
	d.metrics.Add(metrics.StepFailed, 1)
	d.log(level, "step failed", slog.Int64("step", e.Step), slog.String("name", e.Name), slog.Any("error", e.Err))
}

// Wait returns when the steps marked so far have ended and their closures have
// returned, or ctx is done: then they go on all the same. Its error is ctx's, or
// what has failed since the last report. It may be called from any goroutine,
// but not from a closure of the trace's own steps.
func (tr *Trace) Wait(ctx context.Context) error {
	if tr = tr.some(); tr.broken != nil {
		return tr.broken
	}
	return waitError("wait", tr.queue.Wait(ctx))
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
	return waitError("wait", d.sched.Wait(ctx))
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
	if !d.sched.Close() {
		d.warnUnmarked()
	}
	return d.Wait(context.Background())
}
