package lazy

import (
	"fmt"
	"math"

	"ltc/ir/types"
	"ltc/lazy/internal/axes"
)

// Initializer gives a variable its first values: next returns one element after
// the other, in row-major order, drawing from uniform numbers of [0, 1).
type Initializer func(t types.Type, uniform func() float64) (next func() float64, err error)

// Normal draws from the normal distribution.
func Normal(mean, stddev float64) Initializer {
	return func(t types.Type, uniform func() float64) (func() float64, error) {
		if !t.DType.IsFloat() {
			return nil, notNormal(t.DType)
		}
		var spare float64
		have := false
		// Box, Muller: A note on the generation of random normal deviates, 1958.
		return func() float64 {
			if have = !have; !have {
				return mean + stddev*spare
			}
			radius := math.Sqrt(-2 * math.Log(1-uniform()))
			sin, cos := math.Sincos(2 * math.Pi * uniform())
			spare = radius * sin
			return mean + stddev*radius*cos
		}, nil
	}
}

func notNormal(d types.DType) error {
	return fmt.Errorf("normal numbers do not fit %v: use a float dtype, Uniform or Constant", d)
}

// Uniform draws from [low, high).
func Uniform(low, high float64) Initializer {
	return func(t types.Type, uniform func() float64) (func() float64, error) {
		return func() float64 { return low + (high-low)*uniform() }, nil
	}
}

// TruncatedNormal draws from the normal distribution numbers between low and high alone,
// as PyTorch's trunc_normal_ does: by inverting its cumulative distribution function. The
// deviation of what is drawn is less than stddev: 0.8796 of it between -2 and 2 stddev.
func TruncatedNormal(mean, stddev, low, high float64) Initializer {
	return func(t types.Type, uniform func() float64) (func() float64, error) {
		below := func(x float64) float64 { return math.Erfc((mean-x)/(stddev*math.Sqrt2)) / 2 }
		from, to := below(low), below(high)
		switch {
		case !t.DType.IsFloat():
			return nil, notNormal(t.DType)
		case !(stddev > 0) || math.IsInf(stddev, 0) || !(low < high):
			return nil, fmt.Errorf("stddev %v must be positive and finite, and low %v below high %v", stddev, low, high)
		case !(to-from >= 1e-6): // beyond it inverting is inexact
			return nil, fmt.Errorf("less than a millionth of the normal distribution of mean %v and stddev %v is between %v and %v: widen the interval", mean, stddev, low, high)
		}
		return func() float64 {
			x := mean + stddev*math.Sqrt2*math.Erfinv(2*(from+(to-from)*uniform())-1)
			return min(max(x, low), high)
		}, nil
	}
}

// The initializers below know how many inputs and outputs an element of a weight is
// between, its fan-in and fan-out. A matrix is [in, out], as MatMul takes it on the right.
// The axes of any other weight must be named as [ConvOptions.Layout] names those of a
// kernel, or by the whole of that layout. "OIHW" is the kernel that Conv takes by default.
// "HWIO" is that of the layout "NHWC,HWIO->NHWC". "OI" is a matrix [out, in]. The fan-in
// is the dimension of I times those of the spatial axes, the fan-out that of O times the
// same. In a convolution with groups I has the input features of one group. Axes that are
// named N hold weights of their own and count in neither.

// HeNormal draws weights for layers followed by ReLU: normal with variance 2/fan-in (He,
// Zhang, Ren, Sun: Delving deep into rectifiers, 2015, equation 10). It is PyTorch's
// kaiming_normal_.
func HeNormal(layout ...string) Initializer {
	return scaled("HeNormal", layout, func(in, _ float64) Initializer { return Normal(0, math.Sqrt(2/in)) })
}

// HeUniform is [HeNormal] with uniform numbers of the same variance: within
// sqrt(6/fan-in). It is PyTorch's kaiming_uniform_ with a = 0.
func HeUniform(layout ...string) Initializer {
	return scaled("HeUniform", layout, func(in, _ float64) Initializer { return within(math.Sqrt(6 / in)) })
}

// GlorotNormal draws weights for layers followed by tanh and the like: normal with
// variance 2/(fan-in + fan-out) (Glorot, Bengio: Understanding the difficulty of training
// deep feedforward neural networks, 2010, equation 12). It is PyTorch's xavier_normal_.
func GlorotNormal(layout ...string) Initializer {
	return scaled("GlorotNormal", layout, func(in, out float64) Initializer { return Normal(0, math.Sqrt(2/(in+out))) })
}

// GlorotUniform is [GlorotNormal] with uniform numbers of the same variance: within
// sqrt(6/(fan-in + fan-out)), the paper's equation 16. It is PyTorch's xavier_uniform_.
func GlorotUniform(layout ...string) Initializer {
	return scaled("GlorotUniform", layout, func(in, out float64) Initializer { return within(math.Sqrt(6 / (in + out))) })
}

// KaimingUniform is what PyTorch's Linear and Conv layers start from: kaiming_uniform_
// with a = sqrt(5), whose limit sqrt(6/((1+a²) fan-in)) is 1/sqrt(fan-in)
// (torch/nn/modules/linear.py, reset_parameters). PyTorch draws their biases within the
// same limit: Uniform(-k, k) with k = 1/sqrt(fan-in) of the weight.
func KaimingUniform(layout ...string) Initializer {
	return scaled("KaimingUniform", layout, func(in, _ float64) Initializer { return within(math.Sqrt(1 / in)) })
}

func within(limit float64) Initializer { return Uniform(-limit, limit) }

// scaled is the initializer that of gives for the fan-in and fan-out of a weight.
func scaled(name string, layout []string, of func(in, out float64) Initializer) Initializer {
	return func(t types.Type, uniform func() float64) (func() float64, error) {
		in, out, err := axes.Fans(name, t.Shape, layout)
		if err != nil {
			return nil, err
		}
		return of(in, out)(t, uniform)
	}
}

// Constant sets every element to v.
func Constant(v float64) Initializer {
	return func(types.Type, func() float64) (func() float64, error) {
		return func() float64 { return v }, nil
	}
}
