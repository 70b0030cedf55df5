package layers

import (
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/module"
)

// usualEpsilon is what norms add to a variance unless told otherwise.
const usualEpsilon = 1e-5

// BatchNorm shifts each channel, axis 1 of x[batch, Channels, places…], to mean 0 and scales it to variance 1: PyTorch's BatchNorm1d,
// BatchNorm2d or BatchNorm3d. In training the statistics are those of the batch, and the running ones are assigned in the step; in
// evaluation they are the running ones.
type BatchNorm struct {
	module.Base
	Channels   int
	Epsilon    float64 // is added to the variance; 0 for 1e-5
	Momentum   float64 // of the running statistics: the share of the batch; 0 for 0.1
	Cumulative bool    // the running statistics are means over all batches: PyTorch's momentum=None
	NoAffine   bool    // there is no weight and no bias
	NoRunning  bool    // there are no running statistics: those of the batch serve evaluation, too

	Weight            *lazy.Tensor // [Channels], 1 at first; nil with NoAffine
	Bias              *lazy.Tensor // [Channels], 0 at first; nil with NoAffine
	RunningMean       *lazy.Tensor `module:",buffer"` // [Channels]; nil with NoRunning
	RunningVar        *lazy.Tensor `module:",buffer"` // [Channels], with the divisor n-1, 1 at first; nil with NoRunning
	NumBatchesTracked *lazy.Tensor `module:",buffer"` // of i64; nil with NoRunning
}

// Build declares the variables.
func (l *BatchNorm) Build(b *module.Builder) {
	if !positive(b, "layers.BatchNorm", option{"Channels", l.Channels}) {
		return
	}
	declareAffine(b, &l.Weight, &l.Bias, l.NoAffine, false, l.Channels)
	if !l.NoRunning {
		b.Variable(&l.RunningMean, nil, l.Channels)
		b.Variable(&l.RunningVar, lazy.Constant(1), l.Channels)
		b.VariableOf(&l.NumBatchesTracked, lazy.I64, nil)
	}
}

// Forward records the layer for x[batch, Channels, places…].
func (l *BatchNorm) Forward(x *lazy.Tensor) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor {
		epsilon := or(l.Epsilon, usualEpsilon)
		if !l.Training() && !l.NoRunning {
			return nn.BatchNorm(x, l.RunningMean, l.RunningVar, l.Weight, l.Bias, epsilon)
		}
		mean, variance := l.RunningMean, l.RunningVar
		if l.NoRunning {
			zeros := lazy.Zeros(x.Trace(), x.DType(), l.Channels)
			y, _, _ := nn.BatchNormTraining(x, zeros, zeros, l.Weight, l.Bias, 0, epsilon)
			return y
		}
		if !l.Cumulative {
			y, mean, variance := nn.BatchNormTraining(x, mean, variance, l.Weight, l.Bias, or(l.Momentum, 0.1), epsilon)
			l.track(mean, variance)
			return y
		}
		y, batchMean, batchVariance := nn.BatchNormTraining(x, mean, variance, l.Weight, l.Bias, 1, epsilon)
		share := x.Trace().Read(l.NumBatchesTracked).AddScalar(1).Convert(x.DType()).Reciprocal()
		l.track(mean.Add(batchMean.Sub(mean).Mul(share)), variance.Add(batchVariance.Sub(variance).Mul(share)))
		return y
	}, x)
}

// track assigns the running statistics.
func (l *BatchNorm) track(mean, variance *lazy.Tensor) {
	l.RunningMean.Assign(mean)
	l.RunningVar.Assign(variance)
	l.NumBatchesTracked.Assign(mean.Trace().Read(l.NumBatchesTracked).AddScalar(1))
}

// InstanceNorm shifts each channel of each example of x[batch, Channels, places…] to mean 0 and scales it to variance 1. PyTorch's
// option track_running_stats has no counterpart.
type InstanceNorm struct {
	module.Base
	Channels int
	Epsilon  float64 // 0 for 1e-5
	Affine   bool    // there are a weight and a bias

	Weight *lazy.Tensor // [Channels], 1 at first; nil unless Affine
	Bias   *lazy.Tensor // [Channels], 0 at first; nil unless Affine
}

// Build declares the variables.
func (l *InstanceNorm) Build(b *module.Builder) {
	if positive(b, "layers.InstanceNorm", option{"Channels", l.Channels}) {
		declareAffine(b, &l.Weight, &l.Bias, !l.Affine, false, l.Channels)
	}
}

