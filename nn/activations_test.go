package nn_test

import (
	"math"
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

// The second derivative of softplus at 0 is 1/4.
func TestCurvatureAtZero(t *testing.T) {
	one := func(x *lazy.Tensor) *lazy.Tensor { return lazy.Const(x.Trace(), x.DType(), 1) }
	for _, c := range []struct {
		name string
		f    func(x *lazy.Tensor) *lazy.Tensor // of an x of one row
		want []float64
	}{
		{"Softplus", func(x *lazy.Tensor) *lazy.Tensor { return nn.Softplus(x, 1, 20).Sum() }, []float64{0.25, 0, 0, 0.25}},
		{"LogSigmoid", func(x *lazy.Tensor) *lazy.Tensor { return nn.LogSigmoid(x).Sum() }, []float64{-0.25, 0, 0, -0.25}},
		{"Mish", func(x *lazy.Tensor) *lazy.Tensor { return nn.Mish(x).Sum() }, []float64{0.64, 0, 0, 0.64}},
		{"SoftMarginLoss", func(x *lazy.Tensor) *lazy.Tensor {
			return nn.SoftMarginLoss(x, one(x).BroadcastTo(1, 2), nn.ReduceSum)
		}, []float64{0.25, 0, 0, 0.25}},
		{"MultiLabelSoftMarginLoss", func(x *lazy.Tensor) *lazy.Tensor {
			return nn.MultiLabelSoftMarginLoss(x, one(x).BroadcastTo(1, 2), nil, nn.ReduceSum)
		}, []float64{0.125, 0, 0, 0.125}},
		{"BCEWithLogits of x and 2x", func(x *lazy.Tensor) *lazy.Tensor {
			rows := lazy.From(x.Trace(), []float64{1, 2, 3, 5}, 2, 2)
			return nn.BCEWithLogits(rows.MatMul(x.Reshape(2, 1)), lazy.From(x.Trace(), []float64{0, 1}, 2, 1), nn.BCEOptions{})
		}, []float64{10. / 8, 17. / 8, 17. / 8, 29. / 8}},
	} {
		tr := trace(t, "cpu")
		h := lazy.Hessian(c.f, lazy.From(tr, []float64{0, 0}, 1, 2))
		require.NoError(t, tr.MarkStep(h), c.name)
		require.InDeltaSlice(t, c.want, values(t, h), 1e-12, c.name)
	}
	tr := trace(t, "cpu")
	x := lazy.From(tr, []float64{math.Inf(1), math.Inf(-1)})
	y := nn.Softplus(x, 1, 1e300)
	g := lazy.Grad(y.Sum(), x)[0]
	require.NoError(t, tr.MarkStep(y, g))
	require.Equal(t, []float64{math.Inf(1), 0}, values(t, y))
	require.Equal(t, []float64{1, 0}, values(t, g))
}

// Slopes have no gradient, and the gradient for x none for them.
func TestSlopesOfRReLUAreConstants(t *testing.T) {
	tr := trace(t, "cpu")
	x, slopes := lazy.From(tr, []float64{-1, 2}), lazy.From(tr, []float64{0.25, 0.5})
	g := lazy.Grad(nn.RReLU(x, slopes).Sum(), x, slopes)
	h := lazy.Grad(g[0].Sum(), slopes)[0]
	require.NoError(t, tr.MarkStep(g[0], g[1], h))
	require.Equal(t, []float64{0.25, 1}, values(t, g[0]))
	require.Equal(t, []float64{0, 0}, values(t, g[1]))
	require.Equal(t, []float64{0, 0}, values(t, h))
}
