package lazy_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/toytarget"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// queueing is a backend whose device has a queue, which is waited for by a function of the
// test's. Its runs are over when they return.
type queueing struct {
	backends.Backend
	wait    func(context.Context) error
	onHost  bool  // it has no memory of its own
	queued  int   // runs that were given the queue
	without int   // runs that were given none
	short   bool  // the next run finds no memory
	fails   error // of each run; nil: they succeed
}

// Wait implements [backends.Queue].
func (q *queueing) Wait(ctx context.Context) error { return q.wait(ctx) }

func (q *queueing) Capabilities() backends.Capabilities {
	c := q.Backend.Capabilities()
	if c.Queue = q; q.onHost {
		c.Allocator = nil
	}
	return c
}

func (q *queueing) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	e, err := q.Backend.Compile(ctx, m, o)
	return queueingExecutable{e, q}, err
}

type queueingExecutable struct {
	backends.Executable
	q *queueing
}

func (e queueingExecutable) Execute(ctx context.Context, c *backends.Call) error {
	if c.Queue == nil {
		e.q.without++
		return e.Executable.Execute(ctx, c)
	}
	e.q.queued++
	if e.q.short {
		e.q.short = false
		c.Results[0], c.Args = soa.Make(types.Of(types.F32, 7)), nil
		return fmt.Errorf("none is left: %w", lazy.ErrMemory)
	}
	if e.q.fails != nil {
		return e.q.fails
	}
	plain := *c
	plain.Queue = nil
	err := e.Executable.Execute(ctx, &plain)
	c.Args, c.Results = plain.Args, plain.Results
	return err
}

// openQueueing opens a device that runs programs on the goroutine that marks steps.
func openQueueing(t *testing.T, wait func(context.Context) error) (*lazy.Device, *queueing) {
	q := &queueing{Backend: toytarget.New(), wait: wait}
	return openOn(t, q, lazy.Threads(1)), q
}

// A step with closures waits for the device when it has run. Its context, should it end
// then, is no failure of a step whose results are on their way: variables may have been
// written over.
func TestContextThatEndsBehindARunFailsNoStep(t *testing.T) {
	var cancel context.CancelFunc
	dev, _ := openQueueing(t, func(ctx context.Context) error {
		if cancel != nil {
			cancel()
		}
		return context.Cause(ctx)
	})
	tr := lazy.NewTrace(dev)
	v := dev.Variable("v", lazy.F32, 3)
	one := lazy.From(tr, []float32{1, 1, 1})
	for range 3 {
		var ctx context.Context
		ctx, cancel = context.WithCancel(t.Context())
		v.Add_(one)
		told := errors.New("not called")
		tr.AfterStep(func(failed error) { told = failed })
		require.NoError(t, tr.MarkStepContext(ctx))
		require.NoError(t, told)
		cancel = nil
	}
	require.Equal(t, []float32{3, 3, 3}, floats(t, v))
}

// A device that fails behind a step with closures is the failure of the step. Variables are as
// before where the step has not written in their memory, and else must get values again.
func TestDeviceThatFailsBehindAStepWithClosures(t *testing.T) {
	var broken error
	dev, _ := openQueueing(t, func(context.Context) error { return broken })
	tr := lazy.NewTrace(dev)
	v := dev.Variable("v", lazy.F32, 2)
	step := func(failure error) error {
		broken = failure
		defer func() { broken = nil }()
		v.Add_(lazy.From(tr, []float32{1, 1}))
		var told error
		tr.AfterStep(func(failed error) { told = failed })
		err := tr.MarkStep()
		require.Equal(t, err, told)
		return err
	}
	lost := errors.New("lost")
	require.ErrorIs(t, step(lost), lost)
	require.Equal(t, []float32{0, 0}, floats(t, v), "what the host has")
	require.NoError(t, step(nil))
	require.Equal(t, []float32{1, 1}, floats(t, v))
	require.ErrorIs(t, step(lost), lost)
	for range 2 {
		_, err := v.Value()
		require.ErrorIs(t, err, lost)
		require.ErrorContains(t, err, `variable "v" may have been written over by a run that was queued when the device failed: give it values again, by Init or SetValues; `)
	}
	lazy.SetValues(v, []float32{5, 5})
	require.NoError(t, step(nil))
	require.Equal(t, []float32{6, 6}, floats(t, v))
}

// What a queue says when it is waited for is the error of the wait, and so is its panic.
func TestErrorOfAQueueIsThatOfTheWait(t *testing.T) {
	broken := errors.New("broken")
	var wait func() error
	dev, _ := openQueueing(t, func(context.Context) error { return wait() })
	tr := lazy.NewTrace(dev)
	require.NoError(t, tr.MarkStep(lazy.From(tr, []float32{1}).Exp()))
	for _, waits := range []func(context.Context) error{tr.Wait, dev.Wait} {
		wait = func() error { return broken }
		require.ErrorIs(t, waits(t.Context()), broken)
		wait = func() error { panic("mistaken") }
		require.ErrorContains(t, waits(t.Context()), "panicked in Queue.Wait: mistaken")
		wait = func() error { return nil }
		require.NoError(t, waits(t.Context()))
	}
}

