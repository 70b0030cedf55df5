// Package accuracy measures how far from exact the math functions are that
// compilers write. Its central type is [Function].
//
// The package imports only ltc/internal/bigfloat, ltc/internal/test/golden, ltc/ir/types and
// testify.
package accuracy

import (
	"math"
	"math/big"
	"math/rand/v2"

	"ltc/internal/bigfloat"
)

// Function is a math function with what it should give.
type Function struct {
	Name string
	real func(x, y float64) float64       // for f32
	big  func(x, y *big.Float) *big.Float // for f64, of x that are in its domain
	// Most32 and Most64 are how many units it may be off by, for f32 and f64.
	Most32, Most64 float64
	// Floor is a size below which an error of f64 counts as if the exact value had that
	// size: 1 where terms of about that size cancel. 0: there is none.
	Floor float64
	// sample returns f64 operands at which it is interesting.
	sample sampler
	// edges are where the way it is computed may change: Measure looks near them, too.
	edges []float64
	// domain reports whether it has a value at x; nil: everywhere but at 0.
	domain func(x float64) bool
	Binary bool
}

// sampler returns random operands.
type sampler = func(r *rand.Rand) (x, y float64)

func one(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

func oneBig(f func(*big.Float) *big.Float) func(x, y *big.Float) *big.Float {
	return func(x, _ *big.Float) *big.Float { return f(x) }
}

func num(x float64) *big.Float { return new(big.Float).SetPrec(160).SetFloat64(x) }

func quo(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(160).Quo(x, y) }

func sum(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(160).Add(x, y) }

// sized returns numbers of sizes around 2^(from…to), of both signs or positive.
func sized(from, to int, positive bool) sampler {
	return func(r *rand.Rand) (float64, float64) {
		x := math.Ldexp(1+r.Float64(), from+r.IntN(to-from))
		if !positive && r.IntN(2) == 0 {
			x = -x
		}
		return x, 0
	}
}

// Functions are those that compilers write themselves.
var Functions = []Function{
	{Name: "exponential", real: one(math.Exp), big: oneBig(bigfloat.Exp), Most32: 1.5, Most64: 1.5, edges: []float64{-745.1332191019411, -708.3964185322641, 709.782712893384}, sample: sized(-30, 10, false)},
	{Name: "exponential_minus_one", real: one(math.Expm1), big: oneBig(bigfloat.Expm1), Most32: 1.5, Most64: 1.5, edges: []float64{0.34657359, -0.34657359, 1.0397207708399179, 38, -37, -0.25, 0.25, 19.5}, sample: sized(-60, 9, false)},
	{Name: "log", real: one(math.Log), big: oneBig(bigfloat.Log), Most32: 1.5, Most64: 1.5, edges: []float64{1, 0.7071067811865476, 1.4142135623730951, 2, 0.5, 5e-324, 0x1p-1022}, sample: around1(1022), domain: func(x float64) bool { return x > 0 }},
	{Name: "log_plus_one", real: one(math.Log1p), big: oneBig(bigfloat.Log1p), Most32: 1.5, Most64: 1.5, edges: []float64{-1, -0.5, 0.41421356237309503, -0.2928932188134525, 1}, sample: above(-1, sized(-60, 60, false)), domain: func(x float64) bool { return x > -1 }},
	{Name: "tanh", real: one(math.Tanh), big: oneBig(bigfloat.Tanh), Most32: 1.5, Most64: 1.5, edges: []float64{0.625, 0.3, 18, 44}, sample: sized(-40, 6, false)},
	{Name: "logistic", real: one(func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }), big: oneBig(func(x *big.Float) *big.Float {
		e := bigfloat.Exp(new(big.Float).Neg(x))
		return quo(num(1), sum(e, num(1)))
	}), Most32: 1.5, Most64: 1.5, edges: []float64{-708, -37, 37}, sample: sized(-40, 9, false)},
	{Name: "erf", real: one(math.Erf), big: oneBig(func(x *big.Float) *big.Float {
		if f, _ := x.Float64(); math.Abs(f) > 8 {
			return num(math.Copysign(1, f))
		}
		return bigfloat.Erf(x)
	}), Most32: 2, Most64: 1.5, edges: []float64{0.84375, 1.25, 2.857142857142857, 5.9, 0.5}, sample: sized(-40, 4, false)},
	{Name: "sqrt", real: one(math.Sqrt), big: oneBig(func(x *big.Float) *big.Float { return new(big.Float).Sqrt(x) }), Most32: 0.5, Most64: 0.5, sample: sized(-1000, 1000, true)},
	{Name: "rsqrt", real: one(func(x float64) float64 { return 1 / math.Sqrt(x) }), big: oneBig(func(x *big.Float) *big.Float {
		return quo(num(1), new(big.Float).Sqrt(x))
	}), Most32: 1.5, Most64: 1.5, sample: sized(-1000, 1000, true)},
	{Name: "cbrt", real: one(math.Cbrt), big: oneBig(func(x *big.Float) *big.Float {
		if x.Sign() < 0 {
			y := bigfloat.Cbrt(new(big.Float).Neg(x))
			return y.Neg(y)
		}
		return bigfloat.Cbrt(x)
	}), Most32: 1.5, Most64: 1.5, sample: sized(-1000, 1000, false)},
	{Name: "sine", real: one(math.Sin), big: oneBig(func(x *big.Float) *big.Float { s, _ := bigfloat.SinCos(x); return s }), Most32: 1.5, Most64: 1.5, sample: angles},
	{Name: "cosine", real: one(math.Cos), big: oneBig(func(x *big.Float) *big.Float { _, c := bigfloat.SinCos(x); return c }), Most32: 1.5, Most64: 1.5, sample: angles},
	{Name: "tan", real: one(math.Tan), big: oneBig(func(x *big.Float) *big.Float { s, c := bigfloat.SinCos(x); return quo(s, c) }), Most32: 1.5, Most64: 2, sample: angles},
	{Name: "power", real: math.Pow, big: func(x, y *big.Float) *big.Float {
		l := bigfloat.Log(x)
		return bigfloat.Exp(l.Mul(l, y))
	}, Most32: 1.5, Most64: 1.5, sample: powers, Binary: true},
	{Name: "atan2", real: math.Atan2, big: bigAtan2, Most32: 1.5, Most64: 1.5, sample: directionsOf, Binary: true},
}

