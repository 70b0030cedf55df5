package lazy

import (
	"errors"
	"fmt"
	"strings"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy/internal/guard"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/sched"
	"ltc/lazy/internal/settings"
	"ltc/shapeinfer"
)

// What an error of this package may wrap, for callers that branch on it.
var (
	// ErrStale: a computed tensor was used after the mark-step that it was not
	// a root of.
	ErrStale = errors.New("stale tensor")
	// ErrConflict: two traces assigned the same version of a variable.
	ErrConflict = errors.New("conflicting assignment")
	// ErrPlacement: tensors of different traces or devices, or of none, were
	// brought together.
	ErrPlacement = errors.New("tensors of different places")
	// ErrType: an operation broke a constraint of its type rule.
	ErrType = errors.New("type rule broken")
	// ErrFallback: the evaluator would run a program or an op of it, which [Compiled]
	// refuses.
	ErrFallback = backends.ErrFallback
	// ErrUsage: a call that the tensor's kind does not allow.
	ErrUsage = errors.New("not allowed")
	// ErrCancelled: a step did not run because one before it in its trace had
	// failed. The error wraps that one's.
	ErrCancelled = errors.New("cancelled")
	// ErrClosed: the device was closed.
	ErrClosed = errors.New("device is closed")
	// ErrIndex: an index or a label chooses what does not exist, or a number is not [Tensor.Within] bounds; see
	// [CheckIndices].
	ErrIndex = guard.ErrIndex
	// ErrNaN: an op made a NaN or an infinity out of finite values; see [CheckNaNs].
	ErrNaN = guard.ErrNaN
)

// OpError is a mistake in a user's operation.
type OpError struct {
	Op       string       // mnemonic: matmul
	Operands []types.Type // as the user gave them
	Label    string       // of the constraint broken, as in docs/reference/ops; may be empty
	Reason   string       // what is wrong and what to do
	File     string       // of the call; empty if unknown
	Line     int
	Scope    string // that the op was recorded in; see [Trace.Scope]
	Err      error  // one of the errors above

	guard *dims.Guard // what would make the op a good one, if it held of sizes that are open; nil if nothing would
}

// Error prints train.go:41: matmul(f32[32,784], f32[512,10]): reason (label).
func (e *OpError) Error() string {
	var b strings.Builder
	if e.File != "" {
		fmt.Fprintf(&b, "%s:%d: ", e.File, e.Line)
	}
	if e.Scope != "" {
		b.WriteString(e.Scope + ": ")
	}
	b.WriteString(e.Op)
	b.WriteByte('(')
	for i, t := range e.Operands {
		if i > 0 {
			b.WriteString(", ")
		}
		if !t.DType.Valid() {
			b.WriteString("poisoned")
			continue
		}
		b.WriteString(t.String())
	}
	b.WriteString("): ")
	b.WriteString(e.Reason)
	if e.Label != "" {
		b.WriteString(" (" + e.Label + ")")
	}
	return b.String()
}

// Unwrap returns the sentinel that the error belongs to.
func (e *OpError) Unwrap() error { return e.Err }

// opError makes the error of an op at a line of the user's.
func opError(at callsite.Site, op string, kind error, operands []*Tensor, format string, args ...any) *OpError {
	e := &OpError{Op: op, Reason: fmt.Sprintf(format, args...), Err: kind}
	for _, t := range operands {
		switch {
		case t == nil:
		case t.err != nil && t.err.releases():
			e.Operands = append(e.Operands, t.err.Operands...)
		default:
			e.Operands = append(e.Operands, t.Type())
		}
	}
	e.at(at)
	return e
}

// typeError makes the error of a type rule.
func typeError(at callsite.Site, err error) *OpError {
	e := &OpError{Reason: err.Error(), Err: ErrType}
	if broken, ok := errors.AsType[*shapeinfer.Error](err); ok {
		e.Op, e.Operands, e.Label, e.Reason = broken.Op, broken.Operands, broken.Label, broken.Reason
		e.guard = broken.Guard
	}
	e.at(at)
	return e
}

// nodeError makes the error of an op of a program.
func nodeError(n *ir.Node, kind error, reason string) *OpError {
	info := infoOf(n)
	e := &OpError{Op: info.Op, Operands: info.Operands, Reason: reason, Err: kind}
	e.at(n.Loc)
	return e
}

// at sets where the mistake was made.
func (e *OpError) at(s callsite.Site) {
	e.File, e.Line = s.Position()
	e.Scope = s.Scope()
}

