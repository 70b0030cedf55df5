package lazy

import (
	"sync/atomic"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/shapeinfer"
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
	pinned    []*value                // the arguments
	kept      []*Tensor               // Keep
	read      []*Tensor               // handles with a value that keep their history for gradients
	handles   []Tensor                // to use
	roots     []rootTensor            // to use
	busy      atomic.Uint32           // 1 while a goroutine is in the trace
	crowd     atomic.Pointer[OpError] // of another that came then
	written   []written               // handles with a value that were written in place
	forgotten bool                    // some history was given up
	bad       *OpError                // of a call whose result nobody need look at
	function  bool                    // the step is a function being traced

	run      run // memory used again by every step
	counters counters
	tally    *tally
	made     int      // handles made in this step
	survived int      // of these, how many have a value
	stepped  *program // the latest that MarkStep ran
	syncs    SyncMode
	gentle   int // calls of gently under way
	hooks    []*hook
	watch    int // how many nodes the step may have before grown looks at it

	queue     *queue
	step      int64 // that is being recorded, from 1
	name      string
	scopes    []scope // open ones
	scopeNext int     // the number of the next scope that is in none
	after     []func(error)
}

// NewTrace returns a trace that records programs for d.
func NewTrace(d *Device) *Trace {
	tr := newTrace(d).counted()
	tr.Reuse(envReuse.on())
	return tr
}

// newTrace returns a trace for one step, whose ops count nowhere: those of
// composites' bodies are not the user's.
func newTrace(d *Device) *Trace {
	return &Trace{
		dev: d, b: ir.NewBuilder(shapeinfer.Infer), epoch: 1,
		vars: map[*variable]*state{}, arguments: map[*value]*ir.Node{},
		queue: &queue{dev: d}, step: 1, tally: newTally(), syncs: d.syncs.mode, watch: d.graphLimit,
	}
}

// Device returns the device that the trace records for.
func (tr *Trace) Device() *Device { return tr.dev }

func (tr *Trace) device() *Device { return tr.dev }
func (tr *Trace) trace() *Trace   { return tr }

// Keep makes t a root of every MarkStep from now on until Release, as if it
// were given there. It returns t.
func (t *Tensor) Keep() *Tensor {
	if t != nil && t.tr != nil && t.val == nil && t.storage().v == nil {
		t.tr.kept = append(t.tr.kept, t)
	}
	return t
}

// run is one program of a trace on its way to the backend. Its slices are used
// again by the next.
type run struct {
	handles []*Tensor // of the roots, which lead the results
	results []*ir.Node
	alias   []*ir.Node
	assigns []assignment
	graph   ir.Graph
	donors  []donor
}

func (r *run) reset() {
	clear(r.handles)
	clear(r.results)
	clear(r.alias)
	clear(r.assigns)
	clear(r.donors)
	r.handles, r.results, r.alias, r.assigns = r.handles[:0], r.results[:0], r.alias[:0], r.assigns[:0]
	r.donors = r.donors[:0]
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
		t.adopt(v.own(), true) // a variable as it was read, or a value under another handle
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

// materialize gives a computed tensor its value, which other roots on the same
// node share. In the midst of a step the node keeps its history, if it
// depends on a variable: reading a tensor must not change gradients.
// It returns the value, nil if another handle had made the node's before.
func (t *Tensor) materialize(v *value, final bool) *value {
	if known, ok := t.node.Value.(*value); ok {
		t.adopt(known, final)
		return nil
	}
	t.dev.live.born(v, "result", t.node.Loc)
	if final {
		t.node.Value, t.node.Root = v, true // until the step has ended
	} else {
		history := t.node.Tracked()
		if history && len(t.tr.read) >= maxRead {
			history, t.tr.forgotten = false, true
		}
		t.node.Materialize(v, history)
	}
	t.adopt(v, final)
	return v
}

// maxRead is how many tensors that were read in one step keep their history:
// the step must not grow without end.
const maxRead = 10_000

// adopt makes v the value of t, at the end of the step or in its midst.
func (t *Tensor) adopt(v *value, final bool) {
	v.pins.Add(1)
	t.val = v
	t.tr.survived++
	switch {
	case final:
		t.detach()
	case t.node.Tracked() && len(t.tr.read) < maxRead:
		t.tr.read = append(t.tr.read, t) // gradients still go through its node
	default:
		// An argument of its own: a step may read millions.
		loc := t.tr.b.SetLoc(t.node.Loc)
		t.node = t.tr.b.Detached(v.view.Type, v.name, v)
		t.tr.b.SetLoc(loc)
	}
}

// detach makes t, which has a value, independent of the step it was recorded
// in.
func (t *Tensor) detach() {
	if t.node != nil {
		t.loc = t.node.Loc
	}
	t.node, t.epoch = nil, 0
}

// fail makes the step fail with err: for calls made for their effect.
func (tr *Trace) fail(err *OpError) *Tensor {
	if tr.bad == nil {
		tr.bad = err
	}
	return tr.poisoned(err)
}
