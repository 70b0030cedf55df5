package lazy

import (
	"fmt"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// Assign makes x the value of t from here on. A variable is assigned in the trace of x, and
// for all others once the trace's MarkStep has run. Any other tensor is assigned in its own
// trace. It returns t. Other traces may not assign the version of a variable that this one
// read: the second MarkStep fails with [ErrConflict].
func (t *Tensor) Assign(x *Tensor) *Tensor { return t.writeNamed("assign", x) }

// Copy_ writes the elements of src, broadcast to t's shape and converted to its
// dtype, into t, and returns t.
func (t *Tensor) Copy_(src *Tensor) *Tensor {
	tr := t.writer(src)
	if tr == nil || firstBad("copy_", t, src) != nil {
		return t.writeNamed("copy_", src)
	}
	x := src
	if typ := t.Type(); !typ.Equal(src.Type()) {
		x = tr.gently(func() *Tensor {
			x := tr.Read(src).Convert(typ.DType)
			if x.err == nil {
				x = x.BroadcastTo(typ.Shape...)
			}
			return x.blame(t, src)
		})
		if x.err != nil && src.err == nil {
			x.err.Op = "copy_"
		}
	}
	return t.writeNamed("copy_", x)
}

// Fill_ writes the constant x into every element of t, and returns t. It
// writes in t's trace; a variable is in none, so fill Trace.View of it.
func (t *Tensor) Fill_(x float64) *Tensor {
	tr := t.writer(nil)
	if tr == nil || firstBad("fill_", t) != nil {
		return t.writeNamed("fill_", t)
	}
	if err := fits(t.DType(), x); err != nil {
		return t.writeNamed("fill_", tr.poisoned(opError(tr.site(), "fill_", ErrType, []*Tensor{t}, "%v", err)))
	}
	return t.writeNamed("fill_", Full(tr, t.DType(), x, t.OpenShape()...))
}

// writer returns the trace in which t is written when x is: its own, and that of an op
// on both for what belongs to a device, a variable and its views.
func (t *Tensor) writer(x *Tensor) *Trace {
	if t != nil && t.tr != nil && t.storage().v == nil {
		return t.tr
	}
	return traceOf(x, t)
}

// otherSizes returns what to do instead of giving the variable t a value of type x, if sizes alone
// differ; else "".
func (t *Tensor) otherSizes(x types.Type) string {
	if own := t.Type(); t.v == nil || own.DType != x.DType || len(own.Shape) != len(x.Shape) {
		return ""
	}
	return "; " + keepsSizes
}

func (t *Tensor) writeNamed(op string, x *Tensor) *Tensor {
	tr := t.writer(x)
	if tr == nil {
		lost := noTrace(op, t, x)
		if t != nil && t.err == nil && t.storage().v != nil {
			t.storage().v.lose(lost.err)
		}
		return lost
	}
	if bad := tr.once(op, t, x); bad != nil {
		return bad
	}
	if !tr.enter() {
		return tr.poisoned(tr.crowded(op, t, x))
	}
	defer tr.leave()
	if b := firstBad(op, t, x); b != nil && (x == nil || t == nil || t.err != nil) {
		return tr.fail(b.err)
	}
	site := tr.site()
	if err := tr.notWritable(op, site, t, x); err != nil {
		return tr.fail(err)
	}
	n := tr.operand(x)
	var bad *OpError
	switch {
	case n == nil:
		bad = tr.refusal(op, x)
	default:
		n, bad = tr.fitted(op, site, t, x, n)
	}
	if bad != nil {
		tr.poisoned(bad) // panics in strict mode: no result holds the error
	}
	s := t.storage()
	if s.v != nil {
		return t.assigned(tr, n, site, bad)
	}
	m := s.mem()
	if s.val != nil {
		s.restore()
		tr.written.Put(s, s.val)
		s.node, s.epoch, s.val = tr.argument(s), tr.epoch, nil
		tr.made++
	}
	if m.donation != nil { // taken back
		m.donation.v.donor.Store(nil)
		m.donation = nil
	}
	if m.wrote, m.site = tr.epoch, site; bad != nil {
		m.bad, s.epoch = bad, 0 // no trace's: operand looks closer
		return tr.fail(bad)
	}
	s.node, s.epoch = tr.through(t, n), tr.epoch
	return t
}

// assigned writes n to the variable t, or through the view t of one.
func (t *Tensor) assigned(tr *Trace, n *ir.Node, site callsite.Site, bad *OpError) *Tensor {
	s := tr.state(t.storage().v)
	if s.now == s.param && !tr.function { // the step's first assignment of it
		s.v.waits.Store(tr.owner<<32 | uint64(site))
		if tr.tally.waiting.Load() == nil {
			tr.tally.waiting.Store(s.v)
		}
	}
	if s.site = site; bad != nil {
		s.bad = bad
		return t
	}
	s.now = tr.through(t, n)
	return t
}

// notWritable returns why t cannot be written in the trace, whatever x is; nil
// when it can.
func (tr *Trace) notWritable(op string, site callsite.Site, t, x *Tensor) *OpError {
	s := t.storage()
	operands := []*Tensor{t, x}
	switch {
	case s.dev != tr.dev:
		return tr.refusal(op, x, t)
	case s.val != nil && s.val.scalar:
		return opError(site, op, ErrUsage, operands, "%q is a scalar argument: change it with Set, or write a Clone", s.val.name)
	case s.v == nil && s.tr == nil:
		return opError(site, op, ErrPlacement, operands,
			"%s belongs to the device, where traces share it, and only variables can be written there: make it one, or a tensor of the trace", t.kind())
	case s.v == nil && s.tr != tr:
		return opError(site, op, ErrPlacement, operands,
			"%s belongs to another trace, which alone can write it: copy it with Trace.Read, or make it a variable", t.kind())
	case tr.closure() != nil && tr.notWritableHere(op, site, s, operands) != nil:
		return tr.notWritableHere(op, site, s, operands)
	case tr.operand(t) == nil:
		return tr.refusal(op, t)
	case s.alias != nil && s.alias.argument:
		return opError(site, op, ErrUsage, operands, "an argument of a function is its caller's: copy it with Clone, and return the result")
	case t.isView() && t.alias.twice && overlaps(t.OpenShape(), t.layout().Dense(t.OpenShape())):
		return opError(site, op, ErrUsage, operands,
			"some elements of the view made at %v are one in memory: write what it is a view of, or a Clone", t.alias.loc)
	}
	return nil
}

// through returns what t's storage is when the elements of t are those of n:
// they go back through each view op up to the storage.
func (tr *Trace) through(t *Tensor, n *ir.Node) *ir.Node {
	if !t.isView() {
		return n
	}
	a := t.alias
	if a.twice { // of what one of its bases shows more than once, it shows one
		root := tr.operand(a.root)
		if n.Type.Elements() == 0 {
			return root
		}
		return tr.node(ir.OpAsStridedScatter, []ir.Attr{{Ints: a.layout.Dense(a.typ.Shape)}, {Int: int64(a.layout.Offset)}}, root, n)
	}
	inner := make([]*ir.Node, len(a.steps)) // before each step
	for i, at := 0, tr.operand(a.base); i < len(a.steps); i++ {
		inner[i] = at
		if i+1 < len(a.steps) {
			at = tr.node(a.steps[i].op, a.steps[i].attrs, at)
		}
	}
	x := n
	for i := len(a.steps) - 1; i >= 0; i-- {
		x = tr.undo(a.steps[i], inner[i], x)
	}
	if t.tr == tr {
		if a.stop {
			n = tr.stopped(n)
		}
		t.node, a.from = n, x
	}
	return tr.through(a.base, x)
}

// undo returns what base is when step makes n of it.
func (tr *Trace) undo(s step, base, n *ir.Node) *ir.Node {
	x := base.Type.Shape
	switch s.op {
	case ir.OpReshape, ir.OpBroadcast: // a broadcast that repeats nothing
		return tr.node(ir.OpReshape, []ir.Attr{ir.ReshapeDims: {Ints: x}}, n)
	case ir.OpTranspose:
		inverse := make([]int, len(x))
		for i, p := range s.attrs[0].Ints {
			inverse[p] = i
		}
		return tr.node(ir.OpTranspose, []ir.Attr{ir.TransposePerm: {Ints: inverse}}, n)
	case ir.OpSlice:
		if n.Type.Shape.Equal(x) {
			return n
		}
		return tr.node(ir.OpSliceScatter, []ir.Attr{ir.SliceScatterStarts: s.attrs[0], ir.SliceScatterStrides: s.attrs[2]}, base, n)
	case ir.OpAsStrided:
		return tr.node(ir.OpAsStridedScatter, []ir.Attr{ir.AsStridedScatterStrides: s.attrs[1], ir.AsStridedScatterOffset: s.attrs[2]}, base, n)
	}
	panic("lazy: no way to write through " + s.op.String())
}

// node records an op that cannot fail.
func (tr *Trace) node(op ir.Op, attrs []ir.Attr, in ...*ir.Node) *ir.Node {
	n, err := tr.b.Node(op, in, attrs, nil)
	if err != nil {
		panic(fmt.Sprintf("lazy: writing through a view: %v", err))
	}
	return n
}

// settleWrites ends the step for the tensors that it wrote: if it failed, they
// are what they were. If it is under way they remember that, for when it fails.
func (tr *Trace) settleWrites(failed bool) {
	for t, past := range tr.written.All {
		switch {
		case failed:
			t.val = past
			t.detach()
		case !t.val.ready():
			t.alias.past = append(t.alias.past, past)
		}
		t.alias.bad = nil
	}
	tr.written = tr.written.Emptied()
}

// restore makes t what it was before steps that wrote it and failed. It returns
// false when t has no elements now, because a write to it in the current step
// failed.
func (t *Tensor) restore() bool {
	if t.unreadable() || t.donated() {
		return false
	}
	if len(t.alias.past) == 0 || t.val == nil || !t.val.ready() {
		return true
	}
	for t.restorable() {
		n := len(t.alias.past) - 1
		t.val, t.alias.past = t.alias.past[n], t.alias.past[:n]
		t.detach()
	}
	t.alias.past = nil
	return true
}

// restorable reports whether t was written by a step that failed.
func (t *Tensor) restorable() bool {
	return t.alias != nil && len(t.alias.past) > 0 && t.val != nil && t.val.effective(t.queue()).failed() != nil
}

// unreadable reports whether t has no elements now because a write to it failed
// in this step.
func (t *Tensor) unreadable() bool {
	return t.alias != nil && t.alias.bad != nil && t.tr != nil && t.alias.wrote == t.tr.epoch
}

// lost is the error of reading t, which has no elements.
func (t *Tensor) lost(op string) error { return t.whyNot(t.callSite(), op, []*Tensor{t}, "it") }

// known returns the value that t's node has; the node may be that of others,
// too, who keep it.
func (t *Tensor) known() (*value, bool) {
	if t.val != nil {
		return t.val, false
	}
	if t.node == nil {
		return nil, false
	}
	v, ok := t.node.Value.(*value)
	return v, ok
}

// whyNotShared is whyNot for tensors that share memory or were written.
func (tr *Trace) whyNotShared(op string, i int, xs []*Tensor) *OpError {
	x := xs[i]
	if x.isView() {
		s := x.alias.root
		if err := s.whyNot(tr.site(), op, xs, "what "+nounOf(i, xs)+" is a view of"); err != nil {
			return err
		}
		if s.tr != tr {
			return opError(tr.site(), op, ErrPlacement, xs,
				"%s is the view made at %v of what another trace recorded at %v, which has no value yet; give it to that trace's MarkStep first", nounOf(i, xs), x.alias.loc, s.node.Loc)
		}
		return opError(tr.site(), op, ErrStale, xs,
			"%s is the view made at %v of the %v recorded at %v, which is of an earlier step and whose value was not kept%s; give it to MarkStep as a root, Keep it, or turn on Trace.LiveRoots",
			nounOf(i, xs), x.alias.loc, s.node.Op, s.node.Loc, x.writtenInto())
	}
	if err := x.whyNot(tr.site(), op, xs, nounOf(i, xs)); err != nil {
		return err
	}
	if v, ok := x.known(); ok && v.gone.Load() != nil {
		d := v.gone.Load()
		return opError(tr.site(), op, ErrStale, xs, "%s has the memory that was donated at %v to the step marked at %v, and is no root of its own: give it to MarkStep, or donate a Clone",
			nounOf(i, xs), d.site, d.used)
	}
	return nil
}

func (t *Tensor) whyNot(site callsite.Site, op string, xs []*Tensor, what string) *OpError {
	if t.alias == nil {
		return nil
	}
	if t.unreadable() {
		return t.alias.bad
	}
	if t.donated() {
		return opError(site, op, ErrUsage, xs, "%s", t.whyLost(what))
	}
	return nil
}

// fitted returns the node that an in-place op writes into t for its result n: converted to the
// dtype of t, if it may be.
func (tr *Trace) fitted(op string, site callsite.Site, t, x *Tensor, n *ir.Node) (*ir.Node, *OpError) {
	from, to := n.Type, t.Type()
	switch {
	case from.Equal(to):
		return n, nil
	case op == "assign" || tr.dev.strictTypes || !from.Shape.Equal(to.Shape):
		return nil, opError(site, op, ErrType, []*Tensor{t, x}, "%s is %v and cannot hold %v%s", t.kind(), to, from, t.otherSizes(from))
	case !shapeinfer.Castable(from.DType, to.DType):
		return nil, opError(site, op, ErrType, []*Tensor{t, x}, "the result is %v, which %s of %v cannot hold: convert the operand to %v, or assign the result of the op that is not in place", from, t.kind(), to, to.DType)
	}
	tr.b.SetLoc(site)
	return tr.node(ir.OpConvert, tr.b.Attrs(ir.Attr{Int: int64(to.DType)}), n), nil
}
