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
	if !(l.P >= 0 && l.P <= 1) {
		b.Errorf("layers.Dropout.P is %v: it must be a probability", l.P)
	}
	if l.Random == nil {
		l.Random = b.Random()
	}
}

// Forward records the layer for x.
func (l *Dropout) Forward(x *lazy.Tensor) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor {
		if !l.Training() || l.P == 0 {
			return x
		}
		return l.Random.Dropout(x, l.P)
	}, x)
}
