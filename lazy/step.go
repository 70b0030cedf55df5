package lazy

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/programs"
	"ltc/lazy/internal/sched"
	"ltc/lazy/internal/settings"
	"ltc/soa"
)

// short is how long a program may take that runs within MarkStep: waking a
// goroutine and losing the caches would cost as much.
const short = 50 * time.Microsecond

// MarkStep ends the step: it compiles what the roots, the tensors kept and the
// variables assigned need, unless an equal program has been compiled before,
// and has it run. [Trace.LiveRoots] adds roots. Then the roots have values,
// which reading waits for, and every other computed tensor of the step is stale.
// A root that is a variable or a value already stays as it is.
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
// meanwhile. It comes back once, whoever has read of it. The step that is being marked
// is not run either, nor were those between them, and all variables are as before the
// one that failed. Tensors of all these keep an error.
func (tr *Trace) MarkStep(roots ...*Tensor) error {
	return tr.MarkStepContext(context.Background(), roots...)
}

// MarkStepContext is MarkStep with a context for as long as the step is compiled,
// queued or runs. When it is done while the step is compiled, MarkStepContext
// returns its error at once; nothing has been computed, and a compilation that the
// backend finishes all the same is kept. When it is done later, the step fails as
// soon as its turn comes or the backend looks, and steps queued behind are cancelled.
func (tr *Trace) MarkStepContext(ctx context.Context, roots ...*Tensor) error {
	if ctx == nil {
		ctx = context.Background()
	}
	tr = tr.some()
	if tr.queue.ClosingHere() {
		return closureWaits("mark_step")
	}
	if !tr.enter() {
		return tr.crowded("mark_step")
	}
	defer tr.leave()
	if err := tr.withinGradient("mark_step", roots...); err != nil {
		tr.fail(err)
		return err
	}
	tr.dev.count(metrics.MarkStep, &tr.account)
	defer tr.endStep()
	err := errUnended // unless mark returns
	defer func() {
		if f := tr.preparing; f != nil {
			tr.unended(f, roots)
		}
		tr.settleWrites(err != nil)
	}()
	if err = tr.mark(ctx, roots); err != nil {
		tr.abandon(roots, err)
	}
	return err
}

// MarkSteps ends the steps of all traces that have roots among these, which may be of several
// devices. All programs are compiled before a step runs: if a root is bad, or a program cannot be
// compiled or takes more than [MaxBytes], no step runs. Then the steps are marked in the order of
// their first roots. Those of several devices run at the same time, unless they are short. A conflict of
// variables shows only now: the steps before it run, those after it do not. A step that does not run
// ends as one does whose [Trace.MarkStep] returns an error. Roots that have values stay as they are.
//
// A variable is of no trace. To end a step that only assigns variables, give [Trace.Read] of one.
func MarkSteps(ctx context.Context, roots ...*Tensor) error {
	const op = "mark_steps"
	ctx = cmp.Or(ctx, context.Background())
	var steps []*marked
	for _, t := range roots {
		tr := traceOf(t.storage())
		if tr == nil {
			continue // a variable or a value
		}
		i := slices.IndexFunc(steps, func(m *marked) bool { return m.tr == tr })
		if i < 0 {
			i, steps = len(steps), append(steps, &marked{tr: tr})
		}
		steps[i].roots = append(steps[i].roots, t)
	}
	if b := firstBad(op, roots...); b != nil {
		return abandonAll(steps, b.err)
	}
	for _, t := range roots {
		if v := t.storage().v; v != nil && !slices.ContainsFunc(steps, func(m *marked) bool { return m.tr.dev == v.dev }) {
			return abandonAll(steps, opError(callsite.Caller(), op, ErrUsage, []*Tensor{t},
				"variable %q is of no trace, and no root is of a trace of its device: no step would end; give Trace.Read of the variable", v.name))
		}
	}
	for _, m := range steps {
		if _, err := m.tr.compileStep(ctx, op, m.roots); err != nil {
			return abandonAll(steps, err)
		}
	}
	for i, m := range steps {
		if err := m.tr.MarkStepContext(ctx, m.roots...); err != nil {
			return abandonAll(steps[i+1:], err)
		}
	}
	return nil
}

// marked is a step that MarkSteps ends.
type marked struct {
	tr    *Trace
	roots []*Tensor
}

// compileStep compiles what MarkStep with the same roots would run, for op. It returns nil if that is
// nothing.
func (tr *Trace) compileStep(ctx context.Context, op string, roots []*Tensor) (p *programs.Program, err error) {
	err = tr.rehearse(op, true, roots, func(tr *Trace, r *run) error {
		if len(r.results) == 0 {
			return nil
		}
		f := tr.take()
		defer tr.queue.Give(&f.Job)
		f.ctx = ctx
		if err := r.compile(tr, f, true); err != nil {
			return err
		}
		p = f.program
		return tr.dev.admit(op, p)
	})
	return p, err
}

