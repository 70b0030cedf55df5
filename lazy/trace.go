package lazy

import (
	"context"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/shapeinfer"
	"ltc/soa"

	"ltc/backends"
)

// Trace records programs for one device, a step each. It belongs to one
// goroutine at a time.
type Trace struct {
	dev   *Device
	b     *ir.Builder
	epoch uint32 // counts steps
	in    [4]*ir.Node

	sites     callsite.Cache
	fixed     bool // ops carry fixedSite
	fixedSite callsite.Site

	// of the current step
	vars      map[*variable]*state
	order     []*state // vars, in the order of first use
	arguments map[*value]*ir.Node
	kept      []*Tensor // Keep
	read      []*Tensor // handles with a value that keep their history for gradients
	forgotten bool      // some history was given up
	bad       *OpError  // of a call whose result nobody need look at
	function  bool      // the step is a function being traced

	run      run // memory used again by every step
	counters counters
	stepped  *program // the latest that MarkStep ran
}

// NewTrace returns a trace that records programs for d.
func NewTrace(d *Device) *Trace {
	return &Trace{
		dev: d, b: ir.NewBuilder(shapeinfer.Infer), epoch: 1,
		vars: map[*variable]*state{}, arguments: map[*value]*ir.Node{},
	}
}

// Device returns the device that the trace records for.
func (tr *Trace) Device() *Device { return tr.dev }

func (tr *Trace) device() *Device { return tr.dev }
func (tr *Trace) trace() *Trace   { return tr }

// Keep makes t a root of every MarkStep from now on until Release, as if it
// were given there. It returns t.
func (t *Tensor) Keep() *Tensor {
	if t.tr != nil && t.val == nil {
		t.tr.kept = append(t.tr.kept, t)
	}
	return t
}

// Release undoes Keep: a value that t already has stays readable.
func (t *Tensor) Release() {
	if t.tr == nil {
		return
	}
	for i, k := range t.tr.kept {
		if k == t {
			t.tr.kept = append(t.tr.kept[:i], t.tr.kept[i+1:]...)
			return
		}
	}
}

// MarkStep ends the step: it compiles what the roots, the tensors kept and the
// variables assigned need, unless an equal program has been compiled before,
// and runs it. Then the roots have values, and every other computed tensor of
// the step is stale. A root that is a variable or a value already is let be.
//
// The error is that of the first bad operation that a root or an assigned
// variable depends on, a conflict with another trace, or one of compiling and
// running. Then nothing has been computed, every variable is as before, and
// the trace goes on with a new step.
func (tr *Trace) MarkStep(roots ...*Tensor) error {
	tr.counters.marks.Add(1)
	defer tr.endStep()
	if tr.bad != nil {
		return tr.bad
	}
	r := &tr.run
	r.reset()
	for _, t := range roots {
		if err := r.root(tr, t); err != nil {
			return err
		}
	}
	for _, t := range tr.kept {
		if err := r.root(tr, t); err != nil {
			return err
		}
	}
	for _, s := range tr.order {
		if err := r.assigned(s); err != nil {
			return err
		}
	}
	if len(r.results) == 0 {
		return nil
	}
	return r.execute(tr, true)
}

// endStep forgets what was recorded.
func (tr *Trace) endStep() {
	for _, s := range tr.order {
		s.read.pins.Add(-1)
	}
	clear(tr.vars)
	clear(tr.order)
	tr.order = tr.order[:0]
	clear(tr.arguments)
	clear(tr.kept)
	tr.kept = tr.kept[:0]
	for _, t := range tr.read {
		t.detach()
	}
	clear(tr.read)
	tr.read, tr.forgotten, tr.bad = tr.read[:0], false, nil
	tr.b.Forget()
	tr.run.reset()
	tr.epoch++
}

// run is one program of a trace on its way to the backend. Its slices are used
// again by the next.
type run struct {
	handles []*Tensor // of the roots, which lead the results
	results []*ir.Node
	alias   []*ir.Node
	assigns []assignment
	graph   ir.Graph
	args    []*value
	call    backends.Call
}

func (r *run) reset() {
	clear(r.handles)
	clear(r.results)
	clear(r.alias)
	clear(r.assigns)
	clear(r.args)
	r.handles, r.results, r.alias, r.assigns, r.args = r.handles[:0], r.results[:0], r.alias[:0], r.assigns[:0], r.args[:0]
	r.graph.Forget()
	clear(r.call.Args)
	clear(r.call.Results)
	r.call.Args, r.call.Results = r.call.Args[:0], r.call.Results[:0]
}

// root adds t to the results, unless it has a value.
func (r *run) root(tr *Trace, t *Tensor) error {
	if b := firstBad("mark_step", t); b != nil {
		return b.err
	}
	if t.v != nil {
		return t.v.takeLost()
	}
	if t.val != nil {
		return nil
	}
	n := tr.operand(t)
	if t.tr != tr || n == nil {
		return tr.refuse("mark_step", t).err
	}
	if v, ok := n.Value.(*value); ok {
		t.adopt(v) // a variable as it was read, or a value under another handle
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

// execute compiles and runs the results. final tells the end of a step from a
// value that is read in its midst.
func (r *run) execute(tr *Trace, final bool) error {
	tr.b.Capture(&r.graph, nil, r.results, r.alias)
	for i, n := range r.graph.Params {
		v, ok := n.Value.(*value)
		if !ok {
			tr.fail(opError(tr.site(), "value", ErrUsage, nil, "it depends on argument %d of a function that is being traced, which has no value yet; return it from the function", i))
			return tr.bad
		}
		r.args = append(r.args, v)
	}
	p, err := tr.dev.programs.get(tr.dev, &r.graph, &tr.counters)
	if err != nil {
		return err
	}
	for i := range r.assigns {
		r.assigns[i].arg = r.graph.Alias[r.assigns[i].result]
	}
	if err := tr.dev.execute(context.Background(), p, &r.call, r.args, r.assigns, &tr.counters); err != nil {
		return err
	}
	for i, t := range r.handles {
		t.materialize(r.call.Results[i], final)
	}
	if final {
		tr.stepped = p
	}
	return nil
}

// materialize gives a computed tensor its value. Other handles on the same
// node have it, too. In the midst of a step the node keeps its history, if it
// depends on a variable: reading a tensor must not change gradients.
func (t *Tensor) materialize(view soa.View, final bool) {
	v, ok := t.node.Value.(*value)
	if !ok {
		v = &value{view: view}
		history := !final && t.node.Tracked()
		if history && len(t.tr.read) >= maxRead {
			history, t.tr.forgotten = false, true
		}
		t.node.Materialize(v, history)
	}
	t.adopt(v)
}

// maxRead is how many tensors that were read in one step keep their history:
// the step must not grow without end.
const maxRead = 10_000

// adopt makes v the value of t.
func (t *Tensor) adopt(v *value) {
	v.pins.Add(1)
	t.val = v
	if t.epoch == t.tr.epoch && t.node.Tracked() && len(t.tr.read) < maxRead {
		t.tr.read = append(t.tr.read, t) // gradients still go through its node
		return
	}
	t.detach()
}

// detach makes t, which has a value, independent of the step it was recorded
// in.
func (t *Tensor) detach() {
	loc := t.tr.b.SetLoc(t.node.Loc)
	t.node = t.tr.b.Detached(t.val.view.Type, t.val.name, t.val)
	t.tr.b.SetLoc(loc)
}

// fail makes the step fail with err: for calls made for their effect.
func (tr *Trace) fail(err *OpError) *Tensor {
	if tr.bad == nil {
		tr.bad = err
	}
	return tr.poisoned(err)
}
