package special

import (
	"math"

	"ltc/internal/functions"
	"ltc/lazy"
)

// incompleteGammaSteps is how many terms the series and the continued fraction have. They meet in a = x = temmeFrom,
// where they need most: one term fewer changes no result of f64 there.
const incompleteGammaSteps = 80

// temmeFrom is the least a of the uniform expansion, which is for x/a from 1/2 to 3/2.
const temmeFrom = 60

// incompleteGamma returns the regularized incomplete gamma functions P and Q of numbers of f64. Where x is at
// most 1 or a, they are by the series of P (DLMF 8.11.4), elsewhere by the continued fraction of Q (8.9.2), and for large a
// by the uniform expansion (8.12). For small a and x, Q has a series of its own.
func incompleteGamma(a, x *lazy.Tensor) (p, q *lazy.Tensor) {
	all := x.Add(a).OpenShape()
	a, x = a.BroadcastTo(all...), x.BroadcastTo(all...)
	mu := x.Sub(a).Div(a)
	near := mu.Abs().LessScalar(0.5)
	distance := near.Where(muLessLog1p(mu), mu.Sub(x.Div(a).Log()))
	scale := a.MulScalar(2 * math.Pi).Sqrt()

	bounded := x.MinimumScalar(1000) // where the power is finite and exp(-x) is 0
	power := bounded.Neg().Exp().Mul(a.Mul(bounded.Log()).Sub(a.AddScalar(1).Lgamma()).Exp())
	large := a.Mul(distance).Add(stirling(a)).Neg().Exp().Div(scale)
	factor := a.LessScalar(10).Where(power, large) // xᵃ exp(-x) / Γ(a+1)

	steps := lazy.For(incompleteGammaSteps, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
		k := i.Convert(x.DType()).RSubScalar(incompleteGammaSteps)
		fraction := x.Add(k.MulScalar(2).SubScalar(1)).Sub(a).Sub(k.Mul(k.Sub(a)).Div(s[1]))
		return []*lazy.Tensor{s[0].Mul(x).Div(k.Add(a)).AddScalar(1), fraction}
	}, filled(x, 1), x.Sub(a).AddScalar(2*incompleteGammaSteps+1))
	lower := x.LessEqualScalar(1).Or(x.LessEqual(a))
	p, q = factor.Mul(steps[0]), factor.Mul(a).Div(steps[1])
	p, q = lower.Where(p, q.RSubScalar(1)), lower.Where(p.RSubScalar(1), q)

	uniform := a.GreaterEqualScalar(temmeFrom).And(near)
	eta := distance.MulScalar(2).Sqrt().CopySign(mu)
	sum := polynomial(eta, temme[len(temme)-1])
	for k := len(temme) - 2; k >= 0; k-- {
		sum = sum.Div(a).Add(polynomial(eta, temme[k]))
	}
	sum = sum.Mul(a.Mul(distance).Neg().Exp()).Div(scale)
	middle := eta.Mul(a.MulScalar(0.5).Sqrt())
	p = uniform.Where(middle.Neg().Erfc().MulScalar(0.5).Sub(sum), p)
	q = uniform.Where(middle.Erfc().MulScalar(0.5).Add(sum), q)

	tiny := a.LessScalar(1e-3).And(x.LessEqualScalar(1))
	q = tiny.Where(smallIncompleteGamma(a, x), q)
	return incompleteGammaEnds(a, x, p, 0), incompleteGammaEnds(a, x, q, 1)
}

// incompleteGammaEnds returns y but at the ends: it is zero where x is 0 or a infinite, and 1-zero where a is 0 or x infinite.
// Where both are 0 or infinite, or one is negative, it is NaN.
func incompleteGammaEnds(a, x, y *lazy.Tensor, zero float64) *lazy.Tensor {
	first, second := x.EqualScalar(0).Or(a.IsInf()), a.EqualScalar(0).Or(x.IsInf())
	undefined := first.And(second).And(a.Equal(x)).Or(a.LessScalar(0)).Or(x.LessScalar(0)).Or(a.NotEqual(a)).Or(x.NotEqual(x))
	y = first.ScalarWhere(zero, second.ScalarWhere(1-zero, y))
	return undefined.ScalarWhere(math.NaN(), y)
}

// muLessLog1p is μ - log(1+μ) for |μ| up to 1/2, with all digits near 0. With s = μ/(2+μ), the logarithm is
// 2s (1 + s²/3 + s⁴/5 + …), and μ - 2s is sμ.
func muLessLog1p(mu *lazy.Tensor) *lazy.Tensor {
	s := mu.Div(mu.AddScalar(2))
	square := s.Square()
	var c []float64
	for k := 1; k <= 17; k++ {
		c = append(c, 1/float64(2*k+1))
	}
	return s.Mul(mu.Sub(square.Mul(polynomial(square, c)).MulScalar(2)))
}

// stirling is log Γ(a+1) - log √(2πa) - a log a + a for a from 10 on: DLMF 5.11.1.
func stirling(a *lazy.Tensor) *lazy.Tensor {
	inverse := a.Reciprocal()
	return inverse.Mul(polynomial(inverse.Square(), []float64{1. / 12, -1. / 360, 1. / 1260, -1. / 1680, 1. / 1188, -691. / 360360, 1. / 156, -3617. / 122400}))
}

