package scalarmath

import (
	"math"
	"math/big"
	"sync"
)

// dd is the sum of two float64, the second less than half a unit in the last place of
// the first: a number of about 106 bits. The functions of complex.go are computed in
// dd, so that their results are right in 53 bits. Neither part may be infinite or NaN.
type dd struct{ hi, lo float64 }

func ddOf(x float64) dd { return dd{x, 0} }

// twoSum and twoProd are exact. The conversions keep a compiler from fusing.
func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

func twoProd(a, b float64) dd {
	p := float64(a * b)
	return dd{p, math.FMA(a, b, -p)}
}

// normal restores the order of the parts.
func (a dd) normal() dd {
	s := a.hi + a.lo
	return dd{s, a.lo - (s - a.hi)}
}

func (a dd) float() float64 { return a.hi + a.lo }
func (a dd) neg() dd        { return dd{-a.hi, -a.lo} }

func (a dd) add(b dd) dd {
	s, t := twoSum(a.hi, b.hi), twoSum(a.lo, b.lo)
	s.lo += t.hi
	s = s.normal()
	s.lo += t.lo
	return s.normal()
}

func (a dd) sub(b dd) dd { return a.add(b.neg()) }

func (a dd) mul(b dd) dd {
	p := twoProd(a.hi, b.hi)
	p.lo += float64(a.hi*b.lo) + float64(a.lo*b.hi)
	return p.normal()
}

func (a dd) div(b dd) dd {
	q := a.hi / b.hi
	r := a.sub(b.mul(ddOf(q)))
	q2 := r.hi / b.hi
	r = r.sub(b.mul(ddOf(q2)))
	return dd{q, q2}.normal().add(ddOf(r.hi / b.hi))
}

func (a dd) sqrt() dd {
	if a.hi <= 0 {
		return dd{}
	}
	x := math.Sqrt(a.hi)
	r := a.sub(twoProd(x, x))
	return dd{x, r.hi / (2 * x)}.normal()
}

// scale multiplies by 2^k.
func (a dd) scale(k int) dd { return dd{math.Ldexp(a.hi, k), math.Ldexp(a.lo, k)} }

// Constants of package math have more than 159 bits.
const (
	ln2Hi  = 0x1.62e42fefa39efp-1
	halfPi = math.Pi / 2
	piA    = 0x1.921fb54442d18p0
	piB    = 0x1.1a62633145c07p-54
)

var ln2 = dd{ln2Hi, math.Ln2 - ln2Hi}

// exp returns m and k with e^a = m*2^k.
func (a dd) exp() (m dd, k int) {
	n := math.Round(a.hi / math.Ln2)
	r := a.sub(ln2.mul(ddOf(n)))
	return r.expm1().add(ddOf(1)), int(n)
}

// expm1 returns e^a-1 for |a| < 1, with full relative precision.
func (a dd) expm1() dd {
	if math.Abs(a.hi) < 0x1p-60 {
		return a.add(ddOf(a.hi * a.hi / 2))
	}
	const halvings = 9
	r := a.scale(-halvings)
	sum, term := r, r
	for n := 2.0; n <= 11; n++ {
		term = term.mul(r).div(ddOf(n))
		sum = sum.add(term)
	}
	for range halvings { // (1+s)^2-1
		sum = sum.mul(sum.add(ddOf(2)))
	}
	return sum
}

// log returns the natural logarithm of a > 0, with full relative precision.
func (a dd) log() dd {
	frac, e := math.Frexp(a.hi)
	if frac < math.Sqrt2/2 {
		e--
	}
	return a.scale(-e).sub(ddOf(1)).log1pNear().add(ln2.mul(ddOf(float64(e))))
}

// Log1p returns log(1+a) for a ≥ 0, with full relative precision.
func (a dd) log1p() dd {
	if a.hi < 0.5 {
		return a.log1pNear()
	}
	return a.add(ddOf(1)).log()
}

// log1pNear returns log(1+a) for -0.3 <= a <= 0.5: one step of Newton's method
// doubles the bits that package math gives.
func (a dd) log1pNear() dd {
	if a.hi == 0 {
		return a
	}
	y := ddOf(math.Log1p(a.hi))
	e := y.expm1()
	return y.sub(e.sub(a).div(e.add(ddOf(1))))
}

