package lazy

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy/internal/axes"
	"ltc/shapeinfer"
)

// ConvOptions say how a kernel moves over a tensor. Lists have an entry for each
// spatial axis; nil stands for what is said of each.
type ConvOptions struct {
	Strides  []int    // places from one window to the next: 1
	Pad      int      // zeros on each side of every spatial axis, where Padding is nil: none
	Padding  [][2]int // zeros before and after; negative ones take elements away: none
	Dilation []int    // places from one element of the kernel to the next: 1
	Base     []int    // places from one element of x to the next, with zeros between: 1. It makes a transposed convolution
	Groups   int      // the features are in groups that see nothing of each other: 1 (0 counts as 1)
	Batches  int      // the batch is in groups, each for output features of its own: 1 (0 counts as 1)
	// Layout names the axes of x, of the kernel and of the result. N is the batch, and C
	// the features of x and of the result. I and O are the input and output features of the
	// kernel, and every other letter is a spatial axis. Without it the layout is
	// NCHW,OIHW->NCHW, with as many spatial axes as there are.
	Layout string
}

// Conv returns the convolution of x with kernel, as neural networks mean it:
// the kernel is not turned around. This is a result with the layout NHWC,HWIO->NHWC:
//
//	y[n,h,w,o] = Σ x[n, h·stride + i·dilation - low, w·stride + j·dilation - low, c] kernel[i,j,c,o]
//
// The sum is over i, j and c. Elements beyond the edge of x are 0. The kernel has 1/Groups
// of the features of x.
//
// PyTorch's ConvTranspose of stride s, padding p and a weight of k places is the Conv by
// weight.Reverse(2, 3) with Base s, Padding k-1-p and Layout NCHW,IOHW->NCHW.
func (x *Tensor) Conv(kernel *Tensor, o ConvOptions) *Tensor {
	const op = "conv"
	if t := firstBad(op, x, kernel); t != nil {
		return t
	}
	rank := x.Rank()
	dims := ir.ConvDims{Input: types.Axes(rank), Kernel: types.Axes(rank), Output: types.Axes(rank)}
	if o.Layout != "" {
		var err error
		if dims, err = axes.OfConv(o.Layout); err != nil {
			return x.violates(op, "layout", err.Error(), x, kernel)
		}
		if n := len(dims.Input); n != rank {
			return x.violates(op, "layout", fmt.Sprintf("layout %s has %s, x has %d", o.Layout, diag.Count(n, "axis"), rank), x, kernel)
		}
	}
	spatial := max(rank-2, 0)
	if o.Pad != 0 && o.Padding != nil {
		return x.violates(op, "padding", padAndPadding, x, kernel)
	}
	low, high := paddingSides(o.Padding, o.Pad, spatial)
	return record2(ir.OpConv, x, kernel, []ir.Attr{
		ir.ConvStrides: {Ints: onesUnless(o.Strides, spatial)}, ir.ConvLow: {Ints: low}, ir.ConvHigh: {Ints: high},
		ir.ConvBase: {Ints: onesUnless(o.Base, spatial)}, ir.ConvDilation: {Ints: onesUnless(o.Dilation, spatial)},
		ir.ConvInput: {Ints: dims.Input}, ir.ConvKernel: {Ints: dims.Kernel}, ir.ConvOutput: {Ints: dims.Output},
		ir.ConvGroups: {Int: int64(cmp.Or(o.Groups, 1))}, ir.ConvBatches: {Int: int64(cmp.Or(o.Batches, 1))},
	}...)
}

const padAndPadding = "Pad and Padding are both given: Pad stands for the same on all sides"

// PoolOptions say how a window moves over a tensor. Lists have an entry for each
// spatial axis; nil stands for what is said of each.
type PoolOptions struct {
	Strides  []int    // places from one window to the next: the window's size
	Pad      int      // places on each side of every spatial axis, where Padding is nil: none
	Padding  [][2]int // places before and after; negative ones take elements away: none
	Dilation []int    // places from one element of the window to the next: 1
	// Layout names the axes: N is the batch, C the features, and every other
	// letter a spatial axis, which the window is over. Without it the layout is
	// NCHW, with as many spatial axes as there are.
	Layout string
}

