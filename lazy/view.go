package lazy

import (
	"context"
	"fmt"
	"slices"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy/internal/strided"
	"ltc/shapeinfer"
)

// alias is what a tensor knows about memory that it may share. A view shares
// that of its storage: the variable, host data or result at the end of its
// chain of bases. A view has no value of its own: reading it reads its storage,
// and making it a root makes its storage one.
//
// Nodes never change, so a view's node is that of its base with the view ops on top. When
// the base has been written the node is made again. The method operand sees that by the
// view's epoch, which is 0, no trace's, and by comparing the base's node with the one of
// which the view's was made.
type alias struct {
	base    *Tensor // what the steps lead on from; nil for a storage
	root    *Tensor // the storage
	steps   []step
	typ     types.Type
	layout  strided.Layout
	loc     callsite.Site // where the view was made
	closure uint32        // the epoch of the closure that made it; 0 outside of control flow
	// twice says that the view, or one that it is a view of, shows an element
	// more than once.
	twice bool
	stop  bool      // gradients end at the view: see NoGrad
	from  *ir.Node  // of the base, of which the tensor's node was made
	grad  *gradient // see [Tensor.RetainGrad]

	// of a storage
	wrote    uint32        // the step that wrote it last
	site     callsite.Site // where
	bad      *OpError      // of a write in that step that failed
	past     []*value      // before steps that wrote it and are under way
	argument bool          // of a function being traced: what its caller gave is not written
	donation *donation     // the latest

	into callsite.Site // of the latest Into of the tensor; 0 if none
}

// step is a view op, its attributes as nodes hold them.
type step struct {
	op    ir.Op
	attrs []ir.Attr
}

// isView reports whether t shares the memory of another tensor.
func (t *Tensor) isView() bool { return t.alias != nil && t.alias.base != nil }

// layout returns where t's elements lie in its storage.
func (t *Tensor) layout() strided.Layout {
	if t.isView() {
		return t.alias.layout
	}
	return strided.Layout{}
}

// storage returns the tensor whose memory t shares, t itself unless it is a
// view.
func (t *Tensor) storage() *Tensor {
	if t != nil && t.isView() {
		return t.alias.root
	}
	return t
}

// mem returns the alias of a storage, made if there is none.
func (t *Tensor) mem() *alias {
	if t.alias == nil {
		t.alias = &alias{}
	}
	return t.alias
}

// View returns a view of all of x in the trace: for in-place ops that would
// otherwise not know in which trace they write a variable.
//
//	tr.View(w).Fill_(0)
func (tr *Trace) View(x *Tensor) *Tensor {
	tr = tr.some()
	if b := firstBad("view", x); b != nil {
		return tr.poisoned(b.err)
	}
	if !tr.enter() {
		return tr.poisoned(tr.crowded("view", x))
	}
	defer tr.leave()
	n := tr.operand(x)
	if n == nil {
		return tr.refuse("view", x)
	}
	a := x.shown()
	a.loc, a.from = tr.site(), n
	if len(tr.noGrad) > 0 {
		a.stop, n = true, tr.stopped(n)
	}
	return newView(tr, x, a, n)
}

// shown is the alias of a view of all of x.
func (x *Tensor) shown() alias {
	return alias{base: x, root: x.storage(), typ: x.Type(), layout: x.layout(), twice: x.isView() && x.alias.twice}
}

// view returns the view that a view op makes of x.
func (x *Tensor) view(op ir.Op, attrs ...ir.Attr) *Tensor {
	if b := firstBad(op.String(), x); b != nil {
		return b
	}
	return x.makeView(op.String(), nil, step{op, attrs})
}

// makeView returns the view that steps make of x: a tensor of x's trace, or of
// none if x is of none. Its layout is layout, or follows from the only step. When
// the elements of a reshape do not lie in any layout, it is no view but a
// tensor of its own, as in other libraries.
func (x *Tensor) makeView(op string, layout *strided.Layout, steps ...step) *Tensor {
	tr, b := x.tr, (*ir.Builder)(nil)
	var n *ir.Node
	var site callsite.Site
	if tr != nil {
		if !tr.enter() {
			return tr.poisoned(tr.crowded(op, x))
		}
		defer tr.leave()
		if n = tr.operand(x); n == nil {
			return tr.refuse(op, x)
		}
		b, site = tr.b, tr.site()
		b.SetLoc(site)
	} else {
		b, site = ir.NewBuilder(shapeinfer.Infer), callsite.Caller() // for types alone
		n = b.Parameter(x.Type(), "", nil)
	}
	from := n
	for i := range steps {
		if tr != nil {
			tr.tally.Alone(int(steps[i].op))
		}
		var err error
		if n, err = shapeinfer.Record(b, steps[i].op, []*ir.Node{n}, steps[i].attrs, nil); err != nil {
			return x.dev.poisoned(tr, typeError(site, err))
		}
		steps[i].attrs = n.Attrs
	}
	if tr != nil && tr.fromData(from.Type, n.Type) { // which has no layout before the run
		return tr.wrap(tr.cut(n))
	}
	if layout == nil {
		w, ok := x.layout().After(steps[0].op, steps[0].attrs, from.Type.Shape, n.Type.Shape)
		switch {
		case !ok && tr == nil:
			return noTrace(op, x)
		case !ok:
			return tr.wrap(tr.cut(n))
		}
		layout = &w
	}
	a := alias{base: x, root: x.storage(), steps: steps, typ: n.Type, layout: *layout, loc: site}
	switch last := len(steps) - 1; {
	case x.isView() && x.alias.twice:
		a.twice = true
	case last == 0 && (steps[0].op == ir.OpBroadcast || steps[0].op == ir.OpAsStrided):
		a.twice = overlaps(n.Type.Shape, layout.Dense(n.Type.Shape))
	}
	if tr == nil {
		return newView(nil, x, a, nil)
	}
	a.from = from
	if len(tr.noGrad) > 0 {
		a.stop, n = true, tr.stopped(n)
	}
	return newView(tr, x, a, n)
}

