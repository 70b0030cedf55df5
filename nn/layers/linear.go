package layers

import (
	"math"

	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/module"
)

// Linear is x·weightᵀ + bias along the last axis of x[…, In], as [..., Out].
type Linear struct {
	module.Base
	In, Out int
	NoBias  bool
	Init    lazy.Initializer // of the weight; nil for a uniform one within ±1/√In

	Weight *lazy.Tensor // [Out, In]
	Bias   *lazy.Tensor // [Out], at first uniform within ±1/√In; nil with NoBias
}

// Build declares the variables.
func (l *Linear) Build(b *module.Builder) {
	if positive(b, "layers.Linear", option{"In", l.In}, option{"Out", l.Out}) {
		weigh(b, &l.Weight, &l.Bias, l.Init, l.NoBias, l.In, l.Out, l.Out, l.In)
	}
}

// Forward records the layer for x[…, In].
func (l *Linear) Forward(x *lazy.Tensor) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor { return nn.Linear(x, l.Weight, l.Bias) }, x)
}

// Bilinear is Σ x[…, i] weight[o, i, j] y[…, j] + bias[o].
type Bilinear struct {
	module.Base
	In1, In2, Out int
	NoBias        bool
	Init          lazy.Initializer // of the weight; nil for a uniform one within ±1/√In1

	Weight *lazy.Tensor // [Out, In1, In2]
	Bias   *lazy.Tensor // [Out]; nil with NoBias
}

// Build declares the variables.
func (l *Bilinear) Build(b *module.Builder) {
	if positive(b, "layers.Bilinear", option{"In1", l.In1}, option{"In2", l.In2}, option{"Out", l.Out}) {
		weigh(b, &l.Weight, &l.Bias, l.Init, l.NoBias, l.In1, l.Out, l.Out, l.In1, l.In2)
	}
}

// Forward records the layer for x[…, In1] and y[…, In2].
func (l *Bilinear) Forward(x, y *lazy.Tensor) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor { return nn.Bilinear(x, y, l.Weight, l.Bias) }, x, y)
}

// weigh declares a weight and its bias. Both are uniform within ±1/√fan at first, as PyTorch's are
// (reset_parameters in torch/nn/modules/linear.py and conv.py), the weight unless init is given.
func weigh(b *module.Builder, weight, bias **lazy.Tensor, init lazy.Initializer, noBias bool, fan, out int, dims ...int) {
	within := lazy.Uniform(-1/math.Sqrt(float64(fan)), 1/math.Sqrt(float64(fan)))
	if init == nil {
		init = within
	}
	b.Variable(weight, init, dims...)
	if !noBias {
		b.Variable(bias, within, out)
	}
}

// option is an option of a layer with its name.
type option struct {
	name string
	n    int
}

// positive reports whether all options are positive, and refuses the layer for the first that is not.
func positive(b *module.Builder, layer string, options ...option) bool {
	for _, o := range options {
		if o.n <= 0 {
			b.Errorf("%s.%s is %d: it must be positive", layer, o.name, o.n)
			return false
		}
	}
	return true
}
