package accuracy

import (
	"math"
	"math/big"
	"math/rand/v2"

	"ltc/internal/bigfloat"
)

// mixed takes one of some samplers at random.
func mixed(all ...sampler) sampler {
	return func(r *rand.Rand) (float64, float64) { return all[r.IntN(len(all))](r) }
}

// near returns numbers around some points: a few units in the last place away, or
// further by any power of two.
func near(points ...float64) sampler {
	return func(r *rand.Rand) (float64, float64) {
		x := points[r.IntN(len(points))]
		if r.IntN(2) == 0 {
			return math.Float64frombits(math.Float64bits(x) + uint64(r.IntN(9)) - 4), 0
		}
		return x * (1 + math.Ldexp(r.Float64()-0.5, -r.IntN(52))), 0
	}
}

// between returns numbers from a to b.
func between(a, b float64) sampler {
	return func(r *rand.Rand) (float64, float64) { return a + (b-a)*r.Float64(), 0 }
}

// The domains of some functions.
func circular(x float64) bool { return math.Abs(x) <= 1 }
func inside(x float64) bool   { return math.Abs(x) < 1 }
func from1(x float64) bool    { return x >= 1 }
func noPole(x float64) bool   { return x > 0 || x != math.Floor(x) }

// gammaArguments has the zeros of the functions of the gamma family, rounded to f64: those
// of log |Γ|, then those of digamma.
var gammaArguments = mixed(
	near(1, 2, -2.4570247382208006, -2.7476826467274127, -3.143580888349980,
		-3.955294284858597, -4.039361839740537, -4.991544640560048, -5.008218168228993,
		1.4616321449683622, -0.5040830082644554, -1.5734984731623904, -2.6107208684441447,
		-3.6352933664369011, -10.687764125123497),
	sized(-60, 3, false), between(-40, 40), sized(3, 1000, true), between(-1e6, 0))

// nearEnds is for functions of numbers from -1 to 1.
var nearEnds = mixed(near(1, -1, 0.5), sized(-60, 0, false))

func bigLgamma(x *big.Float) *big.Float {
	if f, _ := x.Float64(); f == 1 || f == 2 {
		return num(0)
	}
	return bigfloat.Lgamma(x)
}

// Composed are those that CHLO has and compilers compose of others. Their limits are
// those of the compiled compositions.
var Composed = []Function{
	{Name: "acos", real: one(math.Acos), big: oneBig(bigfloat.Acos), Most32: 2, Most64: 2, sample: nearEnds, domain: circular},
	{Name: "acosh", real: one(math.Acosh), big: oneBig(bigfloat.Acosh), Most32: 4, Most64: 3, sample: mixed(near(1, 2), sized(0, 1023, true), between(1, 4)), domain: from1},
	{Name: "asin", real: one(math.Asin), big: oneBig(bigfloat.Asin), Most32: 2, Most64: 2, sample: nearEnds, domain: circular},
	{Name: "asinh", real: one(math.Asinh), big: oneBig(bigfloat.Asinh), Most32: 2, Most64: 2, sample: mixed(sized(-60, 60, false), sized(-300, 1023, false))},
	{Name: "atan", real: one(math.Atan), big: oneBig(bigfloat.Atan), Most32: 1.5, Most64: 1.5, sample: mixed(sized(-60, 60, false), sized(-1000, 1023, false))},
	{Name: "atanh", real: one(math.Atanh), big: oneBig(bigfloat.Atanh), Most32: 1.5, Most64: 1.5, sample: nearEnds, domain: inside},
	{Name: "bessel_i1e", big: oneBig(bigfloat.BesselI1e), Most32: 16, Most64: 8, sample: mixed(near(8, 30), sized(-60, 6, false), between(-100, 100))},
	{Name: "cosh", real: one(math.Cosh), big: oneBig(bigfloat.Cosh), Most32: 64, Most64: 4, sample: mixed(near(710, 710.4758600739439, 1), sized(-60, 10, false))},
	{Name: "digamma", big: oneBig(bigfloat.Digamma), Floor: 1, Most32: 1, Most64: 16, sample: gammaArguments, domain: noPole},
	{Name: "erf_inv", real: one(math.Erfinv), big: oneBig(bigfloat.ErfInv), Most32: 4, Most64: 5, sample: nearEnds, domain: inside},
	{Name: "erfc", real: one(math.Erfc), big: oneBig(func(x *big.Float) *big.Float {
		if f, _ := x.Float64(); math.Abs(f) > 30 {
			return num(1 - math.Copysign(1, f))
		}
		return bigfloat.Erfc(x)
	}), Most32: 8, Most64: 8, sample: mixed(near(26.5, 27.2, 0.5), sized(-60, 4, false), between(-6, 27.3))},
	{Name: "lgamma", big: oneBig(bigLgamma), Floor: 1, Most32: 1, Most64: 32, sample: gammaArguments, domain: noPole},
	{Name: "sinh", real: one(math.Sinh), big: oneBig(bigfloat.Sinh), Most32: 64, Most64: 4, sample: mixed(near(710, 710.4758600739439, 1), sized(-60, 10, false))},
}
