package scalarmath

import (
	"math"
)

// Functions of real numbers. Those of f64 are within a unit in the last place of
// the exact value, over all their domain: the evaluator is what everything else is
// measured against. Package math serves where it is as good; it is off by more
// near zeros, for large exponents and for large angles.

const leastNormal = 0x1p-1022

// Sign keeps NaN and the sign of zero.
func Sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

// Log is math.Log, whose machine code for amd64 takes numbers below the
// least normal one for about that.
func Log(x float64) float64 {
	if x > 0 && x < leastNormal {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// Rsqrt is 1/√x with a step of Newton's method, whose residual is exact.
func Rsqrt(x float64) float64 {
	r := 1 / math.Sqrt(x)
	if x == 0 || !isFinite(r) || r == 0 {
		return r
	}
	p := float64(x * r)
	rest := math.FMA(-p, r, 1) - math.FMA(x, r, -p)*r
	return r + r*rest/2
}

// exp60 returns m and k with e^x = m·2^k, to about 60 bits, for |x| ≤ 2^20.
func exp60(x float64) (m dd, k int) {
	const ln2A = 0x1.62e42fep-1 // with few bits: its product with n is exact
	n := math.Round(x / math.Ln2)
	r := twoSum(x-n*ln2A, -n*(math.Ln2-ln2A))
	p := 1.0
	for d := 15.0; d > 3; d-- {
		p = 1 + p*r.hi/d
	}
	square := twoProd(r.hi, r.hi)
	cube := square.hi * r.hi / 6 * p
	s := twoSum(r.hi, square.hi/2)
	t := twoSum(1, s.hi)
	rest := t.lo + s.lo + square.lo/2 + cube + r.lo*(1+r.hi+square.hi/2)
	return dd{t.hi, rest}.normal(), int(n)
}

// Exp is e^x.
func Exp(x float64) float64 {
	if !(math.Abs(x) < 800) {
		return math.Exp(x)
	}
	m, k := exp60(x)
	return roundScaled(m, k)
}

// Logistic is 1/(1+e^-x), or e^x/(1+e^x) below 0.
func Logistic(x float64) float64 {
	if !(math.Abs(x) < 700) {
		return math.Exp(min(x, 0))
	}
	m, k := exp60(-math.Abs(x))
	e := m.scale(k)
	one := ddOf(1)
	if x >= 0 {
		return one.div(one.add(e)).float()
	}
	return e.div(one.add(e)).float()
}

// Log1p is log(1+x) by a step of Newton's method, but near 0, where package math's
// is as good.
func Log1p(x float64) float64 {
	if !(x > -1) || math.Abs(x) < 0.2 || x > 0x1p60 {
		return math.Log1p(x)
	}
	s := twoSum(1, x)
	y := math.Log(s.hi)
	m, k := exp60(-y)
	return y + m.scale(k).mul(s).sub(ddOf(1)).float()
}

// Tanh is (1-e^-2x)/(1+e^-2x), but near 0, where package math's is as good.
func Tanh(x float64) float64 {
	a := math.Abs(x)
	if !(a > 0.5) || a > 100 {
		return math.Tanh(x)
	}
	m, k := exp60(-2 * a)
	e, one := m.scale(k), ddOf(1)
	return math.Copysign(one.sub(e).div(one.add(e)).float(), x)
}

// near0 is below which sine, tangent and their kin are their argument, to f64.
const near0 = 0x1p-27

// Sin is the sine of x.
func Sin(x float64) float64 { return ofAngle(x, 0) }

// Cos is the cosine of x.
func Cos(x float64) float64 { return ofAngle(x, 1) }

// ofAngle is the sine of x and so many right angles.
func ofAngle(x float64, more int) float64 {
	switch {
	case !isFinite(x):
		return math.NaN()
	case x == 0 && more == 0:
		return x
	}
	r, quadrant := ddOf(x), 0
	if math.Abs(x) > math.Pi/4 {
		r, quadrant = r.modHalfPi()
	}
	y := sineNear0(r)
	if quadrant += more; quadrant&1 != 0 {
		y = cosineNear0(r)
	}
	if quadrant&2 != 0 {
		return -y
	}
	return y
}

// sineNear0 and cosineNear0 are Taylor's series, for |r| ≤ π/4: the first term,
// and as few roundings of the others as count.
func sineNear0(r dd) float64 {
	z := r.hi * r.hi
	p := 1.0
	for d := 17.0; d > 3; d -= 2 {
		p = 1 - p*z/(d*(d-1))
	}
	return r.hi + (r.lo*(1-z/2) - r.hi*z/6*p)
}

func cosineNear0(r dd) float64 {
	z := twoProd(r.hi, r.hi)
	p := 1.0
	for d := 18.0; d > 4; d -= 2 {
		p = 1 - p*z.hi/(d*(d-1))
	}
	y := 1 - z.hi/2
	return y + (((1 - y) - z.hi/2) - z.lo/2 + z.hi*z.hi/24*p - r.hi*r.lo)
}

// Tan is the tangent of x.
func Tan(x float64) float64 {
	switch {
	case !isFinite(x):
		return math.NaN()
	case math.Abs(x) < near0:
		return x + x*x*x/3
	}
	s, c := ddOf(x).sinCos()
	return s.div(c).float()
}

// Sinh is the hyperbolic sine of x.
func Sinh(x float64) float64 {
	if math.Abs(x) < near0 || !isFinite(x) {
		return x
	}
	s, _, k := sinhCosh(clampExponent(x))
	return roundScaled(s, k)
}

// Cosh is the hyperbolic cosine of x.
func Cosh(x float64) float64 {
	if !isFinite(x) {
		return math.Abs(x)
	}
	_, c, k := sinhCosh(clampExponent(x))
	return roundScaled(c, k)
}

// Cosh32 and Sinh32 are CHLO's formula, e^(x-log 2) ± e^(-log 2-x), in f32, from 1 on:
// the official tests of f32 demand what its rounding gives, 4 units away from the
// exact value at 9.
func Cosh32(x float64) float64 {
	grow, shrink := halfExponentials(float32(x))
	return float64(grow + shrink)
}

// Sinh32 is that of [Cosh32] from 1 on, and the exact one below.
func Sinh32(x float64) float64 {
	if !(math.Abs(x) >= 1) {
		return math.Sinh(x)
	}
	grow, shrink := halfExponentials(float32(x))
	return float64(grow - shrink)
}

func halfExponentials(x float32) (grow, shrink float32) {
	const half = float32(-math.Ln2)
	return float32(math.Exp(float64(x + half))), float32(math.Exp(float64(half - x)))
}

// outside reports whether a function of numbers from -1 to 1 is left to package
// math at x: 0, the ends, whatever lies beyond, and NaN.
func outside(x float64) bool { return !(math.Abs(x) < 1) || x == 0 }

// Asin is the arc sine of x.
func Asin(x float64) float64 {
	if outside(x) || math.Abs(x) < near0 {
		return math.Asin(x)
	}
	return atan2(ddOf(x), coSquare(x).sqrt()).float()
}

// Acos is the arc cosine of x.
func Acos(x float64) float64 {
	if outside(x) {
		return math.Acos(x)
	}
	return atan2(coSquare(x).sqrt(), ddOf(x)).float()
}

// coSquare is 1-x².
func coSquare(x float64) dd { return twoSum(1, -x).mul(twoSum(1, x)) }

// Atan is the arc tangent of x.
func Atan(x float64) float64 {
	if math.Abs(x) < near0 || math.Abs(x) > 0x1p60 || x != x {
		return math.Atan(x)
	}
	return atan2(ddOf(x), ddOf(1)).float()
}

// Atan2 is atan2. That of package math takes a quotient that is too small for a
// number for positive: a negative y above the negative numbers got pi, not -pi.
func Atan2(y, x float64) float64 {
	z := math.Copysign(math.Atan2(y, x), y)
	if x == 0 || y == 0 || !isFinite(x) || !isFinite(y) || math.Abs(z) < leastNormal {
		return z
	}
	_, ex := math.Frexp(x)
	_, ey := math.Frexp(y)
	if d := ey - ex; d < -60 && x > 0 {
		return y / x
	} else if d < -60 || d > 60 {
		return z
	}
	e := max(ex, ey)
	return atan2(ddOf(math.Ldexp(y, -e)), ddOf(math.Ldexp(x, -e))).float()
}

// Asinh is log(x + √(x²+1)), and log 2x where 1 no longer counts.
func Asinh(x float64) float64 {
	a := math.Abs(x)
	if a < near0 || !isFinite(x) {
		return x
	}
	if a > 0x1p60 {
		return math.Copysign(ddOf(a).log().add(ln2).float(), x)
	}
	square := twoProd(a, a)
	more := ddOf(a).add(square.div(square.add(ddOf(1)).sqrt().add(ddOf(1))))
	return math.Copysign(more.log1p().float(), x)
}

// Acosh is log(x + √(x²-1)).
func Acosh(x float64) float64 {
	switch {
	case !(x > 1) || !isFinite(x):
		return math.Acosh(x)
	case x > 0x1p60:
		return ddOf(x).log().add(ln2).float()
	}
	less := twoSum(x, -1)
	return less.add(less.mul(twoSum(x, 1)).sqrt()).log1p().float()
}

// Atanh is log((1+x)/(1-x))/2.
func Atanh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case outside(x):
		return math.Atanh(x)
	case a < near0:
		return x + x*x*x/3
	}
	return math.Copysign(ddOf(2*a).div(twoSum(1, -a)).log1p().scale(-1).float(), x)
}

