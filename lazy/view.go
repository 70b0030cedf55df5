package lazy

import (
	"fmt"
	"slices"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/shapeinfer"
	"ltc/soa"
)

// alias is what a tensor knows about memory that it may share. A view shares
// that of its storage: the variable, host data or result at the end of its
// chain of bases. A view has no value of its own: reading it reads its storage,
// and making it a root makes its storage one.
//
// Nodes never change, so a view's node is that of its base with the view ops on
// top. When the base has been written it is made again: operand finds out
// because a view's epoch is 0, which is no trace's, and compares the base's node
// with that of which its own was made.
type alias struct {
	base  *Tensor // what the steps lead on from; nil for a storage
	root  *Tensor // the storage
	steps []step
	typ   types.Type
	win   window
	loc   callsite.Site // where the view was made
	// twice says that the view, or one that it is a view of, shows an element
	// more than once.
	twice bool
	from  *ir.Node // of the base, of which the tensor's node was made

	// of a storage
	wrote    uint32        // the step that wrote it last
	site     callsite.Site // where
	bad      *OpError      // of a write in that step that failed
	past     []*value      // before steps that wrote it and are under way
	argument bool          // of a function being traced: what its caller gave is not written
	donation *donation     // the latest
}

// step is a view op, its attributes as nodes hold them.
type step struct {
	op    ir.Op
	attrs []ir.Attr
}

// window says where the elements of a view lie in the storage, whose own lie in
// row-major order.
type window struct {
	offset  int
	strides []int // nil: row-major without gaps
}

// isView reports whether t shares the memory of another tensor.
func (t *Tensor) isView() bool { return t.alias != nil && t.alias.base != nil }

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

// window returns where t's elements lie in its storage.
func (t *Tensor) window() window {
	if t.isView() {
		return t.alias.win
	}
	return window{}
}

// dense returns the strides of w for a shape.
func (w window) dense(s types.Shape) []int {
	if w.strides == nil {
		return soa.Dense(s)
	}
	return w.strides
}

// View returns a view of all of x in the trace: for in-place ops that would
// otherwise not know in which trace they write a variable.
//
//	tr.View(w).Fill_(0)
func (tr *Trace) View(x *Tensor) *Tensor {
	if b := firstBad("view", x); b != nil {
		return tr.poisoned(b.err)
	}
	if !tr.enter() {
		return tr.poisoned(tr.crowded("view", x))
	}
	defer tr.leave()
	if tr.operand(x) == nil {
		return tr.refuse("view", x)
	}
	return tr.viewOf(x, x.window(), nil)
}

// view returns the view that a view op makes of x.
func (x *Tensor) view(op ir.Op, attrs ...ir.Attr) *Tensor {
	if b := firstBad(op.String(), x); b != nil {
		return b
	}
	return x.makeView(op.String(), nil, step{op, attrs})
}

// makeView returns the view that steps make of x: a tensor of x's trace, or of
// none if x is of none. Its window is win, or follows from the only step. When
// the elements of a reshape do not lie in any window, it is no view but a
// tensor of its own, as in other libraries.
func (x *Tensor) makeView(op string, win *window, steps ...step) *Tensor {
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
		var sites callsite.Cache
		b, site = ir.NewBuilder(shapeinfer.Infer), sites.Caller() // for types alone
		n = b.Parameter(x.Type(), "", nil)
	}
	from := n
	for i := range steps {
		if tr != nil {
			tr.tally.op(int(steps[i].op))
		}
		var err error
		if n, err = shapeinfer.Record(b, steps[i].op, []*ir.Node{n}, steps[i].attrs, nil); err != nil {
			return x.dev.poisoned(tr, typeError(site, err))
		}
		steps[i].attrs = n.Attrs
	}
	if win == nil {
		w, ok := x.window().after(steps[0], from.Type.Shape, n.Type.Shape)
		if !ok && tr == nil {
			return noTrace(op, x)
		}
		if !ok {
			return tr.wrap(n)
		}
		win = &w
	}
	v := &viewTensor{}
	v.Tensor = Tensor{tr: tr, dev: x.dev, alias: &v.alias}
	v.alias = alias{base: x, root: x.storage(), steps: steps, typ: n.Type, win: *win, loc: site}
	switch last := len(steps) - 1; {
	case x.isView() && x.alias.twice:
		v.alias.twice = true
	case last == 0 && (steps[0].op == ir.OpBroadcast || steps[0].op == ir.OpAsStrided):
		v.alias.twice = shapeinfer.Overlaps(n.Type.Shape, win.dense(n.Type.Shape))
	}
	if tr != nil {
		v.node, v.alias.from = n, from
	}
	return &v.Tensor
}

