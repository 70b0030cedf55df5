package lazy_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/lazy"
)

// slow is the evaluator with a compiler that takes until it is released, or until
// its context is done if it looks at that.
type slow struct {
	backends.Backend
	looks    bool
	compiles atomic.Int32
	release  chan struct{}
}

func openSlow(t *testing.T, looks bool, opts ...lazy.Option) (*slow, *lazy.Device) {
	t.Helper()
	b, err := backends.Open("eval")
	require.NoError(t, err)
	s := &slow{Backend: b, looks: looks, release: make(chan struct{})}
	return s, openOn(t, s, opts...)
}

func (s *slow) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	s.compiles.Add(1)
	done := ctx.Done()
	if !s.looks {
		done = nil
	}
	select {
	case <-s.release:
	case <-done:
		return nil, ctx.Err()
	}
	return s.Backend.Compile(context.WithoutCancel(ctx), m, o)
}

func double(tr *lazy.Trace) *lazy.Tensor { x := ones(tr, 2); return x.Add(x) }

var errEnough = errors.New("enough")

// briefly returns a context that ends soon.
func briefly(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeoutCause(t.Context(), 30*time.Millisecond, errEnough)
	t.Cleanup(cancel)
	return ctx
}

// promptly requires that f returns within a second.
func promptly(t *testing.T, f func()) {
	t.Helper()
	start := time.Now()
	f()
	require.Less(t, time.Since(start), time.Second)
}

func TestMarkStepContextEndsCompiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, opts := range map[string][]lazy.Option{"whole": nil, "op by op": {lazy.OpByOp()}} {
			for _, looks := range []bool{true, false} {
				s, d := openSlow(t, looks, opts...)
				tr := lazy.NewTrace(d)
				y := double(tr)
				promptly(t, func() { require.ErrorIs(t, tr.MarkStepContext(briefly(t), y), errEnough, name) })
				_, err := y.Value()
				require.ErrorIs(t, err, errEnough, name)

				close(s.release)
				y = double(tr)
				require.NoError(t, tr.MarkStep(y), name)
				require.Equal(t, []float32{2, 2}, floats(t, y), name)
				if !looks && opts == nil {
					require.Equal(t, int32(1), s.compiles.Load(), "%s: what was compiled in the end is kept", name)
				}
			}
		}
	})
}

// Who waits for a program that another caller compiles is not failed by that
// caller's context.
func TestCancelledCompilationFailsNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := openSlow(t, true)
		ctx, cancel := context.WithCancelCause(t.Context())
		first := make(chan error)
		go func() {
			tr := lazy.NewTrace(d)
			first <- tr.MarkStepContext(ctx, double(tr))
		}()
		synctest.Wait()
		require.Equal(t, int32(1), s.compiles.Load())
		second := make(chan error)
		go func() {
			tr := lazy.NewTrace(d)
			second <- tr.MarkStep(double(tr))
		}()
		synctest.Wait() // until the second waits
		cancel(errEnough)
		require.ErrorIs(t, <-first, errEnough)
		close(s.release)
		require.NoError(t, <-second)
	})
}

// Calls of a function are not failed by the context of the call that traced it.
func TestCancelledTracingFailsNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := openSlow(t, true)
		f := lazy.Func(d, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Add(x) })
		x := lazy.From(d, []float32{1, 2}, 2)
		ctx, cancel := context.WithCancelCause(t.Context())
		first := make(chan error)
		go func() { _, err := f.Call(ctx, x); first <- err }()
		synctest.Wait()
		require.Equal(t, int32(1), s.compiles.Load())
		second := make(chan error)
		go func() { _, err := f.Call(context.Background(), x); second <- err }()
		synctest.Wait()
		cancel(errEnough)
		require.ErrorIs(t, <-first, errEnough)
		close(s.release)
		require.NoError(t, <-second)
	})
}

// A panic of a compiler ends no process, whoever waits.
func TestPanicOfACompilerIsAnError(t *testing.T) {
	d := openOn(t, panics{})
	tr := lazy.NewTrace(d)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.ErrorContains(t, tr.MarkStepContext(ctx, double(tr)), "panicked in Compile: no")
}

type panics struct{ backends.NotImplemented }

func (panics) Name() string { return "panics" }
func (panics) Compile(context.Context, backends.Module, backends.Options) (backends.Executable, error) {
	panic("no")
}

