package chlo

import (
	"math"

	"ltc/mlir"
)

// The gamma function by C. Lanczos ("A Precision Approximation of the Gamma
// Function", SIAM J. Numer. Anal. B 1, 1964), with g = 7 and the nine
// coefficients that P. Godfrey computed:
//
//	Γ(z+1) = √(2π) · t^(z+1/2) · e^-t · A(z),  t = z + g + 1/2
//	A(z)   = c₀ + Σ cₖ/(z+k)
const lanczosG = 7

var lanczos = []float64{
	0.99999999999980993227684700473478, 676.520368121885098567009190444019, -1259.13921672240287047156078755283,
	771.3234287776530788486528258894, -176.61502916214059906584551354, 12.507343278686904814458936853,
	-0.13857109526572011689554707, 9.984369578019570859563e-6, 1.50563273514931155834e-7,
}

// lanczosArgument is where the formula is used for x: x-1, or for x < 1/2,
// which is reflected, (1-x)-1.
func lanczosArgument(x val) (reflected, z val) {
	reflected = x.lt(0.5)
	return reflected, reflected.pick(x.neg(), x.subNum(1))
}

// lanczosT is t and its logarithm, the latter as log(g+1/2) + log1p(z/(g+1/2)),
// which is better for small z.
func lanczosT(z val) (t, logT val) {
	const shift = lanczosG + 0.5
	return z.addNum(shift), z.divNum(shift).log1p().addNum(math.Log(shift))
}

// inF64 computes f in f64 and rounds the result to the dtype of x: f32 has too few digits near a zero of f.
// The flag rational is set if the result is rounded to fewer digits than those of f64: gammaRatio is exact
// enough then, and one quotient takes less time than the sum of eight.
func inF64(x val, f func(x val, rational bool) val) val {
	return f(x.convert(mlir.F64), x.elem() != mlir.F64).convert(x.elem())
}

// polynomial returns the polynomial with the coefficients c, the lowest power first.
func polynomial(x val, c []float64) val {
	y := x.num(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		y = y.mul(x).addNum(c[i])
	}
	return y
}

// lgamma is log |Γ(x)|:
//
//	log Γ(z+1)  = log(2π)/2 + (z + 1/2 - t/log t)·log t + log A(z)
//	log |Γ(x)|  = log π - log |sin πx| - log Γ(1-x)   for x < 1/2
//
// The first form of the power is one that does not overflow before the result.
func lgamma(x val) val { return inF64(x, lgammaOf) }

func lgammaOf(x val, rational bool) val {
	reflected, z := lanczosArgument(x)
	if rational {
		return lgammaRational(x, z, reflected)
	}
	a := z.num(lanczos[0])
	for k, c := range lanczos[1:] {
		a = a.add(z.num(c).div(z.addNum(float64(k + 1))))
	}
	t, logT := lanczosT(z)
	power := z.addNum(0.5).sub(t.div(logT)).mul(logT)
	direct := power.addNum(math.Log(2*math.Pi) / 2).add(a.log())

	// |sin πx| from the distance to the nearest integer: exactly 0 at the
	// poles, and precise beside them.
	ax := x.abs()
	fraction := ax.sub(ax.floor())
	fraction = fraction.gt(0.5).pick(x.num(1).sub(fraction), fraction)
	logSin := fraction.mulNum(math.Pi).sin().log()
	mirror := x.num(math.Log(math.Pi)).sub(logSin).sub(direct)
	mirror = finite(logSin).pick(mirror, logSin.neg()) // infinite at a pole, whatever the rest is
	return ax.cmp("EQ", x.inf()).pick(x.inf(), reflected.pick(mirror, direct))
}

