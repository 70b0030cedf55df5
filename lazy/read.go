package lazy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/cmplx"
	"strings"
	"time"

	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/ir/dims"
	"ltc/lazy/internal/memory"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/sched"
	"ltc/lazy/internal/settings"
	"ltc/soa"
)

// Value returns the elements of t where they lie, or a copy if that is the memory
// of a device such as a GPU. They must not be written, and [soa.View.ReadOnly] says so,
// unless they are such a copy or memory of [Share]. A
// tensor that has not been computed yet is computed now, with all it needs:
// an implicit sync, counted with its line in the trace's [Report]. Assignments
// of the step that t does not need stay for MarkStep, and t keeps its value.
func (t *Tensor) Value() (soa.View, error) { return t.ValueContext(context.Background()) }

// ValueContext is Value with a context for as long as t is waited for, compiled or
// computed. When it is done before the value is there, its cause is the error, and t
// can be read again.
func (t *Tensor) ValueContext(ctx context.Context) (soa.View, error) {
	v, err := t.data(ctx, SyncValue)
	if err != nil {
		return soa.View{}, err
	}
	if v.view.Remote() != nil {
		defer v.unpin()
		if err := soa.Fits(v.view.Type.Bytes()); err != nil {
			return soa.View{}, fmt.Errorf("value(%v): %w", v.view.Type, err)
		}
		return memory.Dense(v.view)
	}
	// v stays pinned: who knows how long the caller reads it
	if v.memory() != nil {
		return v.view, nil
	}
	return v.view.AsReadOnly(), nil
}

// data returns the value of t, computed if it must be, and pinned. A variable
// whose latest version failed is what it was before, once the failure was heard of.
func (t *Tensor) data(ctx context.Context, why SyncReason) (*value, error) {
	ctx = cmp.Or(ctx, context.Background())
	for {
		v, err := t.pinned(ctx, why)
		if err != nil {
			return nil, err
		}
		if v, err = t.awaitValue(ctx, v); err != nil {
			return nil, err
		}
		if v == nil {
			continue
		}
		if err := t.dev.reach(ctx, v); err != nil {
			v.unpin()
			return nil, err
		}
		return v, nil
	}
}

func (t *Tensor) pinned(ctx context.Context, why SyncReason) (*value, error) {
	if b := firstBad("value", t); b != nil {
		return nil, b.err
	}
	if t.v != nil {
		if err := t.v.takeLost(); err != nil {
			return nil, err
		}
		if err := t.v.takeFailed(); err != nil {
			return nil, err
		}
		t.v.warnWaits()
		return t.v.pin(), nil
	}
	if t.isView() {
		return t.viewed(ctx, why)
	}
	if t.alias != nil {
		if !t.restore() {
			return nil, t.lost("value")
		}
	}
	if t.val == nil {
		if v, ok := t.node.Value.(*value); ok && v.gone.Load() == nil && t.epoch == t.tr.epoch {
			t.adopt(v.own(), false)
		} else if err := t.sync(ctx, why); err != nil {
			return nil, err
		}
	}
	t.val.pins.Add(1)
	return t.val, nil
}

// sync computes t in the midst of its step.
func (t *Tensor) sync(ctx context.Context, why SyncReason) error {
	tr := t.tr
	if !tr.enter() {
		return tr.crowded("value", t)
	}
	defer tr.leave()
	if err := tr.withinGradient(why.String(), t); err != nil {
		if c := tr.closure(); c != nil && c.read == nil {
			c.read = err
		}
		return err
	}
	if tr.operand(t) == nil {
		return tr.refusal("value", t)
	}
	site, op, start := tr.site(), t.node.Op.String(), time.Now()
	if err := tr.refusesSync(t, why, site); err != nil {
		return err
	}
	err := tr.compute(ctx, t)
	tr.synced(op, why, site, time.Since(start))
	// What is recorded from here on starts from values: nothing of the
	// builder's keeps the nodes before alive.
	tr.b.Forget()
	return err
}

// compute runs the program of t alone, on the calling goroutine.
func (tr *Trace) compute(ctx context.Context, t *Tensor) error {
	r, f := &tr.run, tr.take()
	r.reset()
	defer r.reset()
	defer tr.queue.Give(&f.Job)
	for _, s := range tr.order {
		s.refresh()
	}
	r.results, r.alias = append(r.results, t.node), append(r.alias, nil)
	tr.dev.metrics.Add(metrics.SyncedWithIR, 1)
	f.ctx, f.count, f.Step, f.Name = ctx, &tr.account, tr.step, tr.name
	if err := r.compile(tr, f, false); err != nil {
		return err
	}
	if err := tr.dev.admit("value", f.program); err != nil {
		return err
	}
	f.notePeak()
	if err := tr.dev.claim(f); err != nil {
		return err
	}
	defer f.Land()
	defer f.endShared()
	if err := f.Run(); err != nil {
		if ownFailure(err, tr.queue) {
			return err
		}
		return f.stepError(err)
	}
	t.materialize(&value{view: f.call.Results[0]}, false)
	return nil
}

