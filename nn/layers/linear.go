package layers

import (
	"math"
	"strings"

	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/module"
)

// Linear is x·weightᵀ + bias along the last axis of x[…, In], as [..., Out].
type Linear struct {
	module.Base
	In, Out  int
	NoBias   bool
	Init     lazy.Initializer // of the weight; nil for a uniform one within ±1/√In
	InitBias lazy.Initializer // of the bias; nil for a uniform one within ±1/√In

	Weight *lazy.Tensor // [Out, In]
	Bias   *lazy.Tensor // [Out]; nil with NoBias
}

// Build declares the variables.
func (l *Linear) Build(b *module.Builder) {
	if positive(b, "layers.Linear", option{"In", l.In}, option{"Out", l.Out}) {
		declareWeights(b, weights{&l.Weight, &l.Bias, l.Init, l.InitBias, l.NoBias}, l.In, l.Out, l.Out, l.In)
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
		declareWeights(b, weights{&l.Weight, &l.Bias, l.Init, nil, l.NoBias}, l.In1, l.Out, l.Out, l.In1, l.In2)
	}
}

// Forward records the layer for x[…, In1] and y[…, In2].
func (l *Bilinear) Forward(x, y *lazy.Tensor) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor { return nn.Bilinear(x, y, l.Weight, l.Bias) }, x, y)
}

// weights are the variables of a layer with what they are at first.
type weights struct {
	weight, bias   **lazy.Tensor
	init, initBias lazy.Initializer
	noBias         bool
}

// declareWeights declares a weight and a bias of out elements. What has no initializer is uniform within ±1/√fan at first, as
// PyTorch's are (reset_parameters in torch/nn/modules/linear.py and conv.py).
func declareWeights(b *module.Builder, w weights, fan, out int, dims ...int) {
	within := lazy.Uniform(-1/math.Sqrt(float64(fan)), 1/math.Sqrt(float64(fan)))
	if w.init == nil {
		w.init = within
	}
	if w.initBias == nil {
		w.initBias = within
	}
	b.Variable(w.weight, byFeatures(w.init, len(dims)), dims...)
	if !w.noBias {
		b.Variable(w.bias, w.initBias, out)
	}
}

// byFeatures names the axes of a weight for an initializer that scales with its fans, as PyTorch reads those of any weight:
// the outputs, the inputs, and spatial axes.
func byFeatures(init lazy.Initializer, rank int) lazy.Initializer {
	return lazy.WithLayout(init, "OI"+strings.Repeat("S", rank-2))
}

// option is an option of a layer with its name.
type option struct {
	name string
	n    int
}

// allPositive reports whether all entries of an option are positive, and refuses the layer if not.
func allPositive(b *module.Builder, option string, ns []int) bool {
	for _, n := range ns {
		if n <= 0 {
			b.Errorf("%s is %v: its entries must be positive", option, ns)
			return false
		}
	}
	return true
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