// MaxPool returns the largest elements of the windows of the given size over the
// spatial axes of x, for each of the batch and each feature; NaN where a window
// has one. Padding counts in no window.
func (x *Tensor) MaxPool(window []int, o PoolOptions) *Tensor {
	return x.pool(ir.OpMaxPool, window, o)
}

// SumPool returns the sums of the windows of the given size over the spatial axes
// of x, for each of the batch and each feature.
func (x *Tensor) SumPool(window []int, o PoolOptions) *Tensor {
	return x.pool(ir.OpSumPool, window, o)
}

// AvgPool returns [Tensor.SumPool] divided by the number of places in a window:
// padding counts as zeros.
func (x *Tensor) AvgPool(window []int, o PoolOptions) *Tensor {
	a, bad := x.windows("avg_pool", window, o)
	if bad != nil {
		return bad
	}
	return recordAvgPool(x, a[0].Ints, a[1].Ints, a[2].Ints, a[3].Ints, a[4].Ints)
}

func computeAvgPool(x *Tensor, window, strides, low, high, dilation []int) *Tensor {
	places := 1.0
	for _, n := range window {
		places *= float64(n)
	}
	y := record1(ir.OpSumPool, x, ir.Attr{Ints: window}, ir.Attr{Ints: strides}, ir.Attr{Ints: low}, ir.Attr{Ints: high}, ir.Attr{Ints: dilation})
	if y.err != nil {
		return y
	}
	return y.Div(y.like(places))
}

func (x *Tensor) pool(op ir.Op, window []int, o PoolOptions) *Tensor {
	a, bad := x.windows(op.String(), window, o)
	if bad != nil {
		return bad
	}
	return record1(op, x, a[:]...)
}

// windows returns what the options say of each axis of x, as the attributes of pools.
func (x *Tensor) windows(name string, window []int, o PoolOptions) (a [5]ir.Attr, bad *Tensor) {
	if t := firstBad(name, x); t != nil {
		return a, t
	}
	spatial, err := axes.OfPool(o.Layout, x.Rank())
	if err != nil {
		return a, x.violates(name, "layout", err.Error())
	}
	strides := o.Strides
	if strides == nil {
		strides = window
	}
	if o.Pad != 0 && o.Padding != nil {
		return a, x.violates(name, "padding", padAndPadding)
	}
	low, high := paddingSides(o.Padding, o.Pad, len(spatial))
	dilation := onesUnless(o.Dilation, len(spatial))
	for _, l := range []struct {
		name string
		n    int
	}{{"window", len(window)}, {"Strides", len(strides)}, {"Padding", len(low)}, {"Dilation", len(dilation)}} {
		if l.n != len(spatial) {
			return a, x.violates(name, "entries", fmt.Sprintf("%s has %s, x has %s", l.name, diag.Count(l.n, "entry"), diag.Count(len(spatial), "spatial axis")))
		}
	}
	over := func(list []int, none int) ir.Attr {
		all := slices.Repeat([]int{none}, x.Rank())
		for i, a := range spatial {
			all[a] = list[i]
		}
		return ir.Attr{Ints: all}
	}
	return [5]ir.Attr{over(window, 1), over(strides, 1), over(low, 0), over(high, 0), over(dilation, 1)}, nil
}

// AttentionOptions say what queries see and how scores are scaled.
type AttentionOptions struct {
	// Scale is what scores are multiplied by; 0 stands for 1/√dim.
	Scale float64
	// Causal hides later keys: the last query sees all keys, each before it one
	// less, as in decoding with a cache. There must be no more queries than keys.
	Causal bool
	// Mask, which broadcasts to [batch…, heads, queries, keys], says which keys a query
	// sees if it is bool. A mask of the dtype of the queries, or of f32 if that has 16
	// bits, is added to their scores. A query that sees nothing, all of whose scores are
	// -Inf, gives zeros. A query all of whose scores are as low as finite numbers are gives
	// the mean of all values.
	Mask *Tensor
}

