package scalarmath

import (
	"math"
	"math/big"
	"math/cmplx"
)

// Functions of complex numbers. Finite values are computed in dd and rounded once. Each
// part is then within a unit in the last place of the true value, even where formulas
// in f64 would cancel. Exceptions are powers and cube roots of numbers whose angle is
// no normal f64. The result for an infinity or a signed zero is the limit in its
// direction where there is one, and NaN elsewhere.

// cdd is a complex number of two dd.
type cdd struct{ re, im dd }

func (a cdd) round(k int) complex128 {
	return complex(roundScaled(a.re, k), roundScaled(a.im, k))
}

// roundScaled returns a*2^k.
func roundScaled(a dd, k int) float64 { return math.Ldexp(a.float(), k) }

func (a cdd) mul(b cdd) cdd {
	return cdd{a.re.mul(b.re).sub(a.im.mul(b.im)), a.re.mul(b.im).add(a.im.mul(b.re))}
}

// inverse returns 1/a.
func (a cdd) inverse() cdd {
	n := a.re.mul(a.re).add(a.im.mul(a.im))
	return cdd{a.re.div(n), a.im.neg().div(n)}
}

func finiteComplex(z complex128) bool { return !cmplx.IsInf(z) && !cmplx.IsNaN(z) }

func isFinite(x float64) bool { return x-x == 0 }

// exponentOf returns e with 2^(e-1) <= |z| < 2^(e+1), roughly; z is finite and not 0.
func exponentOf(z complex128) int {
	_, e := math.Frexp(max(math.Abs(real(z)), math.Abs(imag(z))))
	return e
}

// scaled returns z*2^k.
func scaled(z complex128, k int) complex128 {
	return complex(math.Ldexp(real(z), k), math.Ldexp(imag(z), k))
}

// squares returns |z|^2, for parts that are not so large or small that it is
// no float64.
func squares(z complex128) dd {
	return twoProd(real(z), real(z)).add(twoProd(imag(z), imag(z)))
}

// AbsComplex is the absolute value of z.
func AbsComplex(z complex128) float64 {
	if z == 0 || !finiteComplex(z) {
		return cmplx.Abs(z)
	}
	e := exponentOf(z)
	return roundScaled(squares(scaled(z, -e)).sqrt(), e)
}

// AbsComplex64 is the absolute value of z, rounded as that of [AbsComplex] is.
func AbsComplex64(z complex64) float32 {
	const (
		half      = 1 << 28 // of the bits that a float32 has less, those of a number between two
		normal    = 0x1p-126
		tolerance = 4 // products are exact, the sum and its root rounded: by less than a bit
	)
	x, y := float64(real(z)), float64(imag(z))
	r := math.Sqrt(x*x + y*y)
	if rest := int64(math.Float64bits(r)&(2*half-1)) - half; r >= normal && r <= math.MaxFloat32 && (rest < -tolerance || rest > tolerance) {
		return float32(r)
	}
	return float32(AbsComplex(complex128(z)))
}

// SignComplex is z/|z|, and 0 of 0.
func SignComplex(z complex128) complex128 {
	switch {
	case z != z:
		return cmplx.NaN()
	case z == 0:
		return 0
	case cmplx.IsInf(z):
		return DivideComplex(z, complex(math.Inf(1), 0))
	}
	z = scaled(z, -exponentOf(z))
	r := squares(z).sqrt()
	return cdd{ddOf(real(z)).div(r), ddOf(imag(z)).div(r)}.round(0)
}

// DivideComplex leaves infinities, NaN and divisions by zero to Go, which does
// as annex G says.
func DivideComplex(a, b complex128) complex128 {
	if !finiteComplex(a) || !finiteComplex(b) || a == 0 || b == 0 {
		return a / b
	}
	ea, eb := exponentOf(a), exponentOf(b)
	a, b = scaled(a, -ea), scaled(b, -eb)
	x, y, u, v := real(a), imag(a), real(b), imag(b)
	n := squares(b)
	return cdd{
		twoProd(x, u).add(twoProd(y, v)).div(n),
		twoProd(y, u).sub(twoProd(x, v)).div(n),
	}.round(ea - eb)
}

// expScaled returns e^z as a number and an exponent of 2; what is far beyond
// the exponents of f64 it brings nearer.
func (a cdd) expScaled() (cdd, int) {
	if limit := 5000.0; math.Abs(a.re.hi) > limit {
		a.re = ddOf(math.Copysign(limit, a.re.hi))
	}
	m, k := a.re.exp()
	s, c := a.im.sinCos()
	return cdd{m.mul(c), m.mul(s)}, k
}

