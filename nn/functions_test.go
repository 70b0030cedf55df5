package nn_test

import (
	"maps"

	"ltc/lazy"
	"ltc/nn"
)

// function is a case's call.
type function = func(x []*lazy.Tensor) []*lazy.Tensor

// functions are the calls of the cases in testdata/torch.txt.
var functions = func() map[string]function {
	all := map[string]function{}
	for _, group := range []map[string]function{activations(), norms, losses(), ctc(), layers, bags(), pools, images, resampling()} {
		maps.Copy(all, group)
	}
	return all
}()

func one(f func(x *lazy.Tensor) *lazy.Tensor) function {
	return func(x []*lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{f(x[0])} }
}

func two(f func(x, y *lazy.Tensor) *lazy.Tensor) function {
	return func(x []*lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{f(x[0], x[1])} }
}

func three(f func(x, y, z *lazy.Tensor) *lazy.Tensor) function {
	return func(x []*lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{f(x[0], x[1], x[2])} }
}

func activations() map[string]function {
	all := map[string]function{}
	for name, f := range map[string]func(x *lazy.Tensor) *lazy.Tensor{
		"SiLU": nn.SiLU, "SELU": nn.SELU, "GELUTanh": nn.GELUTanh, "Mish": nn.Mish, "LogSigmoid": nn.LogSigmoid, "Softsign": nn.Softsign,
		"TanhShrink": nn.TanhShrink, "ReLU6": nn.ReLU6, "HardSigmoid": nn.HardSigmoid, "HardSwish": nn.HardSwish,
		"ELU":        func(x *lazy.Tensor) *lazy.Tensor { return nn.ELU(x, 1.5) },
		"CELU":       func(x *lazy.Tensor) *lazy.Tensor { return nn.CELU(x, 1.5) },
		"Softplus":   func(x *lazy.Tensor) *lazy.Tensor { return nn.Softplus(x, 2, 3) },
		"SoftShrink": func(x *lazy.Tensor) *lazy.Tensor { return nn.SoftShrink(x, 0.5) },
		"HardShrink": func(x *lazy.Tensor) *lazy.Tensor { return nn.HardShrink(x, 0.5) },
		"HardTanh":   func(x *lazy.Tensor) *lazy.Tensor { return nn.HardTanh(x, -1, 0.5) },
		"LeakyReLU":  func(x *lazy.Tensor) *lazy.Tensor { return nn.LeakyReLU(x, 0.1) },
		"Threshold":  func(x *lazy.Tensor) *lazy.Tensor { return nn.Threshold(x, 0.5, 20) },
	} {
		all[name], all[name+"/ends"] = one(f), one(f)
	}
	maps.Copy(all, map[string]function{
		"GLU":          one(func(x *lazy.Tensor) *lazy.Tensor { return nn.GLU(x, 1) }),
		"PReLU":        two(nn.PReLU),
		"PReLU/one":    two(nn.PReLU),
		"FakeQuantize": one(func(x *lazy.Tensor) *lazy.Tensor { return nn.FakeQuantize(x, 0.3, 1, -3, 4) }),
		"Softmin":      one(func(x *lazy.Tensor) *lazy.Tensor { return nn.Softmin(x, 0) }),
		"SafeSoftmax":  one(func(x *lazy.Tensor) *lazy.Tensor { return nn.SafeSoftmax(x, -1) }),
	})
	return all
}

