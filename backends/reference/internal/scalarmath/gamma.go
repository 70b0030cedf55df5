package scalarmath

import (
	"math"
	"math/big"

	"ltc/internal/bigfloat"
)

// The functions of the gamma family, by the formulas of the NIST Digital Library of
// Mathematical Functions (https://dlmf.nist.gov). From 20 on it is the asymptotic series
// 5.11.1 and 5.11.2, to which recurrence raises smaller numbers. Below 1/2 it is the
// reflections 5.5.3 and 5.5.4. Near a zero, where a dd has too few bits for the
// difference, package bigfloat computes them.

// raised is from where on the series have 106 bits.
const raised = 20

var (
	logPi  = dd{0x1.250d048e7a1bdp+00, 0x1.7abf2ad8d5088p-57}
	log2Pi = logPi.add(ln2)
	// stirling is B(2k)/2k for k = 1, 2, …
	stirling = func() (all []dd) {
		for k, b := range bernoulli {
			all = append(all, ddOf(b[0]).div(ddOf(b[1]*float64(2*k+2))))
		}
		return all
	}()
)

// bernoulli are the numerators and denominators of B(2), B(4), …
var bernoulli = [...][2]float64{
	{1, 6}, {-1, 30}, {1, 42}, {-1, 30}, {5, 66}, {-691, 2730}, {7, 6}, {-3617, 510}, {43867, 798},
	{-174611, 330}, {854513, 138}, {-236364091, 2730}, {8553103, 6}, {-23749461029, 870},
	{8615841276005, 14322},
}

// pole reports whether the functions are infinite at x, or undefined.
func pole(x float64) bool { return x <= 0 && x == math.Floor(x) }

// atBig returns f of x in more bits.
func atBig(f func(*big.Float) *big.Float, x float64) float64 {
	y, _ := f(big.NewFloat(x)).Float64()
	return y
}

// halfTurns returns the sine and cosine of πx, of an x that is not tiny.
func halfTurns(x float64) (sin, cos dd) {
	return ddOf(x - math.Round(x)).mul(dd{2 * piA, 2 * piB}).sinCos()
}

// Lgamma is the logarithm of the absolute value of the gamma function.
func Lgamma(x float64) float64 {
	switch {
	case math.IsInf(x, 0) || pole(x):
		return math.Inf(1)
	case x != x || x == 1 || x == 2:
		return x - x
	case math.Abs(x) < 0x1p-60:
		return -Log(math.Abs(x))
	}
	var y dd
	if x < 0.5 {
		s, _ := halfTurns(x)
		if s.hi < 0 {
			s = s.neg()
		}
		y = logPi.sub(s.log()).sub(lgammaOf(twoSum(1, -x)))
	} else {
		y = lgammaOf(ddOf(x))
	}
	if math.Abs(y.hi) < 0x1p-30 {
		return atBig(bigfloat.Lgamma, x)
	}
	if f := y.float(); f == f || x < 0x1p1000 {
		return f
	}
	return math.Inf(1) // the product is beyond f64
}

// lgammaOf is (z-1/2)·log z - z + log(2π)/2 + Σ B(2k)/(2k(2k-1)z^(2k-1)), less the
// logarithm of the factors from x to z.
func lgammaOf(x dd) dd {
	z, product := x, ddOf(1)
	for ; z.hi < raised; z = z.add(ddOf(1)) {
		product = product.mul(z)
	}
	log := z.log()
	if z.hi > 0x1p1000 { // the product may overflow before z is taken from it
		return log.sub(ddOf(1)).mul(z)
	}
	y := z.sub(ddOf(0.5)).mul(log).sub(z).add(log2Pi.scale(-1))
	if z.hi < 0x1p100 {
		inverse := ddOf(1).div(z)
		square, power := inverse.mul(inverse), inverse
		for k, b := range stirling {
			y = y.add(b.div(ddOf(float64(2*k + 1))).mul(power))
			power = power.mul(square)
		}
	}
	return y.sub(product.log())
}

// Digamma is the logarithmic derivative of the gamma function.
func Digamma(x float64) float64 {
	switch {
	case x != x || pole(x) || math.IsInf(x, -1):
		return math.NaN()
	case math.IsInf(x, 1):
		return x
	case math.Abs(x) < 0x1p-60:
		return -1 / x
	}
	var y dd
	if x < 0.5 {
		s, c := halfTurns(x)
		y = digammaOf(twoSum(1, -x)).sub(dd{2 * piA, 2 * piB}.mul(c).div(s))
	} else {
		y = digammaOf(ddOf(x))
	}
	if math.Abs(y.hi) < 0x1p-30 {
		return atBig(bigfloat.Digamma, x)
	}
	return y.float()
}

// digammaOf is log z - 1/2z - Σ B(2k)/(2k·z^2k), less the inverses from x to z.
func digammaOf(x dd) dd {
	z, sum := x, dd{}
	for ; z.hi < raised; z = z.add(ddOf(1)) {
		sum = sum.add(ddOf(1).div(z))
	}
	y := z.log().sub(sum)
	if z.hi > 0x1p100 {
		return y
	}
	inverse := ddOf(1).div(z)
	square := inverse.mul(inverse)
	y = y.sub(inverse.scale(-1))
	power := square
	for _, b := range stirling {
		y = y.sub(b.mul(power))
		power = power.mul(square)
	}
	return y
}
