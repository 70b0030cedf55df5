package main

import (
	"ltc/lazy"
	"ltc/nn/layers"
)

// Config has the sizes of a BERT model.
type Config struct {
	Vocabulary int
	Hidden     int // features of a token
	Layers     int
	Heads      int
	Between    int // features of the layers between
	Positions  int // the most tokens of a text
	Types      int // of sentences
	Epsilon    float64
}

// Bert is the encoder of BERT. Its fields are named so that its variables have the names of the
// library transformers.
type Bert struct {
	config     Config
	Embeddings Embeddings
	Encoder    struct{ Layer []*Layer }
}

// Embeddings adds what stands for a token, its place and its sentence.
type Embeddings struct {
	WordEmbeddings, PositionEmbeddings, TokenTypeEmbeddings layers.Embedding
	LayerNorm                                               layers.LayerNorm `module:"LayerNorm"`
}

// Layer is attention of each token to all, and two linear layers.
type Layer struct {
	Attention struct {
		Self   struct{ Query, Key, Value layers.Linear }
		Output Output
	}
	Intermediate struct{ Dense layers.Linear }
	Output       Output
}

// Output is a linear layer with a residual connection and a norm.
type Output struct {
	Dense     layers.Linear
	LayerNorm layers.LayerNorm `module:"LayerNorm"`
}

// NewBert returns a model without variables: module.Build makes them.
func NewBert(c Config) *Bert {
	linear := func(in, out int) layers.Linear { return layers.Linear{In: in, Out: out} }
	norm := layers.LayerNorm{Sizes: []int{c.Hidden}, Epsilon: c.Epsilon}
	b := &Bert{config: c}
	b.Embeddings = Embeddings{
		WordEmbeddings:      layers.Embedding{Rows: c.Vocabulary, Features: c.Hidden},
		PositionEmbeddings:  layers.Embedding{Rows: c.Positions, Features: c.Hidden},
		TokenTypeEmbeddings: layers.Embedding{Rows: c.Types, Features: c.Hidden},
		LayerNorm:           norm,
	}
	for range c.Layers {
		l := &Layer{}
		l.Attention.Self.Query, l.Attention.Self.Key, l.Attention.Self.Value = linear(c.Hidden, c.Hidden), linear(c.Hidden, c.Hidden), linear(c.Hidden, c.Hidden)
		l.Attention.Output = Output{linear(c.Hidden, c.Hidden), norm}
		l.Intermediate.Dense = linear(c.Hidden, c.Between)
		l.Output = Output{linear(c.Between, c.Hidden), norm}
		b.Encoder.Layer = append(b.Encoder.Layer, l)
	}
	return b
}

// Forward records the states of the tokens ids[batch, n], as [batch, n, Hidden]. The tokens whose mask[batch, n] is 0 are not looked at.
func (b *Bert) Forward(ids, types, mask *lazy.Tensor) *lazy.Tensor {
	n := ids.OpenDim(1)
	places := lazy.Iota(ids.Trace(), lazy.I32, 0, n)
	e := &b.Embeddings
	x := e.WordEmbeddings.Forward(ids).Add(e.PositionEmbeddings.Forward(places)).Add(e.TokenTypeEmbeddings.Forward(types))
	x = e.LayerNorm.Forward(x)
	seen := mask.NotEqualScalar(0).Unsqueeze(1).Unsqueeze(1) // [batch, heads, queries, keys]
	for _, l := range b.Encoder.Layer {
		x = l.Forward(x, seen, b.config.Heads)
	}
	return x
}

// Forward records the layer for x[batch, n, Hidden].
func (l *Layer) Forward(x, seen *lazy.Tensor, heads int) *lazy.Tensor {
	split := func(y *lazy.Tensor) *lazy.Tensor {
		return y.Reshape(y.OpenDim(0), y.OpenDim(1), heads, -1).Transpose(0, 2, 1, 3)
	}
	s := &l.Attention.Self
	y := split(s.Query.Forward(x)).Attention(split(s.Key.Forward(x)), split(s.Value.Forward(x)), lazy.AttentionOptions{Mask: seen})
	x = l.Attention.Output.Forward(y.Transpose(0, 2, 1, 3).Reshape(x.OpenShape()...), x)
	return l.Output.Forward(l.Intermediate.Dense.Forward(x).GELU(), x)
}

// Forward records the norm of the linear layer's result plus x.
func (o *Output) Forward(y, x *lazy.Tensor) *lazy.Tensor {
	return o.LayerNorm.Forward(o.Dense.Forward(y).Add(x))
}

// Mean records the mean of the states of each text's tokens, [batch, Hidden].
func (b *Bert) Mean(ids, types, mask *lazy.Tensor) *lazy.Tensor {
	x := b.Forward(ids, types, mask)
	counts := mask.Convert(x.DType()).Unsqueeze(-1)
	return x.Mul(counts).Sum(1).Div(counts.Sum(1))
}

// Embed records the embedding of each text: the mean of its tokens' states, scaled to length 1.
func (b *Bert) Embed(ids, types, mask *lazy.Tensor) *lazy.Tensor {
	mean := b.Mean(ids, types, mask)
	return mean.Div(mean.Mul(mean).SumKeep(-1).Sqrt())
}
