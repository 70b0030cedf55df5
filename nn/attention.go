package nn

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ltc/internal/functions"
	"ltc/ir/ops"
	"ltc/lazy"
)

// ScaledDotProductAttention is [lazy.Tensor.Attention], but that the axes of q, k and v before the last
// three broadcast. Causal queries are aligned at the first key, as PyTorch has it: query i sees the keys
// up to i, however many there are.
func ScaledDotProductAttention(q, k, v *lazy.Tensor, o lazy.AttentionOptions) *lazy.Tensor {
	return functions.As("nn.scaled_dot_product_attention", func() *lazy.Tensor { return attention(q, k, v, o) }, q, k, v, o.Mask)
}

func attention(q, k, v *lazy.Tensor, o lazy.AttentionOptions) *lazy.Tensor {
	q, k, v = ofOneBatch(q, k, v)
	if tr := q.Trace(); o.Causal && tr != nil && q.Rank() > 1 && k.Rank() > 1 && q.OpenDim(-2) != k.OpenDim(-2) {
		n, m := q.OpenDim(-2), k.OpenDim(-2)
		sees := lazy.Iota(tr, lazy.I32, 1, n, m).LessEqual(lazy.Iota(tr, lazy.I32, 0, n, m))
		switch {
		case o.Mask == nil:
			o.Mask = sees
		case o.Mask.DType() == lazy.Bool:
			o.Mask = o.Mask.And(sees)
		default:
			o.Mask = sees.WhereScalar(o.Mask, math.Inf(-1))
		}
		o.Causal = false
	}
	return q.Attention(k, v, o)
}

// ofOneBatch broadcasts the axes of tensors before the last three; it leaves those alone that do not
// broadcast.
func ofOneBatch(q, k, v *lazy.Tensor) (_, _, _ *lazy.Tensor) {
	all := []*lazy.Tensor{q, k, v}
	rank := 0
	for _, x := range all {
		if x == nil || x.Err() != nil || x.Rank() < 2 {
			return q, k, v
		}
		rank = max(rank, x.Rank())
	}
	if rank < 4 {
		if q.Rank() == k.Rank() && k.Rank() == v.Rank() {
			return q, k, v
		}
		rank = 3
	}
	batch, ok := functions.Batches(3, all...)
	if !ok {
		return q, k, v
	}
	for i, x := range all {
		x = ofRank(x, rank)
		if own := x.OpenShape(); !slices.Equal(own[:rank-3], batch) {
			x = x.BroadcastTo(slices.Concat(batch, own[rank-3:])...)
		}
		all[i] = x
	}
	return all[0], all[1], all[2]
}

// MultiHeadOptions are the weights of [MultiHeadAttention], and what its queries see.
type MultiHeadOptions struct {
	Heads     int
	In        *lazy.Tensor // [3·features, features]: what queries, keys and values are multiplied by, one after the other
	InBias    *lazy.Tensor // [3·features]; nil: none
	Out       *lazy.Tensor // [features, features]: what the results of all heads are multiplied by
	OutBias   *lazy.Tensor // [features]; nil: none
	Attention lazy.AttentionOptions
	Dropout   float64      // the probability of zeros among the weights of attention: none
	Random    *lazy.Random // which Dropout draws from
}

// MultiHeadAttention returns the attention of queries[batch, n, features] to keys and values[batch, m,
// features], each head with its part of the features. The batch can be left out. Unlike PyTorch's,
// a bool mask says which keys a query sees.
func MultiHeadAttention(queries, keys, values *lazy.Tensor, o MultiHeadOptions) *lazy.Tensor {
	return functions.As("nn.multi_head_attention", func() *lazy.Tensor { return multiHead(queries, keys, values, o) },
		queries, keys, values, o.In, o.Out, o.InBias, o.OutBias, o.Attention.Mask)
}

func multiHead(queries, keys, values *lazy.Tensor, o MultiHeadOptions) *lazy.Tensor {
	if queries.Rank() == 2 && keys.Rank() == 2 && values.Rank() == 2 {
		return multiHead(queries.Unsqueeze(0), keys.Unsqueeze(0), values.Unsqueeze(0), o).Squeeze(0)
	}
	split := recordHeads(queries, o.In, o.InBias, o.Heads, 0)
	k, v := recordHeads(keys, o.In, o.InBias, o.Heads, 1), recordHeads(values, o.In, o.InBias, o.Heads, 2)
	y := (*lazy.Tensor)(nil)
	if o.Dropout == 0 {
		y = ScaledDotProductAttention(split, k, v, o.Attention)
	} else {
		y = o.dropoutAttention(split, k, v)
	}
	if y.Err() != nil {
		return y
	}
	joined := y.Transpose(0, 2, 1, 3).Reshape(queries.OpenDim(0), queries.OpenDim(1), queries.OpenDim(2))
	return Linear(joined, o.Out, o.OutBias)
}

// dropoutAttention is ScaledDotProductAttention of as many keys as values, with zeros among its weights.
func (o *MultiHeadOptions) dropoutAttention(q, k, v *lazy.Tensor) *lazy.Tensor {
	scale := o.Attention.Scale
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(q.Dim(-1)))
	}
	scores := q.MatMul(k.Transpose(0, 1, 3, 2)).MulScalar(scale)
	if tr := scores.Trace(); o.Attention.Causal && tr != nil {
		n, m := q.OpenDim(-2), k.OpenDim(-2)
		scores = lazy.Iota(tr, lazy.I32, 1, n, m).LessEqual(lazy.Iota(tr, lazy.I32, 0, n, m)).WhereScalar(scores, math.Inf(-1))
	}
	if mask := o.Attention.Mask; mask != nil && mask.DType() == lazy.Bool {
		scores = mask.WhereScalar(scores, math.Inf(-1))
	} else if mask != nil {
		scores = scores.Add(mask)
	}
	return o.Random.Dropout(SafeSoftmax(scores, -1), o.Dropout).MatMul(v)
}

