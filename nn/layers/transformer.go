package layers

import (
	"ltc/lazy"
	"ltc/nn/module"
)

// Transformer has the options of [TransformerEncoderLayer] and [TransformerDecoderLayer].
type Transformer struct {
	Features, Heads int
	Hidden          int                               // of the layers between: PyTorch's dim_feedforward; 0 for 2048
	Dropout         float64                           // in training. PyTorch's default is 0.1
	Activation      func(x *lazy.Tensor) *lazy.Tensor // nil for ReLU
	NormFirst       bool                              // norms are of what attention and layers take, and not of the sums
	Epsilon         float64                           // of the norms; 0 for 1e-5
	NoBias          bool
}

func (o *Transformer) attention() MultiheadAttention {
	return MultiheadAttention{Features: o.Features, Heads: o.Heads, NoBias: o.NoBias, Dropout: o.Dropout}
}

func (o *Transformer) norm() LayerNorm {
	return LayerNorm{Sizes: []int{o.Features}, Epsilon: o.Epsilon, NoBias: o.NoBias}
}

func (o *Transformer) linears() (up, down Linear) {
	hidden := o.Hidden
	if hidden == 0 {
		hidden = 2048
	}
	return Linear{In: o.Features, Out: hidden, NoBias: o.NoBias}, Linear{In: hidden, Out: o.Features, NoBias: o.NoBias}
}

func (o *Transformer) activate(x *lazy.Tensor) *lazy.Tensor {
	if o.Activation == nil {
		return x.ReLU()
	}
	return o.Activation(x)
}

// residual returns x plus what f gives for it, with a norm before or behind.
func (o *Transformer) residual(x *lazy.Tensor, norm *LayerNorm, f func(x *lazy.Tensor) *lazy.Tensor) *lazy.Tensor {
	if o.NormFirst {
		return x.Add(f(norm.Forward(x)))
	}
	return norm.Forward(x.Add(f(x)))
}

// TransformerEncoderLayer is PyTorch's TransformerEncoderLayer with batch_first: attention of x to itself, and two linear layers, each
// with a residual connection and a norm.
type TransformerEncoderLayer struct {
	module.Base
	Options Transformer

	SelfAttn         MultiheadAttention
	Linear1, Linear2 Linear
	Norm1, Norm2     LayerNorm

	random *lazy.Random
}

// Build makes the layers.
func (l *TransformerEncoderLayer) Build(b *module.Builder) {
	if l.SelfAttn.InProjWeight != nil || !probability(b, "layers.Transformer.Dropout", l.Options.Dropout) {
		return
	}
	o := &l.Options
	l.SelfAttn, l.Norm1, l.Norm2, l.random = o.attention(), o.norm(), o.norm(), b.Random()
	l.Linear1, l.Linear2 = o.linears()
}

// Forward records the layer for x[batch, n, Features]. See [MultiheadAttention.Forward] for masks.
func (l *TransformerEncoderLayer) Forward(x *lazy.Tensor, attention lazy.AttentionOptions) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor {
		o := &l.Options
		drop := dropper(&l.Base, l.random, o.Dropout)
		y := o.residual(x, &l.Norm1, func(x *lazy.Tensor) *lazy.Tensor { return drop(l.SelfAttn.Forward(x, x, x, attention)) })
		return o.residual(y, &l.Norm2, func(x *lazy.Tensor) *lazy.Tensor {
			return drop(l.Linear2.Forward(drop(o.activate(l.Linear1.Forward(x)))))
		})
	}, x)
}

// TransformerDecoderLayer is PyTorch's TransformerDecoderLayer with batch_first: attention of x to itself, attention to memory, the result of an encoder, and
// two linear layers.
type TransformerDecoderLayer struct {
	module.Base
	Options Transformer

	SelfAttn, MultiheadAttn MultiheadAttention
	Linear1, Linear2        Linear
	Norm1, Norm2, Norm3     LayerNorm

	random *lazy.Random
}