// lgammaRational is lgammaOf for a result of fewer digits and a smaller range than f64, with gammaRatio instead of
// the sum of eight. There is one logarithm beside that of t: the reflection's is that of the product
// A(z)·|sin πx|/π.
func lgammaRational(x, z, reflected val) val {
	a := polynomial(z, gammaRatio.p).div(polynomial(z, gammaRatio.q))
	ax := x.abs()
	fraction := ax.sub(ax.floor())
	fraction = fraction.gt(0.5).pick(x.num(1).sub(fraction), fraction)
	a = reflected.pick(a.mul(fraction).mul(polynomial(fraction.mul(fraction), sineOfHalfTurns)), a)

	t := z.addNum(gammaRatio.shift)
	y := z.addNum(0.5).mul(t.log()).sub(t).addNum(math.Log(2*math.Pi) / 2).add(a.log())
	y = reflected.pick(y.neg(), y)
	y = x.eq(1).or(x.eq(2)).pick(x.num(0), y) // the zeros are exact, where P/Q is rounded
	return ax.cmp("EQ", x.inf()).pick(x.inf(), y)
}

// gammaRatio has polynomials P and Q, the lowest power first, with
//
//	Γ(z+1) = √(2π) · t^(z+1/2) · e^-t · P(z)/Q(z),  t = z + shift
//
// for z from -1/2 on. P/Q is exact at the 13 Chebyshev nodes of (z+1/2)/(z+13/2) from 0 to 1. Elsewhere it is up
// to 1.2e-16 of it off, with coefficients that are rounded to f64. Powers z⁶ of f32 are finite in f64.
var gammaRatio = struct {
	shift float64
	p, q  []float64
}{
	6.5,
	[]float64{73929.01325962311, 68482.85065850559, 26430.22616638975, 5439.816352028294, 629.7347364206438, 38.877563908455755, 1},
	[]float64{710.3091182924669, 1741.8721985298762, 1605.8289959057765, 728.1352043800907, 173.78851928684813, 20.919230575122423, 1},
}

// sineOfHalfTurns has the coefficients of sin(πx)/(πx) as a polynomial of x², for x up to 1/2. It is exact at the
// 9 Chebyshev nodes of x² from 0 to 1/4, and elsewhere within the digits of f64.
var sineOfHalfTurns = []float64{
	1, -1.6449340668482264, 0.8117424252833393, -0.19075182412149616, 0.02614784780555096,
	-0.0023460808954639607, 0.0001484278414189103, -6.972099660851199e-06, 2.4502943624559793e-07,
}

// digamma is the derivative of log Γ:
//
//	ψ(z+1) = log t + A'(z)/A(z) - (t-z-1/2)/t
//	ψ(x)   = ψ(1-x) - π / tan πx   for x < 1/2
//
// and NaN at the poles 0, -1, -2, …
func digamma(x val) val { return inF64(x, digammaOf) }

func digammaOf(x val, rational bool) val {
	reflected, z := lanczosArgument(x)
	var direct val
	if c := &gammaRatio; rational {
		t := z.addNum(c.shift)
		relative := polynomial(z, slope(c.p)).div(polynomial(z, c.p)).sub(polynomial(z, slope(c.q)).div(polynomial(z, c.q)))
		direct = t.log().add(relative).sub(z.num(c.shift - 0.5).div(t))
		direct = x.cmp("EQ", x.inf()).pick(x, direct) // for which both polynomials are infinite
	} else {
		a, da := z.num(lanczos[0]), z.num(0)
		for k, c := range lanczos[1:] {
			d := z.addNum(float64(k + 1))
			a = a.add(z.num(c).div(d))
			da = da.sub(z.num(c).div(d.mul(d)))
		}
		t, logT := lanczosT(z)
		direct = logT.add(da.div(a)).sub(z.num(lanczosG).div(t))
	}

	angle := x.sub(x.addNum(0.5).floor()).mulNum(math.Pi) // in [-π/2, π/2)
	mirror := direct.sub(angle.cos().mulNum(math.Pi).div(angle.sin()))
	pole := x.le(0).and(x.cmp("EQ", x.floor()))
	return pole.pick(x.nan(), reflected.pick(mirror, direct))
}

// slope returns the coefficients of the derivative of a polynomial, the lowest power first.
func slope(c []float64) (d []float64) {
	for i, v := range c[1:] {
		d = append(d, float64(i+1)*v)
	}
	return d
}

func finite(x val) val { return x.abs().cmp("NE", x.inf()).and(x.cmp("EQ", x)) }