// Attention returns softmax(q kᵀ·scale) v, each query's mean of the values, weighted by how
// well its keys match. Of q[batch…, heads, queries, dim], k[batch…, groups, keys, dim] and
// v[batch…, groups, keys, width] it is [batch…, heads, queries, width]. As many heads as
// each group counts, side by side, share its keys and values. Without an axis of heads
// (rank 2) there is one.
//
// Sums and the softmax of 16-bit floats are of f32; the weights are rounded to the
// operands' dtype before they meet the values.
func (q *Tensor) Attention(k, v *Tensor, o AttentionOptions) *Tensor {
	scale := o.Scale
	if scale == 0 && q.Rank() > 0 {
		scale = 1 / math.Sqrt(float64(max(q.OpenDim(-1), 1)))
	}
	mask := o.Mask
	if mask != nil {
		tr, bad := builtins[compositeAttention].guard(nil, q, k, v, mask)
		if bad != nil {
			return bad
		}
		if checkAttention(q, k, v, mask, o.Causal, scale) == nil {
			mask = tr.Read(mask).BroadcastTo(scoresOf(q, k)...)
		}
	}
	return recordAttention(q, k, v, mask, o.Causal, scale)
}

func checkAttention(q, k, v, mask *Tensor, causal bool, _ float64) *breach {
	rank := q.Rank()
	switch {
	case rank < 2 || k.Rank() != rank || v.Rank() != rank:
		return breaks(attentionRanks, "q, k and v must have one rank, of at least 2: batch…, heads, places, features")
	case k.OpenDim(-1) != q.OpenDim(-1):
		return breaks(attentionFeatures, "q has %s and k %d, which must be equal", diag.Count(q.OpenDim(-1), "feature"), k.OpenDim(-1))
	case v.OpenDim(-2) != k.OpenDim(-2):
		return breaks(attentionPlaces, "k has %s and v %s, which must be equal", countOf(k.OpenDim(-2), "place"), dims.String(v.OpenDim(-2)))
	case !slices.Equal(k.OpenShape()[:rank-2], v.OpenShape()[:rank-2]):
		return breaks(attentionBatch, "k and v must have the same batch and heads, have %v and %v", k.OpenShape()[:rank-2], v.OpenShape()[:rank-2])
	case rank > 2 && !slices.Equal(q.OpenShape()[:rank-3], k.OpenShape()[:rank-3]):
		return breaks(attentionBatch, "q and k must have the same batch, have %v and %v", q.OpenShape()[:rank-3], k.OpenShape()[:rank-3])
	case dims.IsExpr(q.OpenDim(-1)):
		return breaks(attentionFeatures, "the features, %s, must be a number", dims.String(q.OpenDim(-1)))
	case rank > 2 && q.OpenDim(-3) != k.OpenDim(-3) && !dims.Divides(q.OpenDim(-3), k.OpenDim(-3)):
		return breaks(attentionGroups, "the %s of q must be a multiple of the %d of k, which they share in groups", diag.Count(q.OpenDim(-3), "head"), k.OpenDim(-3))
	case causal && dims.Less(k.OpenDim(-2), q.OpenDim(-2)):
		return breaks(attentionCausal, "%s for %s: causal attention lets the last query see all keys, and each before it one less", diag.Count(q.OpenDim(-2), "query"), diag.Count(k.OpenDim(-2), "key"))
	case mask == nil:
		return nil
	}
	want := scoresOf(q, k)
	if s, ok := shapeinfer.BroadcastShapes(mask.OpenShape(), want); !ok || !s.Equal(want) {
		return breaks(attentionMask, "the mask must broadcast to %v: batch…, heads, queries, keys", want)
	}
	d := q.DType()
	switch m := mask.DType(); {
	case m == types.Bool || m == d || m == types.F32 && d.Size() == 2:
		return nil
	case d.Size() == 2:
		return breaks(attentionBias, "the mask must be bool, f32, or %v as q is, is %v; convert it with Convert", d, m)
	default:
		return breaks(attentionBias, "the mask must be bool, or %v as q is, is %v; convert it with Convert", d, m)
	}
}

// scoresOf returns the shape of the scores of queries and keys.
func scoresOf(q, k *Tensor) types.Shape {
	return append(slices.Clone(q.OpenShape()[:q.Rank()-1]), k.OpenDim(-2))
}

// computeAttention takes a mask of the scores' shape.
func computeAttention(q, k, v, mask *Tensor, causal bool, scale float64) *Tensor {
	d := q.DType()
	return wide(q, func(*Tensor) *Tensor {
		e, sum := attentionWeights(q, k, mask, causal, scale)
		if e.DType() != d {
			e = e.Convert(d).Convert(e.DType())
		}
		return timesShared(e, inF32(v)).Div(sum)
	})
}

