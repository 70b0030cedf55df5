package networks

import (
	"math"

	"ltc/lazy"
)

// conv is a convolution of 3×3 pixels with a border of zeros.
type conv struct {
	w, b   *lazy.Tensor // b may be nil
	stride int
}

func (c conv) apply(x *lazy.Tensor) *lazy.Tensor {
	y := x.Conv(c.w, lazy.ConvOptions{Strides: []int{c.stride, c.stride}, Padding: [][2]int{{1, 1}, {1, 1}}})
	if c.b != nil {
		y = y.Add(c.b)
	}
	return y
}

func newConv(dev *lazy.Device, name string, in, out, stride int, bias bool) conv {
	k := 1 / math.Sqrt(float64(9*in))
	c := conv{w: dev.Variable(name+".w", lazy.F32, out, in, 3, 3).Init(lazy.Uniform(-k, k)), stride: stride}
	if bias {
		c.b = dev.Variable(name+".b", lazy.F32, out, 1, 1).Init(lazy.Uniform(-k, k))
	}
	return c
}

// norm is batch normalization with statistics of its own: a scale and a shift of
// each channel.
type norm struct{ gamma, beta, mean, variance *lazy.Tensor }

const epsilon = 1e-5

func (n norm) apply(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
	return x.Sub(n.mean).Mul(tr.Read(n.variance).AddScalar(epsilon).Rsqrt().Mul(n.gamma)).Add(n.beta)
}

func newNorm(dev *lazy.Device, name string, channels int) norm {
	variable := func(of string, low, high float64) *lazy.Tensor {
		return dev.Variable(name+"."+of, lazy.F32, channels, 1, 1).Init(lazy.Uniform(low, high))
	}
	return norm{variable("gamma", 0.5, 1.5), variable("beta", -0.1, 0.1), variable("mean", -0.1, 0.1), variable("variance", 0.5, 1.5)}
}

// residual is two convolutions whose result is added to their input.
type residual struct {
	conv1, conv2 conv
	norm1, norm2 norm
}

func (r residual) apply(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
	y := r.norm1.apply(tr, r.conv1.apply(x)).ReLU()
	return r.norm2.apply(tr, r.conv2.apply(y)).Add(x).ReLU()
}

func newResidual(dev *lazy.Device, name string, channels int) residual {
	return residual{
		newConv(dev, name+".conv1", channels, channels, 1, false), newConv(dev, name+".conv2", channels, channels, 1, false),
		newNorm(dev, name+".norm1", channels), newNorm(dev, name+".norm2", channels),
	}
}

// TinyResNet is a residual network of four blocks for images of three channels,
// of any size from 1×1 on.
type TinyResNet struct {
	in, down conv
	norm     norm
	wide     [2]residual // 16 channels
	narrow   [2]residual // 32 channels, half the size
	classes  dense
}

// NewTinyResNet makes its weights.
func NewTinyResNet(dev *lazy.Device) *TinyResNet {
	return &TinyResNet{
		in: newConv(dev, "resnet.in", 3, 16, 1, true), norm: newNorm(dev, "resnet.norm", 16),
		wide:    [2]residual{newResidual(dev, "resnet.0", 16), newResidual(dev, "resnet.1", 16)},
		down:    newConv(dev, "resnet.down", 16, 32, 2, true),
		narrow:  [2]residual{newResidual(dev, "resnet.2", 32), newResidual(dev, "resnet.3", 32)},
		classes: newDense(dev, "resnet.classes", 32, 10),
	}
}

// Forward takes images (n, 3, h, w) and gives (n, 10), whose rows sum to 1.
func (t *TinyResNet) Forward(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
	y := t.norm.apply(tr, t.in.apply(x[0])).ReLU()
	y = t.wide[1].apply(tr, t.wide[0].apply(tr, y))
	y = t.narrow[1].apply(tr, t.narrow[0].apply(tr, t.down.apply(y)))
	return []*lazy.Tensor{t.classes.apply(y.Mean(2, 3)).Softmax(-1)}
}