var norms = map[string]function{
	"BatchNorm": func(x []*lazy.Tensor) []*lazy.Tensor {
		return []*lazy.Tensor{nn.BatchNorm(x[0], x[1], x[2], x[3], x[4], 1e-3)}
	},
	"BatchNorm/plain": three(func(x, m, v *lazy.Tensor) *lazy.Tensor { return nn.BatchNorm(x, m, v, nil, nil, 1e-3) }),
	"BatchNormTraining": func(x []*lazy.Tensor) []*lazy.Tensor {
		y, m, v := nn.BatchNormTraining(x[0], x[1], x[2], x[3], x[4], 0.25, 1e-3)
		return []*lazy.Tensor{y, m, v}
	},
	"BatchNormTraining/plain": func(x []*lazy.Tensor) []*lazy.Tensor {
		y, m, v := nn.BatchNormTraining(x[0], x[1], x[2], nil, nil, 0.25, 1e-3)
		return []*lazy.Tensor{y, m, v}
	},
	"InstanceNorm":          three(func(x, g, b *lazy.Tensor) *lazy.Tensor { return nn.InstanceNorm(x, g, b, 1e-3) }),
	"InstanceNorm/plain":    one(func(x *lazy.Tensor) *lazy.Tensor { return nn.InstanceNorm(x, nil, nil, 1e-3) }),
	"GroupNorm":             three(func(x, g, b *lazy.Tensor) *lazy.Tensor { return nn.GroupNorm(x, g, b, 2, 1e-3) }),
	"GroupNorm/plain":       one(func(x *lazy.Tensor) *lazy.Tensor { return nn.GroupNorm(x, nil, nil, 2, 1e-3) }),
	"LayerNorm":             three(func(x, g, b *lazy.Tensor) *lazy.Tensor { return nn.LayerNorm(x, g, b, 2, 1e-3) }),
	"LayerNorm/plain":       one(func(x *lazy.Tensor) *lazy.Tensor { return nn.LayerNorm(x, nil, nil, 1, 1e-3) }),
	"RMSNorm":               two(func(x, g *lazy.Tensor) *lazy.Tensor { return nn.RMSNorm(x, g, 1, 1e-3) }),
	"RMSNorm/plain":         one(func(x *lazy.Tensor) *lazy.Tensor { return nn.RMSNorm(x, nil, 2, 1e-3) }),
	"LocalResponseNorm":     one(func(x *lazy.Tensor) *lazy.Tensor { return nn.LocalResponseNorm(x, 2, 0.5, 0.75, 1.5) }),
	"LocalResponseNorm/odd": one(func(x *lazy.Tensor) *lazy.Tensor { return nn.LocalResponseNorm(x, 3, 0.5, 0.75, 1.5) }),
	"WeightNorm":            two(func(v, g *lazy.Tensor) *lazy.Tensor { return nn.WeightNorm(v, g, 0) }),
	"WeightNorm/last":       two(func(v, g *lazy.Tensor) *lazy.Tensor { return nn.WeightNorm(v, g, -1) }),
	"Renorm":                one(func(x *lazy.Tensor) *lazy.Tensor { return nn.Renorm(x, 2, 0, 3) }),
	"Renorm/cube":           one(func(x *lazy.Tensor) *lazy.Tensor { return nn.Renorm(x, 3, 1, 2.5) }),
	"Normalize":             one(func(x *lazy.Tensor) *lazy.Tensor { return nn.Normalize(x, 2, 1, 1e-3) }),
	"Normalize/sums":        one(func(x *lazy.Tensor) *lazy.Tensor { return nn.Normalize(x, 1, 0, 2) }),
	"Normalize/power":       one(func(x *lazy.Tensor) *lazy.Tensor { return nn.Normalize(x, 2.5, 1, 1e-3) }),
}

// weights are those of kind p in testdata/golden.py.
func weights(x *lazy.Tensor, k int, dims string) *lazy.Tensor {
	return fill(x.Trace(), "p "+dims, k, 0)
}

