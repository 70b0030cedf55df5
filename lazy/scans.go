package lazy

import (
	"math"
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

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
