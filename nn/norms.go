package nn

import (
	"fmt"
	"slices"

	"ltc/internal/functions"
	"ltc/lazy"
)

// perChannel returns why tensors, of which some may be nil, have no element for each channel of x.
func perChannel(x *lazy.Tensor, vs ...*lazy.Tensor) (reason string) {
	for _, v := range vs {
		if v != nil && (v.Rank() != 1 || v.OpenDim(0) != x.OpenDim(1)) {
			return fmt.Sprintf("axis 1 of x has dimension %v, a parameter is %v", x.OpenDim(1), v.Type())
		}
	}
	return ""
}

// fewAxes is the reason where x has fewer axes than a norm is over.
func fewAxes(x *lazy.Tensor, least int) string {
	return fmt.Sprintf("x has rank %d, must have at least %d", x.Rank(), least)
}

func checkBatchNorm(x, mean, variance, gamma, beta *lazy.Tensor, _ float64) (demand, reason string) {
	if x.Rank() < 2 {
		return batchNormRank, fewAxes(x, 2)
	}
	if why := perChannel(x, mean, variance, gamma, beta); why != "" {
		return batchNormChannels, why
	}
	return "", ""
}

func computeBatchNorm(x, mean, variance, gamma, beta *lazy.Tensor, epsilon float64) *lazy.Tensor {
	d, v := x.DType(), functions.InF32(x, mean, variance, gamma, beta)
	x, mean, variance = v[0], v[1], v[2]
	y := x.Sub(alongChannels(mean, x)).Mul(alongChannels(variance.AddScalar(epsilon).Rsqrt(), x))
	return affine(y, channelsOf(v[3], x), channelsOf(v[4], x)).Convert(d)
}

// channelsOf is alongChannels of v, which may be nil.
func channelsOf(v, x *lazy.Tensor) *lazy.Tensor {
	if v == nil {
		return nil
	}
	return alongChannels(v, x)
}

// affine returns y times gamma plus beta, as far as they are given.
func affine(y, gamma, beta *lazy.Tensor) *lazy.Tensor {
	if gamma != nil {
		y = y.Mul(gamma)
	}
	if beta != nil {
		y = y.Add(beta)
	}
	return y
}

func checkBatchNormTraining(x, mean, variance, gamma, beta *lazy.Tensor, _, _ float64) (demand, reason string) {
	if x.Rank() < 2 {
		return batchNormTrainingRank, fewAxes(x, 2)
	}
	if why := perChannel(x, mean, variance, gamma, beta); why != "" {
		return batchNormTrainingChannels, why
	}
	if countOver(x, allBut(x, 1)) == 1 {
		return batchNormTrainingSeveral, "each channel has one element, whose variance is 0; training needs more"
	}
	return "", ""
}

func computeBatchNormTraining(x, mean, variance, gamma, beta *lazy.Tensor, momentum, epsilon float64) (y, newMean, newVariance *lazy.Tensor) {
	d, v := x.DType(), functions.InF32(x, mean, variance, gamma, beta)
	x, mean, variance = v[0], v[1], v[2]
	axes := allBut(x, 1)
	y, centre, spread := standardized(x, epsilon, axes...)
	y = affine(y, channelsOf(v[3], x), channelsOf(v[4], x))
	n := sizes(x, axes)
	unbiased := spread.Reshape(x.OpenDim(1)).Mul(n.Div(n.SubScalar(1)))
	return y.Convert(d), running(mean, centre.Reshape(x.OpenDim(1)), momentum).Convert(d), running(variance, unbiased, momentum).Convert(d)
}

// running returns the average of what was and what is; it has no gradients.
func running(before, now *lazy.Tensor, momentum float64) *lazy.Tensor {
	return before.MulScalar(1 - momentum).Add(now.MulScalar(momentum)).Stop()
}

// standardized returns x shifted to mean 0 and scaled to variance 1 over axes, and the mean and the
// variance, with dimension 1 for the axes.
func standardized(x *lazy.Tensor, epsilon float64, axes ...int) (y, mean, variance *lazy.Tensor) {
	mean = x.MeanKeep(axes...)
	centred := x.Sub(mean)
	variance = centred.Mul(centred).MeanKeep(axes...)
	return centred.Mul(variance.AddScalar(epsilon).Rsqrt()), mean, variance
}

