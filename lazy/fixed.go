package lazy

import (
	"math"
	"math/bits"

	"ltc/ir/types"
)

// fixed computes with fractions: an element x of u64 stands for x/2^bits, and
// bits is 32 or 64. It is what logarithms and sines of random numbers are made
// of. StableHLO leaves the accuracy of its own to each implementation, and
// whether a float product and sum are rounded once or twice to each compiler;
// integers leave nothing to anybody. Every result is a sum of series whose terms
// are written out, below 2^-bits and some roundings from the truth.
//
// Floating point comes in where one operation is exact or, as division and
// square root of f64, rounded once as IEEE 754 has it.
type fixed struct{ bits int }

const (
	ln2Bits      = 0xB17217F7D1CF79AC // ln 2 · 2^64
	sqrtHalfBits = 0xB504F333F9DE6484 // √½ · 2^64
	piOver4Bits  = 0xC90FDAA22168C235 // π/4 · 2^64
)

// constant records c/2^64 as a fraction like x.
func (f fixed) constant(x *Tensor, c uint64) *Tensor { return x.word(c >> (64 - f.bits)) }

// one is the largest fraction.
func (f fixed) one() uint64 { return math.MaxUint64 >> (64 - f.bits) }

// mul returns the product of two fractions, at most three units too small.
func (f fixed) mul(x, y *Tensor) *Tensor {
	if f.bits == 32 {
		return high32(x.Mul(y))
	}
	x1, x0, y1, y0 := high32(x), low32(x), high32(y), low32(y)
	return x1.Mul(y1).Add(high32(x1.Mul(y0))).Add(high32(x0.Mul(y1)))
}

// logFraction is the number of fraction bits of what negLog returns.
func (f fixed) logFraction() int {
	if f.bits == 32 {
		return 32
	}
	return 56
}

// negLog returns -ln(n/2^64) for n > 0, as u64 with logFraction bits after the
// point. With h halvings of the exponent, n/2^64 = x √½^h and x in (√½, 1):
// -ln x = 2 atanh((1-x)/(1+x)), and atanh s = s + s³/3 + s⁵/5 + … .
func (f fixed) negLog(n *Tensor) *Tensor {
	zeros := n.CountLeadingZeros()
	x := n.ShiftLeft(zeros)
	mantissa := 52 // 1+x must be exact in f64
	terms := 12
	if f.bits == 32 {
		x, mantissa, terms = high32(x), 32, 6
	}
	small := x.Less(f.constant(x, sqrtHalfBits))
	scaled := f.mul(x, f.constant(x, sqrtHalfBits))
	x = small.Where(scaled.Add(scaled), x)
	if f.bits == 64 {
		x = x.ShiftRight(x.word(uint64(64 - mantissa)))
	}
	one := x.word(1 << mantissa)
	s := one.Sub(x).Convert(types.F64).Div(one.Add(x).Convert(types.F64))
	s = s.MulScalar(math.Ldexp(1, f.bits)).Convert(types.U64)
	q := f.mul(s, s)
	sum := f.constant(q, math.MaxUint64/uint64(2*terms-1))
	for k := terms - 2; k > 0; k-- {
		sum = f.mul(sum, q).Add(f.constant(q, math.MaxUint64/uint64(2*k+1)))
	}
	atanh := s.Add(f.mul(f.mul(sum, q), s))
	halvings := zeros.Add(zeros).Add(small.Convert(types.U64))
	const halfLn2 = ln2Bits >> 1
	if f.bits == 32 {
		return halvings.Mul(x.word(halfLn2 >> 32)).Add(atanh.Add(atanh))
	}
	return halvings.Mul(x.word(halfLn2 >> 8)).Add(atanh.ShiftRight(x.word(7)))
}

// logFloat converts what negLog returns to f64, rounded once.
func (f fixed) logFloat(x *Tensor) *Tensor {
	unit := math.Ldexp(1, -f.logFraction())
	if f.bits == 32 {
		return x.Convert(types.F64).MulScalar(unit)
	}
	return high32(x).Convert(types.F64).MulScalar(unit * 0x1p32).Add(low32(x).Convert(types.F64).MulScalar(unit))
}

// sinCos returns sine and cosine, in f64, of x turns: by the powers of π/4 y in
// each eighth of a turn, y being how far x is from the nearest axis.
func (f fixed) sinCos(x *Tensor) (sin, cos *Tensor) {
	octant := x.ShiftRight(x.word(uint64(f.bits - 3)))
	is := func(x *Tensor, bit uint64) *Tensor { return x.And(x.word(bit)).NotEqual(x.word(0)) }
	y := x.ShiftLeft(x.word(3)).And(x.word(f.one()))
	y = is(octant, 1).Where(y.Xor(y.word(f.one())), y)
	q := f.mul(y, y)
	c := powersOfPiOver4()
	last := 22
	if f.bits == 32 {
		last = 12
	}
	series := func(first, last int) *Tensor {
		sum := f.constant(q, c[last])
		for k := last - 2; k >= first; k -= 2 {
			sum = f.constant(q, c[k]).Sub(f.mul(sum, q))
		}
		return sum
	}
	s := f.float(f.mul(series(1, last-1), y))
	k := f.float(f.mul(series(2, last), q).Xor(q.word(f.one()))) // 1 - …
	swap := is(octant.Add(octant.word(1)), 2)
	sin, cos = swap.Where(k, s), swap.Where(s, k)
	return is(octant, 4).Where(sin.Neg(), sin), is(octant.Add(octant.word(2)), 4).Where(cos.Neg(), cos)
}

// float converts fractions to f64, exactly but for bits below the 53rd.
func (f fixed) float(x *Tensor) *Tensor {
	if f.bits == 32 {
		return x.Convert(types.F64).MulScalar(0x1p-32)
	}
	return x.ShiftRight(x.word(11)).Convert(types.F64).MulScalar(0x1p-53)
}

// powersOfPiOver4 returns (π/4)^n/n! · 2^64 for n up to 22; that for 0 is not used.
func powersOfPiOver4() (c [23]uint64) {
	c[1] = piOver4Bits
	for n := 2; n < len(c); n++ {
		hi, _ := bits.Mul64(c[n-1], piOver4Bits)
		c[n] = hi / uint64(n)
	}
	return c
}
