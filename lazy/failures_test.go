package lazy_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/lazy"
)

// A reader in another goroutine may meet a failure first. The trace whose step
// failed hears of it all the same, once.
func TestReadersTakeNoFailureFromTheTrace(t *testing.T) {
	readers := map[string]func(dev *lazy.Device, w, root *lazy.Tensor) error{
		"variable": func(_ *lazy.Device, w, _ *lazy.Tensor) error { _, err := w.Value(); return err },
		"slice":    func(_ *lazy.Device, w, _ *lazy.Tensor) error { _, err := lazy.ToSlice[float32](w); return err },
		"root":     func(_ *lazy.Device, _, root *lazy.Tensor) error { _, err := root.Value(); return err },
		"view":     func(_ *lazy.Device, w, _ *lazy.Tensor) error { _, err := w.Narrow(0, 0, 1).Value(); return err },
		"device":   func(dev *lazy.Device, _, _ *lazy.Tensor) error { return dev.Wait(background) },
		"copy":     func(dev *lazy.Device, _, root *lazy.Tensor) error { return root.To(dev, lazy.As(lazy.F64)).Err() },
		"printing": func(_ *lazy.Device, _, root *lazy.Tensor) error {
			root.Narrow(0, 0, 1).Float()
			return errFlaky
		},
	}
	ends := map[string]func(tr *lazy.Trace) error{
		"mark_step": func(tr *lazy.Trace) error { return tr.MarkStep() },
		"wait":      func(tr *lazy.Trace) error { return tr.Wait(background) },
	}
	for reader, read := range readers {
		for end, report := range ends {
			t.Run(reader+"/"+end, func(t *testing.T) {
				dev, g := openGated(t)
				for range trials.Of(20) {
					tr := lazy.NewTrace(dev)
					w := dev.Variable("w", lazy.F32, bigSize)
					root := tr.Read(w).AddScalar(1)
					add(t, tr, w, 1, root)
					var wg sync.WaitGroup
					wg.Go(func() { g.pass(1, errFlaky) })
					var met error
					wg.Go(func() { met = read(dev, w, root) })
					within(t, wg.Wait)
					require.ErrorIs(t, met, errFlaky)
					require.ErrorIs(t, report(tr), errFlaky)
					require.NoError(t, report(tr), "once")
					require.NoError(t, dev.Wait(background), "the trace has returned it")
					require.Equal(t, float32(0), first(t, w))
				}
			})
		}
	}
}

// The first read of a variable after a failure says so, until the trace has said so.
func TestFirstReadAfterAFailureSaysSo(t *testing.T) {
	dev, g := openGated(t)
	tr := lazy.NewTrace(dev)
	tr.NameStep("train")
	w := dev.Variable("w", lazy.F32, bigSize)
	add(t, tr, w, 1)
	g.pass(1, errFlaky)
	_, err := w.Value()
	require.ErrorIs(t, err, errFlaky)
	require.ErrorContains(t, err, `variable "w" has no new value: the program that assigns it at queue_test.go:`)
	require.ErrorContains(t, err, "step 1 (train): ")
	require.Equal(t, float32(0), first(t, w))
	require.ErrorIs(t, tr.Wait(background), errFlaky)

	add(t, tr, w, 1)
	g.pass(1, errFlaky)
	require.ErrorIs(t, tr.Wait(background), errFlaky)
	require.Equal(t, float32(0), first(t, w))
}

