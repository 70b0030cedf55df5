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

// A backend that ends the goroutine within Compile fails the step: its closures are called,
// its roots have the error, nothing stays pinned, and the next MarkStep says so.
func TestGoexitWithinCompileEndsTheStep(t *testing.T) {
	e, err := backends.Open("eval")
	require.NoError(t, err)
	b := &compileHook{Backend: e, before: runtime.Goexit}
	gates.Store(t.Name(), b)
	t.Cleanup(func() { gates.Delete(t.Name()) })
	dev := open(t, "flaky:"+t.Name(), lazy.Threads(1))
	tr := lazy.NewTrace(dev)
	w, x := dev.Variable("w", lazy.F32, 4), lazy.From(tr, []float32{1, 1, 1, 1})
	step := func(ctx context.Context) (root *lazy.Tensor, mark func() error) {
		root = tr.Read(w).AddScalar(1)
		w.Add_(root)
		x.Add_(root)
		return root, func() error { return tr.MarkStepContext(ctx, root) }
	}
	var seen error
	closure := func(failed error) { seen = failed }

	tr.AfterStep(closure)
	root, mark := step(background)
	away(t, func() { mark() })
	require.ErrorContains(t, seen, "step 1: MarkStep has not returned: the backend's Compile ended its goroutine")
	_, err = root.Value()
	require.ErrorContains(t, err, "MarkStep has not returned")
	_, mark = step(background)
	err = mark()
	require.ErrorContains(t, err, "step 1: MarkStep has not returned")

	// A context that can end: Compile has a goroutine of its own.
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	tr.AfterStep(closure)
	_, mark = step(ctx)
	within(t, func() { require.ErrorContains(t, mark(), "ended its goroutine with runtime.Goexit") })
	require.ErrorContains(t, seen, "ended its goroutine with runtime.Goexit")

	b.before = nil
	_, mark = step(ctx)
	within(t, func() { require.NoError(t, mark()) })
	require.Equal(t, []float32{1, 1, 1, 1}, floats(t, w))
	require.Equal(t, []float32{2, 2, 2, 2}, floats(t, x))
	require.Zero(t, tr.Report().DonationCopies, "nothing is pinned for good")
}
