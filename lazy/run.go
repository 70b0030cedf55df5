package lazy

import (
	"slices"
	"unsafe"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/lazy/internal/guard"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/programs"
)

// run is one program of a trace on its way to the backend. Its slices are used
// again by the next.
type run struct {
	handles []*Tensor // of the roots, which lead the results
	live    int       // of these, those of LiveRoots, the last ones
	results []*ir.Node
	alias   []*ir.Node
	assigns []assignment
	dests   []destination
	graph   ir.Graph
	donors  []donor
	dry     bool // of Warmup: tensors are let be
}

func (r *run) reset() {
	clear(r.handles)
	clear(r.results)
	clear(r.alias)
	clear(r.assigns)
	clear(r.dests)
	clear(r.donors)
	r.handles, r.results, r.alias, r.assigns = r.handles[:0], r.results[:0], r.alias[:0], r.assigns[:0]
	r.dests, r.donors = r.dests[:0], r.donors[:0]
	r.graph.Forget()
}

// root adds t to the results, unless it has a value.
func (r *run) root(tr *Trace, t *Tensor) error {
	if b := firstBad("mark_step", t); b != nil {
		return b.err
	}
	if t.dev != tr.dev {
		return tr.refusal("mark_step", t)
	}
	if t.v != nil {
		return t.v.takeLost()
	}
	if t.isView() {
		return r.root(tr, t.alias.root)
	}
	if tr.writesShared(t) {
		return nil // a result anyway, in the caller's memory
	}
	if t.val != nil {
		if t.alias != nil && t.alias.donation != nil {
			return opError(tr.site(), "mark_step", ErrUsage, []*Tensor{t}, "a root was donated at %v: donate a Clone, or leave it out", t.alias.donation.site)
		}
		return nil
	}
	n := tr.operand(t)
	if t.tr != tr || n == nil {
		return tr.refusal("mark_step", t)
	}
	if v, ok := n.Value.(*value); ok {
		if !r.dry {
			t.adopt(v.own(), true) // a variable as it was read, or a value under another handle
		}
		return nil
	}
	r.handles = append(r.handles, t)
	r.results = append(r.results, n)
	r.alias = append(r.alias, nil)
	return nil
}

// assigned adds a variable to the results, if the step assigned it.
func (r *run) assigned(s *state) error {
	if s.bad != nil {
		return s.bad
	}
	if s.now == s.param {
		return nil
	}
	r.assigns = append(r.assigns, assignment{v: s.v, read: s.read, result: len(r.results), site: s.site})
	r.results = append(r.results, s.now)
	r.alias = append(r.alias, s.param)
	return nil
}

// collect gathers the step's results.
func (r *run) collect(tr *Trace, roots []*Tensor) error {
	if err := tr.uncrowded(r.dry); err != nil {
		return err
	}
	if tr.bad != nil {
		return tr.bad
	}
	if n := len(tr.scopes); n > 0 {
		open := tr.scopes[n-1]
		return opError(open.site, "mark_step", ErrUsage, nil,
			"scope %q, opened here, is still open; call what Scope returned before MarkStep", open.path)
	}
	for _, t := range roots {
		if err := r.root(tr, t); err != nil {
			return err
		}
	}
	for t := range tr.kept.All {
		if err := r.root(tr, t); err != nil {
			return err
		}
	}
	for t := range tr.written.All {
		if err := r.root(tr, t); err != nil {
			return err
		}
	}
	given := r.handles
	for _, t := range tr.liveRoots() {
		if slices.Contains(given, t) {
			continue
		}
		if err := r.root(tr, t); err != nil {
			return err
		}
	}
	r.live = len(r.handles) - len(given)
	for _, s := range tr.order {
		s.refresh()
		if err := r.assigned(s); err != nil {
			return err
		}
	}
	return r.place(tr)
}

// prepare captures and compiles the results for f to run, and claims the
// variables.
func (r *run) prepare(tr *Trace, f *flight) error {
	if len(r.results) == 0 {
		return nil
	}
	if err := r.compile(tr, f, true); err != nil {
		return err
	}
	if err := tr.dev.admit("mark_step", f.program); err != nil {
		return err
	}
	for _, v := range f.args {
		v = v.effective(tr.queue)
		if err := v.failed(); err != nil {
			if ownFailure(err, tr.queue) {
				return err
			}
			return opError(tr.site(), "mark_step", operandError{err}, nil, "%v", operandError{err})
		}
	}
	if err := f.apart(tr); err != nil {
		return err
	}
	return tr.dev.claim(f)
}

// compile captures the results and finds or compiles their program. final says
// that it is that of the step, which alone uses donated memory.
func (r *run) compile(tr *Trace, f *flight, final bool) error {
	if r.recall(tr, f) {
		return nil
	}
	tr.captureAll(&r.graph, nil, r.results, r.alias)
	if final {
		r.offer()
	}
	for i, n := range r.graph.Params {
		v, ok := n.Value.(*value)
		if !ok {
			tr.fail(opError(tr.site(), "value", ErrUsage, nil, "it depends on argument %d of a function that is being traced, which has no value yet; return it from the function", i))
			return tr.bad
		}
		f.argument(tr, n, v)
	}
	if err := f.takenFrom(tr); err != nil {
		return err
	}
	var g *ir.Graph
	f.indices, g = tr.dev.looksAt(&r.graph, lookAtNeeded)
	tr.dev.captured(&r.graph)
	op := "value"
	switch {
	case r.dry:
		op = "warmup"
	case final:
		op = "mark_step"
	}
	p, err := tr.dev.program(f.ctx, op, g, &tr.account, func() (callsite.Site, purpose) {
		why := purpose{warm: r.dry}
		if !final {
			why.read = nodeName(r.results[0])
		}
		return tr.sites.Caller(), why // whatever scope it is in
	})
	if err != nil {
		return err
	}
	r.take(f, p, r.graph.Alias)
	r.remember(tr, f)
	return nil
}