// Forward records the layer for x[batch, Channels, places…].
func (l *InstanceNorm) Forward(x *lazy.Tensor) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor { return nn.InstanceNorm(x, l.Weight, l.Bias, or(l.Epsilon, usualEpsilon)) }, x)
}

// GroupNorm shifts each group of channels of each example of x[batch, Channels, places…] to mean 0 and scales it to variance 1.
type GroupNorm struct {
	module.Base
	Groups, Channels int
	Epsilon          float64 // 0 for 1e-5
	NoAffine         bool    // there is no weight and no bias

	Weight *lazy.Tensor // [Channels], 1 at first; nil with NoAffine
	Bias   *lazy.Tensor // [Channels], 0 at first; nil with NoAffine
}

// Build declares the variables.
func (l *GroupNorm) Build(b *module.Builder) {
	if !positive(b, "layers.GroupNorm", option{"Groups", l.Groups}, option{"Channels", l.Channels}) {
		return
	}
	if l.Channels%l.Groups != 0 {
		b.Errorf("layers.GroupNorm.Groups is %d: it must divide Channels, %d", l.Groups, l.Channels)
		return
	}
	declareAffine(b, &l.Weight, &l.Bias, l.NoAffine, false, l.Channels)
}

// Forward records the layer for x[batch, Channels, places…].
func (l *GroupNorm) Forward(x *lazy.Tensor) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor { return nn.GroupNorm(x, l.Weight, l.Bias, l.Groups, or(l.Epsilon, usualEpsilon)) }, x)
}

// LayerNorm shifts x to mean 0 and scales it to variance 1 over its last axes.
type LayerNorm struct {
	module.Base
	Sizes    []int   // of the axes: PyTorch's normalized_shape
	Epsilon  float64 // 0 for 1e-5
	NoAffine bool    // there is no weight and no bias
	NoBias   bool    // there is no bias

	Weight *lazy.Tensor // Sizes, 1 at first; nil with NoAffine
	Bias   *lazy.Tensor // Sizes, 0 at first; nil with NoAffine or NoBias
}

// Build declares the variables.
func (l *LayerNorm) Build(b *module.Builder) {
	if checkSizes(b, "layers.LayerNorm", l.Sizes) {
		declareAffine(b, &l.Weight, &l.Bias, l.NoAffine, l.NoBias, l.Sizes...)
	}
}

// Forward records the layer for x[…, Sizes…].
func (l *LayerNorm) Forward(x *lazy.Tensor) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor {
		return nn.LayerNorm(x, l.Weight, l.Bias, len(l.Sizes), or(l.Epsilon, usualEpsilon))
	}, x)
}

// RMSNorm divides x by the root of the mean of its squares over its last axes.
type RMSNorm struct {
	module.Base
	Sizes    []int   // of the axes: PyTorch's normalized_shape
	Epsilon  float64 // is added to the mean; 0 for the distance from 1 to the next number of the dtype of x
	NoAffine bool    // there is no weight

	Weight *lazy.Tensor // Sizes, 1 at first; nil with NoAffine
}

// Build declares the variable.
func (l *RMSNorm) Build(b *module.Builder) {
	if checkSizes(b, "layers.RMSNorm", l.Sizes) && !l.NoAffine {
		b.Variable(&l.Weight, lazy.Constant(1), l.Sizes...)
	}
}

// Forward records the layer for x[…, Sizes…].
func (l *RMSNorm) Forward(x *lazy.Tensor) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor { return nn.RMSNorm(x, l.Weight, len(l.Sizes), or(l.Epsilon, x.DType().Epsilon())) }, x)
}

// declareAffine declares a weight of ones and a bias of zeros, as far as the layer has them.
func declareAffine(b *module.Builder, weight, bias **lazy.Tensor, noAffine, noBias bool, dims ...int) {
	if noAffine {
		return
	}
	b.Variable(weight, lazy.Constant(1), dims...)
	if !noBias {
		b.Variable(bias, nil, dims...)
	}
}

// checkSizes reports whether a norm has axes, and refuses the layer if not.
func checkSizes(b *module.Builder, layer string, sizes []int) bool {
	if len(sizes) == 0 {
		b.Errorf("%s.Sizes is empty: give the dimensions of the last axes, such as []int{768}", layer)
		return false
	}
	return allPositive(b, layer+".Sizes", sizes)
}

// or returns x, or what stands for 0.
func or(x, zero float64) float64 {
	if x == 0 {
		return zero
	}
	return x
}
