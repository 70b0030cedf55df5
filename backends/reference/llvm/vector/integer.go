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