// ToSlice returns a copy of the elements of t in row-major order. T must be
// the Go type of t's dtype: bool, uint8, uint16, uint32, uint64, int8, int16,
// int32, int64, float32, float64, complex64, complex128, [types.Float16], [types.BFloat16],
// [types.Float8E4M3FN] or [types.Float8E5M2]; with another one nothing is computed.
func ToSlice[T soa.Element](t *Tensor) ([]T, error) {
	return ToSliceContext[T](context.Background(), t)
}

// ToSliceContext is ToSlice with a context; see [Tensor.ValueContext].
func ToSliceContext[T soa.Element](ctx context.Context, t *Tensor) ([]T, error) {
	if b := firstBad("value", t); b != nil {
		return nil, b.err
	}
	typ := t.Type()
	if want := dtypeOf[T](); want != typ.DType {
		return nil, t.misused("to_slice", fmt.Sprintf("its elements are %v, not %v; convert it with Convert", typ.DType, want))
	}
	if err := soa.Fits(typ.Bytes()); err != nil && dims.Static(typ.Shape) { // a view may repeat its elements
		return nil, fmt.Errorf("to_slice(%v): %w", typ, err)
	}
	out, err := t.copied(ctx, SyncToSlice)
	if err != nil {
		return nil, err
	}
	return soa.Slice[T](out), nil
}

// copied returns a copy of t's elements.
func (t *Tensor) copied(ctx context.Context, why SyncReason) (soa.View, error) {
	v, err := t.data(ctx, why)
	if err != nil {
		return soa.View{}, err
	}
	defer v.unpin()
	return memory.Dense(v.view)
}

// Item returns the only element of t as a float64. It is an error when t has
// more or fewer than one, and then nothing is computed.
func (t *Tensor) Item() (float64, error) { return t.ItemContext(context.Background()) }

// ItemContext is Item with a context; see [Tensor.ValueContext].
func (t *Tensor) ItemContext(ctx context.Context) (float64, error) {
	if b := firstBad("value", t); b != nil {
		return math.NaN(), b.err
	}
	if t.DType().IsComplex() {
		return math.NaN(), t.misused("item", "it is complex; read it with ItemComplex, or its Real, Imag or Abs")
	}
	one, err := t.item(ctx)
	if err != nil {
		return math.NaN(), err
	}
	return memory.Float(one, 0), nil
}

// ItemComplex is [Tensor.Item] for a tensor of any dtype: of one that is not complex the imaginary
// part is 0.
func (t *Tensor) ItemComplex() (complex128, error) {
	if b := firstBad("value", t); b != nil {
		return cmplx.NaN(), b.err
	}
	one, err := t.item(context.Background())
	switch {
	case err != nil:
		return cmplx.NaN(), err
	case one.Type.DType.IsComplex():
		return memory.Complex(one, 0), nil
	}
	return complex(memory.Float(one, 0), 0), nil
}

// item returns a copy of the only element of t.
func (t *Tensor) item(ctx context.Context) (soa.View, error) {
	several := func(n int) error {
		return t.misused("item", fmt.Sprintf("it has %s, must have one", diag.Count(n, "element")))
	}
	if n := t.Type().Elements(); n != 1 && !dims.IsExpr(n) {
		return soa.View{}, several(n)
	}
	one, err := t.copied(ctx, SyncItem)
	if err != nil {
		return soa.View{}, err
	}
	if n := one.Type.Elements(); n != 1 {
		return soa.View{}, several(n)
	}
	return one, nil
}

// Float is Item for printing: NaN where that has an error.
func (t *Tensor) Float() float64 {
	x, _ := t.Item()
	return x
}

// ErrSync: reading a tensor would have computed it in the midst of a step,
// which [RefuseSyncs] forbids.
var ErrSync = errors.New("implicit sync")

// SyncReason is why a tensor was computed before its step was marked.
type SyncReason int

// The reasons.
const (
	SyncValue   SyncReason = iota // Value
	SyncItem                      // Item and Float
	SyncToSlice                   // ToSlice
	SyncCopy                      // To
	SyncCall                      // a view given to a Function
	numReasons
)

var reasonNames = [numReasons]string{"value", "item", "to_slice", "to", "func"}

// String returns the name of the call that read the tensor, as in errors.
func (r SyncReason) String() string {
	if r < 0 || r >= numReasons {
		return "unknown"
	}
	return reasonNames[r]
}

// SyncMode says what an implicit sync does besides being counted.
type SyncMode int

// The modes.
const (
	WarnSyncs   SyncMode = settings.WarnSyncs   // log a warning, once for each line of the program
	AllowSyncs  SyncMode = settings.AllowSyncs  // nothing
	RefuseSyncs SyncMode = settings.RefuseSyncs // be an error that wraps ErrSync: nothing runs
)

