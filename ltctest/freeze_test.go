package ltctest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
	"ltc/ltctest"
)

// A test that freezes a device, a trace or a function leaves it as it was.
func TestFreezeEndsWithTheTest(t *testing.T) {
	tr := newTrace(t)
	f := lazy.Func(tr.Device(), func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Exp() })
	mark(tr, 1)
	for _, x := range []ltctest.Freezer{tr, tr.Device()} {
		t.Run("", func(t *testing.T) {
			ltctest.Freeze(t, x)
			require.ErrorIs(t, tr.MarkStep(lazy.Zeros(tr, lazy.F32, 2).Exp()), lazy.ErrFrozen)
			ltctest.NoRecompile(t, tr, func() { mark(tr, 1) })
		})
		require.False(t, x.Freeze(false))
	}
	t.Run("", func(t *testing.T) {
		ltctest.Freeze(t, f)
		_, err := f.Call(t.Context(), lazy.From(tr, []float32{1, 2}))
		require.ErrorIs(t, err, lazy.ErrFrozen)
	})
	_, err := f.Call(t.Context(), lazy.From(tr, []float32{1, 2}))
	require.NoError(t, err)
}