// Each call that compiles or waits returns when its context is done. What it was to
// give can be asked for again.
func TestReadsCopiesAndWarmupEndWithTheirContext(t *testing.T) {
	for name, read := range map[string]func(ctx context.Context, y *lazy.Tensor) error{
		"value": func(ctx context.Context, y *lazy.Tensor) error { _, err := y.ValueContext(ctx); return err },
		"to slice": func(ctx context.Context, y *lazy.Tensor) error {
			_, err := lazy.ToSliceContext[float32](ctx, y)
			return err
		},
		"item": func(ctx context.Context, y *lazy.Tensor) error { _, err := y.Sum().ItemContext(ctx); return err },
		"view": func(ctx context.Context, y *lazy.Tensor) error {
			_, err := lazy.ToSliceContext[float32](ctx, y.Narrow(0, 0, 1))
			return err
		},
		"copy": func(ctx context.Context, y *lazy.Tensor) error {
			return y.To(open(t, "eval"), lazy.WithContext(ctx)).Err()
		},
		"warmup": func(ctx context.Context, y *lazy.Tensor) error { return y.Trace().WarmupContext(ctx, y) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, d := openSlow(t, true)
				y := double(lazy.NewTrace(d))
				ctx, cancel := context.WithCancelCause(t.Context())
				failed := make(chan error)
				go func() { failed <- read(ctx, y) }()
				synctest.Wait() // until it compiles
				require.Equal(t, int32(1), s.compiles.Load())
				cancel(errEnough)
				require.ErrorIs(t, <-failed, errEnough)
				close(s.release)
				require.NoError(t, read(t.Context(), y))
				require.Equal(t, []float32{2, 2}, floats(t, y))
			})
		})
	}
}

// A conversion is a program of the device that the copy is on: compiling it ends with
// the copy's context.
func TestConversionsEndWithTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, async := range []bool{false, true} {
			s, d := openSlow(t, true)
			x := lazy.From(open(t, "eval"), []float32{1, 2}, 2)
			ctx, cancel := context.WithCancelCause(t.Context())
			options := []lazy.CopyOption{lazy.As(lazy.F64), lazy.WithContext(ctx)}
			if async {
				options = append(options, lazy.Async())
			}
			failed := make(chan error)
			go func() { _, err := x.To(d, options...).Value(); failed <- err }()
			synctest.Wait()
			require.Equal(t, int32(1), s.compiles.Load())
			cancel(errEnough)
			require.ErrorIs(t, <-failed, errEnough)
			close(s.release)
			y, err := lazy.ToSlice[float64](x.To(d, lazy.As(lazy.F64)))
			require.NoError(t, err)
			require.Equal(t, []float64{1, 2}, y)
		}
	})
}

// Reading what a step makes ends with the reader's context; the step goes on.
func TestWaitingForAStepEndsWithTheReadersContext(t *testing.T) {
	d, g := openGated(t)
	tr := lazy.NewTrace(d)
	w := d.Variable("w", lazy.F32, bigSize)
	w.Add_(big(tr, w, 1))
	y := big(tr, w, 2)
	require.NoError(t, tr.MarkStep(y))
	<-g.began
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errEnough)
	for name, x := range map[string]*lazy.Tensor{"root": y, "variable": w, "view": y.Narrow(0, 0, 1)} {
		_, err := x.ValueContext(ctx)
		require.ErrorIs(t, err, errEnough, name)
	}
	require.ErrorIs(t, y.To(open(t, "eval"), lazy.WithContext(ctx)).Err(), errEnough)
	g.let <- nil
	require.Equal(t, float32(2), first(t, y))
	require.Equal(t, float32(1), first(t, w))
}

// A program that takes over five seconds to compile is warned of once, with the line of its
// step, or of the call, and what to do; not by Warmup.
func TestSlowCompilesAreWarnedOfOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logged
		s, d := openSlow(t, false, logTo(&log))
		released := func(after time.Duration, run func() error) []string {
			before := len(log.of("WARN"))
			release := make(chan struct{})
			s.release = release
			time.AfterFunc(after, func() { close(release) })
			require.NoError(t, run())
			return log.of("WARN")[before:]
		}
		step := func(n int) func() error {
			return func() error { tr := lazy.NewTrace(d); return tr.MarkStep(ones(tr, n).Exp()) }
		}
		require.Empty(t, released(4*time.Second, step(2)))
		warned := released(6*time.Second, step(3))
		require.Len(t, warned, 1)
		require.Regexp(t, `^WARN a program took long to compile device=\S+ at=compiling_test.go:\d+ took=6s ops=\d+ do=mark steps more often`, warned[0])
		require.Empty(t, released(6*time.Second, step(3)), "it is compiled")
		require.Empty(t, released(6*time.Second, func() error { tr := lazy.NewTrace(d); return tr.Warmup(ones(tr, 4).Exp()) }))

		f := lazy.Func(d, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Exp() })
		warned = released(6*time.Second, func() error { _, err := f.Call(t.Context(), lazy.From(d, []float32{1}, 1)); return err })
		require.Len(t, warned, 1)
		require.Contains(t, warned[0], "at=compiling_test.go:")
	})
}
