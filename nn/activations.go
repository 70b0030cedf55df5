package nn

import (
	"fmt"
	"math"

	"ltc/internal/functions"
	"ltc/ir/types"
	"ltc/lazy"
)

func computeSiLU(x *lazy.Tensor) *lazy.Tensor {
	return functions.Wide(func(x ...*lazy.Tensor) *lazy.Tensor { return x[0].Mul(x[0].Sigmoid()) }, x)
}

func computeELU(x *lazy.Tensor, alpha float64) *lazy.Tensor { return elu(x, alpha, 1, 1) }

func computeSELU(x *lazy.Tensor) *lazy.Tensor {
	const alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
	return elu(x, alpha, scale, 1)
}

func computeCELU(x *lazy.Tensor, alpha float64) *lazy.Tensor { return elu(x, alpha, 1, alpha) }

func checkCELU(_ *lazy.Tensor, alpha float64) (demand, reason string) {
	if alpha == 0 {
		return celuZero, "alpha is 0, which x is divided by"
	}
	return "", ""
}

// elu returns scale·x where x is positive, and scale·alpha (exp(x/width)-1) elsewhere.
func elu(x *lazy.Tensor, alpha, scale, width float64) *lazy.Tensor {
	return functions.Wide(func(x ...*lazy.Tensor) *lazy.Tensor {
		// Expm1 of a positive number may be infinite, and 0 times the gradient of that is NaN.
		below := x[0].LessEqualScalar(0)
		in, above := below.WhereScalar(x[0], 0), x[0]
		if width != 1 {
			in = in.DivScalar(width)
		}
		if scale != 1 {
			above = above.MulScalar(scale)
		}
		return below.Where(in.Expm1().MulScalar(alpha*scale), above)
	}, x)
}

func computeGLU(x *lazy.Tensor, axis int) *lazy.Tensor {
	half := lazy.SizeDiv(x.OpenDim(axis), 2)
	return functions.Wide(func(x ...*lazy.Tensor) *lazy.Tensor { return x[0].Mul(x[1].Sigmoid()) },
		x.Narrow(axis, 0, half), x.Narrow(axis, half, half))
}

func checkGLU(x *lazy.Tensor, axis int) (demand, reason string) {
	if n := x.Dim(axis); n%2 != 0 {
		return gluEven, fmt.Sprintf("the dimension of axis %d of %v is %d, must be even", axis, x.Type(), n)
	}
	return "", ""
}

func computeGELUTanh(x *lazy.Tensor) *lazy.Tensor {
	return functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
		x := xs[0]
		cubic := x.Mul(x).MulScalar(0.044715).AddScalar(1).Mul(x)
		return x.MulScalar(0.5).Mul(cubic.MulScalar(math.Sqrt(2 / math.Pi)).Tanh().AddScalar(1))
	}, x)
}

func computeMish(x *lazy.Tensor) *lazy.Tensor {
	return functions.Wide(func(x ...*lazy.Tensor) *lazy.Tensor { return x[0].Mul(softplus(x[0]).Tanh()) }, x)
}

// softplus returns log(1 + exp(x)) without overflow. Both of its cases have every derivative at 0, which
// Maximum and |x| lack.
func softplus(x *lazy.Tensor) *lazy.Tensor {
	below := x.LessScalar(0)
	return below.ScalarWhere(0, x).Add(below.Where(x, x.Neg()).Exp().Log1p())
}

func computeLogSigmoid(x *lazy.Tensor) *lazy.Tensor {
	return functions.Wide(func(x ...*lazy.Tensor) *lazy.Tensor { return softplus(x[0].Neg()).Neg() }, x)
}

func gradLogSigmoid(x, _, ct *lazy.Tensor) []*lazy.Tensor {
	return []*lazy.Tensor{functions.Wide(func(x ...*lazy.Tensor) *lazy.Tensor { return x[1].Mul(x[0].Neg().Sigmoid()) }, x, ct)}
}

func checkSoftplus(_ *lazy.Tensor, beta, _ float64) (demand, reason string) {
	if beta == 0 {
		return softplusZero, "beta is 0, which is divided by"
	}
	return "", ""
}

func computeSoftplus(x *lazy.Tensor, beta, threshold float64) *lazy.Tensor {
	return functions.Wide(func(x ...*lazy.Tensor) *lazy.Tensor {
		scaled := x[0].MulScalar(beta)
		return scaled.GreaterScalar(threshold).Where(x[0], softplus(scaled).DivScalar(beta))
	}, x)
}

