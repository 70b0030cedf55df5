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

const leastNormal = 0x1p-1022

// logarithm is math.Log, whose machine code for amd64 takes numbers below the
// least normal one for about that.
func logarithm(x float64) float64 {
	if x > 0 && x < leastNormal {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// accuratePower is x^y.
func accuratePower(x, y float64) float64 {
	p := math.Pow(x, y)
	if math.Abs(y) <= 4 && math.Abs(x) >= leastNormal || p == 0 || p == 1 || !isFinite(p) {
		return p
	}
	l := ddOf(math.Abs(x)).log().mul(ddOf(y))
	m, k := l.exp()
	return math.Copysign(roundScaled(m, k), p)
}

// direction is atan2. That of package math takes a quotient that is too small for a
// number for positive: a negative y above the negative numbers got pi, not -pi.
func direction(y, x float64) float64 { return math.Copysign(math.Atan2(y, x), y) }
