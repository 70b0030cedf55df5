package main

import (
	"math"
	"math/big"

	"ltc/internal/bigfloat"
)

// The error function and tanh are polynomials around centers. Around 0 they are
// x plus a polynomial without a constant part: the part that is rounded is small.

func sigmoids(w *writer) {
	erf := func(step float64, n, degree int, single bool) (all []fit) {
		for i := range n {
			all = append(all, around(bigfloat.Erf, float64(i)*step, step/2, step/2, degree, single))
		}
		for len(all)&(len(all)-1) != 0 { // nothing comes there
			all = append(all, constant())
		}
		return all
	}
	w.rows("erf32", "erf around multiples of 33/128", erf(33.0/128, 16, 5, true), 6)
	w.rows("erf64", "erf around multiples of 1/8", erf(1.0/8, 49, 9, false), 10)

	centers, fits := tanh(16, 4, 6, true)
	w.rows("tanh32", "tanh around the centers that the first row has, by the exponent and\n// 2 bits of the fraction of 1+|x|, of which the lowest 4 bits count", fits, 7, centers)
	centers, fits = tanh(64, 8, 11, false)
	w.rows("tanh64", "tanh around the centers that the first row has, by the exponent and\n// 3 bits of the fraction of 1+|x|, of which the lowest 6 bits count", fits, 12, centers)
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

// constant returns the fit of 1.
func constant() fit {
	return fit{f: func(*big.Float) *big.Float { return num(1) }, hi: 1, powers: []int{0}}
}

// tanh returns the polynomials for 1+|x| in [2^e·(1+i/parts), 2^e·(1+(i+1)/parts)),
// of n for as many lowest bits of e and i; e is biased by an odd number.
func tanh(n, parts, degree int, single bool) (centers []float64, fits []fit) {
	centers, fits = make([]float64, n), make([]fit, n)
	end := 9.1 // from where it rounds to 1
	if !single {
		end = 19.1
	}
	for e := range n / parts {
		for i := range parts {
			scale := math.Ldexp(1, e)
			lo, hi := scale*(1+float64(i)/float64(parts))-1, scale*(1+float64(i+1)/float64(parts))-1
			at := (((e-1)*parts + i) + n) % n
			switch {
			case lo == 0:
				centers[at] = 0
				fits[at] = around(bigfloat.Tanh, 0, 0, hi, degree, single)
			case lo < end && hi < end:
				centers[at] = (lo + hi) / 2
				fits[at] = around(bigfloat.Tanh, centers[at], (hi-lo)/2, (hi-lo)/2, degree, single)
			default: // 1 up to the end; nothing comes after it
				centers[at] = lo
				fits[at] = constant()
			}
		}
	}
	return centers, fits
}
