package special

import (
	"ltc/internal/functions"
	"ltc/lazy"
)

// chebyshev is the sum of c[k] T_k(x), the first coefficient halved, by Clenshaw's recurrence.
func chebyshev(x *lazy.Tensor, c []float64) *lazy.Tensor {
	twice := x.MulScalar(2)
	b, after := number(x, 0), number(x, 0)
	for k := len(c) - 1; k > 0; k-- {
		b, after = twice.Mul(b).Sub(after).AddScalar(c[k]), b
	}
	return x.Mul(b).Sub(after).AddScalar(c[0] / 2)
}

// scaled is exp(-x) I(x) of x that is not negative: up to 8 the series near, from there far over √x.
func scaled(x *lazy.Tensor, near, far []float64, factor func(x *lazy.Tensor) *lazy.Tensor) *lazy.Tensor {
	low, high := x.MinimumScalar(8), x.MaximumScalar(8)
	small := factor(low).Mul(chebyshev(low.MulScalar(0.25).SubScalar(1), near))
	large := chebyshev(high.RDivScalar(16).SubScalar(1), far).Mul(high.Rsqrt())
	return x.LessEqualScalar(8).Where(small, large)
}

func scaled0(x *lazy.Tensor) *lazy.Tensor {
	return scaled(x.Abs(), bessel0Near, bessel0Far, func(x *lazy.Tensor) *lazy.Tensor { return number(x, 1) })
}

func scaled1(x *lazy.Tensor) *lazy.Tensor {
	return scaled(x.Abs(), bessel1Near, bessel1Far, func(x *lazy.Tensor) *lazy.Tensor { return x }).CopySign(x)
}

// unscaled is y·exp(|x|), in two steps: the exponential may overflow alone.
func unscaled(x, y *lazy.Tensor) *lazy.Tensor {
	root := x.Abs().MulScalar(0.5).Exp()
	return x.IsInf().Where(x.Abs().CopySign(y), y.Mul(root).Mul(root))
}

func computeI0(x *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(x ...*lazy.Tensor) *lazy.Tensor { return unscaled(x[0], scaled0(x[0])) }, x)
}

func computeI0e(x *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(x ...*lazy.Tensor) *lazy.Tensor { return scaled0(x[0]) }, x)
}

func computeI1(x *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(x ...*lazy.Tensor) *lazy.Tensor { return unscaled(x[0], scaled1(x[0])) }, x)
}

func computeI1e(x *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(x ...*lazy.Tensor) *lazy.Tensor { return scaled1(x[0]) }, x)
}

func gradI0(x, _, ct *lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{ct.Mul(I1(x))} }

// gradI0e is I1e - sign(x) I0e.
func gradI0e(x, y, ct *lazy.Tensor) []*lazy.Tensor {
	return []*lazy.Tensor{ct.Mul(I1e(x).Sub(x.Sign().Mul(y)))}
}

// gradI1 is I0 - I1/x, whose limit at 0 is 1/2.
func gradI1(x, y, ct *lazy.Tensor) []*lazy.Tensor {
	return []*lazy.Tensor{ct.Mul(I0(x).Sub(overX(x, y)))}
}

// gradI1e is I0e - I1e/x - sign(x) I1e.
func gradI1e(x, y, ct *lazy.Tensor) []*lazy.Tensor {
	return []*lazy.Tensor{ct.Mul(I0e(x).Sub(overX(x, y)).Sub(x.Sign().Mul(y)))}
}

// overX is y/x for a y that is about x/2 near 0.
func overX(x, y *lazy.Tensor) *lazy.Tensor {
	zero := x.EqualScalar(0)
	return zero.ScalarWhere(0.5, y.Div(zero.ScalarWhere(1, x)))
}
