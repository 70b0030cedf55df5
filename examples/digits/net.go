package main

import (
	"fmt"

	"ltc/lazy"
)

// layer is x·w + b.
type layer struct{ w, b *lazy.Tensor }

// net is a multilayer perceptron with ReLU between its layers.
type net []layer

// newNet makes the variables of a net whose layers have the given widths, the
// first of them that of the input.
func newNet(dev *lazy.Device, widths ...int) net {
	var n net
	for i, out := range widths[1:] {
		n = append(n, layer{
			w: dev.Variable(fmt.Sprintf("w%d", i), lazy.F32, widths[i], out).Init(lazy.HeNormal()),
			b: dev.Variable(fmt.Sprintf("b%d", i), lazy.F32, out),
		})
	}
	return n
}

// logits records the scores of the classes for each row of x.
func (n net) logits(x *lazy.Tensor) *lazy.Tensor {
	for i, l := range n {
		if i > 0 {
			x = x.ReLU()
		}
		x = x.MatMul(l.w).Add(l.b)
	}
	return x
}

// params are the variables to train.
func (n net) params() []*lazy.Tensor {
	var ps []*lazy.Tensor
	for _, l := range n {
		ps = append(ps, l.w, l.b)
	}
	return ps
}
