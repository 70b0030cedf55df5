package bigfloat

import (
	"math"
	"math/big"
)

// one, add, sub, mul and quo compute in the precision of their first operand.
func one(p uint) *big.Float            { return float(p, 1) }
func add(x, y *big.Float) *big.Float   { return new(big.Float).SetPrec(x.Prec()).Add(x, y) }
func sub(x, y *big.Float) *big.Float   { return new(big.Float).SetPrec(x.Prec()).Sub(x, y) }
func mul(x, y *big.Float) *big.Float   { return new(big.Float).SetPrec(x.Prec()).Mul(x, y) }
func quo(x, y *big.Float) *big.Float   { return new(big.Float).SetPrec(x.Prec()).Quo(x, y) }
func sqrt(x *big.Float) *big.Float     { return new(big.Float).SetPrec(x.Prec()).Sqrt(x) }
func negative(x *big.Float) *big.Float { return new(big.Float).SetPrec(x.Prec()).Neg(x) }

// odd extends f from x > 0 to an odd function.
func odd(x *big.Float, f func(x *big.Float) *big.Float) *big.Float {
	switch x.Sign() {
	case 0:
		return clone(x.Prec(), x)
	case -1:
		y := f(negative(x))
		return y.Neg(y)
	}
	return f(x)
}

// wider is the precision in which the sum of 1 and a power of x keeps all of x.
func wider(x *big.Float) uint {
	e := x.MantExp(nil)
	return prec(x) + 2*uint(max(e, -e))
}

// Sinh is (e^x - e^-x)/2.
func Sinh(x *big.Float) *big.Float {
	return odd(x, func(x *big.Float) *big.Float {
		m := Expm1(clone(prec(x), x)) // (m + m/(m+1))/2
		return rounded(twice(add(m, quo(m, add(m, one(m.Prec())))), -1), x)
	})
}

// Cosh is (e^x + e^-x)/2.
func Cosh(x *big.Float) *big.Float {
	e := Exp(clone(prec(x), x))
	return rounded(twice(add(e, quo(one(e.Prec()), e)), -1), x)
}

// Asin is the angle with sine x, of -1 ≤ x ≤ 1.
func Asin(x *big.Float) *big.Float {
	return odd(x, func(x *big.Float) *big.Float {
		w := clone(wider(x), x)
		c := sqrt(sub(one(w.Prec()), mul(w, w)))
		if c.Sign() == 0 {
			return rounded(twice(Pi(w.Prec()), -1), x)
		}
		return rounded(Atan(quo(w, c)), x)
	})
}

// Acos is the angle with cosine x, of -1 ≤ x ≤ 1.
func Acos(x *big.Float) *big.Float {
	w := clone(wider(x), x)
	s := sqrt(sub(one(w.Prec()), mul(w, w)))
	switch x.Sign() {
	case 0:
		return rounded(twice(Pi(w.Prec()), -1), x)
	case -1:
		return rounded(sub(Pi(w.Prec()), Atan(quo(s, negative(w)))), x)
	}
	return rounded(Atan(quo(s, w)), x)
}

// Asinh is log(x + √(x²+1)).
func Asinh(x *big.Float) *big.Float {
	return odd(x, func(x *big.Float) *big.Float {
		w := clone(wider(x), x)
		square := mul(w, w)
		root := sqrt(add(square, one(w.Prec())))
		return rounded(Log1p(add(w, quo(square, add(root, one(w.Prec()))))), x)
	})
}

// Acosh is log(x + √(x²-1)) of x ≥ 1.
func Acosh(x *big.Float) *big.Float {
	w := clone(wider(x)+x.Prec(), x)
	less := sub(w, one(w.Prec()))
	return rounded(Log1p(add(less, sqrt(mul(less, add(w, one(w.Prec())))))), x)
}

// Atanh is log((1+x)/(1-x))/2 of -1 < x < 1.
func Atanh(x *big.Float) *big.Float {
	return odd(x, func(x *big.Float) *big.Float {
		w := clone(wider(x), x)
		return rounded(twice(Log1p(quo(twice(w, 1), sub(one(w.Prec()), w))), -1), x)
	})
}

// Erfc is 1 - erf x of an x of a size below 32.
func Erfc(x *big.Float) *big.Float {
	f, _ := x.Float64()
	w := clone(prec(x)+uint(max(0, 2*f*math.Abs(f)+2*math.Abs(f))), x)
	return rounded(sub(one(w.Prec()), Erf(w)), x)
}

// ErfInv is the number whose error function is x, of -1 < x < 1: Newton's
// method, on erfc where erf is near 1.
func ErfInv(x *big.Float) *big.Float {
	return odd(x, func(x *big.Float) *big.Float {
		w := clone(wider(x)+x.Prec(), x)
		rest := sub(one(w.Prec()), w) // exact
		root := sqrt(Pi(w.Prec()))
		f, _ := w.Float64()
		y := float(w.Prec(), math.Erfinv(f))
		if y.IsInf() || y.Sign() == 0 { // x rounds to 1, or is below all of f64
			r, _ := rest.Float64()
			if r > 0.5 {
				y = twice(mul(root, w), -1)
			} else {
				y = float(w.Prec(), math.Erfcinv(r))
			}
		}
		for range 10 {
			var d *big.Float
			if f < 0.5 {
				d = sub(Erf(y), w)
			} else {
				d = sub(rest, Erfc(y))
			}
			d = mul(d, mul(twice(root, -1), Exp(mul(y, y))))
			y = sub(y, d)
			if small(d, y, x.Prec()) {
				break
			}
		}
		return rounded(y, x)
	})
}
