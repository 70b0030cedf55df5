package lazy

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy/internal/sched"
	"ltc/soa"
)

// destination is memory of the caller that a step writes a result to: that of [Into], or
// that of a tensor of [Share] which in-place ops have written.
type destination struct {
	op   string
	site callsite.Site // where Into was called, or the tensor was written last
	t    *Tensor
	view soa.View
	node *ir.Node // of Into: what is written

	// of a tensor of Share; nil for Into
	past *value // before the step
	next *value // after it

	result int // of the program
	arg    int // the argument that past is
}

// Into has the step that is being recorded write the elements that t has now to dst, in
// row-major order, and returns t. MarkStep computes t for that, like a root. It is no
// root: unless t is given to MarkStep as well, t has no value afterwards, and using it is
// an error that says where its elements went. T must be the Go type of t's dtype, and dst
// as long as t has elements.
//
// Programs write dst in place where they can. A backend that cannot copies the result to
// it, which the report counts ([Report].CopiedBytes). Which memory it is does not matter
// for what is compiled: other slices in later steps compile nothing.
//
// From the call on dst is the step's: nobody may read or write it before the step has
// ended. [Trace.Wait] waits for that, as does reading a root of the step, and a function
// of [Trace.AfterStep] comes after it. Then nothing of the library keeps dst. It must not
// share memory with anything else that the step reads or writes: the step then fails with
// an error of the line of Into. Of a step that fails or is discarded, dst keeps what it
// had, unless the error wraps [backends.ErrWritten].
//
// In a function of [Func] and in control flow there is no Into: return the tensor.
func Into[T soa.Element](t *Tensor, dst []T) *Tensor {
	const op = "into"
	if b := firstBad(op, t); b != nil {
		return b.fails()
	}
	typ := t.Type()
	if d := dtypeOf[T](); d != typ.DType {
		return t.misuse(op, fmt.Sprintf("its elements are %v, and the slice's are %v; convert it with Convert", typ.DType, d)).fails()
	}
	if dims.HasExpr(typ.Shape...) {
		return t.misuse(op, sizeless).fails()
	}
	view, err := soa.Borrow(dst, typ)
	if err != nil {
		return t.misuse(op, err.Error()).fails()
	}
	return t.into(op, view)
}

// IntoView is [Into] for the memory that a view shows, in any layout in which no two
// elements are in one place: columns of a structure of arrays, and parts of larger
// tensors. The view must have t's type.
func (t *Tensor) IntoView(dst soa.View) *Tensor {
	const op = "into_view"
	if b := firstBad(op, t); b != nil {
		return b.fails()
	}
	if why := unfit(t.Type(), &dst); why != "" {
		return t.misuse(op, why).fails()
	}
	return t.into(op, dst.Clone())
}

// unfit says why a tensor of type t cannot be written to dst; "" if it can.
func unfit(t types.Type, dst *soa.View) string {
	switch {
	case dims.HasExpr(t.Shape...):
		return sizeless
	case dst.IsZero():
		return "the view is the zero View"
	case !dst.Type.Equal(t):
		return fmt.Sprintf("it is %v, and the view is of %v", t, dst.Type)
	}
	if err := dst.Check(); err != nil {
		return err.Error()
	}
	switch {
	case dst.ReadOnly():
		return "the view is read only"
	case dst.Remote() != nil:
		return fmt.Sprintf("the memory is that of %v, and must be the host's", dst.Remote())
	case dst.Repeats():
		return fmt.Sprintf("some elements of %v are one in memory and cannot be written", *dst)
	}
	return ""
}

// sizeless is why a tensor whose sizes follow from data goes nowhere.
const sizeless = "sizes of its shape are known only when the step has run: give it to MarkStep as a root, and read it with ToSlice"

// fails makes the step fail with the error of t: nobody need look at what Into returns.
func (t *Tensor) fails() *Tensor {
	if t.tr != nil && t.err != nil {
		t.tr.fail(t.err)
	}
	return t
}