// gradAttention is, with the weights w, dv = wᵀ ct and of the scores ds = w (dw - Σ w dw), where
// dw = ct vᵀ. That sum is Σ ct y, too, whose rounding would not cancel that of dw.
func gradAttention(q, k, v, mask, _, ct *Tensor, causal bool, scale float64) []*Tensor {
	d := q.DType()
	e, sum := attentionWeights(q, k, mask, causal, scale)
	q, k, v, ct = inF32(q), inF32(k), inF32(v), inF32(ct)
	w, dw := e.Div(sum), timesShared(ct, swapped(v))
	ds := w.Mul(dw.Sub(keepSum(w.Mul(dw), w.Rank()-1)))
	scaled := ds.MulScalar(scale)
	grads := []*Tensor{timesShared(scaled, k), swapped(byGroups(scaled, k)).MatMul(byGroups(q, k)), swapped(byGroups(w, v)).MatMul(byGroups(ct, v))}
	for i, g := range grads {
		if g.DType() != d {
			grads[i] = g.Convert(d)
		}
	}
	switch {
	case mask == nil:
		return grads
	case mask.DType() == types.Bool:
		return append(grads, nil)
	case mask.DType() != ds.DType():
		ds = ds.Convert(mask.DType())
	}
	return append(grads, ds)
}

// attentionWeights returns the exponentials of the scores, shifted so that the
// largest is 1, and the sum of those of each query, at least 1, so that quotients
// are 0 where nothing is seen.
func attentionWeights(q, k, mask *Tensor, causal bool, scale float64) (e, sum *Tensor) {
	q, k = inF32(q), inF32(k)
	s := timesShared(q, swapped(k)).MulScalar(scale)
	last := s.Rank() - 1
	var seen *Tensor
	if causal {
		rows, columns := s.OpenDim(-2), s.OpenDim(-1)
		row, column := Iota(s.tr, types.I32, 0, rows, columns), Iota(s.tr, types.I32, 1, rows, columns)
		seen = column.LessEqual(row.Add(row.sized(dims.Sub(columns, rows))))
	}
	if mask != nil {
		if mask.DType() != types.Bool {
			s = s.Add(inF32(mask))
		} else if seen == nil {
			seen = mask
		} else {
			seen = seen.And(mask)
		}
	}
	if seen != nil {
		s = seen.Where(s, s.like(math.Inf(-1)))
	}
	most := keepMax(s, last)
	if mask != nil {
		lowest := -math.MaxFloat32
		if s.DType() == types.F64 {
			lowest = -math.MaxFloat64
		}
		most = most.Maximum(s.like(lowest))
	}
	e = s.Sub(most).Exp()
	sum = keepSum(e, last)
	if mask != nil || s.OpenDim(last) == 0 {
		sum = sum.Maximum(sum.like(1))
	}
	return e, sum
}

// swapped exchanges the last two axes.
func swapped(x *Tensor) *Tensor {
	perm := types.Axes(x.Rank())
	slices.Reverse(perm[len(perm)-2:])
	return x.Transpose(perm...)
}

// byGroups returns x[…, heads, rows, n] with the rows of the heads that share a
// group of y one after the other: x[…, groups, rows·heads/groups, n].
func byGroups(x, y *Tensor) *Tensor {
	if x.Rank() < 3 || x.OpenDim(-3) == y.OpenDim(-3) {
		return x
	}
	shape := slices.Clone(x.OpenShape())
	n := len(shape)
	shape[n-3], shape[n-2] = y.OpenDim(-3), dims.Mul(shape[n-2], dims.Div(shape[n-3], y.OpenDim(-3)))
	return x.Reshape(shape...)
}

// timesShared returns the product of the matrix of each head with that of its
// group.
func timesShared(x, y *Tensor) *Tensor {
	z := byGroups(x, y).MatMul(y)
	shape := append(slices.Clone(x.OpenShape()[:x.Rank()-1]), y.OpenDim(-1))
	if z.OpenShape().Equal(shape) {
		return z
	}
	return z.Reshape(shape...)
}

// onesUnless returns list, or n ones in its place.
func onesUnless(list []int, n int) []int {
	if list == nil {
		return slices.Repeat([]int{1}, n)
	}
	return list
}