// sinCos returns both functions of a.
func (a dd) sinCos() (sin, cos dd) {
	r, quadrant := a.modHalfPi()
	square := r.mul(r)
	sin, cos = r, ddOf(1)
	s, c := sin, cos
	for n := 1.0; n < 30; n += 2 {
		c = c.mul(square).div(ddOf(-n * (n + 1)))
		s = s.mul(square).div(ddOf(-(n + 1) * (n + 2)))
		cos, sin = cos.add(c), sin.add(s)
	}
	switch quadrant {
	case 1:
		return cos, sin.neg()
	case 2:
		return sin.neg(), cos.neg()
	case 3:
		return cos.neg(), sin
	}
	return sin, cos
}

// modHalfPi returns a less the nearest multiple of π/2, and that multiple modulo 4.
func (a dd) modHalfPi() (dd, int) {
	n := math.Round(a.hi / halfPi)
	if math.Abs(n) < 1<<20 {
		f := ddOf(n)
		r := a.sub(twoProd(n, piA)).sub(twoProd(n, piB)).sub(ddOf(halfPi - piA - piB).mul(f))
		return r, int(n) & 3
	}
	const bits = 1400 // of the largest float64, and as many again as the result has
	x := new(big.Float).SetPrec(bits).SetFloat64(a.hi)
	x.Add(x, new(big.Float).SetFloat64(a.lo))
	half := bigHalfPi()
	q := new(big.Float).SetPrec(bits).Quo(x, half)
	q.Add(q, big.NewFloat(math.Copysign(0.5, a.hi)))
	i, _ := q.Int(nil)
	x.Sub(x, q.Mul(q.SetInt(i), half))
	return ddOfBig(x), int(new(big.Int).And(i, big.NewInt(3)).Int64())
}

func ddOfBig(x *big.Float) dd {
	hi, _ := x.Float64()
	lo, _ := new(big.Float).Sub(x, big.NewFloat(hi)).Float64()
	return dd{hi, lo}
}

// bigHalfPi is π/2 = 8*atan(1/5) - 2*atan(1/239), Machin's formula.
var bigHalfPi = sync.OnceValue(func() *big.Float {
	const bits = 1500
	atanInverse := func(n int64) *big.Int { // in units of 2^-bits
		term := new(big.Int).Quo(new(big.Int).Lsh(big.NewInt(1), bits), big.NewInt(n))
		sum := new(big.Int).Set(term)
		for k := int64(3); term.Sign() != 0; k += 2 {
			term.Quo(term.Neg(term), big.NewInt(n*n))
			sum.Add(sum, new(big.Int).Quo(term, big.NewInt(k)))
		}
		return sum
	}
	sum := new(big.Int).Mul(big.NewInt(8), atanInverse(5))
	sum.Sub(sum, new(big.Int).Mul(big.NewInt(2), atanInverse(239)))
	x := new(big.Float).SetPrec(1450).SetInt(sum)
	return x.SetMantExp(x, -bits)
})

// atan2 returns the angle of (x, y), neither of which is 0 and both of which
// are less than 2^1000: one step of Newton's method from package math's.
func atan2(y, x dd) dd {
	theta := ddOf(math.Atan2(y.hi, x.hi))
	s, c := theta.sinCos()
	return theta.add(y.mul(c).sub(x.mul(s)).div(x.mul(c).add(y.mul(s))))
}

// sinhCosh returns s and c with sinh a = s*2^k, cosh a = c*2^k.
func sinhCosh(a float64) (s, c dd, k int) {
	if math.Abs(a) < 0.5 {
		e := ddOf(a).expm1()
		f := e.div(e.add(ddOf(1))) // 1-e^-a
		return e.add(f).scale(-1), e.sub(f).scale(-1).add(ddOf(1)), 0
	}
	m, k := ddOf(math.Abs(a)).exp()
	small := dd{}
	if k < 200 {
		small = ddOf(1).div(m).scale(-2 * k)
	}
	s, c = m.sub(small), m.add(small)
	if a < 0 {
		s = s.neg()
	}
	return s, c, k - 1
}
