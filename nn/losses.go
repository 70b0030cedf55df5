package nn

import (
	"fmt"
	"math"

	"ltc/internal/functions"
	"ltc/lazy"
)

// Reduction says what a loss makes of the losses of its elements or rows.
type Reduction = int

// The reductions. ReduceBatchMean is of [KLDivLoss] alone.
const (
	ReduceMean Reduction = iota
	ReduceSum
	ReduceNone
	ReduceBatchMean
)

// reduced returns losses by the reduction.
func reduced(losses *lazy.Tensor, r Reduction) *lazy.Tensor {
	switch r {
	case ReduceMean:
		return losses.Mean()
	case ReduceSum:
		return losses.Sum()
	}
	return losses
}

// noReduction returns why r is no reduction.
func noReduction(r Reduction) string {
	if r >= ReduceMean && r <= ReduceNone {
		return ""
	}
	return fmt.Sprintf("there is no reduction %d here", r)
}

// pair returns the demand that two tensors and a reduction do not meet.
func pair(x, y *lazy.Tensor, r Reduction, shapes, reduction string) (demand, reason string) {
	if why := functions.CheckBroadcast(x, y); why != "" {
		return shapes, why
	}
	if why := noReduction(r); why != "" {
		return reduction, why
	}
	return "", ""
}

// loss computes in f32 where x has 16 bits, and reduces.
func loss(r Reduction, f func(x ...*lazy.Tensor) *lazy.Tensor, xs ...*lazy.Tensor) *lazy.Tensor {
	return functions.Wide(func(x ...*lazy.Tensor) *lazy.Tensor { return reduced(f(x...), r) }, xs...)
}

func checkMSELoss(x, target *lazy.Tensor, r int) (demand, reason string) {
	return pair(x, target, r, mSELossShapes, mSELossReduction)
}

func computeMSELoss(x, target *lazy.Tensor, r int) *lazy.Tensor {
	return loss(r, func(x ...*lazy.Tensor) *lazy.Tensor {
		d := x[0].Sub(x[1])
		return d.Mul(d)
	}, x, target)
}

func checkL1Loss(x, target *lazy.Tensor, r int) (demand, reason string) {
	return pair(x, target, r, l1LossShapes, l1LossReduction)
}

func computeL1Loss(x, target *lazy.Tensor, r int) *lazy.Tensor {
	return loss(r, func(x ...*lazy.Tensor) *lazy.Tensor { return x[0].Sub(x[1]).Abs() }, x, target)
}

func checkSmoothL1Loss(x, target *lazy.Tensor, beta float64, r int) (demand, reason string) {
	if beta < 0 {
		return smoothL1LossNegative, fmt.Sprintf("beta is %v, must not be negative", beta)
	}
	return pair(x, target, r, smoothL1LossShapes, smoothL1LossReduction)
}

func computeSmoothL1Loss(x, target *lazy.Tensor, beta float64, r int) *lazy.Tensor {
	if beta == 0 {
		return computeL1Loss(x, target, r)
	}
	return loss(r, func(x ...*lazy.Tensor) *lazy.Tensor {
		d := x[0].Sub(x[1])
		size := d.Abs()
		return size.LessScalar(beta).Where(d.Mul(d).MulScalar(0.5/beta), size.SubScalar(beta/2))
	}, x, target)
}

func checkHuberLoss(x, target *lazy.Tensor, delta float64, r int) (demand, reason string) {
	if delta <= 0 {
		return huberLossPositive, fmt.Sprintf("delta is %v, must be positive", delta)
	}
	return pair(x, target, r, huberLossShapes, huberLossReduction)
}

func computeHuberLoss(x, target *lazy.Tensor, delta float64, r int) *lazy.Tensor {
	return loss(r, func(x ...*lazy.Tensor) *lazy.Tensor {
		d := x[0].Sub(x[1])
		size := d.Abs()
		return size.LessEqualScalar(delta).Where(d.Mul(d).MulScalar(0.5), size.SubScalar(delta/2).MulScalar(delta))
	}, x, target)
}

func checkKLDivLoss(x, target *lazy.Tensor, _ bool, r int) (demand, reason string) {
	if r == ReduceBatchMean && x.Rank() > 0 {
		r = ReduceSum
	}
	return pair(x, target, r, kLDivLossShapes, kLDivLossReduction)
}

