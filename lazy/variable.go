package lazy

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"ltc/backends"
	"ltc/internal/border"
	"ltc/internal/callsite"
	"ltc/internal/modes"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy/internal/memory"
	"ltc/lazy/internal/philox"
	"ltc/lazy/internal/sched"
	"ltc/soa"
)

// variable is what a variable's tensor stands for: a sequence of versions, of
// which traces read the latest.
type variable struct {
	dev  *Device
	name string
	typ  types.Type
	made callsite.Site
	id   int // counts the device's variables
	// waits is of an assignment that a trace has recorded and not marked: the low 32 bits
	// of the trace's owner, and the line. 0 if there is none.
	waits  atomic.Uint64
	frozen modes.Flag // it gets no gradient: see [Tensor.SetRequiresGrad]

	mu       sync.Mutex
	now      *value        // the latest version; it may still be on its way
	assigned callsite.Site // where that was assigned
	lost     *OpError      // of an assignment that was in no trace, until somebody asks
	invalid  bool          // lost stays until the variable gets values: those it has are none
	failed   error         // of the latest version that was taken back, until it was read
	grad     *gradient     // that [Tensor.Backward] has recorded
	hooks    []*gradHook   // see [Tensor.OnGrad]
}

// keepsSizes is what to do instead of giving a variable an open size, or a value of other sizes.
const keepsSizes = "a variable keeps its sizes: make it as large as it becomes, write a part by DynamicUpdateSlice, and keep the number in use in a scalar"

// Variable makes a variable of the given dtype and dimensions, all zero until
// Init. The name, which need not be unique, appears in programs and errors.
// The tensor returned may be used in any trace of the device, from any
// goroutine; an invalid type gives a poisoned one.
func (d *Device) Variable(name string, dtype types.DType, shape ...int) *Tensor {
	return d.variable(name, types.Of(dtype, append([]int(nil), shape...)...), (*memory.Memory).Zeroed)
}

// MappedVariable is [Device.Variable] with its first memory off the Go heap, without large pages, if it is large enough
// and the system has such memory. Pages that nothing writes take no memory then. It is for a variable of which steps write a part, such as a KV cache, and for one that gets values next.
func (d *Device) MappedVariable(name string, dtype types.DType, shape ...int) *Tensor {
	return d.variable(name, types.Of(dtype, append([]int(nil), shape...)...), (*memory.Memory).Mapped)
}

// variable makes a variable whose zeros the function zeroed allocates.
func (d *Device) variable(name string, t types.Type, zeroed func(*memory.Memory, types.Type) (soa.View, error)) *Tensor {
	if !d.opens() {
		return &Tensor{err: notOpened("variable")}
	}
	v := &variable{dev: d, name: name, typ: t, made: callsite.Caller()}
	if i := slices.IndexFunc(v.typ.Shape, dims.IsExpr); i >= 0 {
		return d.poisoned(nil, opError(v.made, "variable", ErrType, nil, "%q of %v: dimension %d is open, and %s", name, v.typ, i, keepsSizes))
	}
	if err := v.typ.Check(); err != nil {
		return d.poisoned(nil, opError(v.made, "variable", ErrType, nil, "%q of %v: %v", name, v.typ, err))
	}
	d.mu.Lock()
	v.id = d.variables
	d.variables++
	d.mu.Unlock()
	view, err := zeroed(&d.memory, v.typ)
	if err != nil {
		return d.poisoned(nil, memoryError(v.made, "variable", fmt.Errorf("%q of %v: %w", name, v.typ, err)))
	}
	v.now = &value{name: name, view: view, version: true}
	d.born(v.now, "variable", v.made)
	return &Tensor{dev: d, v: v}
}

// Init gives the variable t values from f, and returns t. It waits for no
// step: call it before the variable is used. Where f, or the function that it gives,
// fails or panics, the tensor returned is poisoned, and steps that use the variable fail
// with that error until it gets values.
func (t *Tensor) Init(f Initializer) *Tensor {
	if b := t.notVariable("init"); b != nil {
		return b
	}
	at := t.callSite()
	view, err := t.initial(f, at)
	if err != nil {
		t.v.mu.Lock()
		defer t.v.mu.Unlock()
		t.v.invalidate(err)
		return t.dev.poisoned(nil, err)
	}
	t.v.set(view, false, at)
	return t
}