// String returns the mode as the environment variable LTC_SYNC has it.
func (m SyncMode) String() string {
	if m < 0 || int(m) >= len(settings.SyncModes) {
		return "unknown"
	}
	return settings.SyncModes[m]
}

// ImplicitSyncs sets what implicit syncs do in the device's traces, instead of
// the environment variable LTC_SYNC.
func ImplicitSyncs(m SyncMode) Option { return func(d *Device) { d.syncs.mode = m } }

// ImplicitSyncs sets what implicit syncs do in this trace, and returns what they
// did before: for a part of a program that must not sync, or may.
//
//	defer tr.ImplicitSyncs(tr.ImplicitSyncs(lazy.RefuseSyncs))
func (tr *Trace) ImplicitSyncs(m SyncMode) (before SyncMode) {
	tr = tr.some()
	before, tr.syncs = tr.syncs, m
	return before
}

// syncs is what a device knows of implicit syncs.
type syncs struct {
	mode   SyncMode // of new traces
	warned lines
}

// lines are lines of the program that there was a warning for.
type lines = diag.Seen[callsite.Site]

// syncAdvice is what to do about an implicit sync.
const syncAdvice = "give the tensor to MarkStep as a root and read it afterwards, or allow it with ImplicitSyncs or LTC_SYNC=allow"

// refusesSync returns the error of reading t in the midst of its step, if the
// trace does not allow it.
func (tr *Trace) refusesSync(t *Tensor, why SyncReason, at callsite.Site) error {
	if tr.syncs != RefuseSyncs {
		return nil
	}
	return opError(at, why.String(), ErrSync, []*Tensor{t},
		"the %v recorded at %v would be computed now, in the midst of the step, which is not allowed here: give the tensor to MarkStep as a root and read it afterwards",
		t.node.Op, t.node.Loc)
}

// synced counts an implicit sync of what op made, which took so long.
func (tr *Trace) synced(op string, why SyncReason, at callsite.Site, took time.Duration) {
	tr.account.Synced(at, op, why, took)
	tr.dev.all.Synced(at, op, why, took)
	tr.dev.metrics.Add(metrics.ImplicitSync, 1)
	tr.dev.metrics.Add(metrics.ImplicitSyncBy+metrics.Counter(why), 1)
	if tr.syncs == WarnSyncs && tr.dev.syncs.warned.First(at) {
		attrs := []slog.Attr{slog.String("at", at.String()), slog.String("by", why.String()),
			slog.String("of", op), slog.Duration("took", took), slog.String("do", syncAdvice)}
		if waiting := tr.unmarked(); len(waiting) > 0 {
			attrs = append(attrs, slog.String("assignments wait for MarkStep", strings.Join(waiting, ", ")))
		}
		tr.dev.log(slog.LevelWarn, "implicit sync", attrs...)
	}
}

// A variable that a step has assigned is, to all others, what it was until the step is
// marked. Who reads it before that in the same goroutine has likely forgotten MarkStep.

// warnWaits warns, once for each line, that the host reads v while a trace of the calling
// goroutine has assigned it and has not marked the step. Other goroutines read what is
// marked, as they should. Nothing is computed, so that [RefuseSyncs] refuses nothing and
// warns, too.
func (v *variable) warnWaits() {
	w := v.waits.Load()
	if w == 0 || v.dev.syncs.mode == AllowSyncs || w>>32 != uint64(uint32(sched.Goroutine())) {
		return
	}
	at := callsite.Caller()
	if !v.dev.unmarked.First(at) {
		return
	}
	assigned := callsite.Site(uint32(w))
	v.dev.log(slog.LevelWarn, fmt.Sprintf("%s is read while a trace has assigned it at %v and has not marked a step", v.name, assigned),
		slog.String("at", at.String()), slog.String("do", "call MarkStep before, or Discard; or allow it with ImplicitSyncs or LTC_SYNC=allow"))
}

// unmarked says which variables the step has assigned, with their lines.
func (tr *Trace) unmarked() (all []string) {
	for _, s := range tr.order {
		if s.now != s.param {
			all = append(all, fmt.Sprintf("%s at %v", s.v.name, s.site))
		}
	}
	return all
}

// unmarked names the variable that the step has assigned first, and the line; "" if none.
func (t *tally) unmarked() string {
	if t == nil { // of the zero Trace
		return ""
	}
	v := t.waiting.Load()
	if v == nil {
		return ""
	}
	if w := v.waits.Load(); w != 0 {
		return fmt.Sprintf("%s at %v", v.name, callsite.Site(uint32(w)))
	}
	return v.name
}

// warnUnmarked warns, once for each trace, of assignments that no step of the device will
// make any more.
func (d *Device) warnUnmarked() {
	for _, s := range d.metrics.Unmarked() {
		d.log(slog.LevelWarn, "the device is closed while assignments wait for MarkStep and are lost, the first is of "+s,
			slog.String("do", "call MarkStep before Close, or Discard where they are not wanted"))
	}
}