func around1(e int) sampler {
	wide, near := sized(-e, e, true), sized(-50, -1, false)
	return func(r *rand.Rand) (float64, float64) {
		if r.IntN(2) == 0 {
			return wide(r)
		}
		x, _ := near(r)
		return 1 + x, 0
	}
}

func above(least float64, f sampler) sampler {
	return func(r *rand.Rand) (float64, float64) {
		for {
			if x, y := f(r); x > least {
				return x, y
			}
		}
	}
}

// angles has small and huge ones, and those next to multiples of π/2.
func angles(r *rand.Rand) (float64, float64) {
	switch r.IntN(4) {
	case 0:
		return sized(-30, 1023, false)(r)
	case 1:
		n := float64(r.IntN(1 << 22))
		return n * (math.Pi / 2), 0
	}
	return sized(-20, 24, false)(r)
}

func powers(r *rand.Rand) (float64, float64) {
	x, _ := around1(200)(r)
	if l := math.Log(x); l != 0 {
		return x, 700 / l * (2*r.Float64() - 1)
	}
	return x, r.NormFloat64()
}

func directionsOf(r *rand.Rand) (float64, float64) {
	y, _ := sized(-30, 30, false)(r)
	if r.IntN(8) == 0 {
		y, _ = sized(-1020, 1020, false)(r)
	}
	x, _ := sized(-3, 3, false)(r)
	return y, y * x
}

func bigAtan2(y, x *big.Float) *big.Float {
	a := bigfloat.Atan(quo(new(big.Float).Abs(y), new(big.Float).Abs(x)))
	if x.Sign() < 0 {
		a.Sub(bigfloat.Pi(200), a)
	}
	if y.Sign() < 0 {
		a.Neg(a)
	}
	return a
}
