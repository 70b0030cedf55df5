package vector

import (
	"math"

	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/expand"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

func floatAdd(b *Builder, _ types.DType, x, y value.Value) value.Value      { return b.fadd(x, y) }
func floatSubtract(b *Builder, _ types.DType, x, y value.Value) value.Value { return b.fsub(x, y) }
func floatMultiply(b *Builder, _ types.DType, x, y value.Value) value.Value { return b.fmul(x, y) }
func floatDivide(b *Builder, _ types.DType, x, y value.Value) value.Value   { return b.fdiv(x, y) }
func floatAbs(b *Builder, _ types.DType, x value.Value) value.Value         { return b.fabs(x) }
func floatNegate(b *Builder, _ types.DType, x value.Value) value.Value      { return b.fneg(x) }

func floatCopySign(b *Builder, _ types.DType, x, y value.Value) value.Value { return b.copysign(x, y) }

func floatSqrt(b *Builder, _ types.DType, x value.Value) value.Value { return b.intrinsic("sqrt", x) }

// floatMaximum is NaN if x or y is, and takes 0 for larger than -0.
func floatMaximum(b *Builder, _ types.DType, x, y value.Value) value.Value {
	return b.extreme(x, y, enum.FPredOGT, enum.FPredUGT, 0)
}

// floatMinimum is NaN if x or y is, and takes -0 for less than 0.
func floatMinimum(b *Builder, _ types.DType, x, y value.Value) value.Value {
	return b.extreme(x, y, enum.FPredOLT, enum.FPredULT, math.Copysign(0, -1))
}

// extreme returns the one of x and y that compares as ordered says; unordered
// is the same predicate, true for NaN. zero is the zero that wins.
func (b *Builder) extreme(x, y value.Value, ordered, unordered enum.FPred, zero float64) value.Value {
	if _, ok := splatBits(x); ok {
		x, y = y, x
	}
	if c, ok := splatFloat(y); ok && c == c {
		switch {
		case c != 0: // one instruction: equal numbers are equal bits
			return b.sel(b.fcmp(ordered, y, x), y, x)
		case math.Signbit(c) == math.Signbit(zero):
			return b.sel(b.fcmp(unordered, x, y), x, y)
		}
	}
	// Machines return the second operand of equal zeros and of NaN. So x comes
	// first if it is the zero that loses, which its sign says.
	negative := b.icmpn(enum.IPredSLT, b.asInt(x), 0)
	p, q := b.sel(negative, x, y), b.sel(negative, y, x)
	if math.Signbit(zero) {
		p, q = q, p
	}
	r := b.sel(b.fcmp(ordered, p, q), p, q)
	return b.sel(b.isNaN(p), p, r)
}

// floatFloor is an instruction, which SSE2 lacks.
func floatFloor(b *Builder, d types.DType, x value.Value) value.Value {
	if b.Machine.Level != SSE2 {
		return b.intrinsic("floor", x)
	}
	r := b.expanded(kernel.RoundNearestEven, d, expand.Use{}, x)
	return b.fsub(r, b.sel(b.fcmp(enum.FPredOGT, r, x), b.num(x.Type(), 1), b.num(x.Type(), 0)))
}

// rounded returns f32 lanes rounded to dtype d, f16 or bf16; values of all
// other dtypes as they are.
func (b *Builder) rounded(x value.Value, d types.DType) Value {
	switch d {
	case types.BF16:
		x = b.roundBFloat(x)
	case types.F16:
		x = b.roundHalf(x)
	}
	return Value{x, d}
}

// roundBFloat rounds to the upper 16 bits, ties to even, keeping NaN.
func (b *Builder) roundBFloat(x value.Value) value.Value {
	i := b.asInt(x)
	odd := b.andn(b.lshrn(i, 16), 1)
	r := b.add(b.addn(i, 0x7fff), odd)
	r = b.sel(b.isNaN(x), b.or(i, b.int(i.Type(), 0x400000)), r)
	return b.asFloat(b.andn(r, -0x10000))
}
