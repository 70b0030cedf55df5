package lazy

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy/internal/execution"
	"ltc/lazy/internal/guard"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/opbyop"
	"ltc/lazy/internal/programs"
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
	return &Tensor{tr: tr, dev: d, err: err}
}

// gently returns what record does, poisoned even where bad ops panic: for who
// makes another error of it.
func (tr *Trace) gently(record func() *Tensor) *Tensor {
	tr.gentle++
	defer func() { tr.gentle-- }()
	return record()
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
func refused(p Place, op, why string) *Tensor {
	if !nowhere(p) {
		return p.device().poisoned(p.trace(), opError(callsite.Caller(), op, ErrUsage, nil, "%s", why))
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

var (
	// ErrIndex: an index or a label chooses what does not exist; see [CheckIndices].
	ErrIndex = guard.ErrIndex
	// ErrNaN: an op made a NaN or an infinity out of finite values; see [CheckNaNs].
	ErrNaN = guard.ErrNaN
)

// CheckIndices says whether a step fails if an index of Gather, ScatterAdd and the like, a
// class of OneHot or a label of CrossEntropy does not exist. With false no index is looked at.
// Without the option a step fails for all of them. But on a device with memory of its own it fails only
// for arguments in the host's memory. With true, or the environment variable LTC_CHECK, also such a
// device looks at all indices: a run then waits in its midst until they are on the host.
//
// Indices that are arguments are looked at before the run, those that the program computes by a call of
// the host in its midst. Those within closures of control flow, as [For] takes, are looked at when the
// branch or loop has ended. The error has the first index of an op that is out of range, and its iteration. Indices that are
// in range whatever the arguments are, such as those of ArgMax and TopK and the number of an iteration, cost
// nothing. The error has the op, its line, the index and the range.
// Variables are as they were before the step, and its tensors have the error. In a step that assigns
// variables, those that a loop begins with as elements of an argument, such as the tokens of a text that
// it goes on with, are looked at before the run. If an element of the argument is no index, each run
// takes twice as long: the program runs without writing first, unless it has functions of the host. Not
// looked at are those that a function with open [Function.Inputs] computes where some sizes show that
// they are in range, and others do not.
func CheckIndices(on bool) Option { return func(d *Device) { d.checkIndices, d.anyIndex = on, !on } }

// looksAt returns what the indices in g are to be, and the program of g that looks at those that it
// computes: with argumentsAlone set none.
func (d *Device) looksAt(g *ir.Graph, argumentsAlone bool) (all []guard.Index, program *ir.Graph) {
	if d.anyIndex {
		return nil, g
	}
	remote := d.memory.Remote != nil
	// A device with memory of its own has arguments there, which its programs look at.
	return guard.Indices(g, argumentsAlone || !remote || !d.checkIndices, !argumentsAlone && (!remote || d.checkIndices))
}

// indexError is the error of an index that does not exist.
func indexError(x *guard.Index, reason string) *OpError {
	e := &OpError{Op: x.Op, Operands: x.Operands, Reason: reason, Err: ErrIndex}
	e.at(x.At)
	return e
}

// indexError is the error of an index that the program has computed.
func (f *flight) indexError(out *guard.OutOfRange) *OpError {
	x := &f.indices[out.Index]
	return indexError(x, x.Reason(out))
}

// lookAtIndices returns the error of an argument that has an index which does not exist. Where arguments
// leave that open, a rehearsal of the program decides.
func (f *flight) lookAtIndices() error {
	rehearse := false
	for i := range f.indices {
		x := &f.indices[i]
		for _, arg := range x.Assumes() {
			if v := f.call.Args[arg]; !rehearse && !v.IsZero() && (v.Remote() == nil || f.dev.checkIndices) {
				holds, err := x.Holds(v)
				if err != nil {
					return err
				}
				rehearse = !holds
			}
		}
		arg, ok := x.Argument()
		if !ok {
			continue
		}
		if v := f.call.Args[arg]; !v.IsZero() && v.Remote() == nil {
			reason, err := x.Look(v)
			if err != nil {
				return err
			}
			if reason != "" {
				return indexError(x, reason)
			}
		}
	}
	if rehearse {
		return f.rehearse()
	}
	return nil
}

// rehearse runs the program, without writing over its arguments, for the indices that exist only if all
// elements of some arguments are such indices. Others may be at places that the program does not read, as
// behind the end of a text. Later runs of the program pay for a rehearsal each while that is so.
func (f *flight) rehearse() error {
	var numbers []int
	for i := range f.indices {
		if f.indices[i].Assumes() != nil {
			numbers = append(numbers, i)
		}
	}
	g := guard.Rehearsal(f.program.Graph, numbers)
	if g == nil {
		return nil
	}
	p, err := f.rehearsal(g)
	if err != nil {
		return err
	}
	err = p.Exec.Execute(f.ctx, &backends.Call{Args: slices.Clone(f.call.Args)})
	if out, ok := errors.AsType[*guard.OutOfRange](err); ok {
		return f.indexError(out)
	}
	if err != nil {
		return atLine(p, err)
	}
	return nil
}

// rehearsal returns the program of g, which has the sizes of the one that is to run.
func (f *flight) rehearsal(g *ir.Graph) (*programs.Program, error) {
	if f.program.Open == nil {
		return f.dev.programs.GetStatic(f.ctx, g)
	}
	o, err := shapeinfer.OpenGraph(g)
	if err != nil {
		return nil, err
	}
	p, _, err := f.dev.programs.GetOpen(f.ctx, o)
	return p, err
}

// CheckNaNs stops at the first op that makes a NaN or an infinity out of finite values,
// with an error that names its line, as the environment variable LTC_CHECK_NANS does.
// Before each run of a program its ops run one by one: slow. What the program computes is
// what it computes without, and nothing has been written when a step fails so. Within a branch
// or a loop the error names the op of the closure, and the iteration, counted from 0.
func CheckNaNs(on bool) Option { return func(d *Device) { d.checkNaNs = on } }

// quietly are the options of programs that only look at another, which has said what is
// to be said.
func (d *Device) quietly() backends.Options {
	o := d.options
	o.Compiled, o.Profile, o.Warn = false, false, func(*backends.FallbackError) {}
	return o
}

// guardHost is the device of its guards.
type guardHost struct{ *Device }

// HasNaN warns of an argument that has NaNs, once for each line.
func (d guardHost) HasNaN(p *ir.Node, first string) {
	if d.nanArguments.First(argumentLine{p.Loc, p.ParamName()}) {
		d.log(slog.LevelWarn, fmt.Sprintf("argument %s has NaNs", strings.TrimSpace(p.ParamName()+" "+p.Type.String())),
			slog.String("at", p.Loc.String()), slog.String("first", first),
			slog.String("do", "look at what the argument is made of: the ops of this program did not make these NaNs"))
	}
}

// argumentLine is an argument of a program and the line that recorded it.
type argumentLine struct {
	at   callsite.Site
	name string
}

// placed makes an error of an op out of one that a guard, an op that runs alone, or a lack of memory
// says of a node.
func placed(err error) error {
	switch f := err.(type) {
	case *opbyop.Error:
		return nodeError(f.Node, f.Err, f.Error())
	case *execution.Shortage:
		return nodeError(f.Node, ErrMemory, f.Error())
	case *guard.Fault:
		return nodeError(f.Node, f.Kind, f.Reason)
	}
	return err
}