func checkInstanceNorm(x, gamma, beta *lazy.Tensor, _ float64) (demand, reason string) {
	if x.Rank() < 3 {
		return instanceNormRank, fewAxes(x, 3)
	}
	if why := perChannel(x, gamma, beta); why != "" {
		return instanceNormChannels, why
	}
	if countOver(x, axesFrom(x, 2)) == 1 {
		return instanceNormSeveral, "each channel has one element, whose variance is 0"
	}
	return "", ""
}

func computeInstanceNorm(x, gamma, beta *lazy.Tensor, epsilon float64) *lazy.Tensor {
	d, v := x.DType(), functions.InF32(x, gamma, beta)
	y, _, _ := standardized(v[0], epsilon, axesFrom(x, 2)...)
	return affine(y, channelsOf(v[1], x), channelsOf(v[2], x)).Convert(d)
}

func checkGroupNorm(x, gamma, beta *lazy.Tensor, groups int, _ float64) (demand, reason string) {
	if x.Rank() < 2 {
		return groupNormRank, fewAxes(x, 2)
	}
	if why := perChannel(x, gamma, beta); why != "" {
		return groupNormChannels, why
	}
	if n := x.Dim(1); groups <= 0 || n%groups != 0 {
		return groupNormGroups, fmt.Sprintf("groups is %d, the number of channels %d", groups, n)
	}
	return "", ""
}

func computeGroupNorm(x, gamma, beta *lazy.Tensor, groups int, epsilon float64) *lazy.Tensor {
	d, v := x.DType(), functions.InF32(x, gamma, beta)
	rest := lazy.SizeDiv(x.OpenDim(1), groups)
	for _, a := range axesFrom(x, 2) {
		rest = lazy.SizeMul(rest, x.OpenDim(a))
	}
	y, _, _ := standardized(v[0].Reshape(x.OpenDim(0), groups, rest), epsilon, 2)
	y = y.Reshape(x.OpenShape()...)
	return affine(y, channelsOf(v[1], x), channelsOf(v[2], x)).Convert(d)
}

func checkLayerNorm(x, gamma, beta *lazy.Tensor, last int, _ float64) (demand, reason string) {
	if last < 1 || last > x.Rank() {
		return layerNormLast, fmt.Sprintf("x has rank %d, last is %d", x.Rank(), last)
	}
	if why := likeRow(x, last, gamma, beta); why != "" {
		return layerNormRow, why
	}
	return "", ""
}

// likeRow returns why tensors, of which some may be nil, do not have the shape of the last axes of x.
func likeRow(x *lazy.Tensor, last int, vs ...*lazy.Tensor) (reason string) {
	row := x.OpenShape()[x.Rank()-last:]
	for _, v := range vs {
		if v != nil && !v.OpenShape().Equal(row) {
			return fmt.Sprintf("a parameter is %v, must have the shape %v of the last axes of x", v.Type(), row)
		}
	}
	return ""
}

// computeLayerNorm is that of package lazy, over one axis, if gamma and beta are given.
func computeLayerNorm(x, gamma, beta *lazy.Tensor, last int, epsilon float64) *lazy.Tensor {
	if gamma != nil && beta != nil {
		if last == 1 {
			return x.LayerNorm(gamma, beta, epsilon)
		}
		first := x.Rank() - last
		n := countOver(x, axesFrom(x, first))
		rows := append(slices.Clone([]int(x.OpenShape()[:first])), n)
		return x.Reshape(rows...).LayerNorm(gamma.Reshape(n), beta.Reshape(n), epsilon).Reshape(x.OpenShape()...)
	}
	d, v := x.DType(), functions.InF32(x, gamma, beta)
	y, _, _ := standardized(v[0], epsilon, axesFrom(x, x.Rank()-last)...)
	return affine(y, v[1], v[2]).Convert(d)
}

