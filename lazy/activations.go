package lazy

import "ltc/ir/types"

// keepSum and keepMax reduce one axis and leave it with dimension 1.
func keepSum(x *Tensor, axis int) *Tensor { return x.Sum(axis).Unsqueeze(axis) }
func keepMax(x *Tensor, axis int) *Tensor { return x.Max(axis).Unsqueeze(axis) }

// wide runs f on x in f32 when its dtype has 16 bits, and rounds the result
// once.
func wide(x *Tensor, f func(x *Tensor) *Tensor) *Tensor {
	d := x.DType()
	if d != types.F16 && d != types.BF16 {
		return f(x)
	}
	return f(x.Convert(types.F32)).Convert(d)
}

func computeSoftmax(x *Tensor, axis int) *Tensor {
	return wide(x, func(x *Tensor) *Tensor {
		e := x.Sub(keepMax(x, axis)).Exp()
		return e.Div(keepSum(e, axis))
	})
}

// gradSoftmax is y (ct - Σ ct y).
func gradSoftmax(_, y, ct *Tensor, axis int) []*Tensor {
	return []*Tensor{y.Mul(ct.Sub(keepSum(ct.Mul(y), axis)))}
}

func computeLogSoftmax(x *Tensor, axis int) *Tensor {
	return wide(x, func(x *Tensor) *Tensor {
		shifted := x.Sub(keepMax(x, axis))
		return shifted.Sub(keepSum(shifted.Exp(), axis).Log())
	})
}

// gradLogSoftmax is ct - exp(y) Σ ct.
func gradLogSoftmax(_, y, ct *Tensor, axis int) []*Tensor {
	return []*Tensor{ct.Sub(y.Exp().Mul(keepSum(ct, axis)))}
}

func computeGELU(x *Tensor) *Tensor {
	return wide(x, func(x *Tensor) *Tensor {
		const invSqrt2 = 0.70710678118654752440
		return x.MulScalar(0.5).Mul(x.MulScalar(invSqrt2).Erf().AddScalar(1))
	})
}

func checkLayerNorm(x, gamma, beta *Tensor, _ float64) *breach {
	if x.Rank() == 0 {
		return breaks(layerNormRank, "x must have an axis")
	}
	n := x.Dim(-1)
	if gamma.Rank() == 1 && gamma.Dim(0) == n && beta.Rank() == 1 && beta.Dim(0) == n {
		return nil
	}
	return breaks(layerNormRow, "gamma and beta must be %v, like a row of x", types.Of(x.DType(), n))
}

func computeLayerNorm(x, gamma, beta *Tensor, epsilon float64) *Tensor {
	d := x.DType()
	return wide(x, func(x *Tensor) *Tensor {
		centred := x.Sub(x.Mean(-1).Unsqueeze(-1))
		variance := centred.Mul(centred).Mean(-1).Unsqueeze(-1)
		if x.DType() != d {
			gamma, beta = gamma.Convert(x.DType()), beta.Convert(x.DType())
		}
		return centred.Mul(variance.AddScalar(epsilon).Rsqrt()).Mul(gamma).Add(beta)
	})
}

// computeMean divides sums in f32 where x has 16 bits: they need not fit.
func computeMean(x *Tensor, axes []int) *Tensor {
	return wide(x, func(x *Tensor) *Tensor {
		sum, count := x.Sum(axes...), 1
		if n := sum.Type().Elements(); n > 0 {
			count = x.Type().Elements() / n
		}
		return sum.Div(sum.like(float64(count)))
	})
}
