package reference

import (
	"math"
	"math/cmplx"
)

// Trigonometric functions of complex numbers, made like those of complexmath.go.

func sinComplex(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case y == 0:
		return complex(sine(x), y*cosine(x))
	case x == 0:
		return complex(x, sinh(y))
	case !isFinite(x) || y != y:
		return cmplx.NaN()
	case math.IsInf(y, 0):
		return complex(math.Copysign(math.Inf(1), math.Sin(x)), math.Copysign(y, y*math.Cos(x)))
	}
	s, c := ddOf(x).sinCos()
	sh, ch, k := sinhCosh(clampExponent(y))
	return cdd{s.mul(ch), c.mul(sh)}.round(k)
}

func cosComplex(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case y == 0:
		return complex(cosine(x), -y*sine(x))
	case x == 0:
		return complex(cosh(y), -x*y)
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

func tanhComplex(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case y == 0:
		return complex(tanh(x), y)
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

func tanComplex(z complex128) complex128 {
	t := tanhComplex(complex(-imag(z), real(z))) // tan z = -i tanh iz
	return complex(imag(t), -real(t))
}
