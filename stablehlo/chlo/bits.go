package chlo

import (
	"fmt"
	"ltc/stablehlo"

	"ltc/mlir"
)

// lowerNextAfter steps the bits of x, which for numbers of one sign count in
// their order, towards y.
func lowerNextAfter(e *emitter, op *mlir.Op) []*mlir.Value {
	x, y := e.val(op.Operands[0]), e.val(op.Operands[1])
	width := map[mlir.Type]int{mlir.F16: 16, mlir.BF16: 16, mlir.F32: 32, mlir.F64: 64}[x.elem()]
	if width == 0 {
		return nil
	}
	integer := mlir.IntegerType{Width: width}
	bits, toward := x.bitcast(integer), y.bitcast(integer)
	outward := e.compare(x.cmp("LT", y), x.gt(0), "EQ", "")
	step := bits.add(outward.pick(bits.num(1), bits.num(-1)))
	least := toward.and(bits.fill(fmt.Sprint(int64(-1) << (width - 1)))).or(bits.num(1)) // with y's sign
	next := x.eq(0).pick(least, step)
	next = x.cmp("EQ", y).pick(toward, next)
	nan := x.cmp("NE", x).or(y.cmp("NE", y))
	return []*mlir.Value{nan.pick(x.add(y), next.bitcast(x.elem())).v}
}

// lowerMulhi is the upper half of the product: computed at twice the width, or
// for 64 bits from the products of the halves.
func lowerMulhi(e *emitter, op *mlir.Op) []*mlir.Value {
	a, b := e.val(op.Operands[0]), e.val(op.Operands[1])
	t, ok := a.elem().(mlir.IntegerType)
	switch {
	case !ok || t.Width > 64:
		return nil
	case t.Width < 64:
		double := mlir.IntegerType{Width: max(2*t.Width, 8), Sign: t.Sign}
		product := a.convert(double).mul(b.convert(double))
		shift := stablehlo.ShiftRightArithmetic
		if t.Sign == mlir.Unsigned {
			shift = stablehlo.ShiftRightLogical
		}
		return []*mlir.Value{product.do(shift, product.num(float64(t.Width))).convert(t).v}
	case t.Sign == mlir.Unsigned:
		return []*mlir.Value{mulhi64(a, b).v}
	}
	// A negative a is, as bits, a + 2⁶⁴: that adds b to the upper half.
	ua, ub := a.bitcast(mlir.UI64), b.bitcast(mlir.UI64)
	high := mulhi64(ua, ub)
	high = high.sub(a.lt(0).pick(ub, ub.num(0)))
	high = high.sub(b.lt(0).pick(ua, ua.num(0)))
	return []*mlir.Value{high.bitcast(t).v}
}

// mulhi64 of unsigned integers: the product of the upper halves, and what the
// other three carry into it (H. S. Warren, Hacker's Delight, 8-2).
func mulhi64(a, b val) val {
	low := func(x val) val { return x.and(x.num(1<<32 - 1)) }
	high := func(x val) val { return x.do(stablehlo.ShiftRightLogical, x.num(32)) }
	a0, a1, b0, b1 := low(a), high(a), low(b), high(b)
	t := a1.mul(b0).add(high(a0.mul(b0)))
	middle := low(t).add(a0.mul(b1))
	return a1.mul(b1).add(high(t)).add(high(middle))
}
