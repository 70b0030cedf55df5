package lazy

import (
	"math"
	"slices"

	"ltc/internal/diag"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

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
		scale = 1 / math.Sqrt(float64(max(q.Dim(-1), 1)))
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
	case k.Dim(-1) != q.Dim(-1):
		return breaks(attentionFeatures, "q has %s and k %d, which must be equal", diag.Count(q.Dim(-1), "feature"), k.Dim(-1))
	case v.Dim(-2) != k.Dim(-2):
		return breaks(attentionPlaces, "k has %s and v %s, which must be equal", countOf(k.Dim(-2), "place"), dims.String(v.Dim(-2)))
	case !slices.Equal(k.Shape()[:rank-2], v.Shape()[:rank-2]):
		return breaks(attentionBatch, "k and v must have the same batch and heads, have %v and %v", k.Shape()[:rank-2], v.Shape()[:rank-2])
	case rank > 2 && !slices.Equal(q.Shape()[:rank-3], k.Shape()[:rank-3]):
		return breaks(attentionBatch, "q and k must have the same batch, have %v and %v", q.Shape()[:rank-3], k.Shape()[:rank-3])
	case dims.IsExpr(q.Dim(-1)):
		return breaks(attentionFeatures, "the features, %s, must be a number", dims.String(q.Dim(-1)))
	case rank > 2 && q.Dim(-3) != k.Dim(-3) && !dims.Divides(q.Dim(-3), k.Dim(-3)):
		return breaks(attentionGroups, "the %s of q must be a multiple of the %d of k, which they share in groups", diag.Count(q.Dim(-3), "head"), k.Dim(-3))
	case causal && dims.Less(k.Dim(-2), q.Dim(-2)):
		return breaks(attentionCausal, "%s for %s: causal attention lets the last query see all keys, and each before it one less", diag.Count(q.Dim(-2), "query"), diag.Count(k.Dim(-2), "key"))
	case mask == nil:
		return nil
	}
	want := scoresOf(q, k)
	if s, ok := shapeinfer.BroadcastShapes(mask.Shape(), want); !ok || !s.Equal(want) {
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
	return append(slices.Clone(q.Shape()[:q.Rank()-1]), k.Dim(-2))
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

// gradAttention is, with the weights w, dv = wᵀ ct and of the scores ds = w (ct vᵀ - Σ ct y).
func gradAttention(q, k, v, mask, y, ct *Tensor, causal bool, scale float64) []*Tensor {
	d := q.DType()
	e, sum := attentionWeights(q, k, mask, causal, scale)
	q, k, v, y, ct = inF32(q), inF32(k), inF32(v), inF32(y), inF32(ct)
	w := e.Div(sum)
	ds := w.Mul(timesShared(ct, swapped(v)).Sub(keepSum(ct.Mul(y), ct.Rank()-1)))
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
		rows, columns := s.Dim(-2), s.Dim(-1)
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
	if mask != nil {
		sum = sum.Maximum(sum.like(1))
	}
	return e, sum
}

// swapped exchanges the last two axes.
func swapped(x *Tensor) *Tensor {
	perm := places(x.Rank())
	slices.Reverse(perm[len(perm)-2:])
	return x.Transpose(perm...)
}

// byGroups returns x[…, heads, rows, n] with the rows of the heads that share a
// group of y one after the other: x[…, groups, rows·heads/groups, n].
func byGroups(x, y *Tensor) *Tensor {
	if x.Rank() < 3 || x.Dim(-3) == y.Dim(-3) {
		return x
	}
	shape := slices.Clone(x.Shape())
	n := len(shape)
	shape[n-3], shape[n-2] = y.Dim(-3), dims.Mul(shape[n-2], dims.Div(shape[n-3], y.Dim(-3)))
	return x.Reshape(shape...)
}

// timesShared returns the product of the matrix of each head with that of its
// group.
func timesShared(x, y *Tensor) *Tensor {
	z := byGroups(x, y).MatMul(y)
	shape := append(slices.Clone(x.Shape()[:x.Rank()-1]), y.Dim(-1))
	if z.Shape().Equal(shape) {
		return z
	}
	return z.Reshape(shape...)
}
