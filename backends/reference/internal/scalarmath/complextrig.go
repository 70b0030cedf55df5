package scalarmath

import (
	"math"
	"math/cmplx"
)

// Trigonometric functions of complex numbers, made like those of complex.go.

// SinComplex is the sine of z.
func SinComplex(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case y == 0:
		return complex(Sin(x), y*Cos(x))
	case x == 0:
		return complex(x, Sinh(y))
	case !isFinite(x) || y != y:
		return cmplx.NaN()
	case math.IsInf(y, 0):
		return complex(math.Copysign(math.Inf(1), math.Sin(x)), math.Copysign(y, y*math.Cos(x)))
	}
	s, c := ddOf(x).sinCos()
	sh, ch, k := sinhCosh(clampExponent(y))
	return cdd{s.mul(ch), c.mul(sh)}.round(k)
}

// CosComplex is the cosine of z.
func CosComplex(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case y == 0:
		return complex(Cos(x), -y*Sin(x))
	case x == 0:
		return complex(Cosh(y), -x*y)
	case !isFinite(x) || y != y:
		return cmplx.NaN()
	case math.IsInf(y, 0):
		return complex(math.Copysign(math.Inf(1), math.Cos(x)), math.Copysign(y, -y*math.Sin(x)))
	}
	s, c := ddOf(x).sinCos()
	sh, ch, k := sinhCosh(clampExponent(y))
	return cdd{c.mul(ch), s.mul(sh).neg()}.round(k)
}

// clampExponent keeps e^x countable; all beyond is infinite or 0 in f64.
func clampExponent(x float64) float64 { return min(max(x, -5000), 5000) }

// TanhComplex is the hyperbolic tangent of z.
func TanhComplex(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case y == 0:
		return complex(Tanh(x), y)
	case math.IsInf(x, 0) && isFinite(y):
		return complex(math.Copysign(1, x), math.Copysign(0, math.Sin(y)*math.Cos(y)))
	case math.IsInf(x, 0):
		return complex(math.Copysign(1, x), 0)
	case x != x || !isFinite(y):
		return cmplx.NaN()
	}
	s, c := ddOf(y).sinCos()
	if math.Abs(x) > 40 {
		m, k := ddOf(-2 * math.Abs(clampExponent(x))).exp()
		return complex(math.Copysign(1, x), roundScaled(s.mul(c).mul(m), k+2))
	}
	sh, ch, k := sinhCosh(x)
	sh, ch = sh.scale(k), ch.scale(k)
	n := sh.mul(sh).add(c.mul(c))
	re := sh.mul(ch).div(n).float()
	if x == 0 {
		re = x
	}
	return complex(re, s.mul(c).div(n).float())
}

// TanComplex is the tangent of z.
func TanComplex(z complex128) complex128 {
	t := TanhComplex(complex(-imag(z), real(z))) // tan z = -i tanh iz
	return complex(imag(t), -real(t))
}
