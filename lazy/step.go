package lazy

import (
	"context"
	"slices"
	"time"

	"ltc/ir"
	"ltc/soa"
)

// short is how long a program may take that runs within MarkStep: waking a
// goroutine and losing the caches would cost as much.
const short = 50 * time.Microsecond

// MarkStep ends the step: it compiles what the roots, the tensors kept and the
// variables assigned need, unless an equal program has been compiled before,
// and has it run. Then the roots have values, which reading waits for, and every
// other computed tensor of the step is stale. A root that is a variable or a
// value already is let be.
//
// MarkStep returns when the work is queued behind the trace's earlier steps, and
// the next step can be recorded meanwhile; it waits while four are under way. A
// program that is estimated to take less than 50 µs, or any if the device is
// limited to one thread, runs within MarkStep when nothing is queued before it.
//
// The error is that of the first bad operation that a root or an assigned
// variable depends on, a conflict with another trace, or one of compiling. Then
// nothing has been computed, every variable is as before, and the trace goes on
// with a new step. A [*StepError] is the failure of an earlier step that ran
// meanwhile, which has come back nowhere else: the step that is being marked is
// not run either, nor were those between them, and all variables are as before
// the one that failed. Tensors of all these keep an error.
func (tr *Trace) MarkStep(roots ...*Tensor) error {
	return tr.MarkStepContext(context.Background(), roots...)
}

