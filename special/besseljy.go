package special

import (
	"math"

	"ltc/internal/functions"
	"ltc/lazy"
)

// rational is the quotient of two polynomials.
func rational(x *lazy.Tensor, over, under []float64) *lazy.Tensor {
	return polynomial(x, over).Div(polynomial(x, under))
}

// wave has the approximations of the Bessel functions J and Y of one order.
type wave struct {
	zeros        [2]float64   // the squares of the first zeros of J
	near, nearY  [2][]float64 // up to 5
	cosine, sine [2][]float64 // from there on
	odd          bool         // the order is 1: near 0, J and the regular part of Y are x times a function of x²
}

var (
	wave0 = wave{
		zeros: [2]float64{5.78318596294678452118, 30.4712623436620863991}, near: [2][]float64{j0Near, j0NearOver}, nearY: [2][]float64{y0Near, y0NearOver},
		cosine: [2][]float64{far0Cos, far0CosOver}, sine: [2][]float64{far0Sin, far0SinOver},
	}
	wave1 = wave{
		zeros: [2]float64{14.6819706421238932572, 49.2184563216946036703}, near: [2][]float64{j1Near, j1NearOver}, nearY: [2][]float64{y1Near, y1NearOver},
		cosine: [2][]float64{far1Cos, far1CosOver}, sine: [2][]float64{far1Sin, far1SinOver}, odd: true,
	}
)

// isNear reports whether x is at most 5, and returns x there and another number elsewhere.
func isNear(x *lazy.Tensor) (near, small *lazy.Tensor) {
	near = x.LessEqualScalar(5)
	return near, near.WhereScalar(x, 1)
}

// j is J of x from 0 to 5.
func (w *wave) j(x *lazy.Tensor) *lazy.Tensor {
	square := x.Square()
	y := square.SubScalar(w.zeros[0]).Mul(square.SubScalar(w.zeros[1])).Mul(rational(square, w.near[0], w.near[1]))
	if w.odd {
		y = y.Mul(x)
	}
	return y
}

// far is J and Y of x from 5 on.
func (w *wave) far(x *lazy.Tensor) (j, y *lazy.Tensor) {
	u := x.RDivScalar(5)
	square := u.Square()
	c, s := rational(square, w.cosine[0], w.cosine[1]), u.Mul(rational(square, w.sine[0], w.sine[1]))
	cos, sin := w.phase(x)
	amplitude := x.Rsqrt().MulScalar(1 / math.Sqrt(math.Pi))
	return amplitude.Mul(c.Mul(cos).Sub(s.Mul(sin))), amplitude.Mul(c.Mul(sin).Add(s.Mul(cos)))
}

// phase is √2 times the cosine and the sine of x - π/4, or of x - 3π/4 if the order is 1. They are the sum and the
// difference of sin x and cos x, as rounding x - π/4 loses digits of x. Whichever cancels is -cos 2x over the other.
func (w *wave) phase(x *lazy.Tensor) (cos, sin *lazy.Tensor) {
	c, s := x.Cos(), x.Sin()
	sum, difference, twice := s.Add(c), s.Sub(c), x.MulScalar(2)
	cancels, finite := s.Mul(c).LessScalar(0), twice.IsFinite()
	product := twice.Cos().Neg() // of the sum and the difference
	sum, difference = cancels.And(finite).Where(product.Div(difference), sum), cancels.Or(finite.Not()).Where(difference, product.Div(sum))
	if w.odd {
		return difference, sum.Neg()
	}
	return sum, difference
}

func (w *wave) computeJ(x *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(in ...*lazy.Tensor) *lazy.Tensor {
		x := in[0].Abs()
		near, small := isNear(x)
		far, _ := w.far(near.ScalarWhere(5, x))
		y := near.Where(w.j(small), far)
		if w.odd {
			y = in[0].LessScalar(0).Where(y.Neg(), y)
		}
		return y
	}, x)
}

func (w *wave) computeY(x *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(in ...*lazy.Tensor) *lazy.Tensor {
		x := in[0]
		near, small := isNear(x)
		inside := small.GreaterScalar(0)
		small = inside.WhereScalar(small, 1)
		regular, log := rational(small.Square(), w.nearY[0], w.nearY[1]), w.j(small).Mul(small.Log())
		if w.odd {
			regular, log = regular.Mul(small), log.Sub(small.Reciprocal())
		}
		_, far := w.far(near.ScalarWhere(5, x))
		y := near.Where(regular.Add(log.MulScalar(2/math.Pi)), far)
		return x.EqualScalar(0).ScalarWhere(math.Inf(-1), x.LessScalar(0).ScalarWhere(math.NaN(), y))
	}, x)
}