func computeSoftsign(x *lazy.Tensor) *lazy.Tensor {
	return functions.Wide(func(x ...*lazy.Tensor) *lazy.Tensor { return x[0].Div(x[0].Abs().AddScalar(1)) }, x)
}

func computeTanhShrink(x *lazy.Tensor) *lazy.Tensor {
	return functions.Wide(func(x ...*lazy.Tensor) *lazy.Tensor { return x[0].Sub(x[0].Tanh()) }, x)
}

func checkSoftShrink(_ *lazy.Tensor, lambda float64) (demand, reason string) {
	if lambda < 0 {
		return softShrinkNegative, fmt.Sprintf("lambda is %v, must not be negative", lambda)
	}
	return "", ""
}

func computeSoftShrink(x *lazy.Tensor, lambda float64) *lazy.Tensor {
	return functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
		x := xs[0]
		within := x.NotEqual(x).WhereScalar(x, 0) // NaN of NaN
		return x.GreaterScalar(lambda).Where(x.SubScalar(lambda), x.LessScalar(-lambda).Where(x.AddScalar(lambda), within))
	}, x)
}

func computeHardShrink(x *lazy.Tensor, lambda float64) *lazy.Tensor {
	return x.GreaterEqualScalar(-lambda).And(x.LessEqualScalar(lambda)).Not().WhereScalar(x, 0)
}

func checkHardTanh(_ *lazy.Tensor, low, high float64) (demand, reason string) {
	if low > high {
		return hardTanhBounds, fmt.Sprintf("low is %v and high %v: it must be at least low", low, high)
	}
	return "", ""
}

// computeHardTanh rounds the bounds of integers towards 0, as PyTorch does.
func computeHardTanh(x *lazy.Tensor, low, high float64) *lazy.Tensor {
	if d := x.DType(); d.IsInteger() {
		return x.ClampScalar(boundOf(d, low), boundOf(d, high))
	}
	return clamp(x, low, high)
}

// boundOf is a bound of integers of a dtype: an infinity, which is none, where it is not within their
// range.
func boundOf(d types.DType, v float64) float64 {
	bits := 8 * d.Size()
	least, beyond := 0.0, math.Ldexp(1, bits)
	if d.IsSigned() {
		least, beyond = -beyond/2, beyond/2
	}
	switch v = math.Trunc(v); {
	case v < least:
		return math.Inf(-1)
	case v >= beyond:
		return math.Inf(1)
	}
	return v
}

// clamp returns x within bounds. Its gradient at a bound is 0, where that of Maximum and Minimum is
// half of that within.
func clamp(x *lazy.Tensor, low, high float64) *lazy.Tensor {
	return x.LessEqualScalar(low).Not().WhereScalar(x.GreaterEqualScalar(high).Not().WhereScalar(x, high), low)
}

func computeReLU6(x *lazy.Tensor) *lazy.Tensor { return clamp(x, 0, 6) }

func computeHardSigmoid(x *lazy.Tensor) *lazy.Tensor {
	return functions.Wide(func(x ...*lazy.Tensor) *lazy.Tensor {
		between := x[0].GreaterScalar(-3).And(x[0].LessScalar(3))
		y := x[0].AddScalar(3)
		return between.Where(y, clamp(y, 0, 6).Stop()).DivScalar(6)
	}, x)
}

func computeHardSwish(x *lazy.Tensor) *lazy.Tensor {
	return functions.Wide(func(x ...*lazy.Tensor) *lazy.Tensor { return x[0].Mul(clamp(x[0].AddScalar(3), 0, 6)).DivScalar(6) }, x)
}

// gradHardSwish is what PyTorch has at -3, 3 and NaN.
func gradHardSwish(x, _, ct *lazy.Tensor) []*lazy.Tensor {
	return []*lazy.Tensor{functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
		x, ct := xs[0], xs[1]
		slope := x.GreaterScalar(-3).WhereScalar(x.DivScalar(3).AddScalar(0.5), 0)
		return x.LessScalar(3).Where(ct.Mul(slope), ct)
	}, x, ct)}
}

