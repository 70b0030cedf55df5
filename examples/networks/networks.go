// Package networks has the reference networks of running models on columns in
// memory. SimpleNet has dense layers. The inputs of MaskedNet are vector columns and
// scalars. TinyResNet has convolutions on matrix columns as images, and MultiHeadNet two
// results. A network is a type whose method Forward
// records it, which lazy.Func takes; its weights are variables of a device and
// follow from the device's seed. Its central type is that of Forward, [Forward].
//
// The networks are those of the CMS experiment's test of inference on structures
// of arrays (PhysicsTools/PyTorchAlpakaTest), with what that test asserts.
//
// The package imports only ltc/lazy.
package networks

import (
	"fmt"
	"math"

	"ltc/lazy"
)

// Forward records a network's results from its inputs. Inputs and results have
// the elements of a batch along axis 0.
type Forward = func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor

// dense is x·w + b.
type dense struct{ w, b *lazy.Tensor }

func (d dense) apply(x *lazy.Tensor) *lazy.Tensor { return x.MatMul(d.w).Add(d.b) }

// mlp is dense layers with ReLU after each.
type mlp []dense

func (m mlp) apply(x *lazy.Tensor) *lazy.Tensor {
	for _, d := range m {
		x = d.apply(x).ReLU()
	}
	return x
}

// newDense makes a layer whose weights and biases are uniform within
// 1/√in, as PyTorch's Linear has them.
func newDense(dev *lazy.Device, name string, in, out int) dense {
	k := 1 / math.Sqrt(float64(in))
	return dense{
		w: dev.Variable(name+".w", lazy.F32, in, out).Init(lazy.Uniform(-k, k)),
		b: dev.Variable(name+".b", lazy.F32, out).Init(lazy.Uniform(-k, k)),
	}
}

// newMLP makes the layers between the given widths, the first of them that of
// the input.
func newMLP(dev *lazy.Device, name string, widths ...int) mlp {
	var m mlp
	for i, out := range widths[1:] {
		m = append(m, newDense(dev, fmt.Sprintf("%s.%d", name, i), widths[i], out))
	}
	return m
}

// widths are those of the hidden layers that SimpleNet and MultiHeadNet have
// after their three inputs.
var widths = []int{3, 32, 64, 256, 64, 32}

// SimpleNet is dense layers from three features to one number.
type SimpleNet struct {
	hidden mlp
	head   dense
}

// NewSimpleNet makes its weights: of hidden layers of the given widths, or of
// those of the reference without any.
func NewSimpleNet(dev *lazy.Device, hidden ...int) *SimpleNet {
	if len(hidden) == 0 {
		hidden = widths[1:]
	}
	all := append([]int{widths[0]}, hidden...)
	return &SimpleNet{newMLP(dev, "simple", all...), newDense(dev, "simple.head", all[len(all)-1], 1)}
}

// Forward takes (n, 3) and gives (n, 1).
func (s *SimpleNet) Forward(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
	return []*lazy.Tensor{s.head.apply(s.hidden.apply(x[0]))}
}

// MaskedNet sums features, but those that a mask leaves out. It has no weights.
type MaskedNet struct{}

// Forward takes features (n, 3) of f32, a mask (n, 3) of u8, 1 where a feature
// is left out, and one for all elements, (n, 1) of u8; it gives (n, 1).
func (MaskedNet) Forward(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
	kept := func(mask *lazy.Tensor) *lazy.Tensor { return mask.Convert(lazy.F32).Neg().AddScalar(1) }
	return []*lazy.Tensor{x[0].Mul(kept(x[1])).Mul(kept(x[2])).Sum(1).Unsqueeze(1)}
}

// MultiHeadNet is dense layers with two heads, a regression and the scores of
// three classes. Its weights are constants, so that what it gives is known.
type MultiHeadNet struct {
	hidden  mlp
	reg     dense
	classes dense
}

// NewMultiHeadNet makes its weights: 0.025 with biases of 0.1; of the regression
// 0.03 and 0.1; of the classes 0.06, 0.07, 0.08 and 0.1, 0.2, 0.3.
func NewMultiHeadNet(dev *lazy.Device) *MultiHeadNet {
	constant := func(d dense, w, b float64) {
		d.w.Init(lazy.Constant(w))
		d.b.Init(lazy.Constant(b))
	}
	m := &MultiHeadNet{newMLP(dev, "multi", widths...), newDense(dev, "multi.reg", 32, 1), newDense(dev, "multi.classes", 32, 3)}
	for _, d := range m.hidden {
		constant(d, 0.025, 0.1)
	}
	constant(m.reg, 0.03, 0.1)
	w := make([]float32, 32*3)
	for i := range w {
		w[i] = []float32{0.06, 0.07, 0.08}[i%3]
	}
	lazy.SetValues(m.classes.w, w)
	lazy.SetValues(m.classes.b, []float32{0.1, 0.2, 0.3})
	return m
}

// Forward takes (n, 3) and gives (n, 1), and (n, 3) whose rows sum to 1.
func (m *MultiHeadNet) Forward(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
	features := m.hidden.apply(x[0])
	return []*lazy.Tensor{m.reg.apply(features), m.classes.apply(features).Softmax(-1)}
}
