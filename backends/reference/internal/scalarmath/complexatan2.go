package scalarmath

import (
	"math"
	"math/big"
)

// Atan2Complex is -i log((x+iy)/r) with the principal root r of x²+y². Where neither
// has an imaginary part it is atan2 of the real ones, whose signs of zeros it keeps.
func Atan2Complex(y, x complex128) complex128 {
	if imag(x) == 0 && imag(y) == 0 { // the derivatives are x/(x²+y²) and -y/(x²+y²)
		return complex(Atan2(real(y), real(x)), math.Copysign(1, real(x))*imag(y)-math.Copysign(1, real(y))*imag(x))
	}
	if !finiteComplex(x) || !finiteComplex(y) {
		w := LogComplex(DivideComplex(complex(real(x)-imag(y), imag(x)+real(y)), SqrtComplex(x*x+y*y)))
		return complex(imag(w), -real(w))
	}
	_, e := math.Frexp(max(math.Abs(real(x)), math.Abs(imag(x)), math.Abs(real(y)), math.Abs(imag(y))))
	a, b, c, d := real(x), imag(x), real(y), imag(y)

	// With p = x+iy and m = x-iy, r² = pm, and the result is arg(p/m)/2, up to a multiple
	// of pi, and log(|m|/|p|)/2. Sums are exact, as their terms may cancel.
	half := angleOf(sumOfProducts(c, a, d, b, c, a, d, b), sumOfProducts(a, a, b, b, -c, c, -d, d)).scale(-1)
	r2 := [2]*big.Float{sumOfProducts(a, a, -b, b, c, c, -d, d), sumOfProducts(a, b, c, d, a, b, c, d)}
	size := sumOfProducts(a, a, b, b, c, c, d, d)
	less := sumOfProducts(d, a, -c, b, d, a, -c, b) // (|m|²-|p|²)/2
	if x == 0 {
		return complex(math.Copysign(math.Pi/2, c), 0) // r is y or -y
	}

	// cos and sin of the result are x/r and y/r: the larger one tells which multiple.
	x, y = scaled(x, -e), scaled(y, -e)
	k := max(r2[0].MantExp(nil), r2[1].MantExp(nil))
	if r2[0].Sign() == 0 || r2[1].Sign() == 0 {
		k = r2[0].MantExp(nil) + r2[1].MantExp(nil) // that of 0 is 0
	}
	r := SqrtComplex(complex(floatOf(r2[0], -k), floatOf(r2[1], -k))) // but for its size
	if cos := real(x)*real(r) + imag(x)*imag(r); math.Abs(half.hi) < 1 && cos < 0 {
		half = half.add(dd{2 * piA, 2 * piB}.mul(ddOf(-math.Copysign(1, half.hi))))
	} else if sin := real(y)*real(r) + imag(y)*imag(r); math.Abs(half.hi) >= 1 && sin*half.hi < 0 {
		half = half.add(dd{2 * piA, 2 * piB}.mul(ddOf(math.Copysign(1, sin))))
	}
	sign := float64(less.Sign())
	less.Abs(less)
	smaller := size.Sub(size, less) // of |p|² and |m|²
	return complex(half.float(), sign*log1pOfQuotient(less.Add(less, less), smaller)/4)
}

// sumOfProducts returns the exact sum of the products of pairs.
func sumOfProducts(factors ...float64) *big.Float {
	const bits = 4400 // of squares, from 2^-2148 to 2^2048, and of their sums
	sum := new(big.Float).SetPrec(bits)
	for i := 0; i < len(factors); i += 2 {
		a, b := big.NewFloat(factors[i]), big.NewFloat(factors[i+1])
		sum.Add(sum, a.SetPrec(bits).Mul(a, b))
	}
	return sum
}

// floatOf returns x*2^k, where it is too small a zero of its sign.
func floatOf(x *big.Float, k int) float64 {
	y, _ := new(big.Float).SetMantExp(x, k).Float64()
	return y
}

// angleOf returns the argument of (x, y).
func angleOf(y, x *big.Float) dd {
	switch {
	case y.Sign() == 0 && x.Sign() >= 0:
		return dd{}
	case y.Sign() == 0:
		return dd{2 * piA, 2 * piB}
	case x.Sign() == 0:
		return dd{piA, piB}.mul(ddOf(float64(y.Sign())))
	}
	e := max(x.MantExp(nil), y.MantExp(nil))
	switch less := y.MantExp(nil) - x.MantExp(nil); {
	case less < -500 && x.Sign() > 0:
		return ddOf(floatOf(new(big.Float).Quo(y, x), 0))
	case less < -500:
		return dd{2 * piA, 2 * piB}.mul(ddOf(float64(y.Sign())))
	case less > 500:
		return dd{piA, piB}.mul(ddOf(float64(y.Sign())))
	}
	return atan2(ddOfBig(new(big.Float).SetMantExp(y, -e)), ddOfBig(new(big.Float).SetMantExp(x, -e)))
}

// log1pOfQuotient returns log(1+a/b) for a ≥ 0 and b ≥ 0; a is 0 only if b is not.
func log1pOfQuotient(a, b *big.Float) float64 {
	switch {
	case b.Sign() == 0:
		return math.Inf(1)
	case a.Sign() == 0:
		return 0
	}
	q := a.Quo(a, b)
	if e := q.MantExp(nil); e > 500 {
		return ddOfBig(q.SetMantExp(q, -e)).log().add(ln2.mul(ddOf(float64(e)))).float()
	} else if e < -500 {
		return floatOf(q, 0)
	}
	return ddOfBig(q).log1p().float()
}
