package lazy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"ltc/backends"
	"ltc/internal/border"
	"ltc/internal/callsite"
	"ltc/ir/types"
	"ltc/lazy/internal/account"
	"ltc/lazy/internal/execution"
	"ltc/lazy/internal/guard"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/programs"
	"ltc/lazy/internal/sched"
	"ltc/soa"
)

// flight is one run of a program, from the claim of the variables it assigns to
// the end. It is used again afterwards: who waits for a value asks the value,
// not the flight, whether it is there.
type flight struct {
	sched.Job
	dev  *Device
	slab *soa.Slab // of small results; nil for what may run beside the queue

	ctx      context.Context
	program  *programs.Program
	count    *account.Account[SyncReason]
	call     backends.Call
	args     []*value
	pinned   []*value      // unpinned at the end
	indices  guard.Indices // what they are to be
	assigns  []assignment
	dests    []destination
	donors   []donor
	accesses []access // to memory of Share
	own      []bool   // the call has memory for results[i]
	roots    []*value // of results[i]; nil for one that has its value from another
}

// newFlight returns a flight for steps of q; nil for calls.
func (d *Device) newFlight(q *sched.Queue) *flight {
	f := &flight{dev: d, Job: sched.Job{Queue: q}}
	f.Work = f
	return f
}

// Reset makes the flight ready for another run.
func (f *flight) Reset() {
	f.unpin()
	f.endShared()
	f.Job.Reset()
	f.ctx, f.program, f.count, f.slab, f.indices = nil, nil, nil, nil, guard.Indices{}
	for _, s := range []*[]*value{&f.args, &f.roots} {
		clear(*s)
		*s = (*s)[:0]
	}
	clear(f.assigns)
	clear(f.dests)
	clear(f.donors)
	f.dests, f.donors = f.dests[:0], f.donors[:0]
	clear(f.call.Args)
	clear(f.call.Results[:cap(f.call.Results)]) // the backend may have made it shorter
	f.assigns, f.call.Args, f.call.Results = f.assigns[:0], f.call.Args[:0], f.call.Results[:0]
}

// wait waits until v, which the flight makes, is there or the flight has failed.
// The error is ctx's, or that of a wait that would never end. by is who waits, if
// it is a flight.
func (f *flight) wait(ctx context.Context, v *value, by *flight) error {
	if f.Queue != nil && f.Queue.ClosingHere() {
		return closureWaits("value")
	}
	w := sched.Wait{Op: "value", Job: &f.Job, Done: f.Done(func() bool { return v.from.Load() == f })}
	if w.Done == nil {
		return nil
	}
	if by != nil {
		w.By = &by.Job
	}
	if f.Queue != nil {
		defer f.dev.metrics.Since(metrics.LockWait, time.Now())
	}
	return waitError("value", w.Until(ctx))
}

// Run waits for the arguments and runs the program. Nothing is published yet.
func (f *flight) Run() error {
	if err := f.ctx.Err(); err != nil {
		return fmt.Errorf("before it ran: %w", context.Cause(f.ctx))
	}
	if f.program == nil {
		return f.waitForClosures() // the step had these and nothing to compute
	}
	if err := f.gather(); err != nil {
		return err
	}
	return f.execute()
}

// gather collects the arguments and decides about the memory of the results.
func (f *flight) gather() error {
	if err := f.awaitShared(); err != nil {
		return err
	}
	if !f.Queued {
		f.call.Args = slices.Grow(f.call.Args[:0], len(f.args))[:len(f.args)]
	}
	f.call.Results = f.call.Results[:0]
	for i, asked := range f.args {
		v, err := f.await(asked)
		if err != nil {
			return err
		}
		if v != asked {
			f.args[i] = v
		}
		if err := v.intact(); err != nil {
			return err
		}
		if !f.Queued || !v.scalar {
			f.call.Args[i] = v.view
		}
	}
	if err := f.lookAtIndices(); err != nil {
		return err
	}
	n := len(f.program.Graph.Results)
	f.call.Results = slices.Grow(f.call.Results, n)[:n] // zero: see reset
	f.own = slices.Grow(f.own[:0], n)[:n]
	for i := range f.dests {
		f.call.Results[f.dests[i].result] = f.dests[i].view
	}
	for i, strides := range f.program.Small {
		// Others are of the backend's memory, or take over an argument's.
		if strides != nil && f.slab != nil && f.call.Results[i].IsZero() {
			f.call.Results[i] = f.slab.Make(f.program.Graph.Results[i].Type, strides)
		}
		f.own[i] = !f.call.Results[i].IsZero()
	}
	if f.dev.memory.Remote != nil {
		f.useDeviceCopies()
	}
	return f.spare()
}