// viewTensor is a view in one piece of memory.
type viewTensor struct {
	Tensor
	alias alias
}

// viewOf is makeView without a step.
func (tr *Trace) viewOf(x *Tensor, win window, n *ir.Node) *Tensor {
	v := &viewTensor{}
	v.Tensor = Tensor{tr: tr, dev: x.dev, node: n, alias: &v.alias}
	v.alias = alias{base: x, root: x.storage(), typ: x.Type(), win: win, loc: tr.site()}
	v.alias.twice = x.isView() && x.alias.twice
	if n == nil {
		v.node = tr.operand(x)
	}
	v.alias.from = v.node
	return &v.Tensor
}

// derive is operand for views.
func (tr *Trace) derive(t *Tensor) *ir.Node {
	a := t.alias
	n := tr.operand(a.base)
	if n == nil || t.tr == tr && a.from == n {
		if n == nil {
			return nil
		}
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
	tr.b.SetLoc(loc)
	if t.tr == tr {
		t.node, a.from = n, from
	}
	return n
}

// after returns the window that a step makes of w; ok is false when the
// elements do not lie in one. The shapes are those before and after.
func (w window) after(s step, before, shape types.Shape) (out window, ok bool) {
	out.offset = w.offset
	switch s.op {
	case ir.OpReshape:
		if w.strides == nil {
			return w, true
		}
		out.strides, ok = reshaped(before, w.strides, shape)
		return out, ok
	case ir.OpAsStrided:
		return window{int(s.attrs[2].Int), s.attrs[1].Ints}, true
	}
	old := w.dense(before)
	out.strides = make([]int, len(shape))
	switch s.op {
	case ir.OpTranspose:
		for i, p := range s.attrs[0].Ints {
			out.strides[i] = old[p]
		}
	case ir.OpSlice:
		for i, start := range s.attrs[0].Ints {
			if shape[i] == 0 {
				continue // there is no first element
			}
			out.offset += start * old[i]
			if out.strides[i] = old[i]; shape[i] > 1 {
				out.strides[i] *= s.attrs[2].Ints[i]
			}
		}
	case ir.OpBroadcast:
		for i, axis := range s.attrs[1].Ints {
			if before[i] == shape[axis] {
				out.strides[axis] = old[i]
			}
		}
	default:
		panic("lazy: no window for " + s.op.String())
	}
	return out, true
}

// reshaped returns the strides with which the elements of a strided window lie
// in another shape; ok is false when they do not lie in any. Axes that lie
// without a gap between them can be cut anew, others only each by itself.
func reshaped(before types.Shape, strides []int, shape types.Shape) (out []int, ok bool) {
	if before.Elements() == 0 {
		return soa.Dense(shape), true
	}
	out = make([]int, len(shape))
	k := len(shape) - 1
	for i := len(before) - 1; i >= 0; {
		if before[i] == 1 {
			i--
			continue
		}
		run, stride := before[i], strides[i]
		for i--; i >= 0 && (before[i] == 1 || strides[i] == run*stride); i-- {
			run *= before[i]
		}
		for next := stride; run > 1; k-- {
			if k < 0 || run%shape[k] != 0 {
				return nil, false
			}
			out[k] = next
			next *= shape[k]
			run /= shape[k]
		}
	}
	for ; k >= 0; k-- {
		out[k] = 1 // an axis of one element
	}
	return out, true
}

// viewed returns the value of the view t, pinned: its storage's, seen through
// its window.
func (t *Tensor) viewed(why SyncReason) (*value, error) {
	v, err := t.storageValue(why)
	if err != nil {
		return nil, err
	}
	if err := v.wait(nil); err != nil {
		v.pins.Add(-1)
		return nil, err
	}
	win, copied, err := t.alias.win.of(v.view, t.alias.typ)
	if err != nil {
		v.pins.Add(-1)
		return nil, fmt.Errorf("value of a view: %w", err)
	}
	seen := &value{view: win, under: v}
	seen.pins.Add(1)
	if copied {
		seen.under = nil
		v.pins.Add(-1)
	}
	return seen, nil
}

// seen replaces the views among xs by tensors with their values.
func seen(xs []*Tensor) ([]*Tensor, error) {
	for i, x := range xs {
		if x == nil || !x.isView() {
			continue
		}
		v, err := x.data(SyncCall)
		if err != nil {
			return nil, err
		}
		xs = slices.Clone(xs)
		xs[i] = &Tensor{dev: x.dev, val: v}
	}
	return xs, nil
}

// storageValue is the value of t's storage, as it is in t's trace.
func (t *Tensor) storageValue(why SyncReason) (*value, error) {
	s := t.alias.root
	if s.v == nil || t.tr == nil {
		return s.pinned(why)
	}
	if err := s.v.takeLost(); err != nil {
		return nil, err
	}
	n := t.tr.operand(s)
	if n == nil {
		return nil, t.tr.refusal("value", s)
	}
	return t.tr.wrap(n).pinned(why)
}

// unpin undoes the pin of a reader.
func (v *value) unpin() {
	v.pins.Add(-1)
	if v.under != nil {
		v.under.pins.Add(-1)
	}
}

// of returns the elements of the window in a storage: where they lie if these
// are dense, and else a copy.
func (w window) of(storage soa.View, t types.Type) (v soa.View, copied bool, err error) {
	if t.Elements() == 0 {
		return soa.Make(t), true, nil
	}
	if !storage.IsDense() {
		dense := soa.Make(storage.Type)
		if err := soa.Copy(dense, storage); err != nil {
			return soa.View{}, false, err
		}
		storage, copied = dense, true
	}
	v, err = storage.Restride(t, w.offset, w.dense(t.Shape))
	if err != nil || v.IsDense() {
		return v, copied, err
	}
	if err := soa.Fits(t.Bytes()); err != nil { // a view may repeat its elements
		return soa.View{}, false, err
	}
	dense := soa.Make(t)
	return dense, true, soa.Copy(dense, v)
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

// Select returns the view of x in which the axis is gone and has the given
// index; negative ones count from the end. For the choice between two tensors
// see Where.
func (x *Tensor) Select(axis, index int) *Tensor {
	a, bad := x.axisOf("select", axis)
	if bad != nil {
		return bad
	}
	d := x.Shape()[a]
	i := index
	if i < 0 {
		i += d
	}
	if i < 0 || i >= d {
		return x.misuse("select", fmt.Sprintf("index %d is not one of the %d of axis %d", index, d, axis))
	}
	dims := slices.Delete(slices.Clone([]int(x.Shape())), a, a+1)
	strides := x.window().dense(x.Shape())
	win := window{x.window().offset + i*strides[a], slices.Delete(slices.Clone(strides), a, a+1)}
	return x.makeView("select", &win, x.part(a, i, i+1), step{ir.OpReshape, []ir.Attr{ir.ReshapeDims: {Ints: dims}}})
}

// part is the step that slices one axis.
func (x *Tensor) part(axis, start, limit int) step {
	starts, limits, strides := make([]int, x.Rank()), slices.Clone([]int(x.Shape())), slices.Repeat([]int{1}, x.Rank())
	starts[axis], limits[axis] = start, limit
	return step{ir.OpSlice, []ir.Attr{ir.SliceStarts: {Ints: starts}, ir.SliceLimits: {Ints: limits}, ir.SliceStrides: {Ints: strides}}}
}

// Narrow returns the view of the length indices of the axis from start on.
func (x *Tensor) Narrow(axis, start, length int) *Tensor {
	a, bad := x.axisOf("narrow", axis)
	if bad != nil {
		return bad
	}
	if d := x.Shape()[a]; start < 0 || length < 0 || start > d || length > d-start {
		return x.misuse("narrow", fmt.Sprintf("%d indices from %d are not within the %d of axis %d", length, start, d, axis))
	}
	return x.makeView("narrow", nil, x.part(a, start, start+length))
}

// Squeeze returns the view of x without the given axes, which must have the
// dimension 1; without all such when none is given.
func (x *Tensor) Squeeze(axes ...int) *Tensor {
	if b := firstBad("squeeze", x); b != nil {
		return b
	}
	gone := make([]bool, x.Rank())
	for _, axis := range axes {
		a, bad := x.axisOf("squeeze", axis)
		if bad != nil {
			return bad
		}
		if d := x.Shape()[a]; d != 1 {
			return x.misuse("squeeze", fmt.Sprintf("axis %d has dimension %d, not 1", axis, d))
		}
		gone[a] = true
	}
	dims := []int{}
	for i, d := range x.Shape() {
		if !gone[i] && (d != 1 || len(axes) > 0) {
			dims = append(dims, d)
		}
	}
	return x.Reshape(dims...)
}

// Diagonal returns the view of the elements of x whose indices of the two axes
// differ by offset: index i of its last axis is that of [i, i+offset] of axis1
// and axis2, or [i-offset, i] when offset is negative. The two axes are gone.
func (x *Tensor) Diagonal(offset, axis1, axis2 int) *Tensor {
	a1, bad := x.axisOf("diagonal", axis1)
	if bad != nil {
		return bad
	}
	a2, bad := x.axisOf("diagonal", axis2)
	if bad != nil {
		return bad
	}
	if a1 == a2 {
		return x.misuse("diagonal", fmt.Sprintf("axes %d and %d are the same", axis1, axis2))
	}
	shape, strides := x.Shape(), x.window().dense(x.Shape())
	row, col := max(-offset, 0), max(offset, 0)
	n := max(min(shape[a1]-row, shape[a2]-col), 0)
	if n == 0 {
		row, col = 0, 0
	}
	var perm []int
	dims, win := []int{}, window{offset: x.window().offset + row*strides[a1] + col*strides[a2], strides: []int{}}
	for i, d := range shape {
		if i != a1 && i != a2 {
			perm, dims, win.strides = append(perm, i), append(dims, d), append(win.strides, strides[i])
		}
	}
	win.strides = append(win.strides, strides[a1]+strides[a2])
	// The two axes go last and are cut to a square, whose diagonal is every
	// (n+1)th element.
	r := len(dims)
	starts, limits, ones := make([]int, r+2), append(slices.Clone(dims), row+n, col+n), slices.Repeat([]int{1}, r+2)
	starts[r], starts[r+1] = row, col
	last := slices.Repeat([]int{1}, r+1)
	last[r] = n + 1
	return x.makeView("diagonal", &win,
		step{ir.OpTranspose, []ir.Attr{ir.TransposePerm: {Ints: append(perm, a1, a2)}}},
		step{ir.OpSlice, []ir.Attr{ir.SliceStarts: {Ints: starts}, ir.SliceLimits: {Ints: limits}, ir.SliceStrides: {Ints: ones}}},
		step{ir.OpReshape, []ir.Attr{ir.ReshapeDims: {Ints: append(slices.Clone(dims), n*n)}}},
		step{ir.OpSlice, []ir.Attr{ir.SliceStarts: {Ints: make([]int, r+1)}, ir.SliceLimits: {Ints: append(slices.Clone(dims), n*n)}, ir.SliceStrides: {Ints: last}}})
}

// AsStrided returns the view of the elements at offset + i*strides[0] +
// j*strides[1] + … for each index (i, j, …) of the given sizes, counted in the
// row-major order of x's storage: if x is a view itself, of what it is a view
// of in the end. A view in which two indices are one element cannot be written.
func (x *Tensor) AsStrided(sizes, strides []int, offset int) *Tensor {
	if b := firstBad(ir.OpAsStrided.String(), x); b != nil {
		return b
	}
	s := x.storage()
	if s.tr != x.tr { // of a variable, in x's trace
		s = x.tr.View(s)
	}
	return s.view(ir.OpAsStrided, ir.Attr{Ints: sizes}, ir.Attr{Ints: strides}, ir.Attr{Int: int64(offset)})
}