func losses() map[string]function {
	type options = nn.CrossEntropyOptions
	all := map[string]function{}
	for suffix, r := range map[string]nn.Reduction{"": nn.ReduceMean, "/sum": nn.ReduceSum, "/none": nn.ReduceNone} {
		all["CrossEntropy"+suffix] = two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.CrossEntropy(x, t, options{Reduction: r}) })
		all["CrossEntropy/weight"+suffix] = two(func(x, t *lazy.Tensor) *lazy.Tensor {
			return nn.CrossEntropy(x, t, options{Weight: weights(x, 7, "3"), Ignore: new(2), Smoothing: 0.25, Reduction: r})
		})
		all["NLLLoss"+suffix] = two(func(x, t *lazy.Tensor) *lazy.Tensor {
			return nn.NLLLoss(x, t, options{Weight: weights(x, 7, "5"), Ignore: new(1), Reduction: r})
		})
		all["MSELoss"+suffix] = two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.MSELoss(x, t, r) })
	}
	maps.Copy(all, map[string]function{
		"CrossEntropy/places": two(func(x, t *lazy.Tensor) *lazy.Tensor {
			return nn.CrossEntropy(x, t, options{Ignore: new(2), Smoothing: 0.25})
		}),
		"CrossEntropy/one": two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.CrossEntropy(x, t, options{}) }),
		"CrossEntropy/soft": two(func(x, t *lazy.Tensor) *lazy.Tensor {
			return nn.CrossEntropy(x, t, options{Weight: lazy.From(x.Trace(), []float64{1, 2, 3}), Smoothing: 0.25})
		}),
		"CrossEntropy/nothing": two(func(x, t *lazy.Tensor) *lazy.Tensor {
			return nn.CrossEntropy(x, t.MulScalar(0).SubScalar(100), options{})
		}),
		"NLLLoss/plain":  two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.NLLLoss(x, t, options{}) }),
		"BCELoss":        two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.BCELoss(x, t, nil, nn.ReduceMean) }),
		"BCELoss/weight": two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.BCELoss(x, t, weights(x, 7, "4"), nn.ReduceSum) }),
		"BCEWithLogits":  two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.BCEWithLogits(x, t, nn.BCEOptions{}) }),
		"BCEWithLogits/weights": two(func(x, t *lazy.Tensor) *lazy.Tensor {
			return nn.BCEWithLogits(x, t, nn.BCEOptions{Weight: weights(x, 7, "3,1"), Positive: weights(x, 8, "4"), Reduction: nn.ReduceNone})
		}),
		"BCEWithLogits/weight": two(func(x, t *lazy.Tensor) *lazy.Tensor {
			return nn.BCEWithLogits(x, t, nn.BCEOptions{Weight: weights(x, 7, "4")})
		}),
		"L1Loss":         two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.L1Loss(x, t, nn.ReduceMean) }),
		"SmoothL1Loss":   two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.SmoothL1Loss(x, t, 0.5, nn.ReduceMean) }),
		"SmoothL1Loss/0": two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.SmoothL1Loss(x, t, 0, nn.ReduceNone) }),
		"HuberLoss":      two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.HuberLoss(x, t, 1.5, nn.ReduceMean) }),
		"KLDivLoss":      two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.KLDivLoss(x, t, false, nn.ReduceBatchMean) }),
		"KLDivLoss/log":  two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.KLDivLoss(x, t, true, nn.ReduceMean) }),
		"PoissonNLLLoss": two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.PoissonNLLLoss(x, t, true, true, 0, nn.ReduceMean) }),
		"PoissonNLLLoss/rates": two(func(x, t *lazy.Tensor) *lazy.Tensor {
			return nn.PoissonNLLLoss(x, t, false, false, 1e-3, nn.ReduceMean)
		}),
		"GaussianNLLLoss": three(func(x, t, v *lazy.Tensor) *lazy.Tensor {
			return nn.GaussianNLLLoss(x, t, v, true, 0.5, nn.ReduceMean)
		}),
		"SoftMarginLoss":        two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.SoftMarginLoss(x, t, nn.ReduceMean) }),
		"HingeEmbeddingLoss":    two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.HingeEmbeddingLoss(x, t, 1.25, nn.ReduceMean) }),
		"MarginRankingLoss":     three(func(x, y, t *lazy.Tensor) *lazy.Tensor { return nn.MarginRankingLoss(x, y, t, 1.25, nn.ReduceMean) }),
		"CosineEmbeddingLoss":   three(func(x, y, t *lazy.Tensor) *lazy.Tensor { return nn.CosineEmbeddingLoss(x, y, t, 0.25, nn.ReduceMean) }),
		"CosineSimilarity":      two(func(x, y *lazy.Tensor) *lazy.Tensor { return nn.CosineSimilarity(x, y, 1, 4.5) }),
		"PairwiseDistance":      two(func(x, y *lazy.Tensor) *lazy.Tensor { return nn.PairwiseDistance(x, y, 2, 1e-3, true) }),
		"PairwiseDistance/sums": two(func(x, y *lazy.Tensor) *lazy.Tensor { return nn.PairwiseDistance(x, y, 1, 1e-3, false) }),
		"CDist":                 two(func(x, y *lazy.Tensor) *lazy.Tensor { return nn.CDist(x, y, 2) }),
		"CDist/power":           two(func(x, y *lazy.Tensor) *lazy.Tensor { return nn.CDist(x, y, 1.5) }),
		"PDist":                 one(func(x *lazy.Tensor) *lazy.Tensor { return nn.PDist(x, 2) }),
		"TripletMarginLoss": three(func(x, p, n *lazy.Tensor) *lazy.Tensor {
			return nn.TripletMarginLoss(x, p, n, 2, 2, 1e-3, false, nn.ReduceMean)
		}),
		"TripletMarginLoss/swap": three(func(x, p, n *lazy.Tensor) *lazy.Tensor {
			return nn.TripletMarginLoss(x, p, n, 2, 3, 1e-3, true, nn.ReduceNone)
		}),
		"MultiMarginLoss": two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.MultiMarginLoss(x, t, nil, 1, 1, nn.ReduceMean) }),
		"MultiMarginLoss/square": two(func(x, t *lazy.Tensor) *lazy.Tensor {
			return nn.MultiMarginLoss(x, t, weights(x, 7, "4"), 2, 0.5, nn.ReduceNone)
		}),
		"MultiMarginLoss/one":       two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.MultiMarginLoss(x, t, nil, 1, 1, nn.ReduceMean) }),
		"MultiLabelMarginLoss":      two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.MultiLabelMarginLoss(x, t.SubScalar(1), nn.ReduceMean) }),
		"MultiLabelMarginLoss/none": two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.MultiLabelMarginLoss(x, t.SubScalar(1), nn.ReduceNone) }),
		"MultiLabelSoftMarginLoss":  two(func(x, t *lazy.Tensor) *lazy.Tensor { return nn.MultiLabelSoftMarginLoss(x, t, nil, nn.ReduceMean) }),
		"MultiLabelSoftMarginLoss/weight": two(func(x, t *lazy.Tensor) *lazy.Tensor {
			return nn.MultiLabelSoftMarginLoss(x, t, weights(x, 7, "4"), nn.ReduceNone)
		}),
	})
	return all
}

