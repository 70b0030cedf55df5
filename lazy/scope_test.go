package lazy_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

func encoder(tr *lazy.Trace, x *lazy.Tensor, layers int) *lazy.Tensor {
	defer tr.Scope("encoder")()
	for range layers {
		end := tr.Scope("layer")
		x = x.AddScalar(1).Tanh()
		end()
	}
	return x
}

// Scopes are numbered anew in each parent, joined by slashes; they show in the
// text of programs and in errors, and change no program.
func TestScopesShowInTextAndErrors(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	step := func(scopes bool) *lazy.Tensor {
		x := lazy.Ones(tr, lazy.F32, 2)
		if scopes {
			return encoder(tr, encoder(tr, x, 2), 1)
		}
		for range 3 {
			x = x.AddScalar(1).Tanh()
		}
		return x
	}
	require.NoError(t, tr.MarkStep(step(true)))
	for _, path := range []string{"encoder.0/layer.0", "encoder.0/layer.1", "encoder.1/layer.0"} {
		require.Contains(t, tr.StableHLO(), fmt.Sprintf("loc(%q(", path))
	}
	require.NotContains(t, tr.StableHLO(), "encoder.1/layer.1")
	require.NoError(t, tr.MarkStep(step(true)))
	require.NoError(t, tr.MarkStep(step(false)))
	require.Len(t, tr.Report().Compiles, 1)

	defer tr.Scope("late")()
	_, _, line, _ := runtime.Caller(0)
	bad := ones(tr, 2).Add(ones(tr, 3))
	require.ErrorContains(t, bad.Err(), fmt.Sprintf("scope_test.go:%d: late.0: add(f32[2], f32[3]): ", line+1))
	tr.Discard()
}

// A mark-step in an open scope is an error that says where it was opened; the
// trace goes on without it.
func TestMarkStepInAnOpenScopeIsAnError(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	end := tr.Scope("outer")
	tr.Scope("inner")
	_, _, line, _ := runtime.Caller(0)
	err := tr.MarkStep(ones(tr, 2))
	require.ErrorIs(t, err, lazy.ErrUsage)
	require.ErrorContains(t, err, fmt.Sprintf(`scope_test.go:%d: outer.0: mark_step(): scope "outer.0/inner.0", opened here`, line-1))
	again := tr.Scope("outer")
	end() // of a step that is over
	bad := ones(tr, 2).Add(ones(tr, 3))
	require.ErrorContains(t, bad.Err(), "outer.0: add")
	tr.Scope("inner")
	again() // with what it holds
	again()
	require.NoError(t, tr.MarkStep(lazy.From(tr, []float32{1}).Tanh()))
	require.NotContains(t, tr.StableHLO(), "outer")
}

// A failure at run time names the scope of the op, and the name of the step.
func TestRunErrorsNameScopeAndStep(t *testing.T) {
	dev := open(t, "flaky", lazy.Threads(1))
	tr := lazy.NewTrace(dev)
	tr.NameStep("eval")
	theFlaky.failures.Store(1)
	err := tr.MarkStep(encoder(tr, lazy.From(tr, []float32{1, 2}), 2))
	require.ErrorContains(t, err, "step 1 (eval): scope_test.go:")
	require.ErrorContains(t, err, ": encoder.0/layer.0: stablehlo.")
}

func TestFuncThatCallsItself(t *testing.T) {
	ctx := context.Background()
	dev := open(t, "eval")
	x, y := lazy.From(dev, []float32{1}), lazy.From(dev, []float32{1, 2})
	var f, g *lazy.Function
	call := func(f **lazy.Function, x *lazy.Tensor) func(*lazy.Trace, *lazy.Tensor) *lazy.Tensor {
		return func(tr *lazy.Trace, a *lazy.Tensor) *lazy.Tensor {
			if a.Dim(0) > 1 {
				return a.AddScalar(1)
			}
			r, err := (*f).Call(ctx, x)
			if err != nil {
				return lazy.Full(tr, lazy.F32, 0, -1) // poisoned
			}
			return a.Add(tr.Read(r))
		}
	}
	var inner error
	f = lazy.Func(dev, func(tr *lazy.Trace, a *lazy.Tensor) *lazy.Tensor {
		_, inner = f.Call(ctx, x)
		return a
	})
	within(t, func() { _, err := f.Call(ctx, x); require.NoError(t, err) })
	require.ErrorIs(t, inner, lazy.ErrUsage)
	require.ErrorContains(t, inner, "func(f32[1]): the function calls itself")

	f, g = lazy.Func(dev, call(&g, x)), lazy.Func(dev, call(&f, x)) // each other
	within(t, func() { _, err := f.Call(ctx, x); require.Error(t, err) })

	f = lazy.Func(dev, call(&f, y)) // with another signature there is an end
	within(t, func() {
		r, err := f.Call(ctx, x)
		require.NoError(t, err)
		require.Equal(t, []float32{3, 4}, floats(t, r))
	})
}

// Who waits for another goroutine's tracing does so no longer than its context.
func TestFuncTracedByAnother(t *testing.T) {
	dev := open(t, "eval")
	x := lazy.From(dev, []float32{1})
	entered, leave := make(chan struct{}), make(chan struct{})
	f := lazy.Func(dev, func(_ *lazy.Trace, a *lazy.Tensor) *lazy.Tensor {
		close(entered)
		<-leave
		return a.AddScalar(1)
	})
	done := make(chan error)
	go func() { _, err := f.Call(background, x); done <- err }()
	<-entered
	ctx, cancel := context.WithCancel(background)
	cancel()
	_, err := f.Call(ctx, x)
	require.ErrorIs(t, err, context.Canceled)
	close(leave)
	require.NoError(t, <-done)
	_, err = f.Call(background, x)
	require.NoError(t, err)
}
