package lazy

import "ltc/internal/callsite"

// A trace belongs to one goroutine at a time. enter and leave stand around what
// changes it, so that a second goroutine is found and changes nothing.

// enter reports whether no other goroutine is in the trace.
func (tr *Trace) enter() bool { return tr.busy.CompareAndSwap(0, 1) }

func (tr *Trace) leave() { tr.busy.Store(0) }

// crowded is the error of a call while another goroutine is in the trace. The
// step fails with it, too: what that one records has lost an op.
func (tr *Trace) crowded(op string, xs ...*Tensor) *OpError {
	if tr.broken != nil {
		return tr.broken
	}
	var sites callsite.Cache // the trace's are the other goroutine's
	why := "another goroutine is using the trace; a trace belongs to one goroutine at a time: give each its own, they share variables"
	if tr.queue.ClosingHere() {
		why = "a step closure must not record in the trace that runs it: record in another one, or after the step"
	}
	err := opError(sites.Caller(), op, ErrUsage, xs, "%s", why)
	tr.crowd.CompareAndSwap(nil, err)
	return err
}

// uncrowded returns the error of a call by another goroutine in the step, once
// unless the step goes on.
func (tr *Trace) uncrowded(on bool) error {
	err := tr.crowd.Load()
	switch {
	case err == nil:
		return nil
	case !on:
		tr.crowd.Store(nil)
	}
	return err
}
