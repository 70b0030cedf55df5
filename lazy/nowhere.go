package lazy

import "ltc/internal/callsite"

// Calls on what is nil or the zero value of its type are mistakes like others:
// they return errors, or nothing where they have none to return, and do not
// panic.

const (
	noDevice = "the device is nil, or was not opened: open one with Open, and look at the error that it returns"
	noTraces = "the trace is nil, or the zero Trace: make one with NewTrace; variables have none of their own"
)

// opens reports whether d is a device that Open has returned.
func (d *Device) opens() bool { return d != nil && d.backend != nil }

// notOpened is the error of op on what is no device.
func notOpened(op string) *OpError {
	var sites callsite.Cache
	return opError(sites.Caller(), op, ErrUsage, nil, noDevice)
}

// broken returns a trace that belongs nowhere: every call gives err. It is taken
// to be busy for ever, so that the calls of other traces look at nothing more.
func broken(err *OpError) *Trace {
	d := &Device{name: "nowhere", metrics: &ledger{}, strict: envStrict.On()}
	d.memory.Start(checking)
	tr := newTrace(d)
	tr.broken = err
	tr.busy.Store(1)
	return tr
}

// some returns tr, or a broken trace if tr is none.
func (tr *Trace) some() *Trace {
	if tr != nil && tr.dev != nil {
		return tr
	}
	var sites callsite.Cache
	return broken(opError(sites.Caller(), "trace", ErrUsage, nil, noTraces))
}

// nowhere reports whether p is no place.
func nowhere(p Place) bool {
	switch p := p.(type) {
	case *Trace:
		return p == nil || p.dev == nil || p.broken != nil
	case *Device:
		return !p.opens()
	}
	return p == nil
}

// refused returns the poisoned tensor of a call that makes one at p.
func refused(p Place, op, why string) *Tensor {
	var sites callsite.Cache
	if !nowhere(p) {
		return p.device().poisoned(p.trace(), opError(sites.Caller(), op, ErrUsage, nil, "%s", why))
	}
	if tr, _ := p.(*Trace); tr != nil && tr.broken != nil {
		return tr.poisoned(tr.broken)
	}
	return &Tensor{err: opError(sites.Caller(), op, ErrUsage, nil, "it needs a trace or an open device, not nil")}
}