// abandonAll ends steps that are not run because of err, which it returns.
func abandonAll(steps []*marked, err error) error {
	for _, m := range steps {
		if !m.tr.enter() {
			continue // somebody else is recording, and finds out
		}
		m.tr.abandon(m.roots, err)
		m.tr.settleWrites(true)
		m.tr.endStep()
		m.tr.leave()
	}
	return err
}

// errUnended is the failure of a step that MarkStep has not come to run.
var errUnended = errors.New("MarkStep has not returned: the backend's Compile ended its goroutine with runtime.Goexit, or a function that it called panicked")

// unended ends the step of f, while the goroutine of its MarkStep ends or a panic goes
// through it. The next MarkStep returns the error.
func (tr *Trace) unended(f *flight, roots []*Tensor) {
	tr.preparing = nil
	e := f.stepError(errUnended)
	tr.queue.Give(&f.Job)
	tr.queue.Note(e.failure)
	tr.abandon(roots, e)
}

func (tr *Trace) mark(ctx context.Context, roots []*Tensor) error {
	if tr.dev.sched.Closed() {
		return closedError(tr.sites.Caller(), "mark_step", tr.dev)
	}
	if err := tr.queue.Enter(ctx); err != nil {
		return waitError("mark_step", err)
	}
	r := &tr.run
	r.reset()
	if err := r.collect(tr, roots); err != nil {
		return err
	}
	tr.dev.metrics.Add(metrics.SyncedWithIR, len(r.results))
	tr.dev.metrics.Add(metrics.SyncedToData, len(roots)+tr.kept.Len()+tr.written.Len()+r.live-len(r.handles))
	if len(r.results) == 0 && len(tr.after) == 0 {
		return nil
	}
	f := tr.take()
	f.ctx, f.count, f.slab, f.Step, f.Name = ctx, &tr.account, tr.slab, tr.step, tr.name
	tr.preparing = f
	err := r.prepare(tr, f)
	tr.preparing = nil
	if err != nil {
		if ctx.Err() != nil {
			err = tr.notRun(err) // as when it ends while the step is queued
		}
		tr.queue.Give(&f.Job)
		if ownFailure(err, tr.queue) { // a step before has failed since enter
			return cmp.Or(tr.queue.Report(), err)
		}
		return err
	}
	f.notePeak()
	for _, t := range r.handles {
		var made *value
		if t.val == nil { // or it was given twice
			made = t.materialize(tr.pending(t, f), true)
		}
		f.roots = append(f.roots, made)
	}
	for _, n := range r.results[:len(r.handles)] {
		n.Value = nil
	}
	f.hand()
	tr.give(f, r)
	tr.stepped = f.program
	return tr.launch(f)
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
	if !q.Idle() || !tr.dev.runsInline() && (f.program != nil && f.program.Estimate() >= short || f.waiting()) {
		f.enqueue(tr.site())
		for !q.Push(&f.Job) { // a step before has failed since there was room
			_ = q.Room(nil)
		}
		return nil
	}
	err := q.Inline(&f.Job)
	if len(f.After) > 0 {
		tr.settleWrites(err != nil) // before a closure ends the goroutine
		q.Close(&f.Job)
	}
	q.Give(&f.Job)
	return err
}