// Pow is x^y.
func Pow(x, y float64) float64 {
	p := math.Pow(x, y)
	if p == 0 || p == 1 || !isFinite(p) || y == 1 {
		return p
	}
	l := ddOf(math.Abs(x)).log().mul(ddOf(y))
	m, k := l.exp()
	return math.Copysign(roundScaled(m, k), p)
}

// The error function: DLMF 7.6.2 and, for large numbers, 7.9.1.

var rootPi = dd{1.772453850905516, -7.666586499825799e-17}

// erfOf is erf of 0 < x ≤ 6: 2/√π · e^-x² · Σ 2^n x^(2n+1)/(2n+1)!!.
func erfOf(x dd) dd {
	square := x.mul(x)
	sum, term := x, x
	for n := 3.0; term.hi > sum.hi*0x1p-108; n += 2 {
		term = term.mul(square).scale(1).div(ddOf(n))
		sum = sum.add(term)
	}
	m, k := square.neg().exp()
	return sum.mul(m).div(rootPi).scale(k + 1)
}

// erfcOf is erfc of x > 0 as a number and an exponent of 2.
func erfcOf(x dd) (m dd, k int) {
	if x.hi < 3 {
		return ddOf(1).sub(erfOf(x)), 0
	}
	t := x // the continued fraction x + (1/2)/(x + 1/(x + (3/2)/(x + …))), from far out
	for n := 80.0; n > 0; n-- {
		t = x.add(ddOf(n / 2).div(t))
	}
	m, k = x.mul(x).neg().exp()
	return m.div(t.mul(rootPi)), k
}