var layers = map[string]function{
	"Linear":     three(nn.Linear),
	"Linear/one": two(func(x, w *lazy.Tensor) *lazy.Tensor { return nn.Linear(x, w, nil) }),
	"Bilinear":   func(x []*lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{nn.Bilinear(x[0], x[1], x[2], x[3])} },
	"Conv1d": three(func(x, w, b *lazy.Tensor) *lazy.Tensor {
		return nn.Conv1d(x, w, b, nn.ConvOptions{Stride: []int{2}, Padding: []int{1}, Dilation: []int{2}})
	}),
	"Conv1d/alone": two(func(x, w *lazy.Tensor) *lazy.Tensor { return nn.Conv(x, w, nil, nn.ConvOptions{}) }),
	"Conv2d": three(func(x, w, b *lazy.Tensor) *lazy.Tensor {
		return nn.Conv2d(x, w, b, nn.ConvOptions{Stride: []int{2, 1}, Padding: []int{1, 0}, Groups: 2})
	}),
	"Conv2d/same": two(func(x, w *lazy.Tensor) *lazy.Tensor {
		return nn.Conv2d(x, w, nil, nn.ConvOptions{Same: true, Dilation: []int{1, 2}})
	}),
	"Conv3d": two(func(x, w *lazy.Tensor) *lazy.Tensor { return nn.Conv3d(x, w, nil, nn.ConvOptions{}) }),
	"ConvTranspose1d": three(func(x, w, b *lazy.Tensor) *lazy.Tensor {
		return nn.ConvTranspose1d(x, w, b, nn.ConvOptions{Stride: []int{3}, Padding: []int{1}, More: []int{2}, Groups: 2})
	}),
	"ConvTranspose2d": two(func(x, w *lazy.Tensor) *lazy.Tensor {
		return nn.ConvTranspose2d(x, w, nil, nn.ConvOptions{Stride: []int{2, 1}, Padding: []int{1, 0}, More: []int{1, 0}})
	}),
	"ConvTranspose3d": three(func(x, w, b *lazy.Tensor) *lazy.Tensor { return nn.ConvTranspose3d(x, w, b, nn.ConvOptions{}) }),
	"Embedding":       two(func(i, w *lazy.Tensor) *lazy.Tensor { return nn.Embedding(w, i, -2) }),
	"EmbeddingBag": two(func(i, w *lazy.Tensor) *lazy.Tensor {
		return nn.EmbeddingBag(w, i, fill(w.Trace(), "f 2,3", 7, 0), nn.BagSum, nil)
	}),
	"EmbeddingBag/mean": two(func(i, w *lazy.Tensor) *lazy.Tensor { return nn.EmbeddingBag(w, i, nil, nn.BagMean, []int{2}) }),
	"EmbeddingBag/max":  two(func(i, w *lazy.Tensor) *lazy.Tensor { return nn.EmbeddingBag(w, i, nil, nn.BagMax, nil) }),
}