// ExpComplex is e^z.
func ExpComplex(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case y == 0:
		return complex(expReal(x), y)
	case math.IsInf(x, 0) && isFinite(y):
		r := math.Exp(x)
		return complex(math.Copysign(r, math.Cos(y)), math.Copysign(r, math.Sin(y)))
	case !finiteComplex(z): // of no known direction, even where e^x is 0 or infinite
		return cmplx.NaN()
	}
	e, k := cdd{ddOf(x), ddOf(y)}.expScaled()
	return e.round(k)
}

func expReal(x float64) float64 {
	if !isFinite(x) || math.Abs(x) > 1000 {
		return math.Exp(x)
	}
	m, k := ddOf(x).exp()
	return roundScaled(m, k)
}

// Expm1Complex is e^z-1.
func Expm1Complex(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case y == 0:
		return complex(math.Expm1(x), y)
	case !finiteComplex(z) || x > 700:
		e := ExpComplex(z)
		return complex(real(e)-1, imag(e))
	case math.Abs(x) > 0.5:
		e, k := cdd{ddOf(x), ddOf(y)}.expScaled()
		return complex(e.re.scale(k).sub(ddOf(1)).float(), roundScaled(e.im, k))
	}
	// e^x cos y - 1 = (e^x - 1) cos y - 2 sin²(y/2)
	e := ddOf(x).expm1()
	s, c := ddOf(y).sinCos()
	half, _ := ddOf(y / 2).sinCos()
	return cdd{e.mul(c).sub(half.mul(half).scale(1)), e.add(ddOf(1)).mul(s)}.round(0)
}

// logAbs returns log |z| of a finite z that is not 0.
func logAbs(z complex128) dd {
	e := exponentOf(z)
	if e >= -1 && e <= 1 { // |z| may be near 1
		if u := squaresLess1(z); math.Abs(u.hi) < 0.25 {
			return u.log1pNear().scale(-1)
		}
	}
	return squares(scaled(z, -e)).log().scale(-1).add(ln2.mul(ddOf(float64(e))))
}

// squaresLess1 returns |z|^2-1 as exactly as a dd can be.
func squaresLess1(z complex128) dd {
	x, y := big.NewFloat(real(z)).SetPrec(600), big.NewFloat(imag(z)).SetPrec(600)
	if x.MantExp(nil) < y.MantExp(nil) {
		x, y = y, x
	}
	x.Mul(x, x)
	x.Sub(x, big.NewFloat(1))
	return ddOfBig(x.Add(x, y.Mul(y, y)))
}

// angle returns the argument of (x, y), neither infinite nor NaN.
func angle(y float64, x dd) dd {
	switch sign := math.Copysign(1, y); {
	case x.hi == 0 && y != 0:
		return dd{sign * piA, sign * piB}
	case y == 0 && (x.hi < 0 || math.Signbit(x.hi)):
		return dd{sign * 2 * piA, sign * 2 * piB}
	case y == 0:
		return ddOf(y)
	}
	e := exponentOf(complex(x.hi, y))
	return atan2(ddOf(math.Ldexp(y, -e)), x.scale(-e))
}

// LogComplex is the principal logarithm of z.
func LogComplex(z complex128) complex128 {
	if z == 0 || !finiteComplex(z) {
		return complex(math.Log(cmplx.Abs(z)), Atan2(imag(z), real(z)))
	}
	return cdd{logAbs(z), angle(imag(z), ddOf(real(z)))}.round(0)
}

// Log1pComplex is the principal logarithm of 1+z.
func Log1pComplex(z complex128) complex128 {
	x, y := real(z), imag(z)
	if !finiteComplex(z) || z == -1 {
		return LogComplex(complex(x+1, y))
	}
	x1 := twoSum(1, x)
	im := angle(y, x1).float()
	if y == 0 && x > -1 {
		return complex(Log1p(x), y)
	}
	switch {
	case max(math.Abs(x), math.Abs(y)) > 1e100:
		return complex(logAbs(z).float(), im)
	case x1.lo == 0:
		return complex(logAbs(complex(x1.hi, y)).float(), im)
	}
	u := squaresOver1(x, y)
	if math.Abs(u.hi) < 0.25 {
		return complex(u.log1pNear().scale(-1).float(), im)
	}
	return complex(u.add(ddOf(1)).log().scale(-1).float(), im)
}