// initial returns the values that f gives the variable t.
func (t *Tensor) initial(f Initializer, at callsite.Site) (view soa.View, failed *OpError) {
	misused := func(format string, args ...any) *OpError {
		return opError(at, "init", ErrUsage, []*Tensor{t}, format, args...)
	}
	if f == nil {
		return view, misused("there is no initializer for variable %q", t.v.name)
	}
	view, err := t.dev.memory.Make(t.v.typ)
	if err != nil {
		return view, memoryError(at, "init", err)
	}
	defer func() {
		if r := recover(); r != nil {
			failed = misused("the initializer of variable %q panicked: %v\n%s", t.v.name, r, debug.Stack())
		}
	}()
	if err := fill(view, f, philox.NewStream(t.dev.seed, uint64(t.v.id))); err != nil {
		return view, misused("%v (variable %q)", err, t.v.name)
	}
	return view, nil
}

// notVariable returns a poisoned tensor unless t is a variable.
func (t *Tensor) notVariable(op string) *Tensor {
	if b := firstBad(op, t); b != nil || t.v != nil {
		return b
	}
	return t.misuse(op, "it is not a variable")
}

// misuse returns a poisoned tensor for a call that t does not allow.
func (t *Tensor) misuse(op, why string) *Tensor {
	if b := firstBad(op, t); b != nil {
		return b
	}
	return t.dev.poisoned(t.tr, t.misused(op, why))
}

// violates returns a poisoned tensor for a call op on operands, t alone if none is given, that breaks the
// demand of that name in ops.Written.
func (t *Tensor) violates(op, demand, why string, operands ...*Tensor) *Tensor {
	return t.refuses(ErrUsage, op, demand, why, operands...)
}

// mistyped is violates for a demand of dtypes, as rows have them: the error wraps [ErrType].
func (t *Tensor) mistyped(op, demand, why string) *Tensor { return t.refuses(ErrType, op, demand, why) }

func (t *Tensor) refuses(kind error, op, demand, why string, operands ...*Tensor) *Tensor {
	if b := firstBad(op, t); b != nil {
		return b
	}
	if len(operands) == 0 {
		operands = []*Tensor{t}
	}
	e := opError(t.callSite(), op, kind, operands, "%s", why)
	e.Label = op + "_" + demand
	return t.dev.poisoned(t.tr, e)
}

// misused is the error of misuse.
func (t *Tensor) misused(op, why string) *OpError {
	return opError(callsite.Caller(), op, ErrUsage, []*Tensor{t}, "%s", why)
}

// set replaces the latest version from the host. If the memory is the caller's, no step writes it.
func (v *variable) set(view soa.View, borrowed bool, at callsite.Site) {
	now := &value{name: v.name, view: view, version: true, host: true}
	if borrowed {
		now.borrow()
		now.pins.Add(1)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now, v.assigned = now, at
	if v.invalid {
		v.invalid, v.lost = false, nil
	}
	v.dev.born(v.now, "variable", v.made)
}

// lose remembers an assignment that no step knows of, so that the next who
// looks at the variable hears of it.
func (v *variable) lose(err *OpError) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.lost == nil {
		v.lost = err
	}
}

// invalidate has the variable be an error until it gets values. The caller has mu.
func (v *variable) invalidate(err *OpError) {
	if !v.invalid {
		v.lost, v.invalid = err, true
	}
}

// takeLost returns the error of a lost assignment, once.
func (v *variable) takeLost() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.lost == nil {
		return nil
	}
	err := v.lost
	if !v.invalid {
		v.lost = nil
	}
	return err
}

// takeFailed returns why a version was taken back, once, and only until the trace
// of the step that failed has heard of it.
func (v *variable) takeFailed() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	err := v.failed
	v.failed = nil
	if isReported(err) {
		return nil
	}
	return err
}

// pin returns the latest version, which is not overwritten until it is
// unpinned.
func (v *variable) pin() *value {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.now
	claims, ok := v.dev.sched.Closure()
	if ok {
		now = now.asClosuresSee(claims)
	}
	now.pins.Add(1)
	for ok { // a program may begin to overwrite it before it sees the pin
		seen := v.now.asClosuresSee(claims)
		if seen == now {
			break
		}
		seen.pins.Add(1)
		now.drop()
		now = seen
	}
	return now
}

// asClosuresSee returns the version of a variable that a step closure reads when v is
// the latest. It is the one from when the closure's step was marked, unless a newer one
// is there already or is being written over it. Other versions may wait for the closure
// to return. The variable's mu is held.
func (v *value) asClosuresSee(claims int64) *value {
	for v.old != nil && (v.claim > claims && !v.over.Load() || v.failed() != nil) { // a version that is there has no old
		v = v.old
	}
	return v
}

// state is what a trace knows of a variable in its current step.
type state struct {
	v     *variable
	read  *value        // the version the step reads; pinned
	param *ir.Node      // the argument that read is
	now   *ir.Node      // what the variable is after the assignments so far
	site  callsite.Site // of the latest assignment
	bad   *OpError      // of an assignment of a poisoned tensor
}

