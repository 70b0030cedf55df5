package layers

import (
	"ltc/lazy"
	"ltc/nn"
)

// Layer is a module of one operand and one result.
type Layer interface {
	Forward(x *lazy.Tensor) *lazy.Tensor
}

// Sequential calls layers one after the other. Their names are their indices.
type Sequential []Layer

// Forward records the layers for x.
func (s Sequential) Forward(x *lazy.Tensor) *lazy.Tensor {
	for _, l := range s {
		x = l.Forward(x)
	}
	return x
}

// Func is a layer without variables, such as Func(nn.Mish) or Func((*lazy.Tensor).Sin).
type Func func(x *lazy.Tensor) *lazy.Tensor

// Forward returns f(x).
func (f Func) Forward(x *lazy.Tensor) *lazy.Tensor { return f(x) }

// Identity returns x.
func Identity() Func { return func(x *lazy.Tensor) *lazy.Tensor { return x } }

// Flatten makes one axis of the axes from first on: of x[batch, channels, places…] with first 1, [batch, features].
func Flatten(first int) Func {
	return func(x *lazy.Tensor) *lazy.Tensor { return x.Flatten(first, -1) }
}

// ReLU is max(x, 0).
func ReLU() Func { return (*lazy.Tensor).ReLU }

// GELU is x times the normal distribution function of x.
func GELU() Func { return (*lazy.Tensor).GELU }

// SiLU is x·sigmoid(x).
func SiLU() Func { return nn.SiLU }

// Tanh is the hyperbolic tangent.
func Tanh() Func { return (*lazy.Tensor).Tanh }

// Sigmoid is 1/(1+exp(-x)).
func Sigmoid() Func { return (*lazy.Tensor).Sigmoid }

// LeakyReLU is x where that is positive, and slope·x elsewhere. PyTorch's default for slope is 0.01.
func LeakyReLU(slope float64) Func {
	return func(x *lazy.Tensor) *lazy.Tensor { return nn.LeakyReLU(x, slope) }
}

// Softmax is exp(x), divided by its sum along an axis.
func Softmax(axis int) Func { return func(x *lazy.Tensor) *lazy.Tensor { return x.Softmax(axis) } }

// MaxPool is the largest element of windows: PyTorch's MaxPool1d, MaxPool2d or MaxPool3d.
func MaxPool(window []int, o nn.PoolOptions) Func {
	return func(x *lazy.Tensor) *lazy.Tensor { return nn.MaxPoolValues(x, window, o) }
}

// AvgPool is the mean of windows: PyTorch's AvgPool1d, AvgPool2d or AvgPool3d.
func AvgPool(window []int, o nn.PoolOptions) Func {
	return func(x *lazy.Tensor) *lazy.Tensor { return nn.AvgPool(x, window, o) }
}

// AdaptiveAvgPool is the mean of as many windows as sizes says.
func AdaptiveAvgPool(sizes ...int) Func {
	return func(x *lazy.Tensor) *lazy.Tensor { return nn.AdaptiveAvgPool(x, sizes...) }
}

// AdaptiveMaxPool is the largest element of as many windows as sizes says.
func AdaptiveMaxPool(sizes ...int) Func {
	return func(x *lazy.Tensor) *lazy.Tensor {
		y, _ := nn.AdaptiveMaxPool(x, sizes...)
		return y
	}
}
