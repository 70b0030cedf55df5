package lazy

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"ltc/internal/diag"
	"ltc/ir/dims"
	"ltc/lazy/internal/memory"
	"ltc/lazy/internal/metrics"
	"ltc/soa"
)

// Value returns the elements of t where they lie, or a copy if that is the memory
// of a device such as a GPU; they must not be written. A
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
	return v.view, nil // v stays pinned: who knows how long the caller reads it
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
	if err := tr.withinRegion(why.String(), t); err != nil {
		if r := tr.region(); r.read == nil {
			r.read = err
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
// int32, int64, float32, float64, [types.Float16] or [types.BFloat16]; with another
// one nothing is computed.
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
	several := func(n int) error {
		return t.misused("item", fmt.Sprintf("it has %s, must have one", diag.Count(n, "element")))
	}
	if n := t.Type().Elements(); n != 1 && !dims.IsExpr(n) {
		return math.NaN(), several(n)
	}
	one, err := t.copied(ctx, SyncItem)
	if err != nil {
		return math.NaN(), err
	}
	if n := one.Type.Elements(); n != 1 {
		return math.NaN(), several(n)
	}
	return memory.Float(one, 0), nil
}

// Float is Item for printing: NaN where that has an error.
func (t *Tensor) Float() float64 {
	x, _ := t.Item()
	return x
}