func (t *Tensor) into(op string, dst soa.View) *Tensor {
	tr := t.tr
	if tr == nil {
		bad := opError(callsite.Caller(), op, ErrPlacement, []*Tensor{t}, "it belongs to no trace, and no step would write the memory: give what Trace.Read of it returns")
		if v := t.storage().v; v != nil {
			v.lose(bad)
		}
		return t.dev.poisoned(nil, bad)
	}
	if bad := tr.once(op, t); bad != nil {
		return bad
	}
	if !tr.enter() {
		return tr.poisoned(tr.crowded(op, t))
	}
	defer tr.leave()
	if err := tr.withinClosure(op, t); err != nil {
		return tr.fail(err)
	}
	if tr.function {
		return tr.fail(opError(tr.site(), op, ErrUsage, []*Tensor{t}, "it is called in a function that is being traced, which runs later and often: return the tensor"))
	}
	n := tr.operand(t)
	if n == nil {
		return tr.fail(tr.refusal(op, t))
	}
	site := tr.site()
	tr.dests = append(tr.dests, destination{op: op, site: site, t: t, view: dst, node: n})
	t.mem().into = site
	return t
}

// writtenInto says where the elements of t went, if that is memory of [Into].
func (t *Tensor) writtenInto() string {
	if t.alias == nil || t.alias.into == 0 {
		return ""
	}
	return fmt.Sprintf(": its elements are in the memory given to Into at %v", t.alias.into)
}

// place adds what the step writes to memory of the caller to the results.
func (r *run) place(tr *Trace) error {
	for _, d := range tr.dests {
		r.goes(d, d.node, nil)
	}
	for t, past := range tr.written.All {
		if past.inPlace == nil {
			continue
		}
		if b := firstBad("mark_step", t); b != nil {
			return b.err
		}
		n := tr.operand(t)
		if n == nil {
			return tr.refusal("mark_step", t)
		}
		r.goes(destination{op: "share", site: t.alias.site, t: t, view: past.inPlace.view, past: past}, n, tr.arguments.Of(past))
	}
	for i := range r.dests {
		for k := range i {
			if a, b := &r.dests[k], &r.dests[i]; a.view.Meets(&b.view) {
				return opError(b.site, b.op, ErrUsage, []*Tensor{b.t}, "the step writes %v to memory that it also writes %v to, at %v: give each result memory of its own",
					b.view.Type, a.view.Type, a.site)
			}
		}
	}
	return nil
}

// goes adds n to the results, which is written to d; param is the node of the argument in
// the same memory, if there is one.
func (r *run) goes(d destination, n, param *ir.Node) {
	d.result = len(r.results)
	r.dests = append(r.dests, d)
	r.results = append(r.results, n)
	r.alias = append(r.alias, param)
}

// apart returns an error if the run would read memory that it writes as one of its
// destinations.
func (f *flight) apart(tr *Trace) error {
	for i := range f.dests {
		d := &f.dests[i]
		for k, v := range f.args {
			of := &v.view
			switch {
			case k == d.arg:
				continue // the argument whose memory the result takes over
			case v.inPlace != nil:
				of = &v.inPlace.view
			case !v.ready():
				continue // it is made in memory of the device
			}
			if of.Check() != nil || !of.Meets(&d.view) {
				continue
			}
			at := ""
			if n := tr.arguments.Of(v); n != nil {
				at = fmt.Sprintf(", at %v", n.Loc)
			}
			return opError(d.site, d.op, ErrUsage, []*Tensor{d.t}, "the step writes %v to memory in which it also reads %v%s: copy what is read with From, or write a tensor of Share in place",
				d.view.Type, v.view.Type, at)
		}
	}
	return nil
}

// Share is [Borrow] of memory that in-place ops write: when a step has written the tensor,
// data has its elements as soon as the step has ended, without a copy. The caller may write
// data between steps, and later steps read what is there. Until a step that uses the tensor
// has ended, nobody else may read or write data, which is its for that long: wait with
// [Trace.Wait], or read the tensor. Of a step that fails, data keeps what it had, unless the
// error wraps [backends.ErrWritten]. The tensor keeps data for as long as the program
// refers to it. Views of the tensor share data, too, and so does what [Tensor.Value]
// returns; [Tensor.Clone] and [Trace.Read] copy.
//
// Other traces and functions may read the tensor, too. A step that writes it runs when the steps
// and calls begun before that read it have ended, and those begun later wait for it. They read what
// is there then, also where they were recorded before: a step begins with its MarkStep. This holds for
// several tensors of Share, too, whose memory is the same or in part. The handle itself belongs to the
// goroutine of its trace.
//
// In a function of [Func] there is no Share, and control flow does not write the tensor.
func Share[T soa.Element](tr *Trace, data []T, dims ...int) *Tensor {
	return host(tr, "share", data, dims, false).share("share")
}