// Erfc is the complementary error function.
func Erfc(x float64) float64 {
	switch {
	case x != x || math.Abs(x) < 0x1p-60 || math.Abs(x) > 28:
		return math.Erfc(x)
	case x < 0:
		m, k := erfcOf(ddOf(-x))
		return ddOf(2).sub(m.scale(k)).float()
	}
	m, k := erfcOf(ddOf(x))
	return roundScaled(m, k)
}

// ErfInv is a step of Newton's method from package math's, on erfc near 1, where
// that function has the digits. Two are taken since package math's has few there.
func ErfInv(x float64) float64 {
	if outside(x) {
		return math.Erfinv(x)
	}
	a := math.Abs(x)
	half := rootPi.scale(-1)
	if a < near0 {
		return ddOf(x).mul(half).float()
	}
	y := ddOf(math.Erfinv(a))
	for range 2 {
		var d dd
		if a < 0.5 {
			d = erfOf(y).sub(ddOf(a))
		} else {
			m, k := erfcOf(y)
			d = twoSum(1, -a).sub(m.scale(k))
		}
		m, k := y.mul(y).exp()
		y = y.sub(d.mul(half).mul(m).scale(k))
	}
	return math.Copysign(y.float(), x)
}

// BesselI1e is e^-|x| times the modified Bessel function of order one: DLMF
// 10.25.2, and 10.40.1 for large numbers.
func BesselI1e(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x || x == 0:
		return x
	case a < 0x1p-60:
		return x / 2
	case math.IsInf(x, 0):
		return math.Copysign(0, x)
	case a > 40: // 1/√(2πx) · Σ -(4-1)(4-9)…/(k!·(8x)^k)
		scale := ddOf(8 * min(a, 0x1p500))
		sum, term := ddOf(1), ddOf(1)
		for k := 1.0; k < 40; k++ {
			term = term.mul(ddOf((2*k-1)*(2*k-1) - 4)).div(scale.mul(ddOf(k)))
			sum = sum.add(term)
		}
		_, e := math.Frexp(a)
		e &^= 1
		root := ddOf(math.Ldexp(a, -e)).scale(1).sqrt().mul(rootPi)
		return math.Copysign(math.Ldexp(sum.div(root).float(), -e/2), x)
	}
	half := ddOf(a / 2)
	square := half.mul(half)
	sum, term := half, half
	for k := 1.0; term.hi > sum.hi*0x1p-108; k++ {
		term = term.mul(square).div(ddOf(k * (k + 1)))
		sum = sum.add(term)
	}
	m, k := ddOf(-a).exp()
	return math.Copysign(roundScaled(sum.mul(m), k), x)
}