// Strict makes a bad op panic with its [*OpError] where it is called, instead of
// returning a tensor that holds the error: for debugging, to get a stack. Calls
// that return an error themselves, as MarkStep and Value do, still return it.
func Strict() Option { return func(d *Device) { d.strict = true } }

// poisoned returns a tensor of the device, and of tr if that is not nil, that
// holds err.
func (d *Device) poisoned(tr *Trace, err *OpError) *Tensor {
	if d != nil && d.strict && (tr == nil || tr.gentle == 0) {
		panic(err)
	}
	if tr != nil && tr.mistake == nil {
		tr.mistake = err
	}
	return &Tensor{tr: tr, dev: d, err: err}
}

// Refuse returns a tensor that holds the error of the call op on xs, which wraps kind, one of the errors of this package:
// for functions of packages that cannot take their operands. An operand that is left out is nil.
func Refuse(kind error, op, reason string, xs ...*Tensor) *Tensor {
	given := withoutNil(xs)
	if bad := firstBad(op, given...); bad != nil {
		return bad
	}
	tr := traceOf(given...)
	if tr == nil {
		return noTrace(op, given...)
	}
	return tr.poisoned(opError(tr.site(), op, kind, given, "%s", reason))
}

// gently returns what record does, poisoned even where bad ops panic: for who
// makes another error of it.
func (tr *Trace) gently(record func() *Tensor) *Tensor {
	tr.gentle++
	defer func() { tr.gentle-- }()
	return record()
}

// called records what the user's call op on xs is made of. Errors of an op that it records name the
// call, with its operands: the user knows no other.
func called(op string, record func() *Tensor, xs ...*Tensor) *Tensor {
	if bad := firstBad(op, xs...); bad != nil {
		return bad
	}
	tr := traceOf(xs...)
	if tr == nil {
		return noTrace(op, xs...)
	}
	return tr.recorded(op, record, xs...).ofCall(op, xs...)
}

// recorded returns what record does for the user's call op on xs, poisoned even where bad ops panic.
func (tr *Trace) recorded(op string, record func() *Tensor, xs ...*Tensor) *Tensor {
	if tr.begins(op) {
		defer tr.ends(xs...)
	}
	return tr.gently(record)
}

// begins says that the ops which follow, up to ends, are recorded for the user's call op. It is false if
// they are for another call around that.
func (tr *Trace) begins(op string) bool {
	if tr.inline != "" {
		return false
	}
	tr.inline = op
	return true
}

// ends ends what begins has begun, a call on xs. An operand that was left out is nil.
func (tr *Trace) ends(xs ...*Tensor) {
	if tr.noted != nil {
		tr.noted.Operands = make([]types.Type, 0, len(xs))
		for _, x := range xs {
			if x != nil {
				tr.noted.Operands = append(tr.noted.Operands, x.Type())
			}
		}
	}
	tr.inline, tr.noted = "", nil
}

// ofCall returns x. If the user's call op on xs, which is being recorded, made its error, that names the call.
func (x *Tensor) ofCall(op string, xs ...*Tensor) *Tensor {
	if x.err == nil {
		return x
	}
	e := *x.err
	if x.tr != nil {
		if file, line := x.tr.site().Position(); file != e.File || line != e.Line {
			return x // it was made before
		}
	}
	e.Op, e.Operands = op, nil
	for _, t := range xs {
		e.Operands = append(e.Operands, t.Type())
	}
	return x.dev.poisoned(x.tr, &e)
}

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
	return opError(callsite.Caller(), op, ErrUsage, nil, noDevice)
}

// broken returns a trace that belongs nowhere: every call gives err. It is taken
// to be busy for ever, so that the calls of other traces look at nothing more.
func broken(err *OpError) *Trace {
	d := &Device{name: "nowhere", metrics: &metrics.Set{}, strict: settings.Strict.On()}
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
	return broken(opError(callsite.Caller(), "trace", ErrUsage, nil, noTraces))
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
func refused(p Place, op, why string) *Tensor { return refusedFor(p, op, "", why) }

// refusedFor is refused for a demand of ops.Written.
func refusedFor(p Place, op, demand, why string) *Tensor {
	if !nowhere(p) {
		e := opError(callsite.Caller(), op, ErrUsage, nil, "%s", why)
		if demand != "" {
			e.Label = op + "_" + demand
		}
		return p.device().poisoned(p.trace(), e)
	}
	if tr, _ := p.(*Trace); tr != nil && tr.broken != nil {
		return tr.poisoned(tr.broken)
	}
	return &Tensor{err: opError(callsite.Caller(), op, ErrUsage, nil, "it needs a trace or an open device, not nil")}
}

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