func computeJ0(x *lazy.Tensor) *lazy.Tensor { return wave0.computeJ(x) }
func computeJ1(x *lazy.Tensor) *lazy.Tensor { return wave1.computeJ(x) }
func computeY0(x *lazy.Tensor) *lazy.Tensor { return wave0.computeY(x) }
func computeY1(x *lazy.Tensor) *lazy.Tensor { return wave1.computeY(x) }

func gradJ0(x, _, ct *lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{ct.Mul(J1(x)).Neg()} }

// gradJ1 is J0 - J1/x, whose limit at 0 is 1/2.
func gradJ1(x, y, ct *lazy.Tensor) []*lazy.Tensor {
	return []*lazy.Tensor{ct.Mul(J0(x).Sub(overX(x, y)))}
}

func gradY0(x, _, ct *lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{ct.Mul(Y1(x)).Neg()} }

// gradY1 is Y0 - Y1/x.
func gradY1(x, y, ct *lazy.Tensor) []*lazy.Tensor {
	return []*lazy.Tensor{ct.Mul(Y0(x).Sub(y.Div(x)))}
}

// scaledK is exp(x) K(x): of x up to 2 the Chebyshev series and the logarithm times I, and from there on a series over √x.
func scaledK(x *lazy.Tensor, near, far []float64, odd bool) *lazy.Tensor {
	isSmall := x.LessEqualScalar(2)
	small, large := isSmall.And(x.GreaterScalar(0)).WhereScalar(x, 1), isSmall.ScalarWhere(2, x)
	tiny := small.LessScalar(0x1p-1000) // half a subnormal is rounded, to 0 too
	half := tiny.Where(small, small.MulScalar(0.5)).Log().Sub(tiny.Convert(x.DType()).MulScalar(math.Ln2))
	series, log := chebyshev(small.Square().MulScalar(0.5).SubScalar(1), near), half.Mul(small.Exp())
	at := small.MulScalar(0.25).SubScalar(1) // of the series of exp(-x) I, which go to 8
	if odd {
		series = series.Div(small).Add(log.Mul(small).Mul(chebyshev(at, bessel1Near)))
	} else {
		series = series.Sub(log.Mul(chebyshev(at, bessel0Near)))
	}
	y := isSmall.Where(series.Mul(small.Exp()), chebyshev(large.RDivScalar(4).SubScalar(1), far).Mul(large.Rsqrt()))
	return x.EqualScalar(0).ScalarWhere(math.Inf(1), x.LessScalar(0).ScalarWhere(math.NaN(), y))
}

func scaledK0(x *lazy.Tensor) *lazy.Tensor { return scaledK(x, k0Near, k0Far, false) }
func scaledK1(x *lazy.Tensor) *lazy.Tensor { return scaledK(x, k1Near, k1Far, true) }

func computeK0(x *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(x ...*lazy.Tensor) *lazy.Tensor { return scaledK0(x[0]).Mul(x[0].Neg().Exp()) }, x)
}

func computeK1(x *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(x ...*lazy.Tensor) *lazy.Tensor { return scaledK1(x[0]).Mul(x[0].Neg().Exp()) }, x)
}

func computeK0e(x *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(x ...*lazy.Tensor) *lazy.Tensor { return scaledK0(x[0]) }, x)
}

func computeK1e(x *lazy.Tensor) *lazy.Tensor {
	return functions.Finer(func(x ...*lazy.Tensor) *lazy.Tensor { return scaledK1(x[0]) }, x)
}

func gradK0(x, _, ct *lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{ct.Mul(K1(x)).Neg()} }

// gradK1 is -K0 - K1/x.
func gradK1(x, y, ct *lazy.Tensor) []*lazy.Tensor {
	return []*lazy.Tensor{ct.Mul(K0(x).Add(y.Div(x))).Neg()}
}

// gradK0e is K0e - K1e.
func gradK0e(x, y, ct *lazy.Tensor) []*lazy.Tensor {
	return []*lazy.Tensor{ct.Mul(y.Sub(K1e(x)))}
}

// gradK1e is K1e - K0e - K1e/x.
func gradK1e(x, y, ct *lazy.Tensor) []*lazy.Tensor {
	return []*lazy.Tensor{ct.Mul(y.Sub(K0e(x)).Sub(y.Div(x)))}
}

