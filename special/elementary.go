package special

import (
	"math"

	"ltc/internal/functions"
	"ltc/lazy"
)

func computeExpit(x *lazy.Tensor) *lazy.Tensor { return x.Sigmoid() }

// computeLogit is log(x/(1-x)), near 1/2 by what the quotient differs from 1.
func computeLogit(x *lazy.Tensor, eps float64) *lazy.Tensor {
	return functions.Finer(func(in ...*lazy.Tensor) *lazy.Tensor {
		x := in[0]
		switch {
		case eps > 0.5: // the bounds are in the other order, and PyTorch takes the first that x is beyond
			x = x.LessScalar(eps).ScalarWhere(eps, x.GreaterScalar(1-eps).ScalarWhere(1-eps, x))
		case eps >= 0:
			x = x.ClampScalar(eps, 1-eps)
		}
		rest := x.RSubScalar(1)
		middle := x.GreaterScalar(0.25).And(x.LessScalar(0.75))
		near := middle.WhereScalar(x.MulScalar(2).SubScalar(1).Div(middle.WhereScalar(rest, 1)), 0).Log1p()
		return middle.Where(near, x.Div(rest).Log())
	}, x)
}

func computeEntr(x *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(in ...*lazy.Tensor) *lazy.Tensor {
		x := in[0]
		y := x.Mul(x.Log()).Neg()
		y = x.EqualScalar(0).ScalarWhere(0, y)
		return x.LessScalar(0).ScalarWhere(math.Inf(-1), y)
	}, x)
}

// gradEntr is -(1 + log x).
func gradEntr(x, _, ct *lazy.Tensor) []*lazy.Tensor {
	return []*lazy.Tensor{ct.Mul(x.Log().AddScalar(1)).Neg()}
}

// computeXlog1py takes 0 for a y whose logarithm times 0 is no number.
func computeXlog1py(x, y *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(in ...*lazy.Tensor) *lazy.Tensor {
		x, y := in[0], in[1]
		off := x.EqualScalar(0).And(y.LessEqualScalar(-1).Or(y.IsPosInf()))
		return x.Mul(off.ScalarWhere(0, y).Log1p())
	}, x, y)
}

// computeSinc turns by the nearest integer first, so that it is 0 at all but 0.
func computeSinc(x *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(in ...*lazy.Tensor) *lazy.Tensor {
		x := in[0]
		turns := x.Round()
		sine := x.Sub(turns).MulScalar(math.Pi).Sin()
		sine = turns.RemScalar(2).EqualScalar(0).Where(sine, sine.Neg())
		zero := x.EqualScalar(0)
		return zero.ScalarWhere(1, sine.Div(zero.ScalarWhere(1, x).MulScalar(math.Pi)))
	}, x)
}

// gradSinc is (cos πx - y)/x, whose terms cancel near 0: there it is its series, Σ (-1)ᵏ π²ᵏ 2k/(2k+1)! x²ᵏ⁻¹, which
// has the derivatives at 0, too.
func gradSinc(x, _, ct *lazy.Tensor) []*lazy.Tensor {
	const terms = 9 // the tenth is less than 1e-18 of the first at 1/4
	slope := functions.Finer(func(in ...*lazy.Tensor) *lazy.Tensor {
		x := in[0]
		near := x.Abs().LessScalar(0.25)
		small, large := near.WhereScalar(x, 0), near.ScalarWhere(1, x)
		square := small.Mul(small)
		series := square.MulScalar(0)
		for k := terms; k > 0; k-- {
			c := float64(2*k) / math.Gamma(float64(2*k+2)) * math.Pow(-math.Pi*math.Pi, float64(k))
			series = series.Mul(square).AddScalar(c)
		}
		quotient := large.MulScalar(math.Pi).Cos().Sub(Sinc(large)).Div(large)
		return near.Where(series.Mul(small), quotient)
	}, x)
	return []*lazy.Tensor{ct.Mul(slope)}
}
