package lazy

import (
	"errors"
	"fmt"

	"ltc/internal/border"
	"ltc/internal/callsite"
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
// on waits for them.
func (d *Device) claim(f *flight) error {
	if len(f.assigns) == 0 {
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
			v.invalidate(opError(a.site, "mark_step", border.ErrBroken, nil, "variable %q may have been written over by the run of a backend that broke its contract: give it values again, by Init or SetValues; %v", v.name, err))
		}
	}
	v.mu.Unlock()
	a.next.from.Store(nil)
}
