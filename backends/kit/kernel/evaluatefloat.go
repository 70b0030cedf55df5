package kernel

import (
	"fmt"
	"math"

	"ltc/ir/types"
)

// Float computes an op that only package expand makes: FMA, CopySign, Exponent, Mantissa or Scale
// of f32s or f64s. Arguments and value are bits.
func Float(op Op, t types.DType, args ...uint64) (uint64, error) {
	x := make([]float64, len(args))
	for i, a := range args {
		switch t {
		case types.F32:
			x[i] = float64(math.Float32frombits(uint32(a)))
		case types.F64:
			x[i] = math.Float64frombits(a)
		default:
			return 0, fmt.Errorf("%v of %v: there is no such op", op, t)
		}
	}
	r := 0.0
	switch op {
	case FMA:
		if t == types.F32 {
			return uint64(math.Float32bits(fma32(x[0], x[1], x[2]))), nil
		}
		r = math.FMA(x[0], x[1], x[2])
	case CopySign:
		r = math.Copysign(x[0], x[1])
	case Exponent:
		r = math.Logb(x[0])
	case Mantissa:
		r = mantissa(x[0])
	case Scale:
		r = scaled(x[0], x[1])
	}
	if t == types.F32 {
		return uint64(math.Float32bits(float32(r))), nil
	}
	return math.Float64bits(r), nil
}

// fma32 returns x·y+z for f32s, rounded once. The product is exact in f64. The sum in f64
// is rounded to odd, so that the rounding to f32 gives the right result.
func fma32(x, y, z float64) float32 {
	p := x * y
	sum := p + z
	v := sum - p
	rest := (p - (sum - v)) + (z - v)
	bits := math.Float64bits(sum)
	if rest != 0 && rest == rest && !math.IsInf(sum, 0) && bits&1 == 0 {
		if rest > 0 == (sum > 0) {
			bits++
		} else {
			bits--
		}
	}
	return float32(math.Float64frombits(bits))
}

func mantissa(x float64) float64 {
	switch {
	case x == 0 || math.IsInf(x, 1):
		return 1
	case x != x || x < 0:
		return math.NaN()
	}
	m, _ := math.Frexp(x) // from ½ to 1
	if m < 0.75 {
		m *= 2
	}
	return m
}

func scaled(x, n float64) float64 {
	switch n = math.Floor(n); {
	case n != n:
		return n
	case n > 5000:
		n = 5000
	case n < -5000:
		n = -5000
	}
	return math.Ldexp(x, int(n))
}
