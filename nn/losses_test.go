package nn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/ops"
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

// In a scope of Autocast every loss is f32, and so are the norms that torch.autocast computes in f32, also where all
// operands have 16 bits. Outside of the scope losses have the dtype of these.
func TestAutocastOfLosses(t *testing.T) {
	tr := trace(t, "eval")
	x, y := lazy.Full(tr, lazy.BF16, 0.5, 2, 3), lazy.Ones(tr, lazy.BF16, 2, 3)
	signs, labels, rows := lazy.Ones(tr, lazy.BF16, 2), lazy.Zeros(tr, lazy.I32, 2), lazy.Zeros(tr, lazy.I32, 2, 3)
	of := func(f func(x, target *lazy.Tensor, reduction int) *lazy.Tensor) func() *lazy.Tensor {
		return func() *lazy.Tensor { return f(x, y, nn.ReduceMean) }
	}
	cases := map[string]func() *lazy.Tensor{
		"CrossEntropy":             func() *lazy.Tensor { return nn.CrossEntropy(x, labels, nn.CrossEntropyOptions{}) },
		"CrossEntropySoft":         func() *lazy.Tensor { return nn.CrossEntropy(x, y, nn.CrossEntropyOptions{}) },
		"NLLLoss":                  func() *lazy.Tensor { return nn.NLLLoss(x, labels, nn.CrossEntropyOptions{}) },
		"BCELoss":                  func() *lazy.Tensor { return nn.BCELoss(x, y, nil, nn.ReduceMean) },
		"BCEWithLogits":            func() *lazy.Tensor { return nn.BCEWithLogits(x, y, nn.BCEOptions{}) },
		"MSELoss":                  of(nn.MSELoss),
		"L1Loss":                   of(nn.L1Loss),
		"SmoothL1Loss":             func() *lazy.Tensor { return nn.SmoothL1Loss(x, y, 1, nn.ReduceMean) },
		"HuberLoss":                func() *lazy.Tensor { return nn.HuberLoss(x, y, 1, nn.ReduceMean) },
		"KLDivLoss":                func() *lazy.Tensor { return nn.KLDivLoss(x, y, false, nn.ReduceMean) },
		"PoissonNLLLoss":           func() *lazy.Tensor { return nn.PoissonNLLLoss(x, y, true, false, 1e-8, nn.ReduceMean) },
		"GaussianNLLLoss":          func() *lazy.Tensor { return nn.GaussianNLLLoss(x, y, y, false, 1e-6, nn.ReduceMean) },
		"SoftMarginLoss":           of(nn.SoftMarginLoss),
		"HingeEmbeddingLoss":       func() *lazy.Tensor { return nn.HingeEmbeddingLoss(x, y, 1, nn.ReduceMean) },
		"MarginRankingLoss":        func() *lazy.Tensor { return nn.MarginRankingLoss(x, x, y, 1, nn.ReduceMean) },
		"CosineEmbeddingLoss":      func() *lazy.Tensor { return nn.CosineEmbeddingLoss(x, y, signs, 0, nn.ReduceMean) },
		"TripletMarginLoss":        func() *lazy.Tensor { return nn.TripletMarginLoss(x, y, x, 1, 2, 1e-6, false, nn.ReduceMean) },
		"MultiMarginLoss":          func() *lazy.Tensor { return nn.MultiMarginLoss(x, labels, nil, 1, 1, nn.ReduceMean) },
		"MultiLabelMarginLoss":     func() *lazy.Tensor { return nn.MultiLabelMarginLoss(x, rows, nn.ReduceMean) },
		"MultiLabelSoftMarginLoss": func() *lazy.Tensor { return nn.MultiLabelSoftMarginLoss(x, y, nil, nn.ReduceMean) },
		"CTCLoss": func() *lazy.Tensor {
			ones := lazy.Ones(tr, lazy.I32, 2)
			return nn.CTCLoss(lazy.Ones(tr, lazy.BF16, 4, 2, 3), rows.AddScalar(1), ones.MulScalar(4), ones, 0, false, nn.ReduceMean)
		},
	}
	for _, o := range ops.All() {
		if o.Package == "nn" && o.Family == ops.Losses && o.Name != "BCETerms" {
			require.Contains(t, cases, o.Name)
		}
	}
	cases["LayerNorm"] = func() *lazy.Tensor { return nn.LayerNorm(x, nil, nil, 1, 1e-5) }
	cases["GroupNorm"] = func() *lazy.Tensor { return nn.GroupNorm(x, nil, nil, 3, 1e-5) }
	cases["RMSNorm"] = func() *lazy.Tensor { return nn.RMSNorm(x, nil, 1, 1e-5) }
	for name, f := range cases {
		end := tr.Autocast(lazy.BF16)
		within := f()
		end()
		require.NoError(t, within.Err(), name)
		require.Equal(t, lazy.F32, within.DType(), name)
		require.Equal(t, lazy.BF16, f().DType(), name)
	}
}
