package reference

import "math"

// Package math is off by thousands of units in the last place near the zeros
// of sine and cosine far from 0, by tens for powers with large exponents and
// for small tangents. The functions here, which f64 uses, are within 3 units;
// for f32, computed in f64 and rounded, package math is close enough.

var accurateFunctions = map[string]func(float64) float64{
	"cosine": func(x float64) float64 {
		y := math.Cos(x)
		if math.Abs(y) < 0x1p-6 {
			_, c := ddOf(x).sinCos()
			return c.float()
		}
		return y
	},
	"sine": func(x float64) float64 {
		y := math.Sin(x)
		if math.Abs(y) < 0x1p-6 && math.Abs(x) > 1 {
			s, _ := ddOf(x).sinCos()
			return s.float()
		}
		return y
	},
	"tan": func(x float64) float64 {
		if math.Abs(x) < 0x1p-20 {
			return x + x*x*x/3
		}
		y := math.Tan(x)
		if a := math.Abs(y); math.Abs(x) > 1 && (a < 0x1p-6 || a > 0x1p6) {
			s, c := ddOf(x).sinCos()
			return s.div(c).float()
		}
		return y
	},
}

// accuratePower is x^y.
func accuratePower(x, y float64) float64 {
	p := math.Pow(x, y)
	if math.Abs(y) <= 4 || p == 0 || p == 1 || !isFinite(p) {
		return p
	}
	l := ddOf(math.Abs(x)).log().mul(ddOf(y))
	m, k := l.exp()
	return math.Copysign(roundScaled(m, k), p)
}
