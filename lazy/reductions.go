package lazy

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// ProdKeep and the methods below are the reductions of their names whose axes stay, as those of
// [Tensor.SumKeep].
func (x *Tensor) ProdKeep(axes ...int) *Tensor { return x.keeping("prod_keep", (*Tensor).Prod, axes) }
func (x *Tensor) AnyKeep(axes ...int) *Tensor  { return x.keeping("any_keep", (*Tensor).Any, axes) }
func (x *Tensor) AllKeep(axes ...int) *Tensor  { return x.keeping("all_keep", (*Tensor).All, axes) }
func (x *Tensor) VarKeep(correction float64, axes ...int) *Tensor {
	return x.keeping("var_keep", func(x *Tensor, axes ...int) *Tensor { return x.Var(correction, axes...) }, axes)
}
func (x *Tensor) StdKeep(correction float64, axes ...int) *Tensor {
	return x.keeping("std_keep", func(x *Tensor, axes ...int) *Tensor { return x.Std(correction, axes...) }, axes)
}
func (x *Tensor) LogSumExpKeep(axes ...int) *Tensor {
	return x.keeping("log_sum_exp_keep", (*Tensor).LogSumExp, axes)
}
func (x *Tensor) NormKeep(p float64, axes ...int) *Tensor {
	return x.keeping("norm_keep", func(x *Tensor, axes ...int) *Tensor { return x.Norm(p, axes...) }, axes)
}

// NaNSumKeep, NaNMeanKeep, ArgMaxKeep, ArgMinKeep, MaxWithIndicesKeep and MinWithIndicesKeep are,
// as [Tensor.SumKeep] is of Sum, the op of that name whose axes stay, of one element each.
func (x *Tensor) NaNSumKeep(axes ...int) *Tensor {
	return x.keeping("nan_sum_keep", (*Tensor).NaNSum, axes)
}
func (x *Tensor) NaNMeanKeep(axes ...int) *Tensor {
	return x.keeping("nan_mean_keep", (*Tensor).NaNMean, axes)
}
func (x *Tensor) ArgMaxKeep(axis int) *Tensor {
	return called("argmax_keep", func() *Tensor { return x.keepAxes(x.ArgMax(axis), []int{axis}) }, x)
}
func (x *Tensor) ArgMinKeep(axis int) *Tensor {
	return called("argmin_keep", func() *Tensor { return x.keepAxes(x.ArgMin(axis), []int{axis}) }, x)
}
func (x *Tensor) MaxWithIndicesKeep(axis int) (values, indices *Tensor) {
	values, indices = x.called2("max_with_indices_keep", func() (_, _ *Tensor) { return x.MaxWithIndices(axis) })
	return x.keepAxes(values, []int{axis}), x.keepAxes(indices, []int{axis})
}
func (x *Tensor) MinWithIndicesKeep(axis int) (values, indices *Tensor) {
	values, indices = x.called2("min_with_indices_keep", func() (_, _ *Tensor) { return x.MinWithIndices(axis) })
	return x.keepAxes(values, []int{axis}), x.keepAxes(indices, []int{axis})
}

// called2 is [called] for two results, of which the first has the error.
func (x *Tensor) called2(op string, record func() (y, z *Tensor)) (y, z *Tensor) {
	y = called(op, func() *Tensor {
		y, z = record()
		return y
	}, x)
	if y.err != nil {
		return y, y
	}
	return y, z
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
	return y.NotEqual(y.like(0)).AsType(truthOf(x))
}

// computeAll is true of nothing, whose minimum is the largest number.
func computeAll(x *Tensor, axes []int) *Tensor {
	y := truth(x).Convert(types.U8).Min(axes...)
	return y.NotEqual(y.like(0)).AsType(truthOf(x))
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
	return x.called2("var_mean", func() (_, _ *Tensor) { return x.Var(correction, axes...), x.Mean(axes...) })
}

// StdMean returns [Tensor.Std] and [Tensor.Mean] of x over the axes.
func (x *Tensor) StdMean(correction float64, axes ...int) (std, mean *Tensor) {
	return x.called2("std_mean", func() (_, _ *Tensor) { return x.Std(correction, axes...), x.Mean(axes...) })
}