// A step that has read a version whose step fails runs with the version before,
// as if the failed step had never been: whoever assigns, whatever it failed of.
func TestStepsFallBackToTheLastGoodVersion(t *testing.T) {
	for name, why := range map[string]error{"backend": errFlaky, "panic": errPanic, "context": nil} {
		t.Run(name, func(t *testing.T) {
			dev, g := openGated(t)
			other := open(t, "eval")
			a, b := lazy.NewTrace(dev), lazy.NewTrace(dev)
			w, v := dev.Variable("w", lazy.F32, bigSize), dev.Variable("v", lazy.F32, bigSize)
			sum := float32(0)
			for i := range trials.Of(20) {
				good := float32(10 * i)
				ctx, cancel := context.WithCancel(background)
				w.Add_(big(a, w, 100))
				require.NoError(t, a.MarkStepContext(ctx))
				<-g.began
				v.Add_(b.Read(w))
				seen, copied := b.Read(w).MulScalar(2), w.To(other, lazy.Async())
				require.NoError(t, b.MarkStep(seen))
				w.Add_(big(b, w, 10)) // of the version that is about to fall
				require.NoError(t, b.MarkStep())
				if why != nil {
					g.let <- why
				}
				cancel()
				g.pass(2, nil)
				within(t, func() { require.NoError(t, b.Wait(background), "no step of its own failed") })
				sum += good
				require.Equal(t, 2*good, first(t, seen))
				require.Equal(t, good, first(t, copied))
				require.Equal(t, sum, first(t, v))
				require.Error(t, a.Wait(background))
				require.NoError(t, a.Wait(background))
				require.Equal(t, good+10, first(t, w))
			}
		})
	}
}

// A step that needs a result of another trace's failed step fails, and says whose step
// failed and why. Its error does not wrap a context that is not its own.
func TestOperandsOfFailedStepsNameThem(t *testing.T) {
	for _, queued := range []bool{true, false} {
		t.Run(fmt.Sprint(queued), func(t *testing.T) {
			dev, g := openGated(t)
			a, b := lazy.NewTrace(dev), lazy.NewTrace(dev)
			a.NameStep("train")
			w := dev.Variable("w", lazy.F32, bigSize)
			add(t, a, w, 1)
			<-g.began
			ctx, cancel := context.WithCancel(background)
			root := a.Read(w).AddScalar(1)
			require.NoError(t, a.MarkStepContext(ctx, root))
			y := b.Read(root).MulScalar(2)
			cancel()
			var err error
			if queued {
				require.NoError(t, b.MarkStep(y))
				g.let <- nil
				err = b.Wait(background)
				require.ErrorIs(t, a.Wait(background), context.Canceled)
			} else {
				g.let <- nil
				require.ErrorIs(t, a.Wait(background), context.Canceled)
				err = b.MarkStep(y)
			}
			require.ErrorContains(t, err, "an operand, which another trace made in the step marked at failures_test.go:")
			require.ErrorContains(t, err, "step 2 (train): ")
			require.ErrorContains(t, err, "context canceled")
			require.False(t, errors.Is(err, context.Canceled), "its own context goes on")
			_, err = y.Value()
			require.ErrorContains(t, err, "step 2 (train): ")
		})
	}
}

// Traces that fail now and then share what they assign, and a step fails only of
// itself. Each variable is the sum of what the steps without a failure have added,
// whichever versions were taken back below them.
func TestVersionsFallWhileOthersAssign(t *testing.T) {
	dev, g := openGated(t)
	stop := make(chan struct{})
	var gate sync.WaitGroup
	gate.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-g.began:
			case <-stop:
				return
			}
			var err error
			if i%3 == 1 {
				err = errFlaky
			}
			g.let <- err
		}
	})
	shared := dev.Variable("shared", lazy.F32, bigSize)
	var mu sync.Mutex
	good := 0
	var wg sync.WaitGroup
	for m := range 3 {
		wg.Go(func() {
			tr := lazy.NewTrace(dev)
			own := dev.Variable(fmt.Sprint("own", m), lazy.F32, bigSize)
			failures, mine := 0, 0
			heard := func() { mu.Lock(); failures--; mu.Unlock() }
			for i := range trials.Of(60) {
				tr.AfterStep(func(failed error) {
					mu.Lock()
					defer mu.Unlock()
					switch {
					case failed == nil:
						good, mine = good+1, mine+1
					case !errors.Is(failed, lazy.ErrCancelled):
						failures++
					}
				})
				shared.Add_(big(tr, shared, 1))
				own.Add_(big(tr, shared, 1))
				if tr.MarkStep() != nil {
					heard()
				}
				if i%7 == 0 && tr.Wait(background) != nil {
					heard()
				}
			}
			if tr.Wait(background) != nil {
				failures--
			}
			if got, err := lazy.ToSlice[float32](own); err != nil {
				t.Errorf("trace %d: %v", m, err)
			} else if int(got[0]) != mine || got[bigSize-1] != got[0] {
				t.Errorf("trace %d: %v and %v after %d good steps", m, got[0], got[bigSize-1], mine)
			}
			if failures != 0 {
				t.Errorf("trace %d: %d failures more than reports", m, failures)
			}
		})
	}
	within(t, wg.Wait)
	close(stop)
	gate.Wait()
	require.Equal(t, float32(good), first(t, shared))
}

