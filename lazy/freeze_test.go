package lazy_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// grow adds the sum of n elements to w, and marks the step.
func grow(tr *lazy.Trace, w *lazy.Tensor, n int) error {
	w.Assign(tr.Read(w).Add(lazy.From(tr, ramp(n)).Sum()))
	return tr.MarkStep()
}

func ramp(n int) []float32 {
	all := make([]float32, n)
	for i := range all {
		all[i] = float32(i)
	}
	return all
}

// A frozen trace or device runs what is compiled and nothing else. A refused step changes
// nothing, and pins nothing.
func TestFrozenStepsFailCleanly(t *testing.T) {
	for _, c := range []struct {
		name, what string
		freeze     func(tr *lazy.Trace, on bool) bool
	}{
		{"trace", "the trace", (*lazy.Trace).Freeze},
		{"device", "device eval", func(tr *lazy.Trace, on bool) bool { return tr.Device().Freeze(on) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dev := open(t, "eval")
			tr := lazy.NewTrace(dev)
			w := dev.Variable("w", lazy.F32).Init(lazy.Constant(0))
			require.NoError(t, grow(tr, w, 3))
			require.False(t, c.freeze(tr, true))
			require.NoError(t, grow(tr, w, 3))
			for range 3 {
				err := grow(tr, w, 4)
				require.ErrorIs(t, err, lazy.ErrFrozen)
				require.EqualError(t, err, "freeze_test.go:15: mark_step(): "+c.what+" is frozen, and this program of 4 ops is not compiled; "+
					"compile it with Warmup before Freeze, or allow compiles with Freeze(false). What differs from a compiled program: "+
					"freeze_test.go:14: parameter f32[4], was f32[3]; pad axis 0 to one size, or to few sizes that Warmup compiles beforehand, and mask the padding")
				require.Equal(t, []float32{6}, floats(t, w))
			}
			require.NoError(t, grow(tr, w, 3))
			require.Equal(t, []float32{9}, floats(t, w))
			require.Zero(t, tr.Report().DonationCopies)
			require.EqualValues(t, 1, tr.Report().Compiled)
			n, _ := dev.Metrics().Counter("CompileRefused")
			require.EqualValues(t, 3, n)

			require.True(t, c.freeze(tr, false))
			require.NoError(t, grow(tr, w, 4))
			require.Equal(t, []float32{15}, floats(t, w))
		})
	}
}

// Warmup before compiles; a later one is refused. A program is compared with those of the
// cache if its line has compiled none.
func TestWarmupBeforeFreeze(t *testing.T) {
	dev := open(t, "eval", lazy.ImplicitSyncs(lazy.AllowSyncs))
	tr := lazy.NewTrace(dev)
	exp := func(n int) *lazy.Tensor { return lazy.From(tr, ramp(n)).Exp() }
	require.NoError(t, tr.Warmup(exp(1)))
	tr.Discard()
	dev.Freeze(true)
	y := exp(1)
	require.NoError(t, tr.MarkStep(y))

	y = exp(2)
	err := tr.Warmup(y)
	require.ErrorIs(t, err, lazy.ErrFrozen)
	require.ErrorContains(t, err, "warmup()")
	err = tr.MarkStep(y)
	require.ErrorContains(t, err, "parameter f32[2], was f32[1]")
	_, later := y.Value()
	require.ErrorIs(t, later, lazy.ErrFrozen)

	_, err = exp(3).Value()
	require.ErrorIs(t, err, lazy.ErrFrozen)
	require.ErrorContains(t, err, "value()")
	tr.Discard()
}

func TestFrozenDeviceWithoutPrograms(t *testing.T) {
	dev := open(t, "eval")
	dev.Freeze(true)
	tr := lazy.NewTrace(dev)
	require.ErrorContains(t, tr.MarkStep(lazy.From(tr, ramp(1)).Exp()), "no program was compiled before")
}

// A function is frozen apart from the trace that calls it.
func TestFrozenFunction(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Exp() })
	require.NoError(t, f.Warmup(t.Context(), lazy.From(tr, ramp(1))))
	require.False(t, f.Freeze(true))
	_, err := f.Call(t.Context(), lazy.From(tr, ramp(1)))
	require.NoError(t, err)
	for range 2 {
		_, err = f.Call(t.Context(), lazy.From(tr, ramp(2)))
		require.ErrorIs(t, err, lazy.ErrFrozen)
		require.ErrorContains(t, err, "the function is frozen")
		require.ErrorContains(t, err, `parameter "arg0" f32[2], was f32[1]`)
	}
	require.NoError(t, tr.MarkStep(lazy.From(tr, ramp(2)).Exp()), "the device is not frozen")
	_, err = f.Call(t.Context(), lazy.From(tr, ramp(3)))
	require.ErrorIs(t, err, lazy.ErrFrozen)
	require.True(t, f.Freeze(false))
	_, err = f.Call(t.Context(), lazy.From(tr, ramp(3)))
	require.NoError(t, err)
}

// Freeze of nothing is no panic.
func TestFreezeOfNothing(t *testing.T) {
	require.False(t, (*lazy.Device)(nil).Freeze(true))
	require.False(t, (*lazy.Function)(nil).Freeze(true))
	tr := lazy.NewTrace(nil)
	tr.Freeze(true)
	require.False(t, errors.Is(tr.MarkStep(), lazy.ErrFrozen))
}