// indexed is a function with a second result.
func indexed(f func(x *lazy.Tensor) (y, indices *lazy.Tensor)) function {
	return func(x []*lazy.Tensor) []*lazy.Tensor {
		y, i := f(x[0])
		return []*lazy.Tensor{y, i}
	}
}

var pools = map[string]function{
	"MaxPool": indexed(func(x *lazy.Tensor) (y, i *lazy.Tensor) {
		return nn.MaxPool(x, []int{3}, nn.PoolOptions{Stride: []int{2}, Padding: []int{1}})
	}),
	"MaxPool/2d": indexed(func(x *lazy.Tensor) (y, i *lazy.Tensor) {
		return nn.MaxPool(x, []int{2, 3}, nn.PoolOptions{Stride: []int{2, 1}, Padding: []int{1, 0}, Dilation: []int{1, 2}, Ceil: true})
	}),
	"MaxPool/3d": indexed(func(x *lazy.Tensor) (y, i *lazy.Tensor) {
		return nn.MaxPool(x, []int{2, 2, 2}, nn.PoolOptions{Stride: []int{1}})
	}),
	"AvgPool": one(func(x *lazy.Tensor) *lazy.Tensor {
		return nn.AvgPool(x, []int{2, 3}, nn.PoolOptions{Stride: []int{2}, Padding: []int{1}, Ceil: true})
	}),
	"AvgPool/exclude": one(func(x *lazy.Tensor) *lazy.Tensor {
		return nn.AvgPool(x, []int{3, 3}, nn.PoolOptions{Stride: []int{2}, Padding: []int{1}, Ceil: true, ExcludePad: true})
	}),
	"AvgPool/divisor": one(func(x *lazy.Tensor) *lazy.Tensor {
		return nn.AvgPool(x, []int{2, 2, 2}, nn.PoolOptions{Stride: []int{1}, Divisor: 3})
	}),
	"AvgPool/1d": one(func(x *lazy.Tensor) *lazy.Tensor {
		return nn.AvgPool(x, []int{2}, nn.PoolOptions{Stride: []int{1}, Padding: []int{1}})
	}),
	"LPPool": one(func(x *lazy.Tensor) *lazy.Tensor {
		return nn.LPPool(x, 2, []int{2, 2}, nn.PoolOptions{Stride: []int{1}})
	}),
	"LPPool/cube":        one(func(x *lazy.Tensor) *lazy.Tensor { return nn.LPPool(x, 3, []int{2}, nn.PoolOptions{Ceil: true}) }),
	"AdaptiveAvgPool":    one(func(x *lazy.Tensor) *lazy.Tensor { return nn.AdaptiveAvgPool(x, 3) }),
	"AdaptiveAvgPool/2d": one(func(x *lazy.Tensor) *lazy.Tensor { return nn.AdaptiveAvgPool(x, 3, 2) }),
	"AdaptiveAvgPool/3d": one(func(x *lazy.Tensor) *lazy.Tensor { return nn.AdaptiveAvgPool(x, 2, 5, 1) }),
	"AdaptiveMaxPool":    indexed(func(x *lazy.Tensor) (y, i *lazy.Tensor) { return nn.AdaptiveMaxPool(x, 3) }),
	"AdaptiveMaxPool/2d": indexed(func(x *lazy.Tensor) (y, i *lazy.Tensor) { return nn.AdaptiveMaxPool(x, 3, 2) }),
	"AdaptiveMaxPool/3d": indexed(func(x *lazy.Tensor) (y, i *lazy.Tensor) { return nn.AdaptiveMaxPool(x, 2, 3, 1) }),
	"MaxUnpool/overlap": one(func(x *lazy.Tensor) *lazy.Tensor {
		y, i := nn.MaxPool(x, []int{3}, nn.PoolOptions{Stride: []int{1}})
		return nn.MaxUnpool(y, i, 6)
	}),
	"MaxUnpool": one(func(x *lazy.Tensor) *lazy.Tensor {
		y, i := nn.MaxPool(x, []int{2, 2}, nn.PoolOptions{})
		return nn.MaxUnpool(y, i, 4, 6)
	}),
}

