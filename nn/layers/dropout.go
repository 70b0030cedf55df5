package layers

import (
	"ltc/lazy"
	"ltc/nn/module"
)

// Dropout sets elements of x to zero with probability P in training, and divides the others by 1-P. In evaluation it returns x.
type Dropout struct {
	module.Base
	P      float64      // PyTorch's default is 0.5
	Random *lazy.Random // the stream that it draws from; nil for that of the network's Build
}

// Build gives the layer its stream.
func (l *Dropout) Build(b *module.Builder) {
	if probability(b, "layers.Dropout.P", l.P) && l.Random == nil {
		l.Random = b.Random()
	}
}

// Forward records the layer for x.
func (l *Dropout) Forward(x *lazy.Tensor) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor {
		return dropper(&l.Base, l.Random, l.P)(x)
	}, x)
}