// argument adds v, the value of n, to f's arguments.
func (f *flight) argument(tr *Trace, n *ir.Node, v *value) {
	f.args = append(f.args, v)
	if n.Reads() || tr.arguments.Of(v) == n {
		return // pinned since it was read
	}
	v.pins.Add(1)
	f.pinned = append(f.pinned, v)
}

// take makes f a run of p; args says which argument each result takes the
// memory of.
func (r *run) take(f *flight, p *programs.Program, args []int) {
	f.program = p
	for _, a := range r.assigns {
		a.arg = args[a.result]
		f.assigns = append(f.assigns, a)
	}
	for _, d := range r.dests {
		d.arg = args[d.result]
		f.dests = append(f.dests, d)
	}
}

// Reuse turns reuse of traces on or off; it is on in a new trace, unless the
// environment variable LTC_REUSE_IR is 0. A step that records what an earlier
// one did, from the same lines, gets the nodes of then, and its program without
// a search. What programs compute does not depend on it. A step in the midst of
// which tensors are read starts anew. It returns the setting before.
func (tr *Trace) Reuse(on bool) (before bool) {
	tr = tr.some()
	before, tr.reuse = tr.reuse, on
	tr.b.Reuse(on)
	return before
}

// memo is what is known of steps that follow one path to its end: the program
// for these results, and the nodes whose values are its arguments.
type memo struct {
	results, alias []*ir.Node
	params         []*ir.Node
	args           []int // of each result, the argument it takes the memory of
	program        *programs.Program
	indices        guard.Indices
}

// recall fills f and the assignments from an equal step before; it returns
// false when there is none.
func (r *run) recall(tr *Trace, f *flight) bool {
	p := tr.b.Path()
	if p == nil {
		return false
	}
	m, _ := p.Note.(*memo)
	if m == nil || !slices.Equal(m.results, r.results) || !slices.Equal(m.alias, r.alias) {
		return false
	}
	if checking && !r.confirms(tr, m) {
		panic("lazy: a step that follows an earlier one is another program")
	}
	for _, n := range m.params {
		// Donated memory, or an error, makes it another program.
		if v, ok := n.Value.(*value); !ok || v.donor.Load() != nil || v.gone.Load() != nil {
			return false
		}
	}
	for _, n := range m.params {
		f.argument(tr, n, n.Value.(*value))
	}
	r.donors = r.donors[:0]
	tr.dev.count(metrics.CachedCompile, &tr.account)
	tr.dev.captured(m.program.Graph)
	tr.dev.programs.Used(m.program)
	f.indices = m.indices
	r.take(f, m.program, m.args)
	return true
}

// confirms compares the step with the program of the path that it has followed.
func (r *run) confirms(tr *Trace, m *memo) bool {
	tr.captureAll(&r.graph, nil, r.results, r.alias)
	_, g := tr.dev.looksAt(&r.graph, lookAtNeeded)
	return m.program.Computes(g) && slices.Equal(r.graph.Params, m.params)
}

// remember notes the program of a step that has followed an earlier one.
func (r *run) remember(tr *Trace, f *flight) {
	if path := tr.b.Path(); path != nil && len(r.donors) == 0 {
		path.Note = &memo{
			results: slices.Clone(r.results), alias: slices.Clone(r.alias),
			params: slices.Clone(r.graph.Params), args: slices.Clone(r.graph.Alias), program: f.program, indices: f.indices,
		}
	}
}

// Handles of steps that follow an earlier one come many to an allocation, as the
// nodes under them are there anyway. Handles that are about to get a value come
// only few together, and so do the values: one that a program keeps keeps the
// others alive.
const (
	handleSlab = (16<<10 - 8) / int(unsafe.Sizeof(Tensor{})) // with the allocator's word one of its sizes; the next is 18 KiB
	rootSlab   = 8
	smallRoot  = 4 << 10 // bytes; others come alone
)

// handle returns a zero Tensor for node n.
func (tr *Trace) handle(n *ir.Node) *Tensor {
	switch {
	case tr.live != nil && len(tr.closures) == 0:
		return tr.live.New((*Tensor).computed)
	case !tr.b.Following() || n.Root && n.Type.Bytes() > smallRoot:
		return &Tensor{}
	case n.Root:
		return tr.roots.Next(rootSlab)
	}
	return tr.handles.Next(handleSlab)
}

// pending is the value of the root t that f is to make.
func (tr *Trace) pending(t *Tensor, f *flight) *value {
	if !t.node.Root || t.node.Type.Bytes() > smallRoot {
		return pending(f, "", t.node.Type)
	}
	v := tr.values.Next(rootSlab)
	v.view.Type, v.sizing = t.node.Type, dims.HasExpr(t.node.Type.Shape...)
	v.from.Store(f)
	return v
}