func computeKLDivLoss(x, target *lazy.Tensor, logTarget bool, r int) *lazy.Tensor {
	return functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
		x, t := xs[0], xs[1]
		var y *lazy.Tensor
		if logTarget {
			y = t.Exp().Mul(t.Sub(x))
		} else {
			some := t.EqualScalar(0).Not()
			y = some.WhereScalar(t.Mul(some.WhereScalar(t, 1).Log()), 0).Sub(t.Mul(x))
		}
		if r == ReduceBatchMean {
			return y.Sum().Div(sizes(x, []int{0}))
		}
		return reduced(y, r)
	}, x, target)
}

func checkPoissonNLLLoss(x, target *lazy.Tensor, _, _ bool, _ float64, r int) (demand, reason string) {
	return pair(x, target, r, poissonNLLLossShapes, poissonNLLLossReduction)
}

func computePoissonNLLLoss(x, target *lazy.Tensor, logInput, full bool, epsilon float64, r int) *lazy.Tensor {
	return loss(r, func(xs ...*lazy.Tensor) *lazy.Tensor {
		x, t := xs[0], xs[1]
		var y *lazy.Tensor
		if logInput {
			y = x.Exp().Sub(t.Mul(x))
		} else {
			y = x.Sub(t.Mul(x.AddScalar(epsilon).Log()))
		}
		if full {
			large := t.GreaterScalar(1)
			n := large.WhereScalar(t, 1)
			stirling := n.Mul(n.Log()).Sub(n).Add(n.MulScalar(2 * math.Pi).Log().MulScalar(0.5))
			y = y.Add(large.WhereScalar(stirling, 0))
		}
		return y
	}, x, target)
}

func checkGaussianNLLLoss(x, target, variance *lazy.Tensor, _ bool, _ float64, r int) (demand, reason string) {
	if !broadcastsTo(variance, x) {
		return gaussianNLLLossVariance, fmt.Sprintf("variance must broadcast to %v", x.OpenShape())
	}
	return pair(x, target, r, gaussianNLLLossShapes, gaussianNLLLossReduction)
}

func computeGaussianNLLLoss(x, target, variance *lazy.Tensor, full bool, epsilon float64, r int) *lazy.Tensor {
	return loss(r, func(x ...*lazy.Tensor) *lazy.Tensor {
		d, v := x[0].Sub(x[1]), atLeast(x[2], epsilon)
		y := v.Log().Add(d.Mul(d).Div(v)).MulScalar(0.5)
		if full {
			y = y.AddScalar(0.5 * math.Log(2*math.Pi))
		}
		return y
	}, x, target, variance)
}

// atLeast returns x, or low where x is below. The gradient is that of x everywhere, as PyTorch has it
// where it clamps without recording.
func atLeast(x *lazy.Tensor, low float64) *lazy.Tensor {
	return x.LessScalar(low).Where(x.Sub(x.Stop()).AddScalar(low), x)
}

func checkSoftMarginLoss(x, target *lazy.Tensor, r int) (demand, reason string) {
	return pair(x, target, r, softMarginLossShapes, softMarginLossReduction)
}

func computeSoftMarginLoss(x, target *lazy.Tensor, r int) *lazy.Tensor {
	return loss(r, func(x ...*lazy.Tensor) *lazy.Tensor { return softplus(x[0].Mul(x[1]).Neg()) }, x, target)
}

func checkHingeEmbeddingLoss(x, target *lazy.Tensor, _ float64, r int) (demand, reason string) {
	return pair(x, target, r, hingeEmbeddingLossShapes, hingeEmbeddingLossReduction)
}

func computeHingeEmbeddingLoss(x, target *lazy.Tensor, margin float64, r int) *lazy.Tensor {
	return loss(r, func(x ...*lazy.Tensor) *lazy.Tensor {
		far := x[0].Neg().AddScalar(margin).ReLU()
		return x[1].NotEqualScalar(1).WhereScalar(far, 0).Add(x[1].NotEqualScalar(-1).WhereScalar(x[0], 0))
	}, x, target)
}