// Who has a context waits no longer than that for a device that does not answer.
func TestContextsEndWaitsForADevice(t *testing.T) {
	hangs := true
	dev, _ := openQueueing(t, func(ctx context.Context) error {
		if hangs {
			<-ctx.Done()
			return context.Cause(ctx)
		}
		return nil
	})
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, []float32{1}).Neg()
	require.NoError(t, tr.MarkStep(x))
	other := open(t, "eval")
	for name, wait := range map[string]func(context.Context) error{
		"Trace.Wait":  tr.Wait,
		"Device.Wait": dev.Wait,
		"Value":       func(ctx context.Context) error { _, err := x.ValueContext(ctx); return err },
		"ToSlice":     func(ctx context.Context) error { _, err := lazy.ToSliceContext[float32](ctx, x); return err },
		"Item":        func(ctx context.Context) error { _, err := x.ItemContext(ctx); return err },
		"To":          func(ctx context.Context) error { return x.To(other, lazy.WithContext(ctx)).Err() },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		require.ErrorIs(t, wait(ctx), context.DeadlineExceeded, name)
		cancel()
	}
	hangs = false
	require.Equal(t, -1.0, x.Float())
}

// Closures are called when the device is done, also those of a step that computes nothing.
func TestClosuresWaitForTheDevice(t *testing.T) {
	waits := 0
	dev, _ := openQueueing(t, func(context.Context) error { waits++; return nil })
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, []float32{1})
	require.NoError(t, tr.MarkStep(x.Neg()))
	require.Zero(t, waits, "nobody is to be told")
	for i, roots := range [][]*lazy.Tensor{{x.Exp()}, nil} {
		told := -1
		tr.AfterStep(func(failed error) {
			require.NoError(t, failed)
			told = waits
		})
		require.NoError(t, tr.MarkStep(roots...))
		require.Equal(t, i+1, told)
	}
}

// A run that finds no memory runs again when copies of host data have given way, once, and
// whatever the first has left in the call.
func TestRunIsTriedAgainWithoutCopies(t *testing.T) {
	dev, q := openQueueing(t, func(context.Context) error { return nil })
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, make([]float32, 1000)) // the backend has memory for the result
	step := func() (*lazy.Tensor, error) {
		y := tr.Read(x).Neg()
		return y, tr.MarkStep(y)
	}
	for range 3 {
		_, err := step()
		require.NoError(t, err)
	}
	q.short = true
	y, err := step()
	require.NoError(t, err)
	require.Len(t, floats(t, y), 1000)
	require.Equal(t, 5, q.queued)
	q.short = true // there is no copy any more
	_, err = step()
	require.ErrorIs(t, err, lazy.ErrMemory)
	require.Equal(t, 6, q.queued)
}

// Host data that has a copy on the device is donated like any other: a step that fails leaves
// it as it was, and one that succeeds has it.
func TestDataWithACopyIsDonated(t *testing.T) {
	dev, q := openQueueing(t, func(context.Context) error { return nil })
	tr := lazy.NewTrace(dev)
	x, other := lazy.From(tr, []float32{1, 2, 3}), lazy.From(tr, []float32{1, 1, 1})
	step := func(x *lazy.Tensor) (*lazy.Tensor, error) {
		y := tr.Read(x).Add(other)
		return y, tr.MarkStep(y)
	}
	for range 3 {
		y, err := step(x)
		require.NoError(t, err)
		require.Equal(t, []float32{2, 3, 4}, floats(t, y))
	}
	for _, fails := range []error{lazy.ErrMemory, nil} {
		q.fails = fails
		y, err := step(x.Donate())
		require.ErrorIs(t, err, fails)
		q.fails = nil
		if err != nil {
			require.Equal(t, []float32{1, 2, 3}, floats(t, x))
			y, err = step(x)
			require.NoError(t, err)
			require.NoError(t, tr.Wait(t.Context()))
		}
		require.Equal(t, []float32{2, 3, 4}, floats(t, y))
	}
	_, err := x.Value()
	require.ErrorIs(t, err, lazy.ErrUsage)
}

// A queue without memory of the device orders nothing that package lazy can see: runs are
// given none, and are over when they return.
func TestQueueWithoutMemoryIsNotUsed(t *testing.T) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	q := &queueing{Backend: b, onHost: true, wait: func(context.Context) error { panic("waited for") }}
	dev := openOn(t, q)
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, []float32{1, 2}).Neg()
	require.NoError(t, tr.MarkStep(x))
	require.NoError(t, tr.Wait(t.Context()))
	require.Equal(t, []float32{-1, -2}, floats(t, x))
	require.Equal(t, [2]int{0, 1}, [2]int{q.queued, q.without})
}

// The failure of a step comes back from a wait as it is, of any device.
func TestWaitsReturnAStepError(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	for _, wait := range []func(context.Context) error{dev.Wait, tr.Wait} { // a trace has its own report
		tr.AfterStep(func(error) { panic("mistaken") })
		require.NoError(t, tr.MarkStep())
		require.IsType(t, &lazy.StepError{}, wait(t.Context()))
		_ = tr.Wait(t.Context())
	}
}
