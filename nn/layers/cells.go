package layers

import (
	"math"

	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/module"
)

// Cell has the options and the variables of [RNNCell], [LSTMCell] and [GRUCell].
type Cell struct {
	module.Base
	In, Hidden int
	NoBias     bool // there are no biases
	ReLU       bool // of [RNNCell]: max(x, 0) stands for tanh

	WeightIH *lazy.Tensor `module:"weight_ih"` // [gates·Hidden, In]
	WeightHH *lazy.Tensor `module:"weight_hh"` // [gates·Hidden, Hidden]
	BiasIH   *lazy.Tensor `module:"bias_ih"`   // [gates·Hidden]; nil with NoBias
	BiasHH   *lazy.Tensor `module:"bias_hh"`   // [gates·Hidden]; nil with NoBias
}

// RNNCell is a step of [RNN].
type RNNCell Cell

// LSTMCell is a step of [LSTM].
type LSTMCell Cell

// GRUCell is a step of [GRU].
type GRUCell Cell

// Build declares the variables.
func (l *RNNCell) Build(b *module.Builder) { (*Cell)(l).build(b, "layers.RNNCell", 1) }

// Build declares the variables.
func (l *LSTMCell) Build(b *module.Builder) { (*Cell)(l).build(b, "layers.LSTMCell", lstmCell.gates) }

// Build declares the variables.
func (l *GRUCell) Build(b *module.Builder) { (*Cell)(l).build(b, "layers.GRUCell", gruCell.gates) }

func (l *Cell) build(b *module.Builder, layer string, gates int) {
	if !positive(b, layer, option{"In", l.In}, option{"Hidden", l.Hidden}) {
		return
	}
	within := lazy.Uniform(-1/math.Sqrt(float64(l.Hidden)), 1/math.Sqrt(float64(l.Hidden)))
	b.Variable(&l.WeightIH, within, gates*l.Hidden, l.In)
	b.Variable(&l.WeightHH, within, gates*l.Hidden, l.Hidden)
	if !l.NoBias {
		b.Variable(&l.BiasIH, within, gates*l.Hidden)
		b.Variable(&l.BiasHH, within, gates*l.Hidden)
	}
}

// Forward records the next state h[batch, Hidden] for x[batch, In] and h, which is zero if it is nil.
func (l *RNNCell) Forward(x, h *lazy.Tensor) *lazy.Tensor {
	next, _ := (*Cell)(l).step(rnnCell(l.ReLU), x, h, nil)
	return next
}

// Forward records the next state h and c[batch, Hidden] for x[batch, In], h and c, which are zero if they are nil.
func (l *LSTMCell) Forward(x, h, c *lazy.Tensor) (nextH, nextC *lazy.Tensor) {
	return (*Cell)(l).step(lstmCell, x, h, c)
}

// Forward records the next state h[batch, Hidden] for x[batch, In] and h, which is zero if it is nil.
func (l *GRUCell) Forward(x, h *lazy.Tensor) *lazy.Tensor {
	next, _ := (*Cell)(l).step(gruCell, x, h, nil)
	return next
}

func (l *Cell) step(kind cell, x, h, c *lazy.Tensor) (nextH, nextC *lazy.Tensor) {
	nextH = l.Call(func() *lazy.Tensor {
		zeros := func() *lazy.Tensor { return lazy.Zeros(x.Trace(), x.DType(), x.OpenDim(0), l.Hidden) }
		if h == nil {
			h = zeros()
		}
		if c == nil && kind.states > 1 {
			c = zeros()
		}
		byX, byH := nn.Linear(x, l.WeightIH, l.BiasIH), nn.Linear(h, l.WeightHH, l.BiasHH)
		for _, y := range []*lazy.Tensor{byX, byH} {
			if y.Err() != nil {
				return y
			}
		}
		next := kind.next(byX, byH, []*lazy.Tensor{h, c})
		nextC = next[len(next)-1]
		return next[0]
	}, x)
	if nextC == nil {
		nextC = nextH // which holds an error
	}
	return nextH, nextC
}
