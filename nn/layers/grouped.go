package layers

import (
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/module"
)

// GroupedAttention is causal grouped-query attention (GQA) as in decoders such as Llama: groups of query heads share
// keys and values, and queries and keys have rotary position embeddings (RoPE). Its variables have the names of the library transformers.
// Learned positions are an [Embedding] that is added to its operand.
type GroupedAttention struct {
	module.Base
	Features, Heads int
	KeyHeads        int // of keys and values; 0 for Heads
	Bias            bool
	Rotary          *nn.RotaryOptions // nil: positions do not matter
	Positions       int               // the most tokens of the cache that Next keeps; 0: none is kept

	QProj, KProj, VProj, OProj Linear
	Cache                      KeyValueCache
}

// Build sets the sizes of the parts, which declare the variables.
func (l *GroupedAttention) Build(b *module.Builder) {
	const layer = "layers.GroupedAttention"
	if l.KeyHeads == 0 {
		l.KeyHeads = l.Heads
	}
	if !positive(b, layer, option{"Features", l.Features}, option{"Heads", l.Heads}, option{"KeyHeads", l.KeyHeads}) {
		return
	}
	if l.Features%l.Heads != 0 || l.Heads%l.KeyHeads != 0 {
		b.Errorf("%s.Heads is %d: it must divide Features, %d, and be a multiple of KeyHeads, %d", layer, l.Heads, l.Features, l.KeyHeads)
		return
	}
	head := l.Features / l.Heads
	set := func(p *Linear, out int) { p.In, p.Out, p.NoBias = l.Features, out, !l.Bias }
	set(&l.QProj, l.Features)
	set(&l.KProj, l.KeyHeads*head)
	set(&l.VProj, l.KeyHeads*head)
	set(&l.OProj, l.Features)
	l.Cache = KeyValueCache{Heads: l.KeyHeads, Positions: l.Positions, Features: head, none: l.Positions == 0}
}

// Forward records the attention of all tokens of x[n, Features] or x[batch, n, Features], each to itself and those before it.
func (l *GroupedAttention) Forward(x *lazy.Tensor) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor {
		if x.Err() == nil && x.Rank() != 2 && x.Rank() != 3 {
			return module.Refuse(x, "x is %v, must be [n, Features] or [batch, n, Features]", x.Type())
		}
		q, k, v := l.project(x, lazy.Iota(x.Trace(), lazy.I32, 0, x.OpenDim(-2)))
		return l.join(x, q.Attention(k, v, lazy.AttentionOptions{Causal: true}))
	}, x)
}

// Next records the attention of tokens x[n, Features], which are those from position at on, a scalar of I32, to themselves and to
// those before them, which the cache keeps. It reads the first length positions of the cache: at+n or more.
func (l *GroupedAttention) Next(x, at *lazy.Tensor, length int) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor {
		switch {
		case x.Err() != nil:
			return x
		case l.Positions == 0:
			return module.Refuse(x, "layers.GroupedAttention.Positions is 0: set it to call Next")
		case x.Rank() != 2:
			return module.Refuse(x, "x is %v, must be [n, Features]", x.Type())
		}
		tr := x.Trace()
		places := lazy.Iota(tr, lazy.I32, 0, x.OpenDim(0)).Add(at)
		q, k, v := l.project(x, places)
		k, v = l.Cache.Update(k, v, at, length)
		seen := lazy.Iota(tr, lazy.I32, 0, length).LessEqual(places.Unsqueeze(-1))
		return l.join(x, q.Attention(k, v, lazy.AttentionOptions{Mask: seen}))
	}, x, at)
}

// project records queries, keys and values, each [heads, n, features] behind the batch.
func (l *GroupedAttention) project(x, places *lazy.Tensor) (q, k, v *lazy.Tensor) {
	split := func(y *lazy.Tensor, heads int) *lazy.Tensor {
		shape := y.OpenShape()
		return swap(y.Reshape(append(shape[:len(shape)-1], heads, l.Features/l.Heads)...))
	}
	turn := func(y *lazy.Tensor) *lazy.Tensor {
		if l.Rotary == nil {
			return y
		}
		return nn.Rotary(y, places, *l.Rotary)
	}
	return turn(split(l.QProj.Forward(x), l.Heads)), turn(split(l.KProj.Forward(x), l.KeyHeads)), split(l.VProj.Forward(x), l.KeyHeads)
}

// join records the last product, of the results of all heads.
func (l *GroupedAttention) join(x, y *lazy.Tensor) *lazy.Tensor {
	return l.OProj.Forward(swap(y).Reshape(x.OpenShape()...))
}

// swap exchanges the axes before the last one.
func swap(x *lazy.Tensor) *lazy.Tensor {
	if x.Rank() == 4 {
		return x.Transpose(0, 2, 1, 3)
	}
	return x.Transpose(1, 0, 2)
}
