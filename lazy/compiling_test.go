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