// computeAiryAi uses the oscillating expansion below -2.09, the Maclaurin series to 2.09, and the decaying expansion
// above. The expansions are in ζ = 2/3 |x|^1.5, as in DLMF 9.7.
func computeAiryAi(x *lazy.Tensor) *lazy.Tensor {
	const border = 2.09
	return functions.Finer(func(in ...*lazy.Tensor) *lazy.Tensor {
		x := in[0]
		middle := x.Abs().LessEqualScalar(border)
		far := middle.ScalarWhere(border, x.Abs())
		root := far.Sqrt()
		zeta, rest := airyPhase(far, root)
		inverse := zeta.Reciprocal()
		square := inverse.Square()
		amplitude := root.Rsqrt().MulScalar(1 / math.Sqrt(2*math.Pi))

		cos, sin := turned(zeta, rest)
		sine := square.Mul(rational(square, airySin, airySinOver)).AddScalar(1)
		wave := sin.Mul(sine).Sub(cos.Mul(inverse).Mul(rational(square, airyCos, airyCosOver)))
		decay := rational(inverse, airyDecay, airyDecayOver).Mul(zeta.Neg().Exp()).MulScalar(math.Sqrt2 / 2)

		small := middle.WhereScalar(x, 0)
		cube := small.Mul(small).Mul(small)
		f, g := airySeries()
		series := polynomial(cube, f).Sub(small.Mul(polynomial(cube, g)))
		y := middle.Where(series, amplitude.Mul(x.LessScalar(0).Where(wave, decay)))
		return x.IsInf().ScalarWhere(math.NaN(), y)
	}, x)
}

// airyPhase returns 2/3 x √x as a sum of two numbers, the second of which is what the first was rounded by. root is √x.
// The rest has no gradient: it would be that of rounding.
func airyPhase(x, root *lazy.Tensor) (zeta, rest *lazy.Tensor) {
	square, squareRest := exactProduct(root, root)
	rootRest := x.Sub(square).Sub(squareRest).Div(root.MulScalar(2))
	product, productRest := exactProduct(x, root)
	zeta = product.MulScalar(2).DivScalar(3)
	triple, tripleRest := exactProduct(zeta, filled(zeta, 3))
	rest = product.MulScalar(2).Sub(triple).Sub(tripleRest).Add(productRest.Add(x.Mul(rootRest)).MulScalar(2)).DivScalar(3)
	return zeta, rest.Stop()
}

// exactProduct returns x·y as a sum of two numbers: the rounded product, and what it was rounded by (T. J. Dekker, 1971).
func exactProduct(x, y *lazy.Tensor) (product, rest *lazy.Tensor) {
	product = x.Mul(y)
	a, b := halves(x)
	c, d := halves(y)
	return product, a.Mul(c).Sub(product).Add(a.Mul(d)).Add(b.Mul(c)).Add(b.Mul(d))
}

// halves returns x as a sum of two numbers whose products are exact: they have 26 bits.
func halves(x *lazy.Tensor) (high, low *lazy.Tensor) {
	far := x.MulScalar(1<<27 + 1)
	high = far.Sub(far.Sub(x))
	return high, x.Sub(high)
}

// turned is √2 times the cosine and the sine of zeta + rest + π/4, as [wave.phase] has those of x - π/4.
func turned(zeta, rest *lazy.Tensor) (cos, sin *lazy.Tensor) {
	c, s := rotate(zeta.Cos(), zeta.Sin(), rest)
	twice, _ := rotate(zeta.MulScalar(2).Cos(), zeta.MulScalar(2).Sin(), rest.MulScalar(2))
	sum, difference := s.Add(c), c.Sub(s)
	cancels := s.Mul(c).LessScalar(0)
	// cos 2ζ is the product of the sum and the difference.
	return cancels.Where(difference, twice.Div(sum)), cancels.Where(twice.Div(difference), sum)
}

// rotate returns the cosine and the sine of an angle and another together, of which the first has the cosine c and sine s.
func rotate(c, s, angle *lazy.Tensor) (cos, sin *lazy.Tensor) {
	cos, sin = angle.Cos(), angle.Sin()
	return c.Mul(cos).Sub(s.Mul(sin)), s.Mul(cos).Add(c.Mul(sin))
}

// airySeries has the coefficients of the power series of Ai: in x³ those of f, and those of g but for a factor x, in
// Ai = f - x g. They are DLMF 9.4.1 with Ai(0) and -Ai'(0).
func airySeries() (f, g []float64) {
	f, g = []float64{0.35502805388781723926}, []float64{0.25881940379280679840}
	for k := 1; k < 20; k++ {
		n := float64(3 * k)
		f, g = append(f, f[k-1]/(n*(n-1))), append(g, g[k-1]/(n*(n+1)))
	}
	return f, g
}
