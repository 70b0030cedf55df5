package lazy_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/lazy"
)

// leaving is the evaluator, whose runs end their goroutine while told to.
type leaving struct {
	backends.Backend
	leaves atomic.Bool
}

func openLeaving(t *testing.T) (*lazy.Device, *leaving) {
	t.Helper()
	b, err := backends.Open("eval")
	require.NoError(t, err)
	l := &leaving{Backend: b}
	gates.Store(t.Name(), l)
	t.Cleanup(func() { gates.Delete(t.Name()) })
	return open(t, "flaky:"+t.Name(), lazy.Threads(1)), l
}

func (l *leaving) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	e, err := l.Backend.Compile(ctx, m, o)
	return leavingExecutable{e, l}, err
}

type leavingExecutable struct {
	backends.Executable
	l *leaving
}

func (e leavingExecutable) Execute(ctx context.Context, c *backends.Call) error {
	if e.l.leaves.Load() {
		runtime.Goexit()
	}
	return e.Executable.Execute(ctx, c)
}

// away runs fn, which ends its goroutine.
func away(t *testing.T, fn func()) {
	t.Helper()
	returned := false
	within(t, func() {
		done := make(chan struct{})
		go func() { defer close(done); fn(); returned = true }()
		<-done
	})
	require.False(t, returned)
}

// A backend that ends the goroutine within MarkStep fails the step: its closures are
// called, variables are as before, and the next MarkStep says so.
func TestGoexitWithinMarkStepEndsTheStep(t *testing.T) {
	dev, l := openLeaving(t)
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 4)
	l.leaves.Store(true)
	var seen error
	root := lazy.Ones(tr, lazy.F32, 4).AddScalar(1)
	w.Add_(root)
	tr.AfterStep(func(failed error) { seen = failed })
	away(t, func() { tr.MarkStep(root) })
	l.leaves.Store(false)
	require.ErrorContains(t, seen, "step 1: the backend ended the goroutine")
	within(t, func() {
		_, err := root.Value()
		require.ErrorContains(t, err, "runtime.Goexit")
		w.Add_(lazy.Ones(tr, lazy.F32, 4))
		require.ErrorContains(t, tr.MarkStep(), "step 1: the backend ended the goroutine")
		require.NoError(t, tr.Wait(background), "once")
		w.Add_(lazy.Ones(tr, lazy.F32, 4))
		require.NoError(t, tr.MarkStep())
		require.Equal(t, float32(1), first(t, w))
	})
}

// The variables that a call of a function was to assign are as before, too.
func TestGoexitWithinACallEndsTheCall(t *testing.T) {
	dev, l := openLeaving(t)
	w := dev.Variable("w", lazy.F32, 4)
	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { w.Add_(x); return x })
	x := lazy.From(dev, []float32{1, 1, 1, 1}, 4)
	l.leaves.Store(true)
	away(t, func() { f.Call(background, x) })
	l.leaves.Store(false)
	within(t, func() {
		require.Equal(t, float32(0), first(t, w))
		_, err := f.Call(background, x)
		require.NoError(t, err)
		require.Equal(t, float32(1), first(t, w))
	})
}

// A copy that converts on a goroutine of its own has an error.
func TestGoexitWithinACopyEndsTheCopy(t *testing.T) {
	dev, l := openLeaving(t)
	l.leaves.Store(true)
	x := lazy.From(dev, []float32{1, 2}, 2).To(dev, lazy.As(lazy.F64), lazy.Async())
	within(t, func() {
		_, err := x.Value()
		require.ErrorContains(t, err, "runtime.Goexit")
		require.NoError(t, dev.Wait(background))
	})
}
