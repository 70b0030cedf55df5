package expand

import (
	"ltc/backends/kit/kernel"
)

func boolNot(b *builder, x []kernel.ID) kernel.ID {
	return b.xor(x[0], b.intOf(b.t, 1))
}

func intNot(b *builder, x []kernel.ID) kernel.ID { return b.xor(x[0], b.int(-1)) }

// intSign is x moved into the range from -1 to 1.
func intSign(b *builder, x []kernel.ID) kernel.ID {
	r := b.op(kernel.Minimum, x[0], b.int(1))
	if b.t.IsSigned() {
		r = b.op(kernel.Maximum, r, b.int(-1))
	}
	return r
}

// intPopcnt adds the bits of pairs, of fours and of bytes, and then of all bytes by a
// product, whose highest byte has the sum.
func intPopcnt(b *builder, xs []kernel.ID) kernel.ID {
	every := func(bits int64) int64 { return bits * 0x0101010101010101 } // in each byte
	x := xs[0]
	x = b.sub(x, b.andi(b.shr(x, 1), every(0x55)))
	x = b.add(b.andi(x, every(0x33)), b.andi(b.shr(x, 2), every(0x33)))
	x = b.andi(b.add(x, b.shr(x, 4)), every(0x0f))
	return b.shr(b.mul(x, b.int(every(1))), int64(8*b.t.Size()-8))
}

// intCountLeadingZeros sets all bits below the highest, and counts the others.
func intCountLeadingZeros(b *builder, xs []kernel.ID) kernel.ID {
	x := xs[0]
	for n := int64(1); n < int64(8*b.t.Size()); n *= 2 {
		x = b.or(x, b.shr(x, n))
	}
	return b.op(kernel.Popcnt, b.not(x))
}

// intRemainder is the dividend for a division by 0, whose quotient is -1.
func intRemainder(b *builder, x []kernel.ID) kernel.ID {
	q := b.div(x[0], x[1])
	return b.sub(x[0], b.mul(q, x[1]))
}

// intPower multiplies, modulo 2^n. Of negative exponents, only powers of 1 and -1 are
// integers; all others give 0.
func intPower(b *builder, xs []kernel.ID) kernel.ID {
	x, y := xs[0], xs[1]
	one, zero := b.int(1), b.int(0)
	exponent := y
	if b.t.IsSigned() {
		exponent = b.op(kernel.Maximum, y, zero)
	}
	again := func(b *builder, v []kernel.ID) kernel.ID { return b.isInt(kernel.CompareNE, v[2], 0) }
	r := b.loop([]kernel.ID{one, x, exponent}, nil, again,
		func(b *builder, v []kernel.ID) kernel.ID { return b.sel(b.odd(v[2]), b.mul(v[0], v[1]), v[0]) },
		func(b *builder, v []kernel.ID) kernel.ID { return b.mul(v[1], v[1]) },
		func(b *builder, v []kernel.ID) kernel.ID { return b.shr(v[2], 1) })
	if !b.t.IsSigned() {
		return r
	}
	inverse := b.sel(b.isInt(kernel.CompareEQ, x, -1), b.sel(b.odd(y), b.int(-1), one), zero)
	inverse = b.sel(b.isInt(kernel.CompareEQ, x, 1), one, inverse)
	return b.sel(b.isInt(kernel.CompareLT, y, 0), inverse, r)
}

// clamp is at least the first and at most the last, which wins; NaN if one of the
// three is.
func clamp(b *builder, x []kernel.ID) kernel.ID {
	return b.op(kernel.Minimum, b.op(kernel.Maximum, x[0], x[1]), x[2])
}

func intClamp(b *builder, x []kernel.ID) kernel.ID   { return clamp(b, x) }
func floatClamp(b *builder, x []kernel.ID) kernel.ID { return clamp(b, x) }