func checkHeads(x, in, bias *lazy.Tensor, heads, part int) (demand, reason string) {
	if x.Rank() != 3 {
		return headsRank, fmt.Sprintf("x has rank %d, must be [batch, n, features], or all without batch", x.Rank())
	}
	f := x.Dim(2)
	if in.Rank() == 2 && in.Dim(0) == 3*in.Dim(1) && in.Dim(1) != f {
		return headsWeights, fmt.Sprintf("the last dimension of %s is %d, must be %d, the features of in (Features of layers.MultiheadAttention)", operandOfPart(part), f, in.Dim(1))
	}
	if in.Rank() != 2 || in.Dim(0) != 3*f || in.Dim(1) != f || bias != nil && (bias.Rank() != 1 || bias.Dim(0) != 3*f) {
		return headsWeights, fmt.Sprintf("in must be [%d, %d], and its bias [%d]", 3*f, f, 3*f)
	}
	if heads < 1 || f%heads != 0 {
		return headsHeads, fmt.Sprintf("the number of heads is %d, of features %d", heads, f)
	}
	return "", ""
}

// operandOfPart names the operand of MultiHeadAttention that a third of in is for.
func operandOfPart(part int) string { return [...]string{"queries", "keys", "values"}[part] }

func computeHeads(x, in, bias *lazy.Tensor, heads, part int) *lazy.Tensor {
	f := x.Dim(2)
	if bias != nil {
		bias = bias.Narrow(0, part*f, f)
	}
	y := computeLinear(x, in.Narrow(0, part*f, f), bias)
	return y.Reshape(x.OpenDim(0), x.OpenDim(1), heads, f/heads).Transpose(0, 2, 1, 3)
}

// RotaryOptions say how [Rotary] turns features.
type RotaryOptions struct {
	Base        float64 // what the angles' powers are of; 0 stands for 10,000
	Interleaved bool    // a pair is two neighbours, as in GGUF files; else features i and i+features/2, as in the library transformers
}

// Rotary returns x[…, n, features] with pairs of features turned by angles that grow with the place
// of each of the n tokens, places[n] of integers: rotary position embedding. Pair i of p turns by
// place·Base^(-i/p). The number of features is even.
func Rotary(x, places *lazy.Tensor, o RotaryOptions) *lazy.Tensor {
	return definedRotary.Call(lazy.Attrs{"base": o.Base, "interleaved": o.Interleaved}, x, places)
}

var definedRotary = lazy.Define(lazy.Composite{
	Name: "nn.rotary", Doc: "returns x with pairs of features turned.", Inline: true,
	Operands: []ops.Operand{{Name: "x", Is: ops.FloatOrComplex}, {Name: "places", Is: ops.Integer}},
	Attrs:    []ops.Attr{{Name: "base", Kind: ops.Real}, {Name: "interleaved", Kind: ops.Flag}},
	Where:    []ops.Demand{{Name: "rank", Text: "x has two axes or more"}, {Name: "even", Text: "the number of features is even"}, {Name: "base", Text: "base is a positive number"}},
	Check: func(x []*lazy.Tensor, a lazy.Attrs) (demand, reason string) {
		switch base := a.Float("base"); {
		case base < 0:
			return "base", fmt.Sprintf("base is %v, must be positive, or 0 for 10,000", base)
		case x[0].Rank() < 2:
			return "rank", fmt.Sprintf("x has rank %d, must be […, n, features]", x[0].Rank())
		case x[0].Dim(-1)%2 != 0:
			return "even", fmt.Sprintf("features is %d, must be even", x[0].Dim(-1))
		}
		return "", ""
	},
}, func(x []*lazy.Tensor, a lazy.Attrs) *lazy.Tensor {
	return rotary(x[0], x[1], RotaryOptions{a.Float("base"), a.Flag("interleaved")})
}, nil)

func rotary(x, places *lazy.Tensor, o RotaryOptions) *lazy.Tensor {
	shape := x.OpenShape()
	pairs := x.Dim(-1) / 2
	rates, wide := make([]float32, pairs), make([]float64, pairs)
	for i := range rates {
		wide[i] = math.Pow(cmp.Or(o.Base, 10_000), -float64(i)/float64(pairs))
		rates[i] = float32(wide[i])
	}
	factors := lazy.From(x.Trace(), rates)
	if d := x.DType(); d == lazy.F64 || d == lazy.C128 {
		factors = lazy.From(x.Trace(), wide)
	}
	angles := places.Convert(factors.DType()).Unsqueeze(-1).Mul(factors)
	cos, sin := angles.Cos().Convert(x.DType()), angles.Sin().Convert(x.DType())
	axis, split := len(shape)-1, append(slices.Clone(shape[:len(shape)-1]), 2, pairs)
	if o.Interleaved {
		axis, split = axis+1, append(split[:len(split)-2], pairs, 2)
	}
	both := x.Reshape(split...)
	a, b := both.Narrow(axis, 0, 1).Squeeze(axis), both.Narrow(axis, 1, 1).Squeeze(axis)
	return lazy.Stack(axis, a.Mul(cos).Sub(b.Mul(sin)), a.Mul(sin).Add(b.Mul(cos))).Reshape(shape...)
}
