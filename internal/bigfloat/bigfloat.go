// Package bigfloat has elementary functions of math/big's floats: what tables
// of coefficients are fitted to, and what functions are measured against. A
// result has the precision of the operand, with a relative error of a few units
// of that; exponents are small enough for its number of bits to be at hand.
//
// The package imports only the standard library.
package bigfloat

import (
	"math"
	"math/big"
)

const guard = 64 // more bits than the result has

func prec(x *big.Float) uint { return x.Prec() + guard }

func float(p uint, x float64) *big.Float { return new(big.Float).SetPrec(p).SetFloat64(x) }

func clone(p uint, x *big.Float) *big.Float { return new(big.Float).SetPrec(p).Set(x) }

// rounded returns y with the precision of x.
func rounded(y, x *big.Float) *big.Float { return y.SetPrec(x.Prec()) }

// small reports whether term no longer counts in sum.
func small(term, sum *big.Float, p uint) bool {
	return term.Sign() == 0 || sum.Sign() != 0 && term.MantExp(nil) < sum.MantExp(nil)-int(p)
}

// twice returns x·2^n.
func twice(x *big.Float, n int) *big.Float { return new(big.Float).SetPrec(x.Prec()).SetMantExp(x, n) }

// Expm1 is e^x - 1.
func Expm1(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return clone(x.Prec(), x)
	}
	p := prec(x)
	e := x.MantExp(nil)
	if e > 0 {
		y := Exp(clone(p, x))
		return rounded(y.Sub(y, float(p, 1)), x)
	}
	// Below 2^-8 a series; then (1+y)² - 1 = y·(2+y).
	steps := max(0, e+8)
	r := twice(clone(p+uint(steps), x), -steps)
	p = r.Prec()
	sum, term := clone(p, r), clone(p, r)
	for k := 2; !small(term, sum, p); k++ {
		term.Mul(term, r)
		term.Quo(term, float(p, float64(k)))
		sum.Add(sum, term)
	}
	for range steps {
		t := new(big.Float).SetPrec(p).Add(sum, float(p, 2))
		sum.Mul(sum, t)
	}
	return rounded(sum, x)
}

// Exp is e^x.
func Exp(x *big.Float) *big.Float {
	p := prec(x)
	if e := x.MantExp(nil); e > 0 {
		p += uint(e)
	}
	ln2 := Ln2(p)
	n := new(big.Float).SetPrec(p).Quo(clone(p, x), ln2)
	k, _ := n.Int64()
	r := new(big.Float).SetPrec(p).Mul(ln2, float(p, float64(k)))
	r.Sub(clone(p, x), r)
	if r.Sign() == 0 {
		return rounded(twice(float(p, 1), int(k)), x)
	}
	const halvings = 12
	r = twice(r, -halvings)
	sum, term := float(p, 1), float(p, 1)
	for i := 1; !small(term, sum, p); i++ {
		term.Mul(term, r)
		term.Quo(term, float(p, float64(i)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return rounded(twice(sum, int(k)), x)
}

// Log is the natural logarithm of a positive x.
func Log(x *big.Float) *big.Float {
	p := prec(x)
	m := new(big.Float).SetPrec(p)
	k := clone(p, x).MantExp(m) // m from 1/2 to 1
	if m.Cmp(float(p, math.Sqrt2/2)) < 0 {
		m, k = twice(m, 1), k-1
	}
	y := Log1p(m.Sub(m, float(p, 1)))
	l := new(big.Float).SetPrec(p).Mul(Ln2(p), float(p, float64(k)))
	return rounded(l.Add(l, y), x)
}

// Log1p is log(1+x) for x above -1: 2·artanh(x/(2+x)), or Newton's method where
// that converges slowly.
func Log1p(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return clone(x.Prec(), x)
	}
	p := prec(x)
	if x.MantExp(nil) > 0 {
		return rounded(Log(new(big.Float).SetPrec(p).Add(x, float(p, 1))), x)
	}
	f, _ := x.Float64()
	if math.Abs(f) > 0x1p-20 {
		y := float(p, math.Log1p(f))
		for bits := uint(50); bits < p; bits *= 2 {
			// y - (e^y - 1 - x)·e^-y
			e := Expm1(y)
			d := new(big.Float).SetPrec(p).Sub(e, x)
			y.Sub(y, d.Quo(d, e.Add(e, float(p, 1))))
		}
		return rounded(y, x)
	}
	s := new(big.Float).SetPrec(p).Add(x, float(p, 2))
	s.Quo(clone(p, x), s)
	s = artanh(s, p, false)
	return rounded(twice(s, 1), x)
}

// artanh returns the series of artanh s, or of arctan s.
func artanh(s *big.Float, p uint, circular bool) *big.Float {
	z := new(big.Float).SetPrec(p).Mul(s, s)
	if circular {
		z.Neg(z)
	}
	sum, power := clone(p, s), clone(p, s)
	for k := 3; ; k += 2 {
		power.Mul(power, z)
		term := new(big.Float).SetPrec(p).Quo(power, float(p, float64(k)))
		sum.Add(sum, term)
		if small(term, sum, p) {
			return sum
		}
	}
}

// Ln2 is log 2 in p bits: 18·artanh 1/26 - 2·artanh 1/4801 + 8·artanh 1/8749.
func Ln2(p uint) *big.Float { return constant(&ln2, p, []int{18, 26, -2, 4801, 8, 8749}, false) }

// Pi is π in p bits: 16·arctan 1/5 - 4·arctan 1/239.
func Pi(p uint) *big.Float { return constant(&pi, p, []int{16, 5, -4, 239}, true) }
