package lazy

import (
	"context"
	"sync/atomic"

	"ltc/internal/callsite"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy/internal/memory"
	"ltc/soa"
)

// value is the data of a tensor: of host data, of a version of a variable, or
// of a root. It is written once, by the program that makes it.
type value struct {
	name string
	// view has its type from the start. The rest of it may be read when wait
	// has returned nil.
	view soa.View
	// pins counts who may still read view: a step that read it as a variable,
	// a program under way, a handle that users hold. While others do, its
	// memory is not donated.
	pins atomic.Int32
	// queued is of a scalar argument, which Set may change: how many programs are to read
	// view and have not begun.
	queued atomic.Int32
	donor  atomic.Pointer[donation] // somebody has offered the memory
	gone   atomic.Pointer[donation] // a step has it
	sum    *uint64                  // of borrowed data, while checking
	// pool takes the memory when the last pin is gone, once all handles on the
	// value have been released.
	pool atomic.Pointer[memory.Pool]
	// under is the value whose memory a view shows; it is pinned with the view's.
	under *value
	// onDevice is a copy of host data in the device's memory: see [flight.useDeviceCopies].
	onDevice memory.DeviceCopy
	// over is of a version that is being made in the memory of the one before.
	over       atomic.Bool
	rolledBack atomic.Bool // a version that failed and has pinned old

	sizing   bool    // the run that makes it tells sizes of view.Type, and sets it
	scalar   bool    // a scalar argument
	number   bool    // of an op, that varies
	borrowed bool    // view is memory of the caller's
	inPlace  *shared // that memory, if in-place ops write it
	version  bool    // of a variable
	host     bool    // a version that Init or SetValues made
	captured bool    // by a function, which keeps it without a pin

	before callsite.Site // where old was assigned; written as it is

	from atomic.Pointer[flight] // what is to make the value; nil once that has ended
	// Written before from is cleared; those of a variable with its mu held.
	err   error  // of that program
	old   *value // the version before, to return to when it failed
	claim int64  // of a version: which of the device's it is of
}

// pending returns a value of type t that f is to make.
func pending(f *flight, name string, t types.Type) *value {
	v := &value{name: name, view: soa.View{Type: t}, sizing: dims.HasExpr(t.Shape...)}
	v.from.Store(f)
	return v
}

// typ returns the type of the value. If sizes of it follow from data, it waits for the run that
// tells them. A value that failed has none of their elements.
func (v *value) typ() types.Type {
	if v.sizing {
		_ = v.wait(nil, nil)
	}
	return v.view.Type
}

// ready reports whether the value is there or known never to come.
func (v *value) ready() bool { return v.from.Load() == nil }

// failed returns the error of a value that is known never to come.
func (v *value) failed() error {
	if !v.ready() {
		return nil
	}
	return v.fault()
}

// fault returns why a value that is there, or known never to come, has no elements.
func (v *value) fault() error {
	if m := v.memory(); v.err == nil && m != nil {
		return m.fault()
	}
	return v.err
}

// memory returns the memory of [Share] that v shows, nil if it is none.
func (v *value) memory() *shared {
	if v.inPlace == nil && v.under != nil {
		return v.under.inPlace
	}
	return v.inPlace
}

// wait returns when the value is there, or the error of the program that was to
// make it. A nil ctx waits without end. by is the flight that cannot run
// meanwhile, nil if there is none.
func (v *value) wait(ctx context.Context, by *flight) error {
	for {
		f := v.from.Load()
		if f == nil {
			return v.fault()
		}
		if err := f.wait(ctx, v, by); err != nil {
			return err
		}
	}
}

// publish gives the value its data, or the error in place of them. Waiters wake
// when the flight's land is called.
func (v *value) publish(view *soa.View, err error) {
	if err == nil {
		v.view.Locate(view)
	} else {
		v.err = err
	}
	if v.sizing {
		v.view.Type = sizedBy(v.view.Type, view)
	}
	v.from.Store(nil)
}

// unpin undoes the pin of a reader.
func (v *value) unpin() {
	under := v.under
	v.drop()
	if under != nil {
		under.drop()
	}
}

// drop undoes a pin; the last gives the memory of what was released back.
func (v *value) drop() {
	if v.pins.Add(-1) > 0 {
		return
	}
	v.unpinPrevious()
	if pool := v.pool.Load(); pool != nil && !v.captured && v.ready() && v.err == nil && v.donor.Load() == nil && v.gone.Load() == nil {
		pool.Recycle(v.view)
		v.view.Locate(&soa.View{})
		v.onDevice.Forget()
	}
}

// own returns v, or a copy if its memory may be changed by the host.
func (v *value) own() *value {
	if !v.scalar && !v.borrowed || v.wait(nil, nil) != nil {
		return v
	}
	end, err := v.read(nil)
	if err != nil {
		return &value{name: v.name, view: soa.View{Type: v.view.Type}, err: err}
	}
	defer end()
	dense, err := memory.Dense(v.view)
	if err != nil {
		return v
	}
	return &value{name: v.name, view: dense}
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
	t.dev.born(v, "result", t.node.Loc)
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
		t.node = t.tr.b.Detached(t.node.Type, v.name, v) // the step goes on with its sizes
		t.node.SetRead()
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