// paddingSides splits padding into what is before and after; nil is n times the same on both.
func paddingSides(padding [][2]int, same, n int) (low, high []int) {
	if padding == nil {
		padding = slices.Repeat([][2]int{{same, same}}, n)
	}
	low, high = make([]int, len(padding)), make([]int, len(padding))
	for i, p := range padding {
		low[i], high[i] = p[0], p[1]
	}
	return low, high
}

// keepSum and keepMax reduce one axis and leave it with dimension 1.
func keepSum(x *Tensor, axis int) *Tensor { return x.Sum(axis).Unsqueeze(axis) }
func keepMax(x *Tensor, axis int) *Tensor { return x.Max(axis).Unsqueeze(axis) }

func computeSoftmax(x *Tensor, axis int) *Tensor {
	return wide(x, func(x *Tensor) *Tensor {
		e := x.Sub(keepMax(x, axis)).Exp()
		return e.Div(keepSum(e, axis))
	})
}

// gradSoftmax is y (ct - Σ ct y).
func gradSoftmax(_, y, ct *Tensor, axis int) []*Tensor {
	return []*Tensor{y.Mul(ct.Sub(keepSum(ct.Mul(y), axis)))}
}

func computeLogSoftmax(x *Tensor, axis int) *Tensor {
	return wide(x, func(x *Tensor) *Tensor {
		shifted := x.Sub(keepMax(x, axis))
		return shifted.Sub(keepSum(shifted.Exp(), axis).Log())
	})
}

// gradLogSoftmax is ct - exp(y) Σ ct.
func gradLogSoftmax(_, y, ct *Tensor, axis int) []*Tensor {
	return []*Tensor{ct.Sub(y.Exp().Mul(keepSum(ct, axis)))}
}

func computeGELU(x *Tensor) *Tensor {
	return wide(x, func(x *Tensor) *Tensor {
		const invSqrt2 = 0.70710678118654752440
		return x.MulScalar(0.5).Mul(x.MulScalar(invSqrt2).Erf().AddScalar(1))
	})
}

func checkLayerNorm(x, gamma, beta *Tensor, _ float64) *breach {
	if x.Rank() == 0 {
		return breaks(layerNormRank, "x must have an axis")
	}
	n := x.OpenDim(-1)
	if gamma.Rank() == 1 && gamma.OpenDim(0) == n && beta.Rank() == 1 && beta.OpenDim(0) == n {
		return nil
	}
	return breaks(layerNormRow, "gamma and beta must be %v, like a row of x", types.Of(x.DType(), n))
}

func computeLayerNorm(x, gamma, beta *Tensor, epsilon float64) *Tensor {
	d := x.DType()
	return wide(x, func(x *Tensor) *Tensor {
		centred := x.Sub(x.Mean(-1).Unsqueeze(-1))
		variance := centred.Mul(centred).Mean(-1).Unsqueeze(-1)
		if x.DType() != d {
			gamma, beta = gamma.Convert(x.DType()), beta.Convert(x.DType())
		}
		return centred.Mul(variance.AddScalar(epsilon).Rsqrt()).Mul(gamma).Add(beta)
	})
}

// classesOf returns the axis of the classes of logits: axis 1, or the only one.
func classesOf(x *Tensor) int { return min(x.Rank()-1, 1) }

func checkCrossEntropy(x, labels *Tensor) *breach {
	if x.Rank() == 0 {
		return breaks(crossEntropyRank, "x must have an axis, of classes")
	}
	c := classesOf(x)
	if rows := slices.Delete(slices.Clone(x.OpenShape()), c, c+1); !labels.OpenShape().Equal(rows) {
		return breaks(crossEntropyLabels, "labels must be integers of shape %v, one for each row of logits", rows)
	}
	return nil
}

func computeCrossEntropy(x, labels *Tensor) *Tensor {
	// Selected, not multiplied: a class that is not the label may be at -Inf.
	c := classesOf(x)
	logp := x.LogSoftmax(c)
	mask := recordLabelMask(labels, x.OpenDim(c)).moved(x.Rank()-1, c)
	picked := mask.Where(logp, logp.like(0))
	rows := dims.Div(x.Type().Elements(), dims.Max(x.OpenDim(c), 1))
	return wide(picked, func(picked *Tensor) *Tensor {
		sum := picked.Sum()
		return sum.Div(sum.sized(dims.Sub(0, rows)))
	})
}

func computeLabelMask(labels *Tensor, classes int) *Tensor {
	return oneHot("cross_entropy", labels, classes, types.Bool)
}
