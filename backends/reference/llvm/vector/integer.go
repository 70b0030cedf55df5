package vector

import (
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/ir/types"
)

func intAdd(b *Builder, _ types.DType, x, y value.Value) value.Value      { return b.add(x, y) }
func intSubtract(b *Builder, _ types.DType, x, y value.Value) value.Value { return b.sub(x, y) }
func intMultiply(b *Builder, _ types.DType, x, y value.Value) value.Value { return b.mul(x, y) }
func bitAnd(b *Builder, _ types.DType, x, y value.Value) value.Value      { return b.and(x, y) }
func bitOr(b *Builder, _ types.DType, x, y value.Value) value.Value       { return b.or(x, y) }
func bitXor(b *Builder, _ types.DType, x, y value.Value) value.Value      { return b.xor(x, y) }
func intNot(b *Builder, _ types.DType, x value.Value) value.Value         { return b.not(x) }

func intNegate(b *Builder, _ types.DType, x value.Value) value.Value {
	return b.sub(b.int(x.Type(), 0), x)
}

// intAbs of the lowest integer is itself.
func intAbs(b *Builder, d types.DType, x value.Value) value.Value {
	if !d.IsSigned() {
		return x
	}
	return b.sel(b.icmpn(enum.IPredSLT, x, 0), intNegate(b, d, x), x)
}

func intSign(b *Builder, d types.DType, x value.Value) value.Value {
	one := b.resize(b.icmpn(enum.IPredNE, x, 0), elem(x.Type()), false)
	if !d.IsSigned() {
		return one
	}
	return b.or(b.ashrn(x, int64(width(x.Type())-1)), one)
}

func intPopcnt(b *Builder, _ types.DType, x value.Value) value.Value { return b.intrinsic("ctpop", x) }

func intCountLeadingZeros(b *Builder, _ types.DType, x value.Value) value.Value {
	return b.intrinsic("ctlz", x, b.int(ll.I1, 0)) // of 0: the width
}

func intMaximum(b *Builder, d types.DType, x, y value.Value) value.Value {
	return b.sel(b.icmp(signed(d, enum.IPredSGT, enum.IPredUGT), x, y), x, y)
}

func intMinimum(b *Builder, d types.DType, x, y value.Value) value.Value {
	return b.sel(b.icmp(signed(d, enum.IPredSLT, enum.IPredULT), x, y), x, y)
}

func signed[T any](d types.DType, yes, no T) T {
	if d.IsSigned() {
		return yes
	}
	return no
}

// Shifts by the width or more, and by what is negative, give 0 or, arithmetic
// ones, the sign. LLVM's are only for what is below the width.

func intShiftLeft(b *Builder, _ types.DType, x, y value.Value) value.Value {
	if b.constantShift(y) {
		return b.shl(x, y)
	}
	in, y := b.inWidth(x, y)
	return b.sel(in, b.shl(x, y), b.int(x.Type(), 0))
}

func intShiftRightLogical(b *Builder, _ types.DType, x, y value.Value) value.Value {
	if b.constantShift(y) {
		return b.lshr(x, y)
	}
	in, y := b.inWidth(x, y)
	return b.sel(in, b.lshr(x, y), b.int(x.Type(), 0))
}

// intShiftRightArithmetic repeats the highest bit, of unsigned integers too.
func intShiftRightArithmetic(b *Builder, _ types.DType, x, y value.Value) value.Value {
	if b.constantShift(y) {
		return b.ashr(x, y)
	}
	last := int64(width(x.Type()) - 1)
	return b.ashr(x, b.sel(b.icmpn(enum.IPredULE, y, last), y, b.int(x.Type(), last)))
}

// constantShift reports whether y is a constant below the width.
func (b *Builder) constantShift(y value.Value) bool {
	n, ok := splatBits(y)
	return ok && n < uint64(width(y.Type()))
}

// inWidth reports which shifts are below the width of x, and y with 0 for the
// others.
func (b *Builder) inWidth(x, y value.Value) (in, count value.Value) {
	in = b.icmpn(enum.IPredULT, y, int64(width(x.Type())))
	return in, b.sel(in, y, b.int(y.Type(), 0))
}

