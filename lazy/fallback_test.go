package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// uncompiled records an op that no backend has a kernel for: the gradient of the
// largest elements of windows with more than 64.
func uncompiled(tr *lazy.Trace, n int) *lazy.Tensor {
	x := lazy.Iota(tr, lazy.F32, 0, 64+n).Reshape(1, 1, 1, 64+n)
	return lazy.Grad(x.MaxPool([]int{1, 65}, lazy.PoolOptions{}).Sum(), x)[0].Sum()
}

func TestOpsOfTheEvaluatorAreWarnedOfOncePerLine(t *testing.T) {
	var log logged
	d := open(t, "cpu", logTo(&log))
	tr := lazy.NewTrace(d)
	for range 3 {
		require.NoError(t, tr.MarkStep(uncompiled(tr, 4)))
	}
	require.NoError(t, tr.MarkStep(uncompiled(tr, 5)))
	require.NoError(t, d.Wait(t.Context()))
	warned := log.of("WARN ops of a program")
	require.Len(t, warned, 1)
	require.Regexp(t, `^WARN ops of a program run uncompiled, by the evaluator device=cpu backend=cpu at=fallback_test.go:15 ops=1 op=stablehlo.select_and_scatter because=its windows have too many elements do=`, warned[0])
	require.Equal(t, int64(2), counter(d, "Fallback"), "two programs")

	var other logged
	e := open(t, "cpu", logTo(&other))
	f := lazy.Func(e, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return uncompiled(tr, 4).Mul(x) })
	for range 3 {
		_, err := f.Call(t.Context(), lazy.From(e, []float32{1}))
		require.NoError(t, err)
	}
	require.Len(t, other.of("WARN ops of a program"), 1)
}

func TestCompiledRefusesOpsOfTheEvaluator(t *testing.T) {
	d := open(t, "cpu", lazy.Compiled())
	tr := lazy.NewTrace(d)
	w := lazy.SetValues(d.Variable("w", lazy.F32, 1), []float32{1})
	w.Add_(uncompiled(tr, 2).Reshape(1))
	err := tr.MarkStep()
	require.ErrorIs(t, err, lazy.ErrFallback)
	require.EqualError(t, err, "fallback_test.go:15: compile for cpu: backend cpu leaves an op to the evaluator, many times slower: fallback_test.go:15: stablehlo.select_and_scatter: its windows have too many elements")
	require.Equal(t, []float32{1}, floats(t, w))
	w.Add_(lazy.Ones(tr, lazy.F32, 1))
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{2}, floats(t, w))
}

// The environment makes it an error, too, but for the evaluator itself.
func TestEnvironmentMakesFallbacksErrors(t *testing.T) {
	t.Setenv("LTC_COMPILED", "1")
	tr := lazy.NewTrace(open(t, "cpu"))
	require.ErrorIs(t, tr.MarkStep(uncompiled(tr, 4)), lazy.ErrFallback)
	tr = lazy.NewTrace(open(t, "eval"))
	require.NoError(t, tr.MarkStep(uncompiled(tr, 4)))
}
