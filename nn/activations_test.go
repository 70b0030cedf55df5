package nn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
	"ltc/nn"
)

// Bounds of integers are rounded towards 0, and those outside of the dtype are none, as in PyTorch.
func TestHardTanhOfIntegers(t *testing.T) {
	tr := trace(t, "cpu")
	x := lazy.From(tr, []int8{0, 1, 2, 5, -3})
	u := x.Convert(lazy.U8)
	for _, c := range []struct {
		y    *lazy.Tensor
		want []int64
	}{
		{nn.HardTanh(x, -0.5, 0.5), []int64{0, 0, 0, 0, 0}},
		{nn.HardTanh(x, -1.5, 2.7), []int64{0, 1, 2, 2, -1}},
		{nn.HardTanh(x, -128, 1000), []int64{0, 1, 2, 5, -3}},
		{nn.HardTanh(u, -0.5, 0.5), []int64{0, 0, 0, 0, 0}},
		{nn.HardTanh(u, -1, 1), []int64{0, 1, 1, 1, 1}},
		{nn.HardTanh(u, -1, 256), []int64{0, 1, 2, 5, 253}},
		{nn.ReLU6(u), []int64{0, 1, 2, 5, 6}},
	} {
		got, err := lazy.ToSlice[int64](c.y.Convert(lazy.I64))
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}