// state returns the trace's state of v, reading the latest version when the
// step has not met v before.
func (tr *Trace) state(v *variable) *state {
	if s := tr.vars[v]; s != nil {
		return s
	}
	s := tr.newState()
	s.v = v
	tr.b.SetLoc(tr.site())                      // or it would be that of the op before
	s.param = tr.b.Variable(v.typ, v.name, nil) // which calls hooks: nothing is pinned yet
	s.read = v.pin()
	s.param.Value = s.read
	s.now = s.param
	s.bad, _ = v.takeLost().(*OpError)
	tr.vars[v] = s
	tr.order = append(tr.order, s)
	return s
}

// newState returns a state to use, for one step.
func (tr *Trace) newState() *state {
	if n := len(tr.order); n < cap(tr.order) {
		if s := tr.order[:n+1][n]; s != nil {
			*s = state{}
			return s
		}
	}
	return &state{}
}

// refresh makes the step read what the variable is, if the version it has read
// was taken back since: its program had failed.
func (s *state) refresh() {
	if s.read.failed() == nil {
		return
	}
	s.read.drop()
	s.read = s.v.pin()
	s.param.Value = s.read
}

// Read returns what the variable or value x is in the trace's current step,
// for ops none of whose operands is in the trace otherwise.
func (tr *Trace) Read(x *Tensor) *Tensor {
	tr = tr.some()
	if !tr.enter() {
		return tr.poisoned(tr.crowded("read", x))
	}
	defer tr.leave()
	n := tr.operand(x)
	if n == nil {
		return tr.refuse("read", x)
	}
	return tr.wrap(tr.cut(n))
}

func (t *Tensor) kind() string {
	switch {
	case t.v != nil:
		return fmt.Sprintf("variable %q", t.v.name)
	case t.isView():
		return "the view made at " + t.alias.loc.String()
	case t.val != nil:
		return "the value"
	}
	return fmt.Sprintf("the result of %v", t.node.Op)
}

// SetValues copies data, in row-major order, into the variable t, and returns
// t; like Init, before it is used. T must be the Go type of t's dtype.
func SetValues[T soa.Element](t *Tensor, data []T) *Tensor {
	if b := t.notVariable("set_values"); b != nil {
		return b
	}
	if d := dtypeOf[T](); d != t.v.typ.DType {
		return t.misuse("set_values", fmt.Sprintf("the values are %v, the variable is %v", d, t.v.typ))
	}
	if _, err := soa.Borrow(data, t.v.typ); err != nil {
		return t.misuse("set_values", err.Error())
	}
	at := t.callSite()
	view, err := t.dev.memory.Make(t.v.typ)
	if err != nil {
		return t.dev.poisoned(nil, memoryError(at, "set_values", err))
	}
	copy(soa.Slice[T](view), data)
	t.v.set(view, false, at)
	return t
}

// SetView gives the variable t the elements that a view shows, in any layout, and returns t; like Init, before it is used.
// The variable shares the view's memory, which must stay as it is until the variable has other values: a step that
// assigns the variable writes new memory. The view must have t's type.
func SetView(t *Tensor, view soa.View) *Tensor {
	const op = "set_view"
	if b := t.notVariable(op); b != nil {
		return b
	}
	switch {
	case view.IsZero():
		return t.misuse(op, "the view is the zero View")
	case !view.Type.Equal(t.v.typ):
		return t.misuse(op, fmt.Sprintf("the view is %v, the variable is %v", view.Type, t.v.typ))
	}
	if err := view.Check(); err != nil {
		return t.misuse(op, err.Error())
	}
	t.v.set(view.Clone(), true, t.callSite())
	return t
}

// SetAll gives all variables new values, or none. It calls fill for each of them: dst is dense
// memory of the type of variables[i], in which fill writes every element. If fill fails, no
// variable is changed, and SetAll returns the error. Like Init, call it before the variables are
// used. A variable that is there twice has the values of the last one.
func SetAll(variables []*Tensor, fill func(i int, dst soa.View) error) error {
	const op = "set_all"
	views := make([]soa.View, len(variables))
	at := callsite.Caller()
	if fill == nil && len(variables) > 0 {
		return opError(at, op, ErrUsage, variables, "fill is nil")
	}
	for i, t := range variables {
		if b := t.notVariable(op); b != nil {
			return b.err
		}
		view, err := t.dev.memory.Make(t.v.typ)
		if err != nil {
			return memoryError(at, op, err)
		}
		views[i] = view
	}
	for i := range variables {
		if err := fill(i, views[i]); err != nil {
			return err
		}
	}
	for i, t := range variables {
		t.v.set(views[i], false, at)
	}
	return nil
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