// MarkStepContext is MarkStep with a context for as long as the step is queued
// or runs: when it is done the step fails with its error as soon as the step's
// turn comes or the backend looks, and steps queued behind are cancelled.
func (tr *Trace) MarkStepContext(ctx context.Context, roots ...*Tensor) error {
	if tr.queue.closingHere() {
		return closureWaits("mark_step")
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if !tr.enter() {
		return tr.crowded("mark_step", roots...)
	}
	defer tr.leave()
	tr.counters.marks.Add(1)
	tr.dev.metrics.add(markStep, 1)
	defer tr.endStep()
	err := tr.mark(ctx, roots)
	if err != nil {
		tr.abandon(roots, err)
	}
	tr.settleWrites(err != nil)
	return err
}

func (tr *Trace) mark(ctx context.Context, roots []*Tensor) error {
	if err := tr.queue.enter(ctx); err != nil {
		return err
	}
	r := &tr.run
	r.reset()
	if err := r.collect(tr, roots); err != nil {
		return err
	}
	tr.dev.metrics.add(syncedWithIR, len(r.results))
	tr.dev.metrics.add(syncedToData, len(roots)+len(tr.kept)+len(tr.written)-len(r.handles))
	if len(r.results) == 0 && len(tr.after) == 0 {
		return nil
	}
	f := tr.queue.take()
	f.ctx, f.count, f.slab, f.step, f.name = ctx, &tr.counters, &tr.queue.slab, tr.step, tr.name
	if err := r.prepare(tr, f); err != nil {
		tr.queue.give(f)
		return err
	}
	for _, t := range r.handles {
		var made *value
		if t.val == nil { // or it was given twice
			made = t.materialize(t.pending(f), true)
		}
		f.roots = append(f.roots, made)
	}
	for _, n := range r.results[:len(r.handles)] {
		n.Value = nil
	}
	tr.give(f, r)
	tr.stepped = f.program
	return tr.launch(f)
}

// collect gathers the step's results.
func (r *run) collect(tr *Trace, roots []*Tensor) error {
	if err := tr.uncrowded(); err != nil {
		return err
	}
	if tr.bad != nil {
		return tr.bad
	}
	if len(tr.scopes) > 0 {
		return tr.scopeError()
	}
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
	for _, w := range tr.written {
		if err := r.root(tr, w.t); err != nil {
			return err
		}
	}
	for _, s := range tr.order {
		s.refresh()
		if err := r.assigned(s); err != nil {
			return err
		}
	}
	return nil
}

// refresh makes the step read what the variable is, if the version it has read
// was taken back since: its program had failed.
func (s *state) refresh() {
	if s.read.failed() == nil {
		return
	}
	s.read.pins.Add(-1)
	s.read = s.v.pin()
	s.param.Value = s.read
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
	for _, v := range f.args {
		if err := v.failed(); err != nil {
			return opError(tr.site(), "mark_step", err, nil, "an operand has no value: %v", err)
		}
	}
	return tr.dev.claim(f)
}

// compile captures the results and finds or compiles their program. final says
// that it is that of the step, which alone uses donated memory.
func (r *run) compile(tr *Trace, f *flight, final bool) error {
	if r.recall(tr, f) {
		return nil
	}
	tr.b.Capture(&r.graph, nil, r.results, r.alias)
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
	tr.dev.captured(&r.graph)
	p, err := tr.dev.programs.get(tr.dev, &r.graph, &tr.counters)
	if err != nil {
		return err
	}
	r.take(f, p, r.graph.Alias)
	r.remember(tr, p)
	return nil
}

// argument adds v, the value of n, to f's arguments.
func (f *flight) argument(tr *Trace, n *ir.Node, v *value) {
	f.args = append(f.args, v)
	if n.Reads() || tr.arguments[v] == n {
		return // pinned since it was read
	}
	v.pins.Add(1)
	f.pinned = append(f.pinned, v)
}

// take makes f a run of p; args says which argument each result takes the
// memory of.
func (r *run) take(f *flight, p *program, args []int) {
	f.program = p
	for _, a := range r.assigns {
		a.arg = args[a.result]
		f.assigns = append(f.assigns, a)
	}
}

// launch runs f or queues it. What the step pinned is f's from here on.
func (tr *Trace) launch(f *flight) error {
	tr.moveClosures(f)
	for _, s := range tr.order {
		f.pinned = append(f.pinned, s.read)
	}
	f.pinned = append(f.pinned, tr.pinned...)
	tr.handOver()
	q := tr.queue
	if !q.idle() || !tr.dev.runsInline() && (f.program != nil && f.program.estimate() >= short || f.waiting()) {
		f.enqueue()
		for !q.push(f) { // a step before has failed since there was room
			_ = q.until(nil, q.room)
		}
		return nil
	}
	err := q.inline(f)
	q.give(f)
	return err
}

// abandon gives the roots of a step that is not run its error, and calls its
// closures.
func (tr *Trace) abandon(roots []*Tensor, err error) {
	failed := tr.notRun(err)
	for _, t := range slices.Concat(roots, tr.kept) {
		if t == nil {
			continue
		}
		t = t.storage()
		if t.tr != tr || t.epoch != tr.epoch || t.node == nil || t.val != nil {
			continue
		}
		if known, ok := t.node.Value.(*value); ok {
			t.adopt(known.own(), true)
			continue
		}
		t.val = &value{err: failed, view: soa.View{Type: t.node.Type}}
		t.detach()
	}
	if len(tr.after) == 0 {
		return
	}
	f := tr.queue.take()
	f.step, f.name, f.ended = tr.step, tr.name, failed
	tr.moveClosures(f)
	if tr.queue.idle() || !tr.queue.push(f) {
		tr.queue.close(f)
		tr.queue.give(f)
	}
}

// notRun makes the error of a step that MarkStep does not run because of err.
func (tr *Trace) notRun(err error) *StepError {
	f := flight{q: tr.queue, step: tr.step, name: tr.name}
	cause, ok := err.(*StepError)
	switch {
	case ok && cause.Step == tr.step:
		return cause // it has been run
	case ok:
		return f.cancelled(cause)
	}
	e := f.stepError(err)
	e.take()
	return e
}

func (tr *Trace) moveClosures(f *flight) {
	f.after = append(f.after, tr.after...)
	clear(tr.after)
	tr.after = tr.after[:0]
}

// Warmup compiles the program that MarkStep with the same roots would run, and
// changes nothing else: the step goes on, and MarkStep finds the program. See
// [Trace.Discard].
func (tr *Trace) Warmup(roots ...*Tensor) error {
	if !tr.enter() {
		return tr.crowded("warmup", roots...)
	}
	defer tr.leave()
	r := &tr.run
	r.reset()
	defer r.reset()
	if err := r.collect(tr, roots); err != nil {
		return err
	}
	if len(r.results) == 0 {
		return nil
	}
	f := tr.queue.take()
	defer tr.queue.give(f)
	return r.compile(tr, f, true)
}

// Discard ends the step without running anything: what was recorded and assigned
// since the last MarkStep is forgotten, and AfterStep's functions with it.
func (tr *Trace) Discard() {
	if !tr.enter() {
		tr.crowded("discard")
		return
	}
	defer tr.leave()
	tr.crowd.Store(nil)
	clear(tr.after)
	tr.after = tr.after[:0]
	tr.settleWrites(true)
	tr.endStep()
}

// handOver empties the step's variables, whose pins somebody else has now.
func (tr *Trace) handOver() {
	clear(tr.vars)
	for _, s := range tr.order {
		*s = state{}
	}
	tr.order = tr.order[:0] // the states are used again
	clear(tr.pinned)
	tr.pinned = tr.pinned[:0]
}

// endStep forgets what was recorded.
func (tr *Trace) endStep() {
	for _, s := range tr.order {
		s.read.pins.Add(-1)
	}
	for _, v := range tr.pinned {
		v.pins.Add(-1)
	}
	tr.handOver()
	clear(tr.arguments)
	clear(tr.kept)
	tr.kept = tr.kept[:0]
	for _, t := range tr.read {
		if t.val != nil { // or it was written since
			t.detach()
		}
	}
	clear(tr.read)
	tr.read, tr.forgotten, tr.bad = tr.read[:0], false, nil
	tr.scopes, tr.scopeNext = tr.scopes[:0], 0
	if tr.b.Left() {
		tr.dev.metrics.add(trieForked, 1)
	}
	tr.b.EndStep()
	tr.run.reset()
	tr.dev.metrics.add(destroyTensor, max(tr.made-tr.survived, 0))
	tr.made, tr.survived, tr.watch = 0, 0, tr.dev.graphLimit
	tr.epoch++
	tr.step++
}