// ShareView is [Share] of the memory that a view shows, in any layout in which no two
// elements are in one place.
func ShareView(tr *Trace, v soa.View) *Tensor {
	const op = "share_view"
	switch {
	case v.IsZero():
	case v.ReadOnly():
		return refused(tr, op, "the memory is read only: FromView reads it")
	case v.Remote() != nil:
		return refused(tr, op, fmt.Sprintf("the memory is that of %v, and must be the host's", v.Remote()))
	case v.Check() == nil && v.Repeats():
		return refused(tr, op, fmt.Sprintf("some elements of %v are one in memory and cannot be written: FromView reads them", v))
	}
	return fromView(tr, op, v).share(op)
}

// share makes t, which has just borrowed memory, one that in-place ops write.
func (t *Tensor) share(op string) *Tensor {
	if t.err == nil && t.tr.function {
		return t.tr.fail(opError(t.tr.site(), op, ErrUsage, []*Tensor{t}, "it is called in a function that is being traced, which does not write the memory: read it with Borrow or FromView, and return the tensor"))
	}
	if t.err == nil {
		view := t.val.view
		t.val.inPlace, t.val.sum = newShared(view), nil
	}
	return t
}

// shared is memory of [Share]. Runs use it in the order in which their steps were marked, and
// functions called: one that writes it waits for all before, one that reads it for those that
// write.
type shared struct {
	view  soa.View
	spans []*span // its own, and earlier ones that overlap it
	since uint64  // in the order of spans: damage of before does not count, as the caller has given the elements anew
}

// span orders the jobs that use one view of shared memory. Tensors of equal views have one span.
type span struct {
	sched.Memory
	view soa.View

	failed atomic.Pointer[damage] // by the last run that was to write the view and has failed
	hit    atomic.Pointer[damage] // by the last run that was to write a later span that overlaps it and has failed
}

// damage is what a run has done that may have written some of the view of a span, and has failed.
type damage struct {
	when uint64 // in the order of spans
	err  error
}

// before reports whether d, which may be nil, is older than the tensor of m.
func (d *damage) before(m *shared) bool { return d == nil || d.when < m.since }

// spans are the spans of all tensors, in the order of their calls. Its lock is held while a job claims several of
// them: of two jobs one is first in all.
var spans struct {
	sync.Mutex
	all  []place
	most int // the length of all at which spans that no tensor has are removed

	events uint64 // calls of Share and damages, in their order
}

// place says where the elements of a span are: from one address up to below another.
type place struct {
	span     weak.Pointer[span]
	from, to uintptr
}

// placeOf returns where v's elements are. Those of a table of columns may be anywhere.
func placeOf(v soa.View) (p place) {
	if v.Table != nil {
		return place{to: math.MaxUint}
	}
	from := uintptr(v.Base())
	to := from + uintptr(v.Type.DType.Size())
	for i, n := range v.Type.Shape {
		switch reach := (n - 1) * v.Strides[i] * v.Type.DType.Size(); {
		case n == 0:
			return place{}
		case reach < 0:
			from -= uintptr(-reach)
		default:
			to += uintptr(reach)
		}
	}
	return place{from: from, to: to}
}

// newShared returns the memory of v.
func newShared(v soa.View) *shared {
	spans.Lock()
	defer spans.Unlock()
	spans.events++
	return &shared{view: v, spans: spansOf(v), since: spans.events}
}

// spansOf returns the spans that a job claims to use the memory of v: the span of v, and earlier spans that
// overlap it. A job that uses a later span that overlaps v claims the span of v, too. The caller holds the lock.
func spansOf(v soa.View) []*span {
	if len(spans.all) >= spans.most {
		spans.all = slices.DeleteFunc(spans.all, func(p place) bool { return p.span.Value() == nil })
		spans.most = 2*len(spans.all) + 16
	}
	here := placeOf(v)
	var own *span
	var more []*span
	for i := range spans.all {
		p := &spans.all[i]
		if p.to <= here.from || here.to <= p.from {
			continue
		}
		switch r := p.span.Value(); {
		case r == nil || own != nil || !r.view.Meets(&v): // later spans: their jobs claim v's own
		case r.view.Base() == v.Base() && r.view.Type.Equal(v.Type) && slices.Equal(r.view.Strides, v.Strides) && slices.Equal(r.view.Table, v.Table):
			own = r
		default:
			more = append(more, r)
		}
	}
	if own == nil {
		own = &span{view: v}
		here.span = weak.Make(own)
		spans.all = append(spans.all, here)
	}
	return append([]*span{own}, more...)
}