// overlaps reports whether two indices of a layout may be one element.
func overlaps(shape types.Shape, strides []int) bool {
	if !dims.HasExpr(strides...) && !dims.HasExpr(shape...) {
		return types.Overlaps(shape, strides, -1)
	}
	for i, d := range shape {
		if strides[i] == 0 && !dims.AtMost(d, 1) {
			return true
		}
	}
	return false
}

// viewTensor is a view in one piece of memory.
type viewTensor struct {
	Tensor
	alias alias
}

func newView(tr *Trace, x *Tensor, a alias, n *ir.Node) *Tensor {
	v := &viewTensor{alias: a}
	if c := tr.closure(); c != nil {
		v.alias.closure = c.epoch
	}
	v.Tensor = Tensor{tr: tr, dev: x.dev, node: n, alias: &v.alias}
	return &v.Tensor
}

// derive is operand for views.
func (tr *Trace) derive(t *Tensor) *ir.Node {
	a := t.alias
	n := tr.operand(a.base)
	switch {
	case n == nil:
		return nil
	case t.tr == tr && a.from == n:
		return t.node
	}
	from := n
	loc := tr.b.SetLoc(a.loc)
	for _, s := range a.steps {
		var err error
		if n, err = tr.b.Node(s.op, []*ir.Node{n}, s.attrs, nil); err != nil {
			panic("lazy: a view's op fails on a base of the same type: " + err.Error())
		}
	}
	if a.stop {
		n = tr.stopped(n)
	}
	tr.b.SetLoc(loc)
	if t.tr == tr && len(tr.closures) == 0 { // in a closure it may be another each time
		t.node, a.from = n, from
	}
	return n
}

// viewed returns the value of the view t, pinned: its storage's, seen through
// its layout.
func (t *Tensor) viewed(ctx context.Context, why SyncReason) (*value, error) {
	of := t.alias.root
	if of.v != nil && t.tr != nil {
		of = t // in the version that its trace has read
	}
	var v *value
	for v == nil {
		var err error
		if v, err = t.storageValue(ctx, why); err == nil {
			v, err = of.awaitValue(ctx, v)
		}
		if err != nil {
			return nil, err
		}
	}
	layout, copied, err := t.alias.layout.Of(v.view, t.alias.typ)
	if err != nil {
		v.drop()
		return nil, fmt.Errorf("value of a view: %w", err)
	}
	seen := &value{view: layout, under: v}
	seen.pins.Add(1)
	if copied {
		seen.under = nil
		v.drop()
	}
	return seen, nil
}

// seen replaces the views among xs by tensors with their values.
func seen(ctx context.Context, xs []*Tensor) ([]*Tensor, error) {
	for i, x := range xs {
		if x == nil || !x.isView() {
			continue
		}
		v, err := x.data(ctx, SyncCall)
		if err != nil {
			return xs, err
		}
		xs = slices.Clone(xs)
		xs[i] = &Tensor{dev: x.dev, val: v}
	}
	return xs, nil
}

// unsee lets go of the values that seen has put in the place of views.
func unsee(given, xs []*Tensor) {
	for i, x := range xs {
		if x != given[i] {
			x.val.unpin()
		}
	}
}

// storageValue is the value of t's storage, as it is in t's trace.
func (t *Tensor) storageValue(ctx context.Context, why SyncReason) (*value, error) {
	s := t.alias.root
	if s.v == nil || t.tr == nil {
		return s.pinned(ctx, why)
	}
	if err := s.v.takeLost(); err != nil {
		return nil, err
	}
	n := t.tr.operand(s)
	if n == nil {
		return nil, t.tr.refusal("value", s)
	}
	return t.tr.wrap(n).pinned(ctx, why)
}

// Clone returns a tensor of its own with the elements that x has now: what is
// written to one of them the other does not see.
func (x *Tensor) Clone() *Tensor {
	if b := firstBad("clone", x); b != nil {
		return b
	}
	if x.tr == nil {
		return noTrace("clone", x)
	}
	return x.tr.Read(x)
}