// intDivide gives all bits set for a division by zero, and the lowest integer
// for it by -1.
func intDivide(b *Builder, d types.DType, x, y value.Value) value.Value {
	q := b.quotient(d, x, y)
	if d.IsSigned() {
		q = b.sel(b.icmpn(enum.IPredEQ, y, -1), intNegate(b, d, x), q)
	}
	return b.sel(b.icmpn(enum.IPredEQ, y, 0), b.int(x.Type(), -1), q)
}

// intRemainder gives the dividend for a division by zero.
func intRemainder(b *Builder, d types.DType, x, y value.Value) value.Value {
	r := b.sub(x, b.mul(b.quotient(d, x, y), y))
	if d.IsSigned() {
		r = b.sel(b.icmpn(enum.IPredEQ, y, -1), b.int(x.Type(), 0), r)
	}
	return b.sel(b.icmpn(enum.IPredEQ, y, 0), x, r)
}

// quotient divides by y, by 1 where that could fault: by 0 and -1. Integers of
// up to 32 bits are divided as f64, which is exact: a quotient that is no
// integer is at least 2^-32 of its size away from the next one.
func (b *Builder) quotient(d types.DType, x, y value.Value) value.Value {
	t := x.Type()
	if c, ok := splatBits(y); ok && c != 0 && c != 1<<width(t)-1 {
		if d.IsSigned() { // LLVM multiplies
			return b.Block.NewSDiv(x, y)
		}
		return b.Block.NewUDiv(x, y)
	}
	bad := b.icmpn(enum.IPredEQ, y, 0)
	if d.IsSigned() {
		bad = b.or(bad, b.icmpn(enum.IPredEQ, y, -1))
	}
	safe := b.sel(bad, b.int(t, 1), y)
	switch {
	case width(t) == 64 && d.IsSigned():
		return b.Block.NewSDiv(x, safe)
	case width(t) == 64:
		return b.Block.NewUDiv(x, safe)
	case d.IsSigned():
		f := like(t, ll.Double)
		return b.Block.NewFPToSI(b.fdiv(b.Block.NewSIToFP(x, f), b.Block.NewSIToFP(safe, f)), t)
	}
	f := like(t, ll.Double)
	return b.Block.NewFPToUI(b.fdiv(b.Block.NewUIToFP(x, f), b.Block.NewUIToFP(safe, f)), t)
}

// intPower multiplies, modulo 2^width. Of negative exponents, only powers of 1
// and -1 are integers; all others give 0.
func intPower(b *Builder, d types.DType, x, y value.Value) value.Value {
	t := x.Type()
	one, zero := b.int(t, 1), b.int(t, 0)
	if c, ok := splatBits(y); ok && c <= 16 {
		r := one
		for power := x; c > 0; c >>= 1 {
			if c&1 == 1 {
				r = b.mul(r, power)
			}
			power = b.mul(power, power)
		}
		return r
	}
	exponent := y
	negative := b.icmpn(enum.IPredSLT, y, 0)
	if d.IsSigned() {
		exponent = b.sel(negative, zero, y)
	}
	r := b.While([]value.Value{one, x, exponent},
		func(v []value.Value) value.Value {
			return b.Any(Value{b.icmpn(enum.IPredNE, v[2], 0), types.Bool})
		},
		func(v []value.Value) []value.Value {
			odd := b.icmpn(enum.IPredNE, b.andn(v[2], 1), 0)
			return []value.Value{b.sel(odd, b.mul(v[0], v[1]), v[0]), b.mul(v[1], v[1]), b.lshrn(v[2], 1)}
		})[0]
	if !d.IsSigned() {
		return r
	}
	odd := b.icmpn(enum.IPredNE, b.andn(y, 1), 0)
	inverse := b.sel(b.icmpn(enum.IPredEQ, x, 1), one,
		b.sel(b.icmpn(enum.IPredEQ, x, -1), b.sel(odd, b.int(t, -1), one), zero))
	return b.sel(negative, inverse, r)
}
