package lazy

import (
	"errors"
	"runtime"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/lazy/internal/alloc"
	"ltc/lazy/internal/maps"
)

// Keep makes t a root of every MarkStep from now on until Release, as if it
// were given there. It returns t.
func (t *Tensor) Keep() *Tensor {
	if t == nil || t.tr == nil || t.val != nil || t.storage().v != nil {
		return t
	}
	if !t.tr.enter() {
		return t.tr.poisoned(t.tr.crowded("keep", t))
	}
	defer t.tr.leave()
	if t.epoch&inClosure != 0 || t.storage().epoch&inClosure != 0 {
		if err := t.tr.withinClosure("keep", t); err != nil {
			return t.tr.fail(err)
		}
	}
	t.tr.kept.Put(t, nil)
	return t
}

// LiveRoots makes a root of every tensor of a step that the program can still reach when it
// calls MarkStep. MarkStep without roots then computes what is read later, as the lazy tensor
// core does. It is off in a new trace. It returns the setting before.
//
// It counts for tensors that are recorded from then on. No other goroutine may use a tensor of
// the step while MarkStep runs. Tensors that hold an error are left alone.
//
// A step then begins with a garbage collection, to find what is reachable, which takes as long
// as the heap of the program asks for. A variable of Go that is not used after MarkStep reaches
// nothing, unless the compiler's optimizations are off.
func (tr *Trace) LiveRoots(on bool) (before bool) {
	tr = tr.some()
	before = tr.live != nil
	if on != before {
		tr.live = nil
		if on {
			tr.live = new(alloc.WeakList[Tensor])
		}
	}
	return before
}

// computed reports whether t has neither a value nor an error.
func (t *Tensor) computed() bool { return t.err == nil && t.val == nil }

// liveRoots returns the tensors of the step that the program reaches, after a garbage
// collection; nil without LiveRoots.
func (tr *Trace) liveRoots() []*Tensor {
	if tr.live == nil || tr.live.Len() == 0 {
		return nil
	}
	runtime.GC()
	return tr.reachable()
}

// reachable returns the tensors of the step that are reachable and to be computed; nil without
// LiveRoots.
func (tr *Trace) reachable() (all []*Tensor) {
	if tr.live != nil {
		for t := range tr.live.All {
			if t.computed() {
				all = append(all, t)
			}
		}
	}
	return all
}

// ErrReleased: a tensor was used after [Tensor.Release].
var ErrReleased = errors.New("released tensor")

// releaseOp is the op of the error that a released tensor holds.
const releaseOp = "release"

// fault returns why t, operand i of op, is poisoned; nil if it is not. A use of
// what was released is a mistake of its own, made at site.
func (t *Tensor) fault(site func() callsite.Site, op string, i int, xs []*Tensor) *OpError {
	s := t.storage()
	switch {
	case t.err != nil && !t.err.releases():
		return t.err
	case s.err != nil && !s.err.releases():
		return s.err
	case s.err == nil:
		return nil
	}
	what := "it"
	switch {
	case s != t:
		what = "what " + nounOf(i, xs) + " is a view of"
	case len(xs) > 1:
		what = nounOf(i, xs)
	}
	return opError(site(), op, ErrReleased, xs, "%s was released at %s:%d and has no value any more: release it after its last use", what, s.err.File, s.err.Line)
}

// releases reports whether e is what Release leaves behind.
func (e *OpError) releases() bool { return e.Err == ErrReleased && e.Op == releaseOp }

// Release undoes Keep, and gives up the value of t if it has one, host data or a result.
// From then on using t is an error of the line that does, which says where t was released.
// Steps recorded before still read the value, and so do other tensors that share it. Nobody
// need call it, since a tensor that nothing refers to is freed by itself. It is for a large
// value that a variable of the program would keep for longer than it is needed. Variables
// and views are left unchanged.
func (t *Tensor) Release() {
	if t == nil {
		return
	}
	// What has a value and no node is the trace's no more: any goroutine may
	// release it.
	if t.tr != nil && (t.val == nil || t.node != nil || t.isView()) {
		if !t.tr.enter() {
			t.tr.crowded("release", t)
			return
		}
		defer t.tr.leave()
		t.tr.kept.Drop(t)
		if t.val != nil { // written and read in this step: it is no result of it any more
			t.tr.written.Drop(t)
		}
	}
	if t.val == nil || t.v != nil || t.isView() {
		return
	}
	err := opError(callsite.Caller(), releaseOp, ErrReleased, []*Tensor{t}, "the tensor was released here and has no value any more; release it after its last use")
	v := t.val
	if t.node == nil && t.alias == nil && !t.dev.opByOp && !v.scalar && !v.borrowed && !v.version && v.under == nil {
		v.pool.Store(t.dev.memory.Pool) // memory of its own, which only pins keep
	}
	t.val, t.node, t.err = nil, nil, err
	v.unpin()
}

// roster is a list of tensors. One with a value that the current step wrote becomes a result of
// the step; its value before is noted with it: should the step fail, the tensor is what it was.
type roster = maps.Ordered[*Tensor, *value]

// donation is the offer of a tensor's memory to the step that next uses it.
type donation struct {
	t    *Tensor
	v    *value
	site callsite.Site // of Donate

	// of the step that used it
	used   callsite.Site // where it was marked; 0 if there was none yet
	result *value        // of the step: if it failed, t is as before
	gone   bool          // the memory is the step's, and of nobody else who could still read it
}

// donor is a donated argument of a program.
type donor struct {
	d      *donation
	result int // that may take over its memory; -1 if none is of its type
	copied bool
}