// compileHook is a backend that calls a function before it compiles.
type compileHook struct {
	backends.Backend
	before func()
}

func (b *compileHook) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	if b.before != nil {
		b.before()
	}
	return b.Backend.Compile(ctx, m, o)
}

// A failure that the trace has returned cancels no step that is marked afterwards, though
// one that was marked before has closures left to run.
func TestReportedFailuresCancelNoLaterStep(t *testing.T) {
	_, g := openGated(t)
	b := &compileHook{Backend: g}
	gates.Store(t.Name(), b)
	t.Cleanup(func() { gates.Delete(t.Name()) })
	dev := open(t, "flaky:"+t.Name())
	tr := lazy.NewTrace(dev)
	w, x := dev.Variable("w", lazy.F32, bigSize), dev.Variable("x", lazy.F32, bigSize)
	closing, closed := make(chan struct{}), make(chan struct{})
	tr.AfterStep(func(error) { close(closing); <-closed })
	add(t, tr, w, 1)
	b.before = func() {
		b.before = nil
		g.pass(1, errFlaky)
		<-closing
	}
	add(t, tr, x, 2) // the step before fails while this one is compiled
	x.Add_(big(tr, x, 3))
	err := tr.MarkStep()
	require.ErrorIs(t, err, errFlaky)
	require.ErrorContains(t, err, "step 1: ")
	add(t, tr, x, 4)
	close(closed)
	g.pass(1, nil)
	within(t, func() { require.NoError(t, tr.Wait(background), "the failure comes back once") })
	require.Equal(t, float32(4), first(t, x))
}

// A step whose operand another trace failed to make reads the version before, past one
// that its own trace failed to make and has returned the failure of.
func TestVersionsFallPastReportedFailures(t *testing.T) {
	dev, g := openGated(t)
	one, other := lazy.NewTrace(dev), lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, bigSize)
	add(t, one, w, 1)
	add(t, other, w, 2)
	g.pass(1, errFlaky)
	require.ErrorIs(t, one.Wait(background), errFlaky)
	<-g.began // the other's
	add(t, one, w, 4)
	g.let <- errFlaky
	require.ErrorIs(t, other.Wait(background), errFlaky)
	g.pass(1, nil)
	within(t, func() { require.NoError(t, one.Wait(background)) })
	require.Equal(t, float32(4), first(t, w))
}

// A Function whose program the backend did not come to compile is compiled by the next call.
func TestFuncsOutliveBackendsThatEndTheirGoroutine(t *testing.T) {
	e, err := backends.Open("eval")
	require.NoError(t, err)
	b := &compileHook{Backend: e, before: runtime.Goexit}
	gates.Store(t.Name(), b)
	t.Cleanup(func() { gates.Delete(t.Name()) })
	dev := open(t, "flaky:"+t.Name())
	w := dev.Variable("w", lazy.F32, 4)
	fn := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.AddScalar(1) })
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, err := fn.Call(background, w)
		t.Errorf("it has returned: %v", err)
	}()
	within(t, func() { <-ended })
	b.before = nil
	y, err := fn.Call(background, w)
	require.NoError(t, err)
	require.Equal(t, float32(1), first(t, y))
}