// abandon gives the roots of a step that is not run its error, and calls its
// closures.
func (tr *Trace) abandon(roots []*Tensor, err error) {
	failed := tr.notRun(err)
	lost := slices.Clone(roots)
	for t := range tr.kept.All {
		lost = append(lost, t)
	}
	lost = append(lost, tr.reachable()...)
	for _, t := range lost {
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
	f := tr.take()
	f.Step, f.Name, f.Ended = tr.step, tr.name, failed.failure
	tr.moveClosures(f)
	q := tr.queue
	if q.Idle() {
		q.Close(&f.Job)
		q.Give(&f.Job)
		return
	}
	for !q.Push(&f.Job) && !q.Follow(&f.Job) {
		continue // there was room for f in between
	}
}

// notRun makes the error of a step that MarkStep does not run because of err.
func (tr *Trace) notRun(err error) *StepError {
	f := flight{Job: sched.Job{Queue: tr.queue, Step: tr.step, Name: tr.name}}
	cause, ok := err.(*StepError)
	switch {
	case ok && cause.Step == tr.step:
		return cause // it has been run
	case ok:
		e, _ := errors.AsType[*StepError](f.Failed(nil, cause.failure).Err)
		return e
	}
	e := f.stepError(err)
	e.failure.Take()
	return e
}

// take returns a flight to use.
func (tr *Trace) take() *flight { return tr.queue.Take().Work.(*flight) }

func (tr *Trace) moveClosures(f *flight) {
	f.Claims = tr.dev.sched.Claims()
	f.After = append(f.After, tr.after...)
	clear(tr.after)
	tr.after = tr.after[:0]
}

// Warmup compiles the program that MarkStep with the same roots would run, and
// changes nothing else: the step goes on, and MarkStep finds the program. See
// [Trace.Discard].
func (tr *Trace) Warmup(roots ...*Tensor) error {
	return tr.WarmupContext(context.Background(), roots...)
}

// WarmupContext is Warmup with a context for as long as the program is compiled; see
// [Trace.MarkStepContext].
func (tr *Trace) WarmupContext(ctx context.Context, roots ...*Tensor) error {
	ctx = cmp.Or(ctx, context.Background())
	p, err := tr.compileStep(ctx, "warmup", roots)
	if err != nil {
		return err
	}
	return finish(ctx, p)
}

// rehearse collects what MarkStep with the same roots would run, on behalf of op, and
// hands it to use.
func (tr *Trace) rehearse(op string, dry bool, roots []*Tensor, use func(*Trace, *run) error) error {
	tr = tr.some()
	if !tr.enter() {
		return tr.crowded(op, roots...)
	}
	defer tr.leave()
	if err := tr.withinClosure(op, roots...); err != nil {
		tr.fail(err)
		return err
	}
	r := &tr.run
	r.reset()
	r.dry = dry
	defer func() { r.reset(); r.dry = false }()
	if err := r.collect(tr, roots); err != nil {
		return err
	}
	return use(tr, r)
}

// Discard ends the step without running anything: what was recorded and assigned
// since the last MarkStep is forgotten, and AfterStep's functions with it.
func (tr *Trace) Discard() {
	tr = tr.some()
	if !tr.enter() {
		tr.crowded("discard")
		return
	}
	defer tr.leave()
	if err := tr.withinGradient("discard"); err != nil {
		tr.fail(err)
		return
	}
	tr.crowd.Store(nil)
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
		s.read.drop()
		if s.site != 0 { // it was assigned, perhaps what is bad
			s.v.waits.Store(0)
		}
	}
	for _, v := range tr.pinned {
		v.drop()
	}
	tr.handOver()
	if tr.tally.waiting.Load() != nil {
		tr.tally.waiting.Store(nil)
	}
	for _, t := range tr.read {
		if t.val != nil { // or it was written since
			t.detach()
		}
	}
	tr.dev.metrics.Add(metrics.DestroyTensor, max(tr.made-tr.survived, 0))
	if tr.b.Left() {
		tr.dev.metrics.Add(metrics.TrieForked, 1)
	}
	tr.b.EndStep()
	if tr.live != nil {
		tr.live.Clear()
	}
	tr.run.reset()
	tr.current = tr.next()
	tr.watch = tr.dev.graphLimit
	tr.epoch++
	tr.step++
}

// AfterStep has fn called once when the step being recorded has ended, with nil
// or the step's error. Closures are called in the order of AfterStep, after the step's
// results are there and before the trace's next step runs. They are called on the
// goroutine that runs the trace's steps, or within MarkStep.
//
// fn may read the results of this step and earlier ones. It sees variables as this step
// left them. Where a step of another trace is writing over such a variable, reading waits
// for what it writes. Two variables may so be of different steps.
//
// fn must not record in this trace, which may be at the next step already. It is an error
// to wait for this trace, to mark a step of it or to read results of later ones. It is
// also one to wait for another trace that waits for these. Waits through a channel of
// the caller's own are not seen.
//
// A panic in fn is a failure of the step, which the next MarkStep or Wait returns: the
// step's results stay, and other closures are called all the same.
//
// More than the environment variable LTC_MAX_ASYNC_QUEUE allows for one step,
// 1024 unless it is set, make the step fail.
func (tr *Trace) AfterStep(fn func(failed error)) {
	tr = tr.some()
	switch {
	case fn == nil:
		tr.fail(opError(tr.site(), "after_step", ErrUsage, nil, "the function is nil"))
	case len(tr.after) == tr.dev.closures:
		tr.fail(opError(tr.site(), "after_step", ErrUsage, nil, "the step has %s already; one closure may do all of it, or set %s", diag.Count(tr.dev.closures, "closure"), settings.Closures.Name))
	default:
		tr.after = append(tr.after, fn)
	}
}

// queueOwner is a device as its scheduler knows it.
type queueOwner struct{ *Device }

func (d queueOwner) NewJob(q *sched.Queue) *sched.Job { return &d.newFlight(q).Job }

func (d queueOwner) Waited(start time.Time) { d.metrics.Since(metrics.LockWait, start) }

// Failed counts and logs the failure of a step: for debugging if MarkStep returns it
// at once, as information if it comes back later.
func (d queueOwner) Failed(f *sched.Failure, level slog.Level) {
	e, _ := errors.AsType[*StepError](f.Err)
	d.metrics.Add(metrics.StepFailed, 1)
	d.log(level, "step failed", slog.Int64("step", e.Step), slog.String("name", e.Name), slog.Any("error", e.Err))
}

// Wait returns when the steps marked so far have ended and their closures have
// returned, or ctx is done: then they go on all the same. Its error is ctx's, or
// what has failed since the last report. A device that is lost is an error of each Wait. It
// may be called from any goroutine, but not from a closure of the trace's own steps.
func (tr *Trace) Wait(ctx context.Context) error {
	if tr = tr.some(); tr.broken != nil {
		return tr.broken
	}
	return tr.dev.settled(ctx, waitError("wait", tr.queue.Wait(ctx)))
}