var folded = nn.PoolOptions{Stride: []int{1, 2}, Padding: []int{1, 0}, Dilation: []int{2, 1}}

var images = map[string]function{
	"Unfold":         one(func(x *lazy.Tensor) *lazy.Tensor { return nn.Unfold(x, []int{2, 3}, folded) }),
	"Fold":           one(func(x *lazy.Tensor) *lazy.Tensor { return nn.Fold(x, []int{4, 5}, []int{2, 3}, folded) }),
	"Fold/alone":     one(func(x *lazy.Tensor) *lazy.Tensor { return nn.Fold(x, []int{3, 3}, []int{2, 2}, nn.PoolOptions{}) }),
	"PixelShuffle":   one(func(x *lazy.Tensor) *lazy.Tensor { return nn.PixelShuffle(x, 2) }),
	"PixelUnshuffle": one(func(x *lazy.Tensor) *lazy.Tensor { return nn.PixelUnshuffle(x, 2) }),
	"ChannelShuffle": one(func(x *lazy.Tensor) *lazy.Tensor { return nn.ChannelShuffle(x, 2) }),
	"Pad/constant":   one(func(x *lazy.Tensor) *lazy.Tensor { return nn.Pad(x, []int{1, 2, 2, 0}, nn.PadConstant) }),
	"Pad/reflect":    one(func(x *lazy.Tensor) *lazy.Tensor { return nn.Pad(x, []int{1, 2, 2, 0}, nn.PadReflect) }),
	"Pad/replicate":  one(func(x *lazy.Tensor) *lazy.Tensor { return nn.Pad(x, []int{1, 2, 2, 0}, nn.PadReplicate) }),
	"Pad/circular":   one(func(x *lazy.Tensor) *lazy.Tensor { return nn.Pad(x, []int{1, 2, 2, 0}, nn.PadCircular) }),
	"Pad/cut":        one(func(x *lazy.Tensor) *lazy.Tensor { return nn.Pad(x, []int{-1, 2}, nn.PadConstant) }),
	"Pad/replicas":   one(func(x *lazy.Tensor) *lazy.Tensor { return nn.Pad(x, []int{-4, 5, 2, -3}, nn.PadReplicate) }),
	"PadValue":       one(func(x *lazy.Tensor) *lazy.Tensor { return nn.PadValue(x, []int{1, -2, 0, 1}, 2.5) }),
}

