package lazy

import (
	"context"
	"errors"
	"fmt"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/soa"
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

// execute runs a program on args, which the caller has pinned, and gives the
// variables their new versions. call is memory to use; its Results are those of
// the program afterwards.
func (d *Device) execute(ctx context.Context, p *program, call *backends.Call, args []*value, assigns []assignment, c *counters) error {
	if err := d.claim(assigns); err != nil {
		return err
	}
	err := errors.New("the backend panicked") // unless invoke returns
	defer func() {
		for i := range assigns {
			assigns[i].settle(call, err)
		}
	}()
	err = d.invoke(ctx, p, call, args, assigns, c)
	return err
}

// claim announces the new versions: who reads a variable from now on waits for
// them.
func (d *Device) claim(assigns []assignment) error {
	if len(assigns) == 0 {
		return nil
	}
	d.commit.Lock()
	defer d.commit.Unlock()
	for i := range assigns {
		a := &assigns[i]
		a.v.mu.Lock()
		taken, past := a.v.now != a.read, a.v.assigned
		a.v.mu.Unlock()
		if taken {
			return conflict(a, past)
		}
	}
	for i := range assigns {
		a := &assigns[i]
		a.next = &value{name: a.v.name, old: a.read}
		a.next.pending.Lock()
		a.v.mu.Lock()
		a.next.before, a.v.assigned, a.v.now = a.v.assigned, a.site, a.next
		a.v.mu.Unlock()
	}
	return nil
}

func conflict(a *assignment, past callsite.Site) error {
	e := &OpError{Op: "mark_step", Err: ErrConflict, Reason: fmt.Sprintf(
		"variable %q is assigned at %v, but another trace assigned it at %v since this step read it; end a step that assigns it before another one reads it",
		a.v.name, a.site, past)}
	e.File, e.Line = a.site.Position()
	return e
}

// settle makes the new version that of the program, or takes it back, and with
// it those before it that failed, too.
func (a *assignment) settle(call *backends.Call, err error) {
	v := a.v
	v.mu.Lock()
	if err == nil {
		a.next.view, a.next.old = call.Results[a.result], nil
	} else {
		a.next.err = fmt.Errorf("variable %q has no new value: the program that assigns it failed: %w", v.name, err)
		for v.now.err != nil {
			v.assigned, v.now = v.now.before, v.now.old
		}
	}
	v.mu.Unlock()
	a.next.pending.Unlock()
}

// invoke waits for the arguments and runs the program.
func (d *Device) invoke(ctx context.Context, p *program, call *backends.Call, args []*value, assigns []assignment, c *counters) error {
	call.Args, call.Results = call.Args[:0], call.Results[:0]
	for _, v := range args {
		if err := v.wait(); err != nil {
			return err
		}
		if err := v.intact(); err != nil {
			return err
		}
		call.Args = append(call.Args, v.view)
	}
	for range p.results {
		call.Results = append(call.Results, soa.View{})
	}
	for i := range assigns {
		a := &assigns[i]
		// Nobody can pin the old version any more: the claim hides it.
		if a.read.pins.Load() > 1 {
			call.Results[a.result] = soa.Make(a.v.typ)
			c.donationCopies.Add(1)
		}
	}
	c.runs.Add(1)
	if err := p.exec.Execute(ctx, call); err != nil {
		return p.explain(err)
	}
	return nil
}
