package bigfloat

import (
	"math"
	"math/big"
	"sync"
)

// known is a constant in as many bits as it was wanted so far.
type known struct {
	mu sync.Mutex
	x  *big.Float
}

var ln2, pi known

func constant(k *known, p uint, terms []int, circular bool) *big.Float {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.x == nil || k.x.Prec() < p+guard {
		w := p + 2*guard
		sum := float(w, 0)
		for i := 0; i < len(terms); i += 2 {
			s := new(big.Float).SetPrec(w).Quo(float(w, 1), float(w, float64(terms[i+1])))
			s = artanh(s, w, circular)
			sum.Add(sum, s.Mul(s, float(w, float64(terms[i]))))
		}
		k.x = sum
	}
	return clone(p, k.x)
}

// SinCos is the sine and cosine of x.
func SinCos(x *big.Float) (sin, cos *big.Float) {
	p := prec(x)
	e := x.MantExp(nil)
	// A difference to a multiple of π/2 loses the bits before the point and, as
	// doubles go, up to 64 behind it.
	w := p + uint(max(0, e)) + 128
	half := twice(Pi(w), -1)
	q := new(big.Float).SetPrec(w).Quo(clone(w, x), half)
	q.Add(q, float(w, math.Copysign(0.5, float64(x.Sign()))))
	n, _ := q.Int(nil)
	r := new(big.Float).SetPrec(w).SetInt(n)
	r.Sub(clone(w, x), r.Mul(r, half))

	z := new(big.Float).SetPrec(w).Mul(r, r)
	series := func(term *big.Float, k int) *big.Float {
		sum := clone(w, term)
		for ; ; k += 2 {
			term.Mul(term, z)
			term.Quo(term, float(w, float64(-k*(k+1))))
			sum.Add(sum, term)
			if small(term, sum, w) {
				return sum
			}
		}
	}
	s, c := series(clone(w, r), 2), series(float(w, 1), 1)
	switch new(big.Int).And(n, big.NewInt(3)).Int64() {
	case 1:
		s, c = c, s.Neg(s)
	case 2:
		s, c = s.Neg(s), c.Neg(c)
	case 3:
		s, c = c.Neg(c), s
	}
	return rounded(s, x), rounded(c, x)
}

// Atan is the angle with tangent x.
func Atan(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return clone(x.Prec(), x)
	}
	p := prec(x)
	y := clone(p, x)
	// The angle is halved until the series converges fast.
	halvings := 0
	for ; y.MantExp(nil) > -6; halvings++ {
		d := new(big.Float).SetPrec(p).Mul(y, y)
		d.Sqrt(d.Add(d, float(p, 1)))
		y.Quo(y, d.Add(d, float(p, 1)))
	}
	return rounded(twice(artanh(y, p, true), halvings), x)
}

// Erf is the error function of an x of a size below 32.
func Erf(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return clone(x.Prec(), x)
	}
	f, _ := x.Float64()
	p := prec(x) + uint(3*f*f) // the terms grow to e^(x²) before they fall
	z := new(big.Float).SetPrec(p).Mul(x, x)
	z.Neg(z)
	sum, power := clone(p, x), clone(p, x)
	for k := 1; ; k++ {
		power.Mul(power, z)
		power.Quo(power, float(p, float64(k)))
		term := new(big.Float).SetPrec(p).Quo(power, float(p, float64(2*k+1)))
		sum.Add(sum, term)
		if small(term, sum, p) {
			break
		}
	}
	root := new(big.Float).SetPrec(p).Sqrt(Pi(p))
	return rounded(twice(sum.Quo(sum, root), 1), x)
}

// Tanh is the hyperbolic tangent.
func Tanh(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return clone(x.Prec(), x)
	}
	p := prec(x)
	e := Expm1(twice(clone(p, x), 1))
	d := new(big.Float).SetPrec(p).Add(e, float(p, 2))
	return rounded(e.Quo(e, d), x)
}

// Cbrt is the cube root of a positive x: Newton's method.
func Cbrt(x *big.Float) *big.Float {
	p := prec(x)
	m := new(big.Float).SetPrec(p)
	e := clone(p, x).MantExp(m)
	for e%3 != 0 {
		m, e = twice(m, 1), e-1
	}
	f, _ := m.Float64()
	y := float(p, math.Cbrt(f))
	for bits := uint(50); bits < p; bits *= 2 {
		// (2y + m/y²)/3
		q := new(big.Float).SetPrec(p).Mul(y, y)
		q.Quo(m, q)
		q.Add(q, y)
		q.Add(q, y)
		y.Quo(q, float(p, 3))
	}
	return rounded(twice(y, e/3), x)
}