// runProgram hands the call to the program, and notes if its backend cannot be trusted.
func (f *flight) runProgram() error {
	var before []uint64
	if checking {
		before = f.donatedSums()
	}
	f.call.Queue = f.dev.backend.Queue()
	args, results := f.call.Args, f.call.Results
	err := f.executeProgram()
	if f.dev.copies.GiveUp(err) {
		f.call.Args, f.call.Results = args, results
		for i, own := range f.own {
			if !own { // the run that has failed may have given it memory
				results[i] = soa.View{}
			}
		}
		err = f.executeProgram()
	}
	if err == nil {
		return f.waitForClosures()
	}
	if out, ok := errors.AsType[*guard.OutOfRange](err); ok && !overwrites(err) {
		err = f.indexError(out)
	} else {
		err = atLine(f.program, err)
	}
	if checking {
		err = f.checkUnwritten(err, before)
	}
	if overwrites(err) || errors.Is(err, border.ErrPanicked) {
		f.dev.distrusted.Store(true)
	}
	return err
}

// notePeak notes what the program takes, which is about to run or to be queued.
func (f *flight) notePeak() {
	if f.program != nil {
		f.raise(execution.Of(f.program).Peak)
	}
}

func (f *flight) raise(peak int64) {
	f.count.Raise(peak)
	f.dev.all.Raise(peak)
}

func (f *flight) executeProgram() error {
	e := execution.Of(f.program)
	err := e.Execute(f.ctx, &f.call)
	if took, open := e.Took(&f.call); open && err == nil {
		f.raise(took)
	}
	if n := e.Copied(); n > 0 {
		f.dev.metrics.Sample(metrics.CopiedBytes, float64(n))
		f.dev.all.Copied.Add(n)
		f.count.Copied.Add(n)
	}
	return err
}

// waitForClosures has the closures of a step called when the device is done with it and with
// those before it. The end of the step's context is no failure of what is queued, which may
// write over variables.
func (f *flight) waitForClosures() error {
	if f.dev.backend.Queue() == nil || len(f.After) == 0 {
		return nil
	}
	if err := f.dev.backend.Wait(context.WithoutCancel(f.ctx)); err != nil {
		return queuedError{err}
	}
	return nil
}

// queuedError is the failure of the device after a run was queued.
type queuedError struct{ error }

func (e queuedError) Unwrap() error { return e.error }

// spare gives results memory of their own where what is donated to them is still
// read, or the backend has broken its contract before.
func (f *flight) spare() error {
	for _, o := range f.donors {
		if o.copied || o.result >= 0 && f.dev.distrusted.Load() {
			if err := f.copied(o.result, o.d.t.dev, "", o.d.v.view.Type, o.d.site); err != nil {
				return fmt.Errorf("a copy of the tensor donated at %v, which is still read: %w", o.d.site, err)
			}
		}
	}
	for i := range f.assigns {
		a := &f.assigns[i]
		if f.dev.distrusted.Load() || !a.takeOver() {
			if err := f.copied(a.result, a.v.dev, a.v.name, a.v.typ, a.site); err != nil {
				return fmt.Errorf("a copy of variable %q, whose version before is still read: %w", a.v.name, err)
			}
		}
	}
	return nil
}

func (f *flight) copied(result int, d *Device, name string, t types.Type, at callsite.Site) error {
	view, err := d.memory.Resident(t)
	if err != nil {
		return err
	}
	f.call.Results[result], f.own[result] = view, true
	d.donationCopied(name, t, at, f.count)
	return nil
}

// donationCopied counts and logs that what is donated at a line, by an assignment
// if name is that of a variable, is still read, and that the result gets new
// memory.
func (d *Device) donationCopied(name string, t types.Type, at callsite.Site, by *account.Account[SyncReason]) {
	d.count(metrics.DonationCopy, by)
	if d.logs(slog.LevelDebug) {
		d.log(slog.LevelDebug, "donated memory copied", slog.String("variable", name), slog.String("at", at.String()),
			slog.Int("bytes", t.Bytes()), slog.String("because", "it is still read"))
	}
}

// mayHaveWritten reports whether a run that ended with err may have written v, whose
// memory is an argument donated to a result: only one that was queued, or whose backend
// broke its contract, may have.
func (f *flight) mayHaveWritten(v *value, result int, err error) bool {
	if _, queued := errors.AsType[queuedError](err); !queued && !overwrites(err) {
		return false
	}
	return border.MayHaveWritten(&f.call, result, f.own[result], &v.view)
}

// overwrites reports whether a run that ended with err may have written over what was donated to
// it: its results are refused, or the backend says that it may have.
func overwrites(err error) bool {
	return errors.Is(err, border.ErrBroken) || errors.Is(err, backends.ErrWritten)
}

// runHere runs f, which has claimed what it assigns, on its caller's goroutine and settles it.
func (f *flight) runHere() (err error) {
	err = sched.ErrExited // unless run returns
	defer func() {
		if r := recover(); r != nil {
			err = sched.Panicked(r)
		}
		f.Settle(err)
	}()
	err = f.Run()
	return err
}

