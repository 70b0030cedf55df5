package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// panicked returns what f panics with.
func panicked(f func()) (r any) {
	defer func() { r = recover() }()
	f()
	return nil
}

// In strict mode a bad op panics, with the error that its result would hold.
func TestStrictModePanicsAtTheBadOp(t *testing.T) {
	ops := map[string]func(tr *lazy.Trace, w *lazy.Tensor) *lazy.Tensor{
		"shapes":    func(tr *lazy.Trace, w *lazy.Tensor) *lazy.Tensor { return tr.Read(w).Add(lazy.Ones(tr, lazy.F32, 5)) },
		"broadcast": func(tr *lazy.Trace, w *lazy.Tensor) *lazy.Tensor { return lazy.Ones(tr, lazy.F32, 3).MatMul(w) },
		"composite": func(tr *lazy.Trace, w *lazy.Tensor) *lazy.Tensor { return tr.Read(w).Softmax(7) },
		"view":      func(tr *lazy.Trace, w *lazy.Tensor) *lazy.Tensor { return tr.Read(w).Reshape(5, 5) },
		"nil":       func(tr *lazy.Trace, w *lazy.Tensor) *lazy.Tensor { return tr.Read(w).Add(nil) },
		"no trace":  func(tr *lazy.Trace, w *lazy.Tensor) *lazy.Tensor { return w.Add(w) },
		"host data": func(tr *lazy.Trace, w *lazy.Tensor) *lazy.Tensor { return lazy.From(tr, []float32{1}, 2) },
		"copy":      func(tr *lazy.Trace, w *lazy.Tensor) *lazy.Tensor { return w.Copy_(lazy.Ones(tr, lazy.F32, 5)) },
		"in place":  func(tr *lazy.Trace, w *lazy.Tensor) *lazy.Tensor { return w.Add_(lazy.Ones(tr, lazy.F32, 3, 3)) },
		"gradient":  func(tr *lazy.Trace, w *lazy.Tensor) *lazy.Tensor { return lazy.Grad(tr.Read(w), w)[0] },
		"variable":  func(tr *lazy.Trace, w *lazy.Tensor) *lazy.Tensor { return tr.Device().Variable("v", lazy.F32, -1) },
	}
	strict := map[string]func() *lazy.Device{
		"option": func() *lazy.Device { return open(t, "eval", lazy.Strict()) },
		"environment": func() *lazy.Device {
			t.Setenv("LTC_STRICT", "1")
			return open(t, "eval")
		},
	}
	for name, op := range ops {
		t.Run(name, func(t *testing.T) {
			var message string
			run := func(d *lazy.Device) *lazy.Tensor { return op(lazy.NewTrace(d), d.Variable("w", lazy.F32, 2, 3)) }
			for _, d := range []*lazy.Device{open(t, "eval"), strict["option"]()} {
				var err error
				if p := panicked(func() { err = run(d).Err() }); p != nil {
					require.NotEmpty(t, message, "only strict mode panics")
					require.IsType(t, &lazy.OpError{}, p)
					require.Equal(t, message, p.(error).Error())
					return
				}
				require.Empty(t, message, "strict mode panics")
				if err == nil { // in place: the step's
					tr := lazy.NewTrace(d)
					op(tr, d.Variable("w", lazy.F32, 2, 3))
					err = tr.MarkStep()
				}
				require.Error(t, err)
				message = err.Error()
			}
		})
	}
	p := panicked(func() { lazy.From(lazy.NewTrace(strict["environment"]()), []float32{1}).Reshape(2) })
	require.IsType(t, &lazy.OpError{}, p)
}

// What returns an error returns it in strict mode, too.
func TestStrictModeReturnsTheErrorsOfFunctions(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval", lazy.Strict()))
	x := lazy.From(tr, []float32{1, 2})
	y := x.Add(x)
	require.NoError(t, tr.MarkStep())
	_, err := y.Value()
	require.ErrorIs(t, err, lazy.ErrStale)
	require.ErrorIs(t, tr.MarkStep(y), lazy.ErrStale)
	_, err = x.Item()
	require.ErrorIs(t, err, lazy.ErrUsage)
	_, err = lazy.ToSlice[int32](x)
	require.ErrorIs(t, err, lazy.ErrUsage)
	require.ErrorIs(t, x.Set(1), lazy.ErrUsage)
}

// A dimension that is not there is 0; in strict mode asking for it is an error.
func TestMissingDimIsAnErrorInStrictMode(t *testing.T) {
	x := lazy.From(open(t, "eval"), make([]float32, 6), 2, 3)
	require.Equal(t, []int{2, 3, 3, 0, 0}, []int{x.Dim(0), x.Dim(1), x.Dim(-1), x.Dim(2), x.Dim(-3)})
	x = lazy.From(open(t, "eval", lazy.Strict()), make([]float32, 6), 2, 3)
	require.Equal(t, 2, x.Dim(-2))
	for _, i := range []int{5, -3} {
		err, ok := panicOf(func() { x.Dim(i) }).(*lazy.OpError)
		require.True(t, ok)
		require.ErrorContains(t, err, "strict_test.go:")
		require.ErrorContains(t, err, "dim(f32[2,3]): it has rank 2, and no dimension")
	}
}

func panicOf(f func()) (r any) {
	defer func() { r = recover() }()
	f()
	return nil
}
