package nn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
	"ltc/nn"
)

// A loss that just reaches 0 has the gradient 0, as in PyTorch.
func TestHingesWithoutLoss(t *testing.T) {
	tr := trace(t, "cpu")
	row := func(v ...float64) *lazy.Tensor { return lazy.From(tr, v, 1, len(v)) }
	x, minus := row(3, 0), lazy.From(tr, []float64{-1})
	for _, c := range []struct {
		name string
		loss *lazy.Tensor
		want []float64
	}{
		{"HingeEmbeddingLoss", nn.HingeEmbeddingLoss(x, row(-1, -1), 3, nn.ReduceSum), []float64{0, -1}},
		{"MarginRankingLoss", nn.MarginRankingLoss(x, row(1, 1), row(1, -1), 2, nn.ReduceSum), []float64{0, 1}},
		{"CosineEmbeddingLoss", nn.CosineEmbeddingLoss(x, row(0, 1), minus, 0, nn.ReduceSum), []float64{0, 0}},
		{"TripletMarginLoss", nn.TripletMarginLoss(x, row(2, 0), row(1, 0), 1, 2, 0, false, nn.ReduceSum), []float64{0, 0}},
	} {
		got, err := lazy.ToSlice[float64](lazy.Grad(c.loss, x)[0])
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, got, c.name)
	}
}

// The second derivative of a loss that is quadratic near 0 is 1/beta and 1 there.
func TestCurvatureOfHuberLoss(t *testing.T) {
	tr := trace(t, "cpu")
	x, target := lazy.From(tr, []float64{1, 3}), lazy.From(tr, []float64{1, 0})
	smooth := lazy.Hessian(func(x *lazy.Tensor) *lazy.Tensor { return nn.SmoothL1Loss(x, target, 0.5, nn.ReduceSum) }, x)
	huber := lazy.Hessian(func(x *lazy.Tensor) *lazy.Tensor { return nn.HuberLoss(x, target, 2, nn.ReduceSum) }, x)
	require.NoError(t, tr.MarkStep(smooth, huber))
	require.Equal(t, []float64{2, 0, 0, 0}, values(t, smooth))
	require.Equal(t, []float64{1, 0, 0, 0}, values(t, huber))
}
