package lazy_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// One call marks the steps of traces on two devices.
func TestMarkSteps(t *testing.T) {
	a, b := lazy.NewTrace(open(t, "cpu")), lazy.NewTrace(open(t, "eval"))
	x := lazy.From(a, []float32{1, 2}).MulScalar(2)
	y, z := lazy.From(b, []float32{3, 4}).AddScalar(1), lazy.From(b, []float32{5}).Neg()
	value := lazy.From(a.Device(), []float32{7})
	require.NoError(t, lazy.MarkSteps(t.Context(), x, y, value, z))
	require.Equal(t, []float32{2, 4}, floats(t, x))
	require.Equal(t, []float32{4, 5}, floats(t, y))
	require.Equal(t, []float32{-5}, floats(t, z))
	require.Zero(t, a.Report().Syncs()+b.Report().Syncs(), "nothing was read early")
	require.NoError(t, lazy.MarkSteps(t.Context()))
}

// If one step cannot run none does: variables are as before, and all traces go on.
func TestMarkStepsRunsAllOrNone(t *testing.T) {
	for name, bad := range map[string]func(tr *lazy.Trace) *lazy.Tensor{
		"bad op": func(tr *lazy.Trace) *lazy.Tensor {
			return lazy.From(tr, []float32{1}).MatMul(lazy.From(tr, []float32{1, 2}))
		},
		"memory": func(tr *lazy.Trace) *lazy.Tensor {
			return lazy.Zeros(tr, lazy.F32, 1<<12).Add(lazy.Iota(tr, lazy.F32, 0, 1<<12))
		},
		"nothing": func(*lazy.Trace) *lazy.Tensor { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			a, b := lazy.NewTrace(open(t, "eval")), lazy.NewTrace(open(t, "cpu", lazy.MaxBytes(1<<12)))
			w := a.Device().Variable("w", lazy.F32, 2).Init(lazy.Constant(1))
			w.Add_(lazy.From(a, []float32{1, 1}))
			x := a.Read(w).MulScalar(3)
			fine := lazy.From(b, []float32{1}).Exp()
			err := lazy.MarkSteps(t.Context(), x, fine, bad(b))
			require.Error(t, err)
			require.ErrorContains(t, err, "marksteps_test.go:")
			for _, y := range []*lazy.Tensor{x, fine} {
				_, failed := y.Value()
				require.ErrorContains(t, failed, err.Error())
			}
			require.Equal(t, []float32{1, 1}, floats(t, a.Read(w)), "as before")
			for _, tr := range []*lazy.Trace{a, b} {
				y := lazy.From(tr, []float32{1}).Neg()
				require.NoError(t, tr.MarkStep(y))
				require.Equal(t, []float32{-1}, floats(t, y))
			}
		})
	}
}

// A conflict shows when its step is queued: those before it have run.
func TestMarkStepsWithConflict(t *testing.T) {
	d := open(t, "eval")
	v, w := d.Variable("v", lazy.F32).Init(lazy.Constant(1)), d.Variable("w", lazy.F32).Init(lazy.Constant(1))
	a, b, c := lazy.NewTrace(d), lazy.NewTrace(d), lazy.NewTrace(d)
	x, y, z := a.Read(v).Neg(), b.Read(w).Neg(), lazy.From(c, []float32{1}).Neg()
	w.Assign(y)
	other := lazy.NewTrace(d)
	w.Assign(other.Read(w).MulScalar(5))
	require.NoError(t, other.MarkStep())
	err := lazy.MarkSteps(t.Context(), x, y, z)
	require.True(t, errors.Is(err, lazy.ErrConflict), "%v", err)
	require.Equal(t, float64(-1), x.Float())
	_, err = z.Value()
	require.ErrorIs(t, err, lazy.ErrConflict)
}

// A variable names no trace whose step ends: alone it is an error, and nothing is lost.
func TestMarkStepsOfVariables(t *testing.T) {
	a, b := lazy.NewTrace(open(t, "cpu")), lazy.NewTrace(open(t, "eval"))
	v, w := a.Device().Variable("v", lazy.F32), b.Device().Variable("w", lazy.F32)
	v.Assign(a.Read(v).AddScalar(1))
	w.Assign(b.Read(w).AddScalar(2))
	err := lazy.MarkSteps(t.Context(), v, w)
	require.ErrorIs(t, err, lazy.ErrUsage)
	require.ErrorContains(t, err, `marksteps_test.go:`)
	require.ErrorContains(t, err, `mark_steps(f32[]): variable "v" is of no trace`)
	require.NoError(t, lazy.MarkSteps(t.Context(), a.Read(v), b.Read(w)))
	require.Equal(t, []float32{1, 2}, append(floats(t, v), floats(t, w)...))
	sum := a.Read(v).AddScalar(4)
	require.NoError(t, lazy.MarkSteps(t.Context(), sum, v), "a root of the device's trace is there")
	require.Equal(t, []float32{5}, floats(t, sum))
}