// squaresOver1 returns |1+x+iy|^2-1 = 2x + y² + x² as exactly as a dd can be.
func squaresOver1(x, y float64) dd {
	a, b := big.NewFloat(x).SetPrec(600), big.NewFloat(y).SetPrec(600)
	sum := new(big.Float).SetPrec(600).Add(a, a)
	sum.Add(sum, b.Mul(b, b))
	return ddOfBig(sum.Add(sum, a.Mul(a, a)))
}

// sqrtScaled returns the root of z*2^-e for an even e, and |z|*2^-e. The
// smaller part is made of z's own, which scaled might be no float64.
func sqrtScaled(z complex128) (root cdd, abs dd, e int) {
	e = exponentOf(z) &^ 1
	w := scaled(z, -e)
	abs = squares(w).sqrt()
	t := abs.add(ddOf(math.Abs(real(w)))).scale(-1).sqrt()
	other := ddOf(math.Ldexp(imag(z), -e)).div(t).scale(-1)
	if real(z) >= 0 {
		return cdd{t, other}, abs, e
	}
	if math.Signbit(imag(z)) {
		return cdd{other.neg(), t.neg()}, abs, e
	}
	return cdd{other, t}, abs, e
}

// SqrtComplex is the principal square root of z.
func SqrtComplex(z complex128) complex128 {
	switch x, y := real(z), imag(z); {
	case z == 0:
		return complex(0, y)
	case math.IsInf(y, 0):
		return complex(math.Inf(1), y)
	case z != z:
		return cmplx.NaN()
	case x == math.Inf(1):
		return complex(x, math.Copysign(0, y))
	case x == math.Inf(-1):
		return complex(0, math.Copysign(x, y))
	}
	root, _, e := sqrtScaled(z)
	r := root.round(e / 2)
	if real(z) >= 0 { // the sign of a zero, and a part so small that it was lost by the scale
		return complex(real(r), math.Copysign(smallPart(real(r), imag(z), imag(r)), imag(z)))
	}
	return complex(smallPart(math.Abs(imag(r)), math.Abs(imag(z)), real(r)), imag(r))
}

// smallPart returns y/(2t) where got, computed in another scale, is inexact.
func smallPart(t, y, got float64) float64 {
	if math.Abs(y) < 0x1p-500*t*t {
		return y / t / 2
	}
	return got
}

// RsqrtComplex is 1/√z.
func RsqrtComplex(z complex128) complex128 {
	switch {
	case z == 0 || cmplx.IsNaN(z):
		return 1 / SqrtComplex(z)
	case cmplx.IsInf(z):
		return 0
	}
	root, abs, e := sqrtScaled(z)
	return cdd{root.re.div(abs), root.im.neg().div(abs)}.round(-e / 2)
}

// LogisticComplex is 1/(1+e^-z).
func LogisticComplex(z complex128) complex128 {
	switch {
	case math.IsInf(real(z), 1):
		return 1
	case math.IsInf(real(z), -1):
		return 0
	case !finiteComplex(z):
		return 1 / (1 + ExpComplex(-z))
	}
	if real(z) < -300 {
		return ExpComplex(z)
	}
	e, k := cdd{ddOf(-real(z)), ddOf(-imag(z))}.expScaled()
	return cdd{e.re.scale(k).add(ddOf(1)), e.im.scale(k)}.inverse().round(0)
}

// PowerComplex is z^w.
func PowerComplex(z, w complex128) complex128 {
	switch {
	case w == 0:
		return 1
	case z == 0 && real(w) > 0:
		return 0
	case z == 0 || !finiteComplex(z) || !finiteComplex(w):
		return ExpComplex(MultiplyComplex(w, LogComplex(z)))
	}
	l := cdd{logAbs(z), angle(imag(z), ddOf(real(z)))}
	p := l.mul(cdd{ddOf(real(w)), ddOf(imag(w))})
	if !isFinite(p.re.hi) || !isFinite(p.im.hi) {
		return ExpComplex(MultiplyComplex(w, LogComplex(z)))
	}
	e, k := p.expScaled()
	return e.round(k)
}

// CbrtComplex is the principal root, e^(log z / 3).
func CbrtComplex(z complex128) complex128 {
	if z == 0 || !finiteComplex(z) {
		return ExpComplex(LogComplex(z) / 3)
	}
	three := ddOf(3)
	e, k := cdd{logAbs(z).div(three), angle(imag(z), ddOf(real(z))).div(three)}.expScaled()
	return e.round(k)
}

// MultiplyComplex rounds the products before their sum, on every machine.
func MultiplyComplex(a, b complex128) complex128 {
	return complex(float64(real(a)*real(b))-float64(imag(a)*imag(b)), float64(real(a)*imag(b))+float64(imag(a)*real(b)))
}
