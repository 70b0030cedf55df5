package expand

import (
	"math"

	"ltc/backends/kit/approx"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// turn makes a function of an angle: of a number n of quarter turns and the sine and
// cosine of the rest.
type turn func(b *builder, n, sin, cos kernel.ID) kernel.ID

func turnSine(b *builder, n, sin, cos kernel.ID) kernel.ID {
	return b.turned(n, b.sel(b.odd(n), cos, sin))
}

func turnCosine(b *builder, n, sin, cos kernel.ID) kernel.ID {
	return b.turned(b.addi(n, 1), b.sel(b.odd(n), sin, cos))
}

func turnTangent(b *builder, n, sin, cos kernel.ID) kernel.ID {
	odd := b.odd(n)
	return b.div(b.sel(odd, b.neg(cos), sin), b.sel(odd, sin, cos))
}

// odd reports whether an integer is.
func (b *builder) odd(n kernel.ID) kernel.ID { return b.isInt(kernel.CompareNE, b.andi(n, 1), 0) }

// turned returns y, negated if the second bit of n is set.
func (b *builder) turned(n, y kernel.ID) kernel.ID {
	return b.asFloat(b.xor(b.asInt(y), b.shl(b.andi(n, 2), int64(8*b.t.Size()-2))))
}

func floatSine(b *builder, xs []kernel.ID) kernel.ID {
	return b.sel(b.is(kernel.CompareEQ, xs[0], 0), xs[0], b.angle("sine", turnSine, xs[0]))
}

func floatCosine(b *builder, xs []kernel.ID) kernel.ID { return b.angle("cosine", turnCosine, xs[0]) }

func floatTan(b *builder, xs []kernel.ID) kernel.ID {
	return b.sel(b.is(kernel.CompareEQ, xs[0], 0), xs[0], b.inTurns("tan", turnTangent)(b, xs))
}

// farAngle is up to where f32 with fused products counts quarter turns.
const farAngle = 1 << 13

// angle computes f in f32 where that will do: with fused products, and not far from 0.
func (b *builder) angle(name string, f turn, x kernel.ID) kernel.ID {
	if b.is64() || !b.FMA {
		return b.inTurns(name, f)(b, []kernel.ID{x})
	}
	n := b.nearest(x, b.num(2/math.Pi))
	part := func(i int) kernel.ID { return b.num(approx.HalfPi32[i]) }
	first := b.fnma(n.float, part(0), x) // exact
	p, pLow := b.twoProduct(n.float, part(1))
	r, low := b.twoSum(first, b.neg(p))
	low = b.fnma(n.float, part(2), b.sub(low, pLow))
	// sin(r+l) = sin r + l·cos r, cos(r+l) = cos r - l·r
	one, half := b.num(1), b.num(0.5)
	z := b.mul(r, r)
	w := b.fnma(z, half, one)
	rest := b.fnma(z, half, b.sub(one, w)) // of w, exact
	s := b.add(r, b.fma(b.mul(z, r), b.horner(z, approx.Sine32), b.mul(low, w)))
	c := b.add(w, b.fma(b.mul(z, z), b.horner(z, approx.Cosine32), b.fnma(r, low, rest)))
	far := b.not(b.is(kernel.CompareLT, b.abs(x), farAngle))
	return b.rarely("far_"+name, far, f(b, n.integer, s, c), b.inTurns(name, f), x)
}

// largeAngle is from where on quarter turns are counted bit by bit.
const largeAngle = 1 << 20

// inTurns computes f in f64.
func (b *builder) inTurns(name string, f turn) function {
	return inDouble(func(b *builder, single bool, xs []kernel.ID) kernel.ID {
		x := xs[0]
		n, r, low := b.quarterTurns(x, single)
		s, c := b.sinCos(r, low)
		large := b.is(kernel.CompareGE, b.abs(x), largeAngle)
		return b.rarely("large_"+name, large, f(b, n, s, c), func(b *builder, xs []kernel.ID) kernel.ID {
			n, r, low := b.largeTurns(xs[0])
			s, c := b.sinCos(r, low)
			return f(b, n, s, c)
		}, x)
	})
}

// sinCos returns the sine and cosine of r+low; low is none for results that are rounded
// to f32.
func (b *builder) sinCos(r, low kernel.ID) (sin, cos kernel.ID) {
	z := b.mul(r, r)
	half := b.muln(z, 0.5)
	if low == kernel.None {
		sin = b.fma(b.mul(z, r), b.horner(z, approx.SineShort64), r)
		cos = b.fma(b.mul(z, z), b.horner(z, approx.CosineShort64), b.sub(b.num(1), half))
		return sin, cos
	}
	// sin(r+l) = sin r + l·cos r, cos(r+l) = cos r - l·r
	tail := b.fnma(half, low, low)
	sin = b.add(r, b.fma(b.mul(z, r), b.horner(z, approx.Sine64), tail))
	w := b.sub(b.num(1), half)
	rest := b.sub(b.sub(b.num(1), w), half)
	tail = b.fnma(r, low, b.mul(b.mul(z, z), b.horner(z, approx.Cosine64)))
	return sin, b.add(w, b.add(rest, tail))
}

// quarterTurns returns n, modulo 4, and r+low with x = n·π/2 + r + low, for |x| below
// largeAngle. low is none if the result is rounded to f32.
func (b *builder) quarterTurns(x kernel.ID, single bool) (n, r, low kernel.ID) {
	whole := b.nearest(x, b.num(2/math.Pi))
	part := func(i int) kernel.ID { return b.mul(whole.float, b.num(approx.HalfPi64[i])) } // exact
	r = b.sub(x, part(0))                                                                  // exact
	if single {
		return whole.integer, b.fnma(whole.float, b.num(approx.HalfPi64[1]+approx.HalfPi64[2]), r), kernel.None
	}
	r, low = b.twoSum(r, b.neg(part(1)))
	low, second := b.twoSum(low, b.neg(part(2)))
	low = b.add(low, b.fnma(whole.float, b.num(approx.HalfPi64[3]), second))
	r, low = b.fastTwoSum(r, low)
	return whole.integer, r, low
}

// largeTurns is quarterTurns for an |x| of largeAngle or more, by the bits of 2/π that
// count (Payne and Hanek); r is NaN for an infinite x, and for NaN.
func (b *builder) largeTurns(x kernel.ID) (n, r, low kernel.ID) {
	u := func(v kernel.ID) kernel.ID { return b.emit(kernel.BitcastConvert, types.U64, 0, v) }
	signed := func(v kernel.ID) kernel.ID { return b.emit(kernel.BitcastConvert, types.I64, 0, v) }
	num := func(v int64) kernel.ID { return b.intOf(types.U64, v) }
	left := func(v, n kernel.ID) kernel.ID { return b.op(kernel.ShiftLeft, v, n) } // 64 and more leave 0
	right := func(v, n kernel.ID) kernel.ID { return b.op(kernel.ShiftRightLogical, v, n) }
	// |x| = mantissa·2^(e-52)
	raw := u(x)
	e := b.sub(b.andi(b.shr(raw, 52), 0x7ff), num(1023))
	mantissa := b.or(b.andi(raw, 1<<52-1), num(1<<52))
	// x·2/π modulo 4: of 2/π, the bits from weight 2^(2+52-e) down. The table starts 64
	// bits before the point, so these are from bit first on. An infinite x has e = 1024:
	// still within the table, with the words after.
	first := b.add(e, num(64-52-2))
	word, shift := b.shr(first, 6), b.andi(first, 63)
	at := func(i int64) kernel.ID { return b.lookup(approx.TwoOverPiTable, 0, b.add(word, num(i))) }
	back := b.sub(num(64), shift)
	var a [3]kernel.ID // 192 bits, highest first
	for i := range a {
		a[i] = b.or(left(at(int64(i)), shift), right(at(int64(i)+1), back))
	}
	// Their product with the mantissa, modulo 2^192.
	p2, high2 := b.mul(mantissa, a[2]), b.mulHigh(mantissa, a[2])
	p1 := b.add(b.mul(mantissa, a[1]), high2)
	carry := b.sel(b.compare(kernel.CompareLT, p1, high2), num(1), num(0))
	p0 := b.add(b.add(b.mul(mantissa, a[0]), carry), b.mulHigh(mantissa, a[1]))
	// Two bits before the point, 126 behind it that count.
	topHigh := b.or(b.shl(p0, 2), b.shr(p1, 62))
	topLow := b.or(b.shl(p1, 2), b.shr(p2, 62))
	// From 1/2 on, a quarter turn more and a negative rest.
	more := b.shr(topHigh, 63)
	n = b.add(b.shr(p0, 62), more)
	negated := b.isInt(kernel.CompareNE, more, 0)
	borrow := b.sel(b.isInt(kernel.CompareEQ, topLow, 0), num(1), num(0))
	restHigh := b.sel(negated, b.add(b.not(topHigh), borrow), topHigh)
	restLow := b.sel(negated, b.sub(num(0), topLow), topLow)
	negative := b.xor(more, b.shr(raw, 63))
	// The rest is size·2^-128, with its first bit at the top after the shift.
	zeros := func(v kernel.ID) kernel.ID { return b.op(kernel.CountLeadingZeros, v) }
	none := b.isInt(kernel.CompareEQ, restHigh, 0)
	lead := b.sel(none, b.addi(zeros(restLow), 64), zeros(restHigh))
	rest := b.sub(num(64), lead) // below 0 it is far more than 64
	sizeHigh := b.or(b.or(left(restHigh, lead), right(restLow, rest)), left(restLow, b.sub(lead, num(64))))
	sizeLow := left(restLow, lead)
	// 53 bits and the 64 that follow; both are exact or nearly so.
	h := b.convert(b.shr(sizeHigh, 11), b.t)
	l := b.convert(b.or(b.shl(sizeHigh, 53), b.shr(sizeLow, 11)), b.t)
	unit := b.powerOfTwo(signed(b.sub(num(-53), lead)))
	h = b.mul(h, unit)
	l = b.mul(b.muln(l, 0x1p-64), unit)
	// times π/2
	pi := b.num(approx.HalfPi)
	r, low = b.twoProduct(h, pi)
	low = b.add(low, b.fma(h, b.num(approx.HalfPiRest), b.mul(l, pi)))
	r, low = b.fastTwoSum(r, low)
	sign := b.shl(negative, 63)
	turned := func(v kernel.ID) kernel.ID { return b.asFloat(b.xor(u(v), sign)) }
	n = b.sel(b.negative(x), b.sub(num(0), n), n)
	r = b.sel(b.is(kernel.CompareLT, b.abs(x), math.Inf(1)), turned(r), b.num(math.NaN()))
	return signed(n), r, turned(low)
}

// mulHigh returns the upper half of the product of two u64s.
func (b *builder) mulHigh(x, y kernel.ID) kernel.ID {
	const low = 1<<32 - 1
	xh, xl, yh, yl := b.shr(x, 32), b.andi(x, low), b.shr(y, 32), b.andi(y, low)
	mid := b.add(b.mul(xh, yl), b.shr(b.mul(xl, yl), 32))
	other := b.add(b.mul(xl, yh), b.andi(mid, low))
	return b.add(b.add(b.mul(xh, yh), b.shr(mid, 32)), b.shr(other, 32))
}