// execute hands the call to the backend.
func (f *flight) execute() error {
	f.count.Runs.Add(1)
	f.dev.all.Runs.Add(1)
	if f.Queue == nil || f.dev.runsInline() {
		return f.runProgram()
	}
	start := time.Now()
	err := f.runProgram()
	if took := time.Since(start); err == nil {
		f.program.Measured(took)
		f.dev.metrics.Sample(metrics.ExecuteTime, float64(took))
	}
	return err
}

// Settle publishes what the run made, or its error, takes back assignments that
// failed, and lets go of what was held.
func (f *flight) Settle(err error) {
	if err != nil { // while what they fall back to is pinned
		f.settleAssigns(err)
	}
	f.unpin()
	if f.Queued {
		f.unqueue()
	}
	if err == nil {
		f.settleAssigns(nil)
	}
	for i, v := range f.roots {
		switch {
		case v == nil:
		case err != nil:
			v.publish(nil, err)
		default:
			v.publish(&f.call.Results[i], nil)
		}
	}
	f.settleShared(err)
	f.endShared()
	f.Land()
}

func (f *flight) settleAssigns(err error) {
	for i := range f.assigns {
		f.assigns[i].settle(f, err)
	}
	for i := range f.donors {
		if o := &f.donors[i]; o.result >= 0 && !o.copied && f.mayHaveWritten(o.d.v, o.result, err) {
			o.d.v.err = fmt.Errorf("the tensor donated at %v may have been written over: %w", o.d.site, err)
		}
	}
}

func (f *flight) unpin() {
	for _, v := range f.pinned {
		v.drop()
	}
	clear(f.pinned)
	f.pinned = f.pinned[:0]
}

// enqueue takes the scalar arguments as they are now: Set does not change them
// for this run. The step was marked at site.
func (f *flight) enqueue(site callsite.Site) {
	f.Queued = true
	f.Mark(site)
	f.call.Args = slices.Grow(f.call.Args[:0], len(f.args))[:len(f.args)]
	for i, v := range f.args {
		if v.scalar {
			v.queued.Add(1)
			f.call.Args[i] = v.view
		}
	}
}

func (f *flight) unqueue() {
	f.Queued = false
	for _, v := range f.args {
		if v.scalar {
			v.queued.Add(-1)
		}
	}
}

// waiting reports whether an argument is still on its way, or others use memory that the flight
// has claimed.
func (f *flight) waiting() bool {
	for _, a := range f.accesses {
		if !a.Ready() {
			return true
		}
	}
	for _, v := range f.args {
		if !v.effective(f.Queue).ready() {
			return true
		}
	}
	return false
}

// useDeviceCopies gives the run copies, in the device's memory, of host data that an earlier run
// has read, too: weights of a model, or data of all steps. A run that is the first to read
// a value copies it in pieces beside its kernels, and most values are read by one run only.
func (f *flight) useDeviceCopies() {
	for i, v := range f.args {
		if v.scalar || v.borrowed || v.view.Remote() != nil || slices.Contains(f.program.Graph.Alias, i) {
			continue
		}
		if there := v.onDevice.Of(&v.view, f.dev.backend, &f.dev.copies); there != nil {
			f.call.Args[i] = *there
		}
	}
}

// donated calls yield with the arguments whose memory the run may write, and their results.
func (f *flight) donated(yield func(v *value, result int)) {
	for i := range f.assigns {
		if a := &f.assigns[i]; !f.own[a.result] {
			yield(f.args[a.arg], a.result)
		}
	}
	for i := range f.donors {
		if o := &f.donors[i]; o.result >= 0 && !f.own[o.result] {
			yield(o.d.v, o.result)
		}
	}
	for i := range f.dests {
		if d := &f.dests[i]; d.past != nil {
			yield(f.args[d.arg], d.result)
		}
	}
}

// donatedSums returns the sums of what the run may write.
func (f *flight) donatedSums() []uint64 {
	var sums []uint64
	f.donated(func(v *value, _ int) {
		sum, _ := checksum(v.view)
		sums = append(sums, sum)
	})
	return sums
}

// checkUnwritten returns err, with which the run has failed, or says that it has written all
// the same. What was donated to it had the sums before.
func (f *flight) checkUnwritten(err error, before []uint64) error {
	if overwrites(err) {
		return err
	}
	written := -1
	f.donated(func(v *value, result int) {
		if sum, _ := checksum(v.view); sum != before[0] {
			written = result
			if result < len(f.call.Results) {
				f.call.Results[result] = soa.View{}
			}
		}
		before = before[1:]
	})
	if written < 0 {
		return err
	}
	return fmt.Errorf("%w: a run that fails must write nothing, and this one has written over what was donated to result %d: %w", border.ErrBroken, written, err)
}