// smallIncompleteGamma is Q for a below 1e-3 and x up to 1, where 1-P has lost its digits: DLMF 8.7.3.
func smallIncompleteGamma(a, x *lazy.Tensor) *lazy.Tensor {
	// log Γ(1+a) / a: -γ and (-1)ᵏ ζ(k)/k
	lgamma := polynomial(a, []float64{-0.57721566490153286061, 0.82246703342411321824, -0.40068563438653142847, 0.27058080842778454788, -0.20738555102867398527, 0.16955717699740818995})
	log := a.Mul(x.Log().Sub(lgamma))
	sum := number(x, 0)
	for n := 18; n > 0; n-- {
		sum = sum.Add(a.AddScalar(float64(n)).Reciprocal()).Mul(x.MulScalar(-1 / float64(n)))
	}
	return log.Expm1().Add(log.Exp().Mul(a).Mul(sum)).Neg()
}

func computeGammaInc(a, x *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(in ...*lazy.Tensor) *lazy.Tensor {
		p, _ := incompleteGamma(in[0], in[1])
		return p
	}, a, x)
}

func computeGammaIncC(a, x *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(in ...*lazy.Tensor) *lazy.Tensor {
		_, q := incompleteGamma(in[0], in[1])
		return q
	}, a, x)
}

func gradGammaInc(a, x, _, ct *lazy.Tensor) []*lazy.Tensor {
	slope := functions.Finer(func(in ...*lazy.Tensor) *lazy.Tensor {
		a, x := in[0], in[1]
		return a.SubScalar(1).Mul(x.Log()).Sub(x).Sub(a.Lgamma()).Exp()
	}, a, x)
	return []*lazy.Tensor{nil, functions.SummedLike(ct.Mul(slope), x)}
}

func gradGammaIncC(a, x, y, ct *lazy.Tensor) []*lazy.Tensor {
	return gradGammaInc(a, x, y, ct.Neg())
}

// temme has the coefficients of the uniform expansion of the incomplete gamma functions: those of c_k of DLMF 8.12.9 as
// a power series in η, computed with exact fractions.
var temme = [][]float64{
	{
		-0.33333333333333333333, 0.083333333333333333333, -0.014814814814814814815, 0.0011574074074074074074,
		0.00035273368606701940035, -0.00017875514403292181070, 0.000039192631785224377817, -2.1854485106799921615e-6,
		-1.8540622107151599607e-6, 8.2967113409530860050e-7, -1.7665952736826079304e-7, 6.7078535434014985804e-9,
		1.0261809784240308043e-8, -4.3820360184533531866e-9, 9.1476995822367902342e-10, -2.5514193994946249767e-11,
		-5.8307721325504250675e-11, 2.4361948020667416244e-11, -5.0276692801141755891e-12, 1.1004392031956134771e-13,
		3.3717632624009853788e-13, -1.3923887224181620659e-13,
	},
	{
		-0.0018518518518518518519, -0.0034722222222222222222, 0.0026455026455026455026, -0.00099022633744855967078,
		0.00020576131687242798354, -4.0187757201646090535e-7, -0.000018098550334489977837, 7.6491609160811100846e-6,
		-1.6120900894563446004e-6, 4.6471278028074343423e-9, 1.3786334469157209593e-7, -5.7525456035177049640e-8,
		1.1951628599778147324e-8, -1.7543241719747647624e-11, -1.0091543710600412627e-9, 4.1627929918425826362e-10,
		-8.5639070264929806381e-11, 6.0672151016047586151e-14, 7.1624989648114853901e-12, -2.9331866437714371174e-12,
	},
	{
		0.0041335978835978835979, -0.0026813271604938271605, 0.00077160493827160493827, 2.0093878600823045267e-6,
		-0.00010736653226365160522, 0.000052923448829120125416, -0.000012760635188618727713, 3.4235787340961380742e-8,
		1.3721957309062933206e-6, -6.2989921383800550229e-7, 1.4280614206064241792e-7, -2.0477098421990866015e-10,
		-1.4092529910867521053e-8, 6.2289740849220220336e-9, -1.3670488396617113499e-9, 9.4283561590146781955e-13,
		1.2872252400089318060e-10, -5.5645956134363321147e-11,
	},
	{
		0.00064943415637860082305, 0.00022947209362139917695, -0.00046918949439525571213, 0.00026772063206283885296,
		-0.000075618016718839764107, -2.3965051138672966519e-7, 0.000011082654115347302361, -5.6749528269915965675e-6,
		1.4230900732435883915e-6, -2.7861080291528142241e-11, -1.6958404091930277290e-7, 8.0994649053880823634e-8,
		-1.9111168485973654061e-8, 2.3928620439808117969e-12, 2.0620131815488798437e-9, -9.4604966618551321738e-10,
	},
	{
		-0.00086188829091671169860, 0.00078403922172006662747, -0.00029907248030319017973, -1.4638452578843418178e-6,
		0.000066414982154651221867, -0.000039683650471794346644, 0.000011375726970678419098, 2.5074972262375328017e-10,
		-1.6954149536558306015e-6, 8.9075075322053096888e-7, -2.2929348340008048706e-7, 2.9567941375440490470e-11,
	},
	{
		-0.00033679855336635815031, -0.000069728137583658577743, 0.00027727532449593920787, -0.00019932570516188847700,
		0.000067977804779372078388, 1.4190629206439670148e-7, -0.000013594048189768693278, 8.0184702563342015397e-6,
	},
}
