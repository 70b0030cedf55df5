package main

import (
	"fmt"
	"math"
	"math/big"

	"ltc/internal/bigfloat"
)

// The error function and tanh are polynomials around centers. Around 0 they are
// x plus a polynomial without a constant part: the part that is rounded is small.

func sigmoids(w *writer) {
	erf := func(step float64, degree int, single bool) (all []fit) {
		for i := range 16 {
			all = append(all, around(bigfloat.Erf, float64(i)*step, step/2, step/2, degree, single))
		}
		return all
	}
	w.rows("Erf32", "erf around multiples of 33/128", erf(33.0/128, 5, true), 6)
	w.rows("Erf64", "erf around multiples of 25/64", erf(25.0/64, 13, false), 14)

	w.list("ErfExponent32", "1 - erf x = e^-(x + x²·(…)), 0 ≤ x ≤ 4, in units of erf", fit{
		f: func(x *big.Float) *big.Float {
			minus := bigfloat.Erf(x)
			l := bigfloat.Log1p(minus.Neg(minus))
			return l.Neg(l)
		},
		lo: 0, hi: 4, powers: count(1, 1, 9), fixed: map[int]float64{1: 1}, single: true,
		unit: func(x, want *big.Float) *big.Float { // what the exponent gains, erf gains times 1 - erf
			e := bigfloat.Erf(x)
			return new(big.Float).SetPrec(bits).Quo(e, new(big.Float).SetPrec(bits).Sub(num(1), e))
		},
	})

	const what = "by the exponent and\n// 2 bits of the fraction of %s, of which the lowest 4 bits count"
	centers, fits := tanh(1, 9.1, 6, true)
	w.rows("Tanh32", "tanh around the centers that the first row has, "+fmt.Sprintf(what, "1+|x|"), fits, 7, centers)
	centers, fits = tanh(1.5, 19.1, 15, false)
	w.rows("Tanh64", "tanh around the centers that the first row has, "+fmt.Sprintf(what, "1.5+|x|"), fits, 16, centers)
}

// around returns the fit of f from center-below to center+above, as a
// polynomial in the distance from center.
func around(f func(*big.Float) *big.Float, center, below, above float64, degree int, single bool) fit {
	p := fit{
		f: func(t *big.Float) *big.Float {
			return f(new(big.Float).SetPrec(bits).Add(num(center), t))
		},
		lo: -below, hi: above, powers: count(0, 1, degree+1), single: single,
	}
	if center == 0 {
		p.powers, p.fixed = p.powers[1:], map[int]float64{1: 1}
	}
	return p
}

// tanh returns the polynomials for sum+|x| in [2^e·(1+i/4), 2^e·(1+(i+1)/4)), by
// the lowest 4 bits of 4·(e+bias)+i for an odd bias; end is from where on tanh
// rounds to 1.
func tanh(sum, end float64, degree int, single bool) (centers []float64, fits []fit) {
	centers, fits = make([]float64, 16), make([]fit, 16)
	for k := range 20 {
		e, i := k/4, float64(k%4)
		lo, hi := math.Ldexp(1+i/4, e)-sum, math.Ldexp(1+(i+1)/4, e)-sum
		at := (k + 12) % 16
		switch {
		case lo < 0 || lo >= end:
			continue
		case lo == 0:
			fits[at] = around(bigfloat.Tanh, 0, 0, hi, degree, single)
			continue
		case lo > 0.9*end: // little is left, all of it about 1
			hi = end
		}
		if fits[at].f != nil {
			panic("two intervals for one place")
		}
		centers[at] = (lo + hi) / 2
		if single {
			centers[at] = float64(float32(centers[at]))
		}
		fits[at] = around(bigfloat.Tanh, centers[at], centers[at]-lo, hi-centers[at], degree, single)
	}
	for at := range fits {
		if fits[at].f == nil { // not in use
			centers[at] = 1
			fits[at] = fit{f: func(*big.Float) *big.Float { return num(1) }, hi: 1, powers: []int{0}}
		}
	}
	return centers, fits
}