// fault returns why the memory has no elements to read.
func (m *shared) fault() error {
	if d := m.spans[0].hit.Load(); !d.before(m) {
		return d.err
	}
	for _, s := range m.spans {
		if d := s.failed.Load(); !d.before(m) {
			return d.err
		}
	}
	return nil
}

// damaged notes that a run that has failed with err may have written some of the memory. It is an error of all
// tensors that show it.
func (m *shared) damaged(err error) {
	spans.Lock()
	defer spans.Unlock()
	spans.events++
	d := &damage{spans.events, err}
	m.spans[0].failed.Store(d)
	for _, s := range m.spans[1:] {
		s.hit.Store(d)
	}
}

// writesShared reports whether t is memory of [Share] that the step writes.
func (tr *Trace) writesShared(t *Tensor) bool {
	past, ok := tr.written.Of(t)
	return ok && past.inPlace != nil
}

// access is the use of a memory by a flight.
type access struct {
	*sched.Access
	span *span
}

// usesShared reports whether f reads or writes memory of Share.
func (f *flight) usesShared() bool {
	for _, v := range f.args {
		if v.memory() != nil {
			return true
		}
	}
	return slices.ContainsFunc(f.dests, func(d destination) bool { return d.past != nil })
}

// claimShared announces which memory of Share the flight uses.
func (f *flight) claimShared() {
	spans.Lock()
	defer spans.Unlock()
	for i := range f.dests {
		if d := &f.dests[i]; d.past != nil {
			f.use(d.past.inPlace, true)
		}
	}
	for _, v := range f.args {
		if m := v.memory(); m != nil {
			f.use(m, false)
		}
	}
}

func (f *flight) use(m *shared, writes bool) {
	for _, r := range m.spans {
		if !slices.ContainsFunc(f.accesses, func(a access) bool { return a.span == r }) {
			f.accesses = append(f.accesses, access{r.Claim(&f.Job, writes), r})
		}
	}
}

// awaitShared waits until the flight may use the memory that it has claimed.
func (f *flight) awaitShared() error {
	for _, a := range f.accesses {
		if err := a.Wait(f.ctx, "value", &f.Job); err != nil {
			return waitError("value", err)
		}
	}
	return nil
}

// endShared gives up the flight's claims on memory. Flights that wait for them wake when this one
// lands.
func (f *flight) endShared() {
	for _, a := range f.accesses {
		a.End()
	}
	clear(f.accesses)
	f.accesses = f.accesses[:0]
}

// read waits until the calling goroutine may read v, which is there, and returns what to call
// at the end. It is for memory of Share that another trace may be writing.
func (v *value) read(ctx context.Context) (end func(), err error) {
	m := v.memory()
	if m == nil {
		return func() {}, nil
	}
	var j sched.Job
	var all []*sched.Access
	spans.Lock()
	for _, r := range m.spans {
		all = append(all, r.Claim(&j, false))
	}
	spans.Unlock()
	end = func() {
		for _, a := range all {
			a.End()
		}
		j.Land()
	}
	for _, a := range all {
		if err = waitError("value", a.Wait(ctx, "value", nil)); err != nil {
			break
		}
	}
	if err == nil {
		err = m.fault()
	}
	if err != nil {
		end()
	}
	return end, err
}

// hand gives the tensors of [Share] that the step writes their values to come.
func (f *flight) hand() {
	for i := range f.dests {
		d := &f.dests[i]
		if d.past == nil {
			continue
		}
		d.next = pending(f, d.past.name, d.view.Type)
		d.next.borrowed, d.next.inPlace = true, d.past.inPlace
		f.dev.born(d.next, "value", d.site)
		d.t.adopt(d.next, true)
	}
}

// settleShared publishes what tensors of [Share] are after the run, which ended with err.
func (f *flight) settleShared(err error) {
	for i := range f.dests {
		d := &f.dests[i]
		switch {
		case d.next == nil:
		case err == nil:
			d.next.publish(&d.view, nil)
		default:
			d.next.publish(nil, err)
			if overwrites(err) {
				d.past.inPlace.damaged(fmt.Errorf("the memory of the tensor written at %v may have been written over: %w", d.site, err))
			}
		}
	}
}