func checkMarginRankingLoss(x, y, target *lazy.Tensor, _ float64, r int) (demand, reason string) {
	for _, pair := range [][2]*lazy.Tensor{{x, y}, {x, target}, {y, target}} {
		if why := functions.CheckBroadcast(pair[0], pair[1]); why != "" {
			return marginRankingLossShapes, why
		}
	}
	return pair(x, x, r, "", marginRankingLossReduction)
}

func computeMarginRankingLoss(x, y, target *lazy.Tensor, margin float64, r int) *lazy.Tensor {
	return loss(r, func(x ...*lazy.Tensor) *lazy.Tensor {
		return x[2].Neg().Mul(x[0].Sub(x[1])).AddScalar(margin).ReLU()
	}, x, y, target)
}

func checkCosineEmbeddingLoss(x, y, target *lazy.Tensor, _ float64, r int) (demand, reason string) {
	if x.Rank() == 0 || !x.OpenShape().Equal(y.OpenShape()) {
		return cosineEmbeddingLossShapes, "x and y must have one shape, with an axis of features"
	}
	if rows := x.OpenShape()[:x.Rank()-1]; !target.OpenShape().Equal(rows) {
		return cosineEmbeddingLossTarget, fmt.Sprintf("target must be of shape %v, one for each row", rows)
	}
	return pair(x, x, r, "", cosineEmbeddingLossReduction)
}

func computeCosineEmbeddingLoss(x, y, target *lazy.Tensor, margin float64, r int) *lazy.Tensor {
	return loss(r, func(xs ...*lazy.Tensor) *lazy.Tensor {
		x, y, t := xs[0], xs[1], xs[2]
		dot := func(a, b *lazy.Tensor) *lazy.Tensor { return a.Mul(b).Sum(-1) }
		// PyTorch has the 1e-12, too.
		c := dot(x, y).Div(dot(x, x).AddScalar(1e-12).Mul(dot(y, y).AddScalar(1e-12)).Sqrt())
		near, far := c.Neg().AddScalar(1), c.SubScalar(margin).ReLU()
		return t.EqualScalar(1).WhereScalar(near, 0).Add(t.EqualScalar(-1).WhereScalar(far, 0))
	}, x, y, target)
}

func checkTripletMarginLoss(x, positive, negative *lazy.Tensor, _, p, _ float64, _ bool, r int) (demand, reason string) {
	if s := x.OpenShape(); x.Rank() == 0 || !positive.OpenShape().Equal(s) || !negative.OpenShape().Equal(s) {
		return tripletMarginLossShapes, "x, positive and negative must have one shape, with an axis of features"
	}
	if p <= 0 {
		return tripletMarginLossPower, fmt.Sprintf("p is %v, must be positive", p)
	}
	return pair(x, x, r, "", tripletMarginLossReduction)
}

func computeTripletMarginLoss(x, positive, negative *lazy.Tensor, margin, p, epsilon float64, swap bool, r int) *lazy.Tensor {
	return loss(r, func(xs ...*lazy.Tensor) *lazy.Tensor {
		d := func(a, b *lazy.Tensor) *lazy.Tensor { return norm(a.Sub(b).AddScalar(epsilon), p, -1).Squeeze(-1) }
		x, positive, negative := xs[0], xs[1], xs[2]
		near, far := d(x, positive), d(x, negative)
		if swap {
			far = far.Minimum(d(positive, negative))
		}
		return near.Sub(far).AddScalar(margin).ReLU()
	}, x, positive, negative)
}

func checkMultiLabelSoftMarginLoss(x, target, weight *lazy.Tensor, r int) (demand, reason string) {
	if x.Rank() == 0 || !target.OpenShape().Equal(x.OpenShape()) {
		return multiLabelSoftMarginLossShapes, "target must have the shape of x, with an axis of classes"
	}
	if weight != nil && !broadcastsTo(weight, x) {
		return multiLabelSoftMarginLossWeight, fmt.Sprintf("weight must broadcast to %v", x.OpenShape())
	}
	return pair(x, x, r, "", multiLabelSoftMarginLossReduction)
}

func computeMultiLabelSoftMarginLoss(x, target, weight *lazy.Tensor, r int) *lazy.Tensor {
	d, v := x.DType(), functions.InF32(x, target, weight)
	y := logitTerms(v[0], v[1], nil)
	if weight != nil {
		y = y.Mul(v[2])
	}
	return reduced(y.Mean(-1), r).Convert(d)
}
