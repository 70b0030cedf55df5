package layers

import (
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/module"
)

// GroupedQueryAttention is causal grouped-query attention (GQA) as in decoders such as Llama: groups of query heads share
// keys and values, and queries and keys have rotary position embeddings (RoPE). Its variables have the names of the library transformers.
// Learned positions are an [Embedding] that is added to its operand.
type GroupedQueryAttention struct {
	module.Base
	Features, Heads int
	KVHeads         int // of keys and values; 0 for Heads
	Bias            bool
	Rotary          *nn.RotaryOptions // nil: positions do not matter
	MaxTokens       int               // the most tokens of the cache that Next keeps; 0: none is kept

	QProj, KProj, VProj, OProj Linear
	Cache                      KeyValueCache
}

// Build sets the sizes of the parts, which declare the variables.
func (l *GroupedQueryAttention) Build(b *module.Builder) {
	const layer = "layers.GroupedQueryAttention"
	if l.KVHeads == 0 {
		l.KVHeads = l.Heads
	}
	if !positive(b, layer, option{"Features", l.Features}, option{"Heads", l.Heads}, option{"KVHeads", l.KVHeads}) {
		return
	}
	if l.Features%l.Heads != 0 || l.Heads%l.KVHeads != 0 {
		b.Errorf("%s.Heads is %d: it must divide Features, %d, and be a multiple of KVHeads, %d", layer, l.Heads, l.Features, l.KVHeads)
		return
	}
	head := l.Features / l.Heads
	set := func(p *Linear, out int) { p.In, p.Out, p.NoBias = l.Features, out, !l.Bias }
	set(&l.QProj, l.Features)
	set(&l.KProj, l.KVHeads*head)
	set(&l.VProj, l.KVHeads*head)
	set(&l.OProj, l.Features)
	l.Cache = KeyValueCache{Heads: l.KVHeads, MaxTokens: l.MaxTokens, Features: head, none: l.MaxTokens == 0}
}

// Forward records the attention of all tokens of x[n, Features] or x[batch, n, Features], each to itself and those before it.
func (l *GroupedQueryAttention) Forward(x *lazy.Tensor) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor {
		if x.Err() == nil && x.Rank() != 2 && x.Rank() != 3 {
			return module.Refuse(x, "x is %v, must be [n, Features] or [batch, n, Features]", x.Type())
		}
		positions := lazy.Iota(x.Trace(), lazy.I32, 0, x.OpenDim(-2))
		q, k, v := splitHeads(l.QProj.Forward(x), l.KProj.Forward(x), l.VProj.Forward(x), positions, l.Features/l.Heads, l.Rotary)
		return l.OProj.Forward(swap(q.Attention(k, v, lazy.AttentionOptions{Causal: true})).Reshape(x.OpenShape()...))
	}, x)
}

// Next records the attention of tokens x[n, Features], which are those from position at on, a scalar of I32, to themselves and to
// those before them, which the cache keeps. It reads the first length positions of the cache: at+n or more.
func (l *GroupedQueryAttention) Next(x, at *lazy.Tensor, length int) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor {
		switch {
		case x.Err() != nil:
			return x
		case l.MaxTokens == 0:
			return module.Misuse(x, "layers.GroupedQueryAttention.MaxTokens is 0: set it to call Next")
		case x.Rank() != 2:
			return module.Refuse(x, "x is %v, must be [n, Features]", x.Type())
		}
		return l.OProj.Forward(l.Cache.Attention(l.QProj.Forward(x), l.KProj.Forward(x), l.VProj.Forward(x), at, length, l.Rotary))
	}, x, at)
}

// splitHeads records queries, keys and values as [heads, n, features] behind the batch, queries and keys turned by their
// positions.
func splitHeads(q, k, v, positions *lazy.Tensor, features int, rotary *nn.RotaryOptions) (_, _, _ *lazy.Tensor) {
	split := func(y *lazy.Tensor) *lazy.Tensor {
		shape := y.OpenShape()
		return swap(y.Reshape(append(shape[:len(shape)-1], -1, features)...))
	}
	turn := func(y *lazy.Tensor) *lazy.Tensor {
		if rotary == nil {
			return y
		}
		return nn.Rotary(y, positions, *rotary)
	}
	return turn(split(q)), turn(split(k)), split(v)
}

// swap exchanges the axes before the last one.
func swap(x *lazy.Tensor) *lazy.Tensor {
	if x.Rank() == 4 {
		return x.Transpose(0, 2, 1, 3)
	}
	return x.Transpose(1, 0, 2)
}
