package lazy

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"ltc/backends"
	"ltc/internal/border"
	"ltc/internal/callsite"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy/internal/memory"
	"ltc/lazy/internal/sched"
	"ltc/soa"
)

// value is the data of a tensor: of host data, of a version of a variable, or
// of a root. It is written once, by the program that makes it.
type value struct {
	name string
	// view has its type from the start. The rest of it may be read when wait
	// has returned nil.
	view soa.View
	// pins counts who may still read view: a step that read it as a variable,
	// a program under way, a handle that users hold. While others do, its
	// memory is not donated.
	pins atomic.Int32
	// queued is of a scalar argument, which Set may change: how many programs are to read
	// view and have not begun.
	queued atomic.Int32
	donor  atomic.Pointer[donation] // somebody has offered the memory
	gone   atomic.Pointer[donation] // a step has it
	sum    *uint64                  // of borrowed data, while checking
	// pool takes the memory when the last pin is gone, once all handles on the
	// value have been released.
	pool atomic.Pointer[memory.Pool]
	// under is the value whose memory a view shows; it is pinned with the view's.
	under *value
	// onDevice is a copy of host data in the device's memory: see [flight.useDeviceCopies].
	onDevice memory.DeviceCopy
	// over is of a version that is being made in the memory of the one before.
	over       atomic.Bool
	rolledBack atomic.Bool // a version that failed and has pinned old

	sizing   bool    // the run that makes it tells sizes of view.Type, and sets it
	scalar   bool    // a scalar argument
	number   bool    // of an op, that varies
	borrowed bool    // view is memory of the caller's
	inPlace  *shared // that memory, if in-place ops write it
	version  bool    // of a variable
	host     bool    // a version that Init or SetValues made
	captured bool    // by a function, which keeps it without a pin

	before callsite.Site // where old was assigned; written as it is

	from atomic.Pointer[flight] // what is to make the value; nil once that has ended
	// Written before from is cleared; those of a variable with its mu held.
	err   error  // of that program
	old   *value // the version before, to return to when it failed
	claim int64  // of a version: which of the device's it is of
}

// pending returns a value of type t that f is to make.
func pending(f *flight, name string, t types.Type) *value {
	v := &value{name: name, view: soa.View{Type: t}, sizing: dims.HasExpr(t.Shape...)}
	v.from.Store(f)
	return v
}

// typ returns the type of the value. If sizes of it follow from data, it waits for the run that
// tells them. A value that failed has none of their elements.
func (v *value) typ() types.Type {
	if v.sizing {
		_ = v.wait(nil, nil)
	}
	return v.view.Type
}

// ready reports whether the value is there or known never to come.
func (v *value) ready() bool { return v.from.Load() == nil }

// failed returns the error of a value that is known never to come.
func (v *value) failed() error {
	if !v.ready() {
		return nil
	}
	return v.fault()
}

// fault returns why a value that is there, or known never to come, has no elements.
func (v *value) fault() error {
	if m := v.memory(); v.err == nil && m != nil {
		return m.fault()
	}
	return v.err
}

// memory returns the memory of [Share] that v shows, nil if it is none.
func (v *value) memory() *shared {
	if v.inPlace == nil && v.under != nil {
		return v.under.inPlace
	}
	return v.inPlace
}

// wait returns when the value is there, or the error of the program that was to
// make it. A nil ctx waits without end. by is the flight that cannot run
// meanwhile, nil if there is none.
func (v *value) wait(ctx context.Context, by *flight) error {
	for {
		f := v.from.Load()
		if f == nil {
			return v.fault()
		}
		if err := f.wait(ctx, v, by); err != nil {
			return err
		}
	}
}

// publish gives the value its data, or the error in place of them. Waiters wake
// when the flight's land is called.
func (v *value) publish(view *soa.View, err error) {
	if err == nil {
		v.view.Locate(view)
	} else {
		v.err = err
	}
	if v.sizing {
		v.view.Type = sizedBy(v.view.Type, view)
	}
	v.from.Store(nil)
}

// unpin undoes the pin of a reader.
func (v *value) unpin() {
	under := v.under
	v.drop()
	if under != nil {
		under.drop()
	}
}

// drop undoes a pin; the last gives the memory of what was released back.
func (v *value) drop() {
	if v.pins.Add(-1) > 0 {
		return
	}
	v.unpinPrevious()
	if pool := v.pool.Load(); pool != nil && !v.captured && v.ready() && v.err == nil && v.donor.Load() == nil && v.gone.Load() == nil {
		pool.Recycle(v.view)
		v.view.Locate(&soa.View{})
		v.onDevice.Forget()
	}
}

// own returns v, or a copy if its memory may be changed by the host.
func (v *value) own() *value {
	if !v.scalar && !v.borrowed || v.wait(nil, nil) != nil {
		return v
	}
	end, err := v.read(nil)
	if err != nil {
		return &value{name: v.name, view: soa.View{Type: v.view.Type}, err: err}
	}
	defer end()
	dense, err := memory.Dense(v.view)
	if err != nil {
		return v
	}
	return &value{name: v.name, view: dense}
}

// materialize gives a computed tensor its value, which other roots on the same
// node share. In the midst of a step the node keeps its history, if it
// depends on a variable: reading a tensor must not change gradients.
// It returns the value, nil if another handle had made the node's before.
func (t *Tensor) materialize(v *value, final bool) *value {
	if known, ok := t.node.Value.(*value); ok {
		t.adopt(known, final)
		return nil
	}
	t.dev.born(v, "result", t.node.Loc)
	if final {
		t.node.Value, t.node.Root = v, true // until the step has ended
	} else {
		history := t.node.Tracked()
		if history && len(t.tr.read) >= maxRead {
			history, t.tr.forgotten = false, true
		}
		t.node.Materialize(v, history)
	}
	t.adopt(v, final)
	return v
}

// maxRead is how many tensors that were read in one step keep their history:
// the step must not grow without end.
const maxRead = 10_000

// adopt makes v the value of t, at the end of the step or in its midst.
func (t *Tensor) adopt(v *value, final bool) {
	v.pins.Add(1)
	t.val = v
	t.tr.survived++
	switch {
	case final:
		t.detach()
	case t.node.Tracked() && len(t.tr.read) < maxRead:
		t.tr.read = append(t.tr.read, t) // gradients still go through its node
	default:
		// An argument of its own: a step may read millions.
		loc := t.tr.b.SetLoc(t.node.Loc)
		t.node = t.tr.b.Detached(t.node.Type, v.name, v) // the step goes on with its sizes
		t.node.SetRead()
		t.tr.b.SetLoc(loc)
	}
}

// detach makes t, which has a value, independent of the step it was recorded
// in.
func (t *Tensor) detach() {
	if t.node != nil {
		t.loc = t.node.Loc
	}
	t.node, t.epoch = nil, 0
}

// assignment is a variable that a program assigns.
type assignment struct {
	v      *variable
	read   *value // the version that the program read
	result int    // of the program
	arg    int    // the argument that read is
	site   callsite.Site

	next *value // the version that the program makes
}

// claim announces the new versions that f makes: later reads of the variables wait for
// them. It also announces which memory of [Share] f uses.
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
