package lazy

import (
	"math"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// ProdKeep, AnyKeep, AllKeep, VarKeep, StdKeep, LogSumExpKeep and NormKeep are the
// reductions of these names whose axes stay, as those of [Tensor.SumKeep].
func (x *Tensor) ProdKeep(axes ...int) *Tensor { return x.keepAxes(x.Prod(axes...), axes) }
func (x *Tensor) AnyKeep(axes ...int) *Tensor  { return x.keepAxes(x.Any(axes...), axes) }
func (x *Tensor) AllKeep(axes ...int) *Tensor  { return x.keepAxes(x.All(axes...), axes) }
func (x *Tensor) VarKeep(correction float64, axes ...int) *Tensor {
	return x.keepAxes(x.Var(correction, axes...), axes)
}
func (x *Tensor) StdKeep(correction float64, axes ...int) *Tensor {
	return x.keepAxes(x.Std(correction, axes...), axes)
}
func (x *Tensor) LogSumExpKeep(axes ...int) *Tensor { return x.keepAxes(x.LogSumExp(axes...), axes) }
func (x *Tensor) NormKeep(p float64, axes ...int) *Tensor {
	return x.keepAxes(x.Norm(p, axes...), axes)
}

// NaNSumKeep, NaNMeanKeep, ArgMaxKeep, ArgMinKeep, MaxWithIndicesKeep and MinWithIndicesKeep are,
// as [Tensor.SumKeep] is of Sum, the op of that name whose axes stay, of one element each.
func (x *Tensor) NaNSumKeep(axes ...int) *Tensor  { return x.keepAxes(x.NaNSum(axes...), axes) }
func (x *Tensor) NaNMeanKeep(axes ...int) *Tensor { return x.keepAxes(x.NaNMean(axes...), axes) }
func (x *Tensor) ArgMaxKeep(axis int) *Tensor     { return x.keepAxes(x.ArgMax(axis), []int{axis}) }
func (x *Tensor) ArgMinKeep(axis int) *Tensor     { return x.keepAxes(x.ArgMin(axis), []int{axis}) }
func (x *Tensor) MaxWithIndicesKeep(axis int) (values, indices *Tensor) {
	values, indices = x.MaxWithIndices(axis)
	return x.keepAxes(values, []int{axis}), x.keepAxes(indices, []int{axis})
}
func (x *Tensor) MinWithIndicesKeep(axis int) (values, indices *Tensor) {
	values, indices = x.MinWithIndices(axis)
	return x.keepAxes(values, []int{axis}), x.keepAxes(indices, []int{axis})
}

// truth returns whether elements are not 0.
func truth(x *Tensor) *Tensor {
	if x.DType() == types.Bool {
		return x
	}
	return x.NotEqual(x.like(0))
}

func computeAny(x *Tensor, axes []int) *Tensor {
	y := truth(x).Convert(types.U8).Max(axes...)
	return y.NotEqual(y.like(0)).as(truthOf(x))
}

// computeAll is true of nothing, whose minimum is the largest number.
func computeAll(x *Tensor, axes []int) *Tensor {
	y := truth(x).Convert(types.U8).Min(axes...)
	return y.NotEqual(y.like(0)).as(truthOf(x))
}

// truthOf is the dtype that Any and All of x have.
func truthOf(x *Tensor) types.DType {
	if x.DType() == types.U8 {
		return types.U8
	}
	return types.Bool
}

func computeCountNonzero(x *Tensor, axes []int) *Tensor {
	return truth(x).Convert(types.I64).Sum(axes...)
}

// terms is how many elements of x each of y, which x was reduced to, is made of.
func terms(x, y *Tensor) int {
	if n := y.Type().Elements(); n != 0 {
		return dims.Div(x.Type().Elements(), n)
	}
	return 1
}

func computeVar(x *Tensor, correction float64, axes []int) *Tensor {
	return wide(x, func(x *Tensor) *Tensor { return variance(x, correction, axes) })
}

func variance(x *Tensor, correction float64, axes []int) *Tensor {
	centred := x.Sub(x.MeanKeep(axes...))
	sum := squares(centred).Sum(axes...)
	n := sum.sized(terms(x, sum))
	return sum.Div(n.Sub(n.like(correction)).Maximum(n.like(0)))
}

func computeStd(x *Tensor, correction float64, axes []int) *Tensor {
	return wide(x, func(x *Tensor) *Tensor { return root(variance(x, correction, axes)) })
}

// root is the square root, with the gradient 0 at 0.
func root(x *Tensor) *Tensor {
	some := x.NotEqual(x.like(0))
	return some.Where(some.Where(x, x.like(1)).Sqrt(), x.like(0))
}

// squares are those of x, of complex numbers of their moduli.
func squares(x *Tensor) *Tensor {
	if !x.DType().IsComplex() {
		return x.Mul(x)
	}
	re, im := x.Real(), x.Imag()
	return re.Mul(re).Add(im.Mul(im))
}

// VarMean returns [Tensor.Var] and [Tensor.Mean] of x over the axes.
func (x *Tensor) VarMean(correction float64, axes ...int) (variance, mean *Tensor) {
	if variance = x.Var(correction, axes...); variance.err != nil {
		return variance, variance
	}
	return variance, x.Mean(axes...)
}

// StdMean returns [Tensor.Std] and [Tensor.Mean] of x over the axes.
func (x *Tensor) StdMean(correction float64, axes ...int) (std, mean *Tensor) {
	if std = x.Std(correction, axes...); std.err != nil {
		return std, std
	}
	return std, x.Mean(axes...)
}

// AMinMax returns [Tensor.Min] and [Tensor.Max] of x over the axes.
func (x *Tensor) AMinMax(axes ...int) (least, most *Tensor) {
	if least = x.Min(axes...); least.err != nil {
		return least, least
	}
	return least, x.Max(axes...)
}

// computeLogSumExp subtracts the largest element, unless that is infinite. Its gradient is
// that of exp(x), divided by the sum; where the sum is 0 it is 0.
func computeLogSumExp(x *Tensor, axes []int) *Tensor {
	return wide(x, func(x *Tensor) *Tensor {
		most := finite(x.MaxKeep(axes...)).Stop()
		sum := x.Sub(most).Exp().Sum(axes...)
		some := sum.NotEqual(sum.like(0))
		log := some.Where(some.Where(sum, sum.like(1)).Log(), sum.like(math.Inf(-1)))
		return log.Add(most.Reshape(log.OpenShape()...))
	})
}

// finite returns x with 0 for infinities.
func finite(x *Tensor) *Tensor {
	return x.Abs().Equal(x.like(math.Inf(1))).Where(x.like(0), x)
}

// Norm returns the p-norms of x over the given axes, of all elements when none is given:
// the sum of |x| to the power of p, to the power of 1/p. For p = 0 it is the number of
// elements that are not 0, for p = +Inf the largest |x|, for p = -Inf the smallest. The axes
// are dropped. The gradient where all elements are 0 is 0.
//
// It requires: x is floating point or complex; p is no NaN; axes are distinct ones of x.
func (x *Tensor) Norm(p float64, axes ...int) *Tensor {
	if !math.IsInf(p, 0) {
		return recordNorm(x, p, axes)
	}
	if _, bad := builtins[compositeNorm].guard([]setting{{}, {ints: axes}}, x); bad != nil {
		return bad
	}
	if p < 0 {
		return x.Abs().Min(axes...)
	}
	return x.Abs().Max(axes...)
}

func computeNorm(x *Tensor, p float64, axes []int) *Tensor {
	return wide(x, func(x *Tensor) *Tensor {
		switch p {
		case 0:
			return truth(x).Convert(x.DType().Part()).Sum(axes...)
		case 1:
			return x.Abs().Sum(axes...)
		case 2:
			return root(squares(x).Sum(axes...))
		}
		// The gradients of powers of 0 may be infinite.
		some := truth(x)
		sum := some.Where(some.Where(x, x.like(1)).Abs().PowScalar(p), x.Abs().Stop().PowScalar(p)).Sum(axes...)
		some = truth(sum)
		return some.Where(some.Where(sum, sum.like(1)).PowScalar(1/p), sum.Stop().PowScalar(1/p))
	})
}

func computeNaNSum(x *Tensor, axes []int) *Tensor {
	if !x.DType().IsFloat() {
		return x.Sum(axes...)
	}
	return x.Equal(x).Where(x, x.like(0)).Sum(axes...)
}

func computeNaNMean(x *Tensor, axes []int) *Tensor {
	return wide(x, func(x *Tensor) *Tensor {
		known := x.Equal(x)
		return known.Where(x, x.like(0)).Sum(axes...).Div(known.Convert(x.DType()).Sum(axes...))
	})
}

// hasElements says why no element can be chosen along the axis.
func hasElements(x *Tensor, axis int, d demand) *breach {
	if x.OpenDim(axis) == 0 {
		return breaks(d, "axis %d of %v has no elements", axis, x.OpenShape())
	}
	return nil
}

func checkArgMin(x *Tensor, axis int) *breach { return hasElements(x, axis, argMinElements) }

func computeArgMin(x *Tensor, axis int) *Tensor { return opposite(x).ArgMax(axis) }

// opposite returns numbers whose order is that of x the other way round, and whose opposite
// is x.
func opposite(x *Tensor) *Tensor {
	if x.DType().IsInteger() {
		return x.Not()
	}
	return x.Neg()
}

func checkMaxWithIndices(x *Tensor, axis int) *breach {
	return hasElements(x, axis, maxWithIndicesElements)
}

func computeMaxWithIndices(x *Tensor, axis int) (values, indices *Tensor) {
	return x.Max(axis), x.ArgMax(axis)
}

func gradMaxWithIndices(x *Tensor, y, ct []*Tensor, axis int) []*Tensor {
	return chosenAlong(x, y[1], ct[0], axis)
}

// chosenAlong is the gradient of elements of x that indices choose, one along the axis.
func chosenAlong(x, indices, ct *Tensor, axis int) []*Tensor {
	if ct == nil {
		return []*Tensor{nil}
	}
	return []*Tensor{Zeros(x.tr, x.DType(), x.OpenShape()...).scatterAlong("scatter", indices.Unsqueeze(axis), ct.Unsqueeze(axis), axis, ir.CombineAdd)}
}

func checkMinWithIndices(x *Tensor, axis int) *breach {
	return hasElements(x, axis, minWithIndicesElements)
}

func computeMinWithIndices(x *Tensor, axis int) (values, indices *Tensor) {
	return x.Min(axis), x.ArgMin(axis)
}

func gradMinWithIndices(x *Tensor, y, ct []*Tensor, axis int) []*Tensor {
	return chosenAlong(x, y[1], ct[0], axis)
}

func checkBincount(x, weights *Tensor, bins int) *breach {
	switch {
	case x.Rank() != 1:
		return breaks(bincountRank, "x is %v; Reshape(-1) it", x.Type())
	case weights != nil && !weights.OpenShape().Equal(x.OpenShape()):
		return breaks(bincountWeights, "weights have the shape %v, and x %v", weights.OpenShape(), x.OpenShape())
	case bins < 1 && !dims.IsExpr(bins):
		return breaks(bincountBins, "bins is %d", bins)
	}
	return nil
}

func computeBincount(x, weights *Tensor, bins int) *Tensor {
	if weights == nil {
		weights = Ones(x.tr, types.I64, x.OpenShape()...)
	}
	return Zeros(x.tr, weights.DType(), bins).scatter(x, weights, 0, ir.CombineAdd).calledBy("bincount")
}