// AMinMax returns [Tensor.Min] and [Tensor.Max] of x over the axes.
func (x *Tensor) AMinMax(axes ...int) (least, most *Tensor) {
	return x.called2("aminmax", func() (_, _ *Tensor) { return x.Min(axes...), x.Max(axes...) })
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
// elements that are not 0, for p = +Inf the largest |x|, for p = -Inf the smallest, which no
// elements have. The axes are dropped. The gradient where all elements are 0 is 0.
//
// It requires: x is floating point or complex; p is no NaN; axes are distinct ones of x.
func (x *Tensor) Norm(p float64, axes ...int) *Tensor {
	if !math.IsInf(p, 0) {
		return recordNorm(x, p, axes)
	}
	if _, bad := builtins[compositeNorm].guard([]setting{{}, {ints: axes}}, x); bad != nil {
		return bad
	}
	empty := len(axes) == 0 && elementsOf(x.OpenShape()) == 0
	for _, a := range axes {
		empty = empty || x.Rank() > 0 && x.OpenDim(a) == 0 // an axis of a scalar has no dimension
	}
	if empty {
		return x.violates("norm", "elements", fmt.Sprintf("x is %v, and no elements have no norm for p = %v; pad x with 0, or test for elements first", x.Type(), p))
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

// computeBincount adds weights in f64 unless they are f32, as PyTorch does.
func computeBincount(x, weights *Tensor, bins int) *Tensor {
	switch {
	case weights == nil:
		weights = Ones(x.tr, types.I64, x.OpenShape()...)
	case weights.DType() != types.F32 && !x.tr.dev.strictTypes:
		weights = weights.AsType(types.F64)
	}
	return Zeros(x.tr, weights.DType(), bins).scatter(x, weights, 0, ir.CombineAdd).calledBy("bincount")
}

// scanned reduces, by a pool's op, the elements along the axis up to each: windows of all
// that come before.
func (x *Tensor) scanned(op ir.Op, axis int) *Tensor {
	n, rank := x.OpenDim(axis), x.Rank()
	window, low := slices.Repeat([]int{1}, rank), make([]int, rank)
	if window[axis], low[axis] = dims.Add(n, 1), n; !dims.IsExpr(n) {
		window[axis], low[axis] = max(n, 1), max(n-1, 0)
	}
	ones := slices.Repeat([]int{1}, rank)
	return record1(op, x, []ir.Attr{
		ir.SumPoolWindow: {Ints: window}, ir.SumPoolStrides: {Ints: ones}, ir.SumPoolLow: {Ints: low}, ir.SumPoolHigh: {Ints: make([]int, rank)}, ir.SumPoolDilation: {Ints: ones},
	}...)
}

func computeCumSum(x *Tensor, axis int) *Tensor { return x.scanned(ir.OpSumPool, axis) }

func computeCumProd(x *Tensor, axis int) *Tensor {
	first := atEnd(x, axis, false)
	return first.Where(x, x.like(0)).LinearScan(first.Where(x.like(0), x), axis, false)
}

// atEnd is true where the elements of x are the first along the axis, or the last.
func atEnd(x *Tensor, axis int, last bool) *Tensor {
	shape := slices.Repeat([]int{1}, x.Rank())
	shape[axis] = x.OpenDim(axis)
	at := Iota(x.tr, types.I64, axis, shape...)
	if last {
		return at.Equal(at.sized(dims.Sub(shape[axis], 1)))
	}
	return at.Equal(at.like(0))
}

func computeCumMax(x *Tensor, axis int) (values, indices *Tensor) {
	values = x.scanned(ir.OpMaxPool, axis)
	return values, lastHits(x, values, axis)
}

// lastHits returns the index of the last element up to each that equals the value there, or
// is NaN.
func lastHits(x, values *Tensor, axis int) *Tensor {
	hit := x.Equal(values)
	if x.DType().IsFloat() {
		hit = hit.Or(x.NotEqual(x))
	}
	at := Iota(x.tr, types.I64, axis, x.OpenShape()...)
	return hit.Where(at, at.like(0)).scanned(ir.OpMaxPool, axis)
}

func gradCumMax(x *Tensor, y, ct []*Tensor, axis int) []*Tensor {
	return chosenByEach(x, y[1], ct[0], axis)
}

// chosenByEach is the gradient of elements of x that indices choose, as many as there are.
func chosenByEach(x, indices, ct *Tensor, axis int) []*Tensor {
	if ct == nil {
		return []*Tensor{nil}
	}
	return []*Tensor{Zeros(x.tr, x.DType(), x.OpenShape()...).scatterAlong("scatter", indices, ct, axis, ir.CombineAdd)}
}

func computeCumMin(x *Tensor, axis int) (values, indices *Tensor) {
	values = opposite(opposite(x).scanned(ir.OpMaxPool, axis))
	return values, lastHits(x, values, axis)
}

func gradCumMin(x *Tensor, y, ct []*Tensor, axis int) []*Tensor {
	return chosenByEach(x, y[1], ct[0], axis)
}

// moveOn moves elements to the next place along the axis, or to the one before; the place
// left has 0.
func moveOn(x *Tensor, axis, by int) *Tensor {
	low, high := make([]int, x.Rank()), make([]int, x.Rank())
	low[axis], high[axis] = by, -by
	return x.Pad(x.like(0), low, high, make([]int, x.Rank()))
}

// computeLogCumSumExp is the logarithm of scaledSums, plus what they are scaled by.
func computeLogCumSumExp(x *Tensor, axis int) *Tensor {
	return wide(x, func(x *Tensor) *Tensor {
		sums, base, _ := scaledSums(x, axis)
		return sums.Log().Add(base)
	})
}

// scaledSums returns the sums of exp(x-base) up to each element, where base is the largest element
// so far, and 0 where that is infinite. The sums are scaled down by scale as it grows.
func scaledSums(x *Tensor, axis int) (sums, base, scale *Tensor) {
	most := x.scanned(ir.OpMaxPool, axis)
	base = finite(most)
	none := atEnd(x, axis, false).Or(moveOn(most, axis, 1).Equal(x.like(math.Inf(-1))))
	scale = none.Where(x.like(0), none.Where(x.like(0), moveOn(base, axis, 1).Sub(base)).Exp())
	return x.Sub(base).Exp().LinearScan(scale, axis, false), base, scale
}

// gradLogCumSumExp: element k has the gradient Σ ct[i] exp(x[k]-y[i]) of all i from k on,
// which is exp(x[k]-y[k]) times a recurrence of factors exp(y[k]-y[k+1]), none above 1. They
// are quotients of sums: y itself is rounded to units that are large where it is.
func gradLogCumSumExp(x, y, ct *Tensor, axis int) []*Tensor {
	d := x.DType()
	x, y, ct = inF32(x), inF32(y), inF32(ct)
	sums, base, scale := scaledSums(x, axis)
	infinite := y.Abs().Equal(y.like(math.Inf(1)))
	next := moveOn(sums, axis, -1)
	last := infinite.Or(atEnd(y, axis, true))
	step := last.Where(y.like(1), sums.Mul(moveOn(scale, axis, -1)).Div(last.Where(y.like(1), next)))
	worth := ct.LinearScan(step, axis, true)
	nothing := y.Equal(y.like(math.Inf(-1)))
	g := nothing.Where(y.like(0), nothing.Where(y.like(0), x.Sub(base)).Exp().Div(nothing.Where(y.like(1), sums))).Mul(worth)
	if g.DType() != d {
		g = g.Convert(d)
	}
	return []*Tensor{g}
}

func checkKthValue(x *Tensor, k, axis int) *breach {
	if d := x.OpenDim(axis); k < 1 && !dims.IsExpr(k) || dims.Less(d, k) {
		return breaks(kthValueK, "k is %s, axis %d has %s", dims.String(k), axis, countOf(d, "element"))
	}
	return nil
}

func computeKthValue(x *Tensor, k, axis int) (values, indices *Tensor) {
	values, indices = x.Sort(axis, false)
	return values.Select(axis, dims.Sub(k, 1)), indices.Select(axis, dims.Sub(k, 1))
}

func gradKthValue(x *Tensor, y, ct []*Tensor, _, axis int) []*Tensor {
	return chosenAlong(x, y[1], ct[0], axis)
}

func checkMedian(x *Tensor, axis int) *breach { return hasElements(x, axis, medianElements) }

func computeMedian(x *Tensor, axis int) (values, indices *Tensor) {
	sorted, from := x.Sort(axis, false)
	last := dims.Sub(x.OpenDim(axis), 1)
	middle := dims.Div(last, 2)
	values, indices = sorted.Select(axis, middle), from.Select(axis, middle)
	if x.DType().IsFloat() { // NaNs come last
		largest := sorted.Select(axis, last)
		nan := largest.NotEqual(largest)
		values, indices = nan.Where(largest, values), nan.Where(x.ArgMax(axis), indices)
	}
	return values, indices
}

func gradMedian(x *Tensor, y, ct []*Tensor, axis int) []*Tensor {
	return chosenAlong(x, y[1], ct[0], axis)
}

func checkMode(x *Tensor, axis int) *breach { return hasElements(x, axis, modeElements) }

// computeMode takes the last element of the first longest run of equal sorted elements.
func computeMode(x *Tensor, axis int) (values, indices *Tensor) {
	sorted, from := x.Sort(axis, false)
	at := Iota(x.tr, types.I64, axis, x.OpenShape()...)
	begins := at.Equal(at.like(0)).Or(sorted.NotEqual(moveOn(sorted, axis, 1)))
	length := at.Sub(begins.Where(at, at.like(0)).scanned(ir.OpMaxPool, axis))
	end := length.ArgMax(axis)
	chosen := at.Equal(end.Unsqueeze(axis)) // one along the axis
	indices = chosen.Where(from, at.like(0)).Sum(axis)
	return chosen.Where(sorted, sorted.like(0)).Sum(axis).AsType(x.DType()), indices
}

func gradMode(x *Tensor, y, ct []*Tensor, axis int) []*Tensor {
	return chosenAlong(x, y[1], ct[0], axis)
}

func checkSearchSorted(x, values *Tensor, _ bool) *breach {
	switch {
	case x.Rank() == 0:
		return breaks(searchSortedRank, "x is a scalar")
	case x.Rank() > 1 && (values.Rank() != x.Rank() || !values.OpenShape()[:x.Rank()-1].Equal(x.OpenShape()[:x.Rank()-1])):
		return breaks(searchSortedBatch, "x has the shape %v and values %v", x.OpenShape(), values.OpenShape())
	}
	return nil
}

func computeSearchSorted(x, values *Tensor, right bool) *Tensor {
	n, last := x.OpenDim(-1), x.Rank()-1
	before := func(row, value *Tensor) *Tensor {
		y := row.Less(value)
		if right {
			y = row.LessEqual(value)
		}
		if x.DType().IsFloat() {
			y = y.Or(value.NotEqual(value))
		}
		return y
	}
	if dims.IsExpr(n) || n < 16 {
		row := x
		if last > 0 {
			row = x.Unsqueeze(-2)
		}
		return before(row, values.Unsqueeze(-1)).Convert(types.I64).Sum(-1)
	}
	// A binary search: the rows before low are all before the value.
	low := Zeros(x.tr, types.I64, values.OpenShape()...)
	for step := 1 << (bits.Len(uint(n)) - 1); step > 0; step /= 2 {
		next := low.Add(low.like(float64(step)))
		row := next.Sub(next.like(1)).Minimum(next.like(float64(n - 1)))
		element := record2(ir.OpGather, x, row, ir.Attr{Int: int64(last)})
		low = next.LessEqual(next.like(float64(n))).And(before(element, values)).Where(next, low)
	}
	return low
}

func checkBucketize(_, boundaries *Tensor, _ bool) *breach {
	if boundaries.Rank() != 1 {
		return breaks(bucketizeRank, "boundaries are %v", boundaries.Type())
	}
	return nil
}

func computeBucketize(x, boundaries *Tensor, right bool) *Tensor {
	return computeSearchSorted(boundaries, x, right)
}

// computeMean divides sums in f32 where x has 16 bits: they need not fit.
func computeMean(x *Tensor, axes []int) *Tensor {
	return wide(x, func(x *Tensor) *Tensor {
		sum, count := x.Sum(axes...), 1
		if n := sum.Type().Elements(); n != 0 {
			count = dims.Div(x.Type().Elements(), n)
		}
		return sum.Div(sum.sized(count))
	})
}

func checkTopK(x *Tensor, k, axis int) *breach {
	if d := x.OpenDim(axis); k < 0 || dims.Less(d, k) {
		return breaks(topKK, "k is %d, axis %d has %s", k, axis, countOf(d, "element"))
	}
	return nil
}

func computeTopK(x *Tensor, k, axis int) (values, indices *Tensor) {
	values, indices = x.Sort(axis, true)
	return values.Narrow(axis, 0, k), indices.Narrow(axis, 0, k)
}