func checkRMSNorm(x, gamma *lazy.Tensor, last int, _ float64) (demand, reason string) {
	if last < 1 || last > x.Rank() {
		return rMSNormLast, fmt.Sprintf("x has rank %d, last is %d", x.Rank(), last)
	}
	if why := likeRow(x, last, gamma); why != "" {
		return rMSNormRow, why
	}
	return "", ""
}

func computeRMSNorm(x, gamma *lazy.Tensor, last int, epsilon float64) *lazy.Tensor {
	d, v := x.DType(), functions.InF32(x, gamma)
	square := v[0].Mul(v[0]).MeanKeep(axesFrom(x, x.Rank()-last)...)
	return affine(v[0].Mul(square.AddScalar(epsilon).Rsqrt()), v[1], nil).Convert(d)
}

func checkLocalResponseNorm(x *lazy.Tensor, size int, _, _, _ float64) (demand, reason string) {
	if x.Rank() < 2 {
		return localResponseNormRank, fewAxes(x, 2)
	}
	if size < 1 {
		return localResponseNormSize, fmt.Sprintf("size is %d, must be positive", size)
	}
	return "", ""
}

func computeLocalResponseNorm(x *lazy.Tensor, size int, alpha, beta, k float64) *lazy.Tensor {
	return functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
		x := xs[0]
		rest := 1
		for _, a := range axesFrom(x, 2) {
			rest = lazy.SizeMul(rest, x.OpenDim(a))
		}
		// Channels and what follows are the two places of a window.
		squares := x.Mul(x).Reshape(x.OpenDim(0), 1, x.OpenDim(1), rest)
		sums := squares.SumPool([]int{size, 1}, lazy.PoolOptions{Strides: []int{1, 1}, Padding: [][2]int{{size / 2, (size - 1) / 2}, {0, 0}}})
		return x.Div(sums.Reshape(x.OpenShape()...).MulScalar(alpha / float64(size)).AddScalar(k).PowScalar(beta))
	}, x)
}

func checkWeightNorm(v, g *lazy.Tensor, axis int) (demand, reason string) {
	for i, n := range g.OpenShape() {
		if g.Rank() != v.Rank() || i == axis && n != v.OpenDim(i) || i != axis && n != 1 {
			return weightNormLengths, fmt.Sprintf("g must have the rank of v, dimension %v for axis %d and 1 for others", v.OpenDim(axis), axis)
		}
	}
	return "", ""
}

func computeWeightNorm(v, g *lazy.Tensor, axis int) *lazy.Tensor {
	return functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
		v, g := xs[0], xs[1]
		return v.Mul(g.Div(norm(v, 2, allBut(v, axis)...)))
	}, v, g)
}

func checkRenorm(_ *lazy.Tensor, p float64, _ int, most float64) (demand, reason string) {
	if p <= 0 {
		return renormPower, fmt.Sprintf("p is %v, must be positive", p)
	}
	if most < 0 {
		return renormNegative, fmt.Sprintf("most is %v, must not be negative", most)
	}
	return "", ""
}

func computeRenorm(x *lazy.Tensor, p float64, axis int, most float64) *lazy.Tensor {
	return functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
		x := xs[0]
		n := norm(x, p, allBut(x, axis)...)
		// PyTorch has the 1e-7, too.
		return x.Mul(n.GreaterScalar(most).WhereScalar(number(n, most).Div(n.AddScalar(1e-7)), 1))
	}, x)
}

func computeNormalize(x *lazy.Tensor, p float64, axis int, epsilon float64) *lazy.Tensor {
	return functions.Wide(func(x ...*lazy.Tensor) *lazy.Tensor {
		n := norm(x[0], p, axis)
		return x[0].Div(n.LessScalar(epsilon).Not().WhereScalar(n, epsilon))
	}, x)
}

// norm returns the p-norms of x over axes, which keep dimension 1; without axes, that of each element.
func norm(x *lazy.Tensor, p float64, axes ...int) *lazy.Tensor {
	if len(axes) == 0 { // which are all to NormKeep
		return x.Abs()
	}
	return x.NormKeep(p, axes...)
}
