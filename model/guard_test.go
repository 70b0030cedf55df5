package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// Checks of data run on GPUs, too.
func TestDataIsCheckedOnGPUs(t *testing.T) {
	d, err := lazy.Open("cudasim", lazy.CheckIndices(true), lazy.CheckNaNs(true))
	require.NoError(t, err)
	tr := lazy.NewTrace(d)
	w := lazy.SetValues(d.Variable("w", lazy.F32, 4, 1), []float32{1, 2, 3, 4})
	for _, c := range []struct {
		step func() *lazy.Tensor
		want string
		is   error
	}{
		{func() *lazy.Tensor { return w.Gather(lazy.From(tr, []int32{0, 1, 4, 1})) }, "gather(f32[4,1], i32[4]): an index is 4", lazy.ErrIndex},
		{func() *lazy.Tensor { return w.Gather(lazy.From(tr, []int32{0, 1, 3, 1}).MulScalar(2)) }, "gather(f32[4,1], i32[4]): an index is 6", lazy.ErrIndex},
		{func() *lazy.Tensor { return tr.Read(w).AddScalar(-1).Log() }, "log(f32[4,1]): the element at [0 0] is -Inf, and is made of finite values: 0", lazy.ErrNaN},
	} {
		w.Sub_(c.step())
		err := tr.MarkStep()
		if err == nil {
			err = tr.Wait(t.Context())
		}
		require.ErrorContains(t, err, c.want)
		require.ErrorIs(t, err, c.is)
		values, err := lazy.ToSlice[float32](w)
		require.NoError(t, err)
		require.Equal(t, []float32{1, 2, 3, 4}, values)
	}
	w.Sub_(lazy.Ones(tr, lazy.F32, 4, 1))
	require.NoError(t, tr.MarkStep())
	values, err := lazy.ToSlice[float32](w)
	require.NoError(t, err)
	require.Equal(t, []float32{0, 1, 2, 3}, values)
}