func resampling() map[string]function {
	type options = nn.InterpolateOptions
	all := map[string]function{
		"AffineGrid":    one(func(t *lazy.Tensor) *lazy.Tensor { return nn.AffineGrid(t, []int{3, 4}, false) }),
		"AffineGrid/3d": one(func(t *lazy.Tensor) *lazy.Tensor { return nn.AffineGrid(t, []int{2, 1, 3}, true) }),
		"GridSample/edges": two(func(x, g *lazy.Tensor) *lazy.Tensor {
			return nn.GridSample(x, g.MulScalar(0.6).AddScalar(0.01), nn.ModeCubic, nn.GridReflect, false)
		}),
		"GridSample/3d": two(func(x, g *lazy.Tensor) *lazy.Tensor {
			return nn.GridSample(x, g.MulScalar(0.4).AddScalar(0.01), nn.ModeLinear, nn.GridBorder, true)
		}),
		"ScaledDotProductAttention": three(func(q, k, v *lazy.Tensor) *lazy.Tensor {
			return nn.ScaledDotProductAttention(q, k, v, lazy.AttentionOptions{Causal: true})
		}),
		"MultiHeadAttention": func(x []*lazy.Tensor) []*lazy.Tensor {
			o := nn.MultiHeadOptions{Heads: 2, In: x[2], InBias: x[3], Out: x[4], OutBias: fill(x[0].Trace(), "f 4", 8, 0)}
			return []*lazy.Tensor{nn.MultiHeadAttention(x[0], x[1], x[1], o)}
		},
	}
	for name, o := range map[string]options{
		"nearest": {Sizes: []int{3, 7}}, "scale": {Scale: 1.7}, "exact": {Sizes: []int{2, 5}, Mode: nn.ModeNearestExact},
		"scales": {Scales: []float64{1.7, 0.6}, Mode: nn.ModeLinear}, "scales nearest": {Scales: []float64{0.6, 2.3}},
		"recompute": {Scale: 1.7, Recompute: true, Mode: nn.ModeLinear},
		"linear":    {Sizes: []int{7}, Mode: nn.ModeLinear}, "bilinear": {Sizes: []int{3, 7}, Mode: nn.ModeLinear},
		"corners": {Sizes: []int{3, 5}, Mode: nn.ModeLinear, AlignCorners: true}, "factor": {Scale: 1.7, Mode: nn.ModeLinear},
		"trilinear": {Sizes: []int{2, 3, 3}, Mode: nn.ModeLinear}, "bicubic": {Sizes: []int{3, 7}, Mode: nn.ModeCubic},
		"cubic": {Sizes: []int{5, 6}, Mode: nn.ModeCubic, AlignCorners: true}, "area": {Sizes: []int{2, 2}, Mode: nn.ModeArea},
		"smooth":   {Sizes: []int{3, 4}, Mode: nn.ModeLinear, Antialias: true},
		"smoother": {Sizes: []int{3, 4}, Mode: nn.ModeCubic, Antialias: true},
	} {
		all["Interpolate/"+name] = one(func(x *lazy.Tensor) *lazy.Tensor { return nn.Interpolate(x, o) })
	}
	for mode, m := range map[string]nn.Mode{"nearest": nn.ModeNearest, "bilinear": nn.ModeLinear, "bicubic": nn.ModeCubic} {
		for padding, p := range map[string]int{"zeros": nn.GridZeros, "border": nn.GridBorder, "reflection": nn.GridReflect} {
			all["GridSample/"+mode+"/"+padding] = two(func(x, g *lazy.Tensor) *lazy.Tensor {
				return nn.GridSample(x, g.MulScalar(0.6).AddScalar(0.01), m, p, mode != "bilinear")
			})
		}
	}
	return all
}

func bags() map[string]function {
	call := func(mode int, perIndex bool, padding ...int) function {
		return two(func(i, w *lazy.Tensor) *lazy.Tensor {
			var per *lazy.Tensor
			if perIndex {
				per = fill(w.Trace(), "f 7", 7, 0)
			}
			return nn.EmbeddingBagOffsets(w, i, lazy.From(w.Trace(), []int32{0, 2, 2, 5}), per, mode, padding)
		})
	}
	return map[string]function{
		"EmbeddingBagOffsets": call(nn.BagSum, true), "EmbeddingBagOffsets/mean": call(nn.BagMean, false, -2), "EmbeddingBagOffsets/max": call(nn.BagMax, false),
	}
}

func ctc() map[string]function {
	call := func(steps, lengths []int32, more float64, blank int, zero bool, r nn.Reduction) function {
		return two(func(x, t *lazy.Tensor) *lazy.Tensor {
			tr := x.Trace()
			return nn.CTCLoss(x.LogSoftmax(2), t.AddScalar(more), lazy.From(tr, steps), lazy.From(tr, lengths), blank, zero, r)
		})
	}
	return map[string]function{
		"CTCLoss":            call([]int32{6, 4, 5}, []int32{2, 3, 0}, 0, 3, false, nn.ReduceMean),
		"CTCLoss/none":       call([]int32{6, 4, 5}, []int32{2, 3, 0}, 1, 0, false, nn.ReduceNone),
		"CTCLoss/impossible": call([]int32{1, 2}, []int32{2, 2}, 0, 3, true, nn.ReduceSum),
	}
}
