package layers

import (
	"math"

	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/module"
)

// MultiheadAttention is PyTorch's MultiheadAttention with batch_first: each of Heads attends with its part of the Features.
type MultiheadAttention struct {
	module.Base
	Features, Heads int
	NoBias          bool
	Dropout         float64 // the probability of zeros among the weights of attention in training

	InProjWeight *lazy.Tensor // [3·Features, Features]: of queries, keys and values
	InProjBias   *lazy.Tensor // [3·Features]; nil with NoBias
	OutProj      Linear

	random *lazy.Random
}

// Build declares the variables.
func (l *MultiheadAttention) Build(b *module.Builder) {
	const layer = "layers.MultiheadAttention"
	if !positive(b, layer, option{"Features", l.Features}, option{"Heads", l.Heads}) || !probability(b, layer+".Dropout", l.Dropout) {
		return
	}
	if l.Features%l.Heads != 0 {
		b.Errorf("%s.Heads is %d: it must divide Features, %d", layer, l.Heads, l.Features)
		return
	}
	l.random = b.Random()
	limit := math.Sqrt(6 / float64(4*l.Features)) // xavier_uniform_ of [3·Features, Features]
	b.Variable(&l.InProjWeight, lazy.Uniform(-limit, limit), 3*l.Features, l.Features)
	if !l.NoBias {
		b.Variable(&l.InProjBias, nil, 3*l.Features)
	}
	l.OutProj.In, l.OutProj.Out, l.OutProj.NoBias, l.OutProj.InitBias = l.Features, l.Features, l.NoBias, lazy.Constant(0)
}

// Forward records the attention of queries[batch, n, Features] to keys and values[batch, m, Features]. The batch can be left out. A bool mask
// in o says which keys a query sees; in PyTorch's it is the other way round.
func (l *MultiheadAttention) Forward(queries, keys, values *lazy.Tensor, o lazy.AttentionOptions) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor {
		all := nn.MultiHeadOptions{Heads: l.Heads, In: l.InProjWeight, InBias: l.InProjBias, Out: l.OutProj.Weight, OutBias: l.OutProj.Bias, Attention: o}
		if l.Training() {
			all.Dropout, all.Random = l.Dropout, l.random
		}
		return nn.MultiHeadAttention(queries, keys, values, all)
	}, queries, keys, values)
}

// probability reports whether an option p is one, and refuses the layer if not.
func probability(b *module.Builder, option string, p float64) bool {
	if !(p >= 0 && p <= 1) {
		b.Errorf("%s is %v: it must be a probability", option, p)
		return false
	}
	return true
}