// Donate offers the memory of t, host data or a kept result, to the step that next uses it:
// a result of t's type may take it over. It returns t, which must not be used any more once
// that step is marked; if the step fails, t is as before. Whether memory is taken over is
// part of the program. The memory may still be read when the step is marked, by another
// tensor of the same data or a view that Value gave. Then the result gets memory of its
// own, and the report counts a donation copy. Writing t takes the offer back.
//
// Donate and the MarkStep that uses the donation change the handle t: no other
// goroutine may use it meanwhile.
//
// Variables are not donated: assigning one does. Nor are views, scalar
// arguments, and what was borrowed.
func (t *Tensor) Donate() *Tensor {
	const op = "donate"
	if b := firstBad(op, t); b != nil {
		return b
	}
	switch {
	case t.v != nil:
		return t.donateError("a variable's memory is taken over when it is assigned: assign it")
	case t.isView():
		return t.donateError("it is a view made at %v: donate what it is a view of", t.alias.loc)
	case t.unreadable():
		return t.tr.poisoned(t.alias.bad)
	case t.alias != nil && !t.restore():
		return t.donateError("%s", t.whyLost("it"))
	case t.tr != nil && t.alias != nil && t.alias.wrote == t.tr.epoch:
		return t.donateError("it was written at %v in this step: donate it to the next", t.alias.site)
	case t.val == nil:
		return t.donateError("it has no value yet: make it a root of a step before the one that it is donated to")
	case t.val.version:
		return t.donateError("it is variable %q as it was read, whose memory the variable has", t.val.name)
	case t.val.scalar || t.val.borrowed:
		return t.donateError("its memory is not its own but a scalar argument's or the caller's: donate a Clone")
	}
	d := &donation{t: t, v: t.val}
	d.site = t.callSite()
	if !t.val.donor.CompareAndSwap(nil, d) {
		past := t.val.donor.Load()
		if past.t == t {
			return t.donateError("it was donated at %v already", past.site)
		}
		return t.donateError("another tensor of the same memory was donated at %v already", past.site)
	}
	t.mem().donation = d
	return t
}

func (t *Tensor) callSite() callsite.Site {
	if t.tr != nil {
		return t.tr.site()
	}
	return callsite.Caller()
}

// donateError refuses a donation: nobody looks at what Donate returns, so the
// step fails, too.
func (t *Tensor) donateError(format string, args ...any) *Tensor {
	err := opError(t.callSite(), "donate", ErrUsage, []*Tensor{t}, format, args...)
	if t.tr != nil {
		return t.tr.fail(err)
	}
	return &Tensor{dev: t.dev, err: err}
}

// donated reports whether a step has used up the donation of t.
func (t *Tensor) donated() bool {
	d := t.alias.donation
	if d == nil || d.used == 0 {
		return false
	}
	if d.result == nil || d.result.failed() == nil {
		return true
	}
	d.revive()
	return false
}

// revive undoes the donation to a step that failed.
func (d *donation) revive() {
	d.used, d.result, d.gone = 0, nil, false
	d.v.gone.Store(nil)
	d.v.donor.Store(nil)
	d.t.alias.donation = nil
	d.t.val = d.v
	if d.t.tr != nil {
		d.t.detach()
	}
}

// whyLost says why t has no elements, if it was donated.
func (t *Tensor) whyLost(what string) string {
	return what + " was donated at " + t.alias.donation.site.String() + " to the step marked at " + t.alias.donation.used.String() +
		", which may have overwritten it: make it anew, or donate a Clone"
}

// offer finds the donated arguments among the captured program's, and lets a
// result of its type take over the memory of each. This is part of the program.
func (r *run) offer() {
	r.donors = r.donors[:0]
	for i, n := range r.graph.Params {
		v, ok := n.Value.(*value)
		if !ok {
			continue
		}
		if d := v.donor.Load(); d != nil && d.used == 0 {
			r.donors = append(r.donors, donor{d: d, result: r.heir(i, n)})
		}
	}
}

// heir returns the first result that can take over the memory of parameter i.
func (r *run) heir(i int, p *ir.Node) int {
	for k, n := range r.graph.Results {
		if n == p || r.graph.Alias[k] == i {
			return -1 // its elements are a result themselves
		}
	}
	for k, n := range r.graph.Results {
		if r.graph.Alias[k] < 0 && n.Op != ir.OpParameter && n.Type.Equal(p.Type) {
			r.graph.Donate(k, i)
			return k
		}
	}
	return -1
}

// takenFrom returns an error when memory that f is to read was donated to
// another step meanwhile.
func (f *flight) takenFrom(tr *Trace) error {
	for _, v := range f.args {
		if d := v.gone.Load(); d != nil {
			return opError(tr.site(), "mark_step", ErrUsage, nil,
				"the step uses %v, which was donated at %v to the step marked at %v: end a step before its operands are donated elsewhere, or donate a Clone",
				v.view.Type, d.site, d.used)
		}
	}
	return nil
}

// give uses up the donations to the step: those whose memory somebody else may
// read are copied instead. Who pins a value afterwards finds it gone.
func (tr *Trace) give(f *flight, r *run) {
	var result *value
	for _, v := range f.roots {
		if v != nil {
			result = v
		}
	}
	for i := range f.assigns {
		result = f.assigns[i].next
	}
	for _, o := range r.donors {
		d := o.d
		d.used, d.result = tr.site(), result
		t := d.t
		if t.val == d.v { // or it was written since
			typ := t.Type()
			t.val, t.mem().typ = nil, typ
			t.node, t.epoch = tr.b.Detached(typ, "", nil), 0
		}
		if o.result >= 0 {
			// One pin is the tensor's, one the step's.
			o.copied = d.v.pins.Load() > 2
			if !o.copied {
				d.v.gone.Store(d)
				d.gone = true
				o.copied = d.v.pins.Load() > 2 // since
			}
			f.donors = append(f.donors, o)
		}
	}
}