func computeLeakyReLU(x *lazy.Tensor, slope float64) *lazy.Tensor {
	return functions.Wide(func(x ...*lazy.Tensor) *lazy.Tensor {
		return x[0].GreaterScalar(0).Where(x[0], x[0].MulScalar(slope))
	}, x)
}

func checkFakeQuantize(_ *lazy.Tensor, scale float64, zero, low, high int) (demand, reason string) {
	switch {
	case scale <= 0:
		return fakeQuantizePositive, fmt.Sprintf("scale is %v, must be positive", scale)
	case zero < low || zero > high:
		return fakeQuantizeRange, fmt.Sprintf("zero is %d, must be from low, %d, to high, %d", zero, low, high)
	}
	return "", ""
}

// quantized returns the integers that stand for x before they are clamped. The inverse of the scale is of
// f32, as PyTorch's is: it decides ties.
func quantized(x *lazy.Tensor, scale float64, zero int) *lazy.Tensor {
	return x.MulScalar(float64(1 / float32(scale))).Round().AddScalar(float64(zero))
}

func computeFakeQuantize(x *lazy.Tensor, scale float64, zero, low, high int) *lazy.Tensor {
	return functions.Wide(func(x ...*lazy.Tensor) *lazy.Tensor {
		q := quantized(x[0], scale, zero).ClampScalar(float64(low), float64(high))
		return q.SubScalar(float64(zero)).MulScalar(float64(float32(scale)))
	}, x)
}

// gradFakeQuantize is the straight-through estimator.
func gradFakeQuantize(x, _, ct *lazy.Tensor, scale float64, zero, low, high int) []*lazy.Tensor {
	q := quantized(functions.InF32(x)[0], scale, zero)
	within := q.GreaterEqualScalar(float64(low)).And(q.LessEqualScalar(float64(high)))
	return []*lazy.Tensor{within.WhereScalar(ct, 0)}
}

func checkPReLU(x, weight *lazy.Tensor) (demand, reason string) {
	channels := 1
	if x.Rank() > 1 {
		channels = x.OpenDim(1)
	}
	if s := weight.OpenShape(); len(s) > 1 || len(s) == 1 && s[0] != 1 && s[0] != channels {
		return pReLUWeight, fmt.Sprintf("weight must be a scalar or have one axis, of dimension 1 or %v", channels)
	}
	return "", ""
}

func computePReLU(x, weight *lazy.Tensor) *lazy.Tensor {
	if weight.Rank() == 1 {
		if x.Rank() > 1 {
			weight = alongChannels(weight, x)
		} else {
			weight = weight.Reshape()
		}
	}
	return x.GreaterScalar(0).Where(x, x.Mul(weight))
}

func checkRReLU(x, slopes *lazy.Tensor) (demand, reason string) {
	if !broadcastsTo(slopes, x) {
		return rReLUSlopes, fmt.Sprintf("slopes must broadcast to %v", x.OpenShape())
	}
	return "", ""
}

func computeRReLU(x, slopes *lazy.Tensor) *lazy.Tensor {
	return x.GreaterScalar(0).Where(x, x.Mul(slopes))
}

// gradRReLU has none for slopes, and no second derivative for them.
func gradRReLU(x, slopes, _, ct *lazy.Tensor) []*lazy.Tensor {
	return []*lazy.Tensor{x.GreaterScalar(0).Where(ct, ct.Mul(slopes.Stop())), nil}
}

func computeThreshold(x *lazy.Tensor, threshold, value float64) *lazy.Tensor {
	return x.LessEqualScalar(threshold).Not().WhereScalar(x, value)
}

func computeSoftmin(x *lazy.Tensor, axis int) *lazy.Tensor { return x.Neg().Softmax(axis) }

func computeSafeSoftmax(x *lazy.Tensor, axis int) *lazy.Tensor {
	return functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
		x := xs[0]
		most := x.MaxKeep(axis)
		e := x.Sub(most.EqualScalar(math.Inf(-1)).Not().WhereScalar(most, 0)).Exp()
		sum := e.SumKeep(axis)
		return e.Div(sum.EqualScalar(0).Not().WhereScalar(sum, 1))
	}, x)
}

func gradSafeSoftmax(_, y, ct *lazy.Tensor, axis int) []*lazy.Tensor {
	return []*lazy.Tensor{y.Mul(ct.Sub(ct.Mul(y).SumKeep(axis)))}
}