// Build makes the layers.
func (l *TransformerDecoderLayer) Build(b *module.Builder) {
	if l.SelfAttn.InProjWeight != nil || !probability(b, "layers.Transformer.Dropout", l.Options.Dropout) {
		return
	}
	o := &l.Options
	l.SelfAttn, l.MultiheadAttn, l.random = o.attention(), o.attention(), b.Random()
	l.Norm1, l.Norm2, l.Norm3 = o.norm(), o.norm(), o.norm()
	l.Linear1, l.Linear2 = o.linears()
}

// Forward records the layer for x[batch, n, Features] and memory[batch, m, Features], with what x sees of itself and of memory.
func (l *TransformerDecoderLayer) Forward(x, memory *lazy.Tensor, self, cross lazy.AttentionOptions) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor {
		o := &l.Options
		drop := dropper(&l.Base, l.random, o.Dropout)
		y := o.residual(x, &l.Norm1, func(x *lazy.Tensor) *lazy.Tensor { return drop(l.SelfAttn.Forward(x, x, x, self)) })
		y = o.residual(y, &l.Norm2, func(x *lazy.Tensor) *lazy.Tensor {
			return drop(l.MultiheadAttn.Forward(x, memory, memory, cross))
		})
		return o.residual(y, &l.Norm3, func(x *lazy.Tensor) *lazy.Tensor {
			return drop(l.Linear2.Forward(drop(o.activate(l.Linear1.Forward(x)))))
		})
	}, x, memory)
}

// dropper returns what a layer does with values in training that it drops with probability p.
func dropper(b *module.Base, random *lazy.Random, p float64) func(x *lazy.Tensor) *lazy.Tensor {
	return func(x *lazy.Tensor) *lazy.Tensor {
		if !b.Training() || p == 0 {
			return x
		}
		return random.Dropout(x, p)
	}
}

// TransformerEncoder is Depth encoder layers one after the other, with names such as layers.0.
type TransformerEncoder struct {
	module.Base
	Depth   int
	Options Transformer
	Last    bool // there is a norm behind the last layer, as is usual with NormFirst

	Layers []*TransformerEncoderLayer
	Norm   *LayerNorm // nil without Last
}

// Build makes the layers.
func (l *TransformerEncoder) Build(b *module.Builder) {
	if !positive(b, "layers.TransformerEncoder", option{"Depth", l.Depth}) || l.Layers != nil && l.Layers[0].SelfAttn.InProjWeight != nil {
		return
	}
	l.Layers = nil // of a Build that failed
	for range l.Depth {
		l.Layers = append(l.Layers, &TransformerEncoderLayer{Options: l.Options})
	}
	if l.Last {
		norm := l.Options.norm()
		l.Norm = &norm
	}
}

// Forward records the layers for x[batch, n, Features].
func (l *TransformerEncoder) Forward(x *lazy.Tensor, attention lazy.AttentionOptions) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor {
		for _, layer := range l.Layers {
			x = layer.Forward(x, attention)
		}
		if l.Norm != nil {
			x = l.Norm.Forward(x)
		}
		return x
	}, x)
}

// TransformerDecoder is Depth decoder layers one after the other, with names such as layers.0.
type TransformerDecoder struct {
	module.Base
	Depth   int
	Options Transformer
	Last    bool // there is a norm behind the last layer

	Layers []*TransformerDecoderLayer
	Norm   *LayerNorm // nil without Last
}

// Build makes the layers.
func (l *TransformerDecoder) Build(b *module.Builder) {
	if !positive(b, "layers.TransformerDecoder", option{"Depth", l.Depth}) || l.Layers != nil && l.Layers[0].SelfAttn.InProjWeight != nil {
		return
	}
	l.Layers = nil // of a Build that failed
	for range l.Depth {
		l.Layers = append(l.Layers, &TransformerDecoderLayer{Options: l.Options})
	}
	if l.Last {
		norm := l.Options.norm()
		l.Norm = &norm
	}
}

// Forward records the layers for x[batch, n, Features] and memory[batch, m, Features].
func (l *TransformerDecoder) Forward(x, memory *lazy.Tensor, self, cross lazy.AttentionOptions) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor {
		for _, layer := range l.Layers {
			x = layer.Forward(x, memory, self, cross)
		}
		if l.Norm != nil {
			x = l.Norm.Forward(x)
		}
		return x
	}, x, memory)
}
