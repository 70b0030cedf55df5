package lazy

import (
	"fmt"
	"math"

	"ltc/ir"
	"ltc/ir/types"
)

// wide runs f on x in f32 when its dtype has 16 bits, and rounds the result
// once.
func wide(x *Tensor, f func(x *Tensor) *Tensor) *Tensor {
	wider := inF32(x)
	if wider == x {
		return f(x)
	}
	return f(wider).Convert(x.DType())
}

// inF32 returns x, in f32 when its dtype has 16 bits.
func inF32(x *Tensor) *Tensor {
	if d := x.DType(); d != types.F16 && d != types.BF16 {
		return x
	}
	return x.Convert(types.F32)
}

// wideAll is [wide] of several operands, which are of one dtype.
func wideAll(f func(x []*Tensor) *Tensor, xs ...*Tensor) *Tensor {
	d := xs[0].DType()
	all := make([]*Tensor, len(xs))
	for i, x := range xs {
		all[i] = inF32(x)
	}
	return f(all).as(d)
}

// finer runs f on operands of one dtype in f64 where that is f32, so that the result is
// rounded once.
func finer(f func(x []*Tensor) *Tensor, xs ...*Tensor) *Tensor {
	return wideAll(func(x []*Tensor) *Tensor {
		if x[0].DType() != types.F32 {
			return f(x)
		}
		all := make([]*Tensor, len(x))
		for i := range x {
			all[i] = x[i].Convert(types.F64)
		}
		return f(all).Convert(types.F32)
	}, xs...)
}

// as returns x in a dtype that it may have already.
func (x *Tensor) as(d types.DType) *Tensor {
	if x.DType() == d {
		return x
	}
	return x.Convert(d)
}

func computeSquare(x *Tensor) *Tensor     { return x.Mul(x) }
func computeReciprocal(x *Tensor) *Tensor { return x.like(1).Div(x) }

// computeFloorDivide of floats is by the exact remainder: a quotient that is rounded up to
// an integer would not be rounded down any more.
func computeFloorDivide(x, y *Tensor) *Tensor {
	switch d := x.DType(); {
	case d.IsInteger() && !d.IsSigned():
		return x.quotient(y)
	case d.IsInteger():
		return overshoots(x, y).Where(x.quotient(y).Sub(x.like(1)), x.quotient(y))
	}
	return wideAll(func(in []*Tensor) *Tensor {
		x, y := in[0].Stop(), in[1].Stop()
		q := x.Sub(x.Rem(y)).Div(y)
		q = overshoots(x, y).Where(q.Sub(q.like(1)), q)
		down := q.Floor()
		down = q.Sub(down).Greater(q.like(0.5)).Where(down.Add(q.like(1)), down)
		whole := x.Div(y)
		down = q.Equal(q.like(0)).Where(whole.Mul(whole.like(0)), down) // 0 with the quotient's sign
		return y.Equal(y.like(0)).Where(whole, down)
	}, x, y)
}

// quotient is Div of the integers as they are: rounded towards 0.
func (x *Tensor) quotient(y *Tensor) *Tensor {
	tr := traceOfTwo(x, y)
	if tr == nil {
		return x.Div(y)
	}
	before := tr.exact
	tr.exact = true
	defer func() { tr.exact = before }()
	return x.Div(y)
}

// overshoots returns whether x/y rounded towards 0 is above x/y.
func overshoots(x, y *Tensor) *Tensor {
	r, zero := x.Rem(y), x.like(0)
	return r.NotEqual(zero).And(r.Less(zero).NotEqual(y.Less(zero)))
}

func computeTruncDivide(x, y *Tensor) *Tensor {
	if x.DType().IsInteger() {
		return x.quotient(y)
	}
	return wideAll(func(x []*Tensor) *Tensor { return x[0].Div(x[1]).Trunc() }, x, y)
}

func computeRemainder(x, y *Tensor) *Tensor {
	r := x.Rem(y)
	if d := x.DType(); d.IsInteger() && !d.IsSigned() {
		return r
	}
	return overshoots(x, y).Where(r.Add(y), r)
}

func computeClamp(x, low, high *Tensor) *Tensor {
	return computeClampMax(computeClampMin(x, low), high)
}

func computeClampMin(x, low *Tensor) *Tensor { return x.Less(low).Or(low.NotEqual(low)).Where(low, x) }

func computeClampMax(x, high *Tensor) *Tensor {
	return x.Greater(high).Or(high.NotEqual(high)).Where(high, x)
}

func computeFMax(x, y *Tensor) *Tensor { return x.GreaterEqual(y).Or(y.NotEqual(y)).Where(x, y) }
func computeFMin(x, y *Tensor) *Tensor { return x.LessEqual(y).Or(y.NotEqual(y)).Where(x, y) }

func computeFloatPower(x, y *Tensor) *Tensor { return x.as(types.F64).Pow(y.as(types.F64)) }

// computeLerp counts from the nearer end, so that both are exact.
func computeLerp(x, y, weight *Tensor) *Tensor {
	return wideAll(func(in []*Tensor) *Tensor {
		x, y, w := in[0], in[1], in[2]
		d, one := y.Sub(x), w.like(1)
		return w.Abs().Less(w.like(0.5)).Where(x.Add(w.Mul(d)), y.Sub(d.Mul(one.Sub(w))))
	}, x, y, weight)
}

func computeLerpScalar(x, y *Tensor, weight float64) *Tensor {
	return wideAll(func(in []*Tensor) *Tensor {
		x, y := in[0], in[1]
		if math.Abs(weight) < 0.5 {
			return x.Add(y.Sub(x).MulScalar(weight))
		}
		return y.Sub(y.Sub(x).MulScalar(1 - weight))
	}, x, y)
}

func computeAddCMul(x, y, z *Tensor, scale float64) *Tensor {
	return wideAll(func(in []*Tensor) *Tensor { return in[0].Add(in[1].MulScalar(scale).Mul(in[2])) }, x, y, z)
}

func computeAddCDiv(x, y, z *Tensor, scale float64) *Tensor {
	return wideAll(func(in []*Tensor) *Tensor { return in[0].Add(in[1].MulScalar(scale).Div(in[2])) }, x, y, z)
}

func computeHeaviside(x, y *Tensor) *Tensor {
	zero := x.like(0)
	return x.Equal(zero).Where(y, x.Greater(zero).Convert(x.DType()))
}

func computeCopySign(x, y *Tensor) *Tensor {
	return x.SignBit().NotEqual(y.SignBit()).Where(x.Neg(), x)
}

func computeLdexp(x, y *Tensor) *Tensor {
	return wideAll(func(in []*Tensor) *Tensor { return in[0].Mul(in[0].like(2).Pow(y.as(in[0].DType()))) }, x)
}

func computeNaNToNum(x *Tensor, nan, positive, negative float64) *Tensor {
	most := largestOf(x.DType())
	within := func(v float64) *Tensor { return x.like(min(max(v, -most), most)) }
	y := x.NotEqual(x).Where(within(nan), x)
	y = x.IsPosInf().Where(within(positive), y)
	return x.IsNegInf().Where(within(negative), y)
}

// largestOf is the largest finite number of a floating-point dtype.
func largestOf(d types.DType) float64 {
	switch d {
	case types.F16:
		return 65504
	case types.BF16:
		return 0x1.fep127
	case types.F32:
		return math.MaxFloat32
	}
	return math.MaxFloat64
}

// computeSinh is (e + e/(e+1))/2 with e = exp(|x|)-1, which is exact near 0.
func computeSinh(x *Tensor) *Tensor {
	return wide(x, func(x *Tensor) *Tensor {
		a := x.Abs()
		e := a.Expm1()
		near := e.Add(e.Div(e.AddScalar(1))).MulScalar(0.5)
		return a.LessScalar(80).Where(near, halfExp(a)).CopySign(x)
	})
}

func computeCosh(x *Tensor) *Tensor {
	return wide(x, func(x *Tensor) *Tensor {
		a := x.Abs()
		e := a.Exp().MulScalar(0.5)
		return a.LessScalar(80).Where(e.Add(e.like(0.25).Div(e)), halfExp(a))
	})
}

// halfExp is exp(x)/2, where exp(x) may overflow alone.
func halfExp(x *Tensor) *Tensor {
	root := x.MulScalar(0.5).Exp()
	return root.MulScalar(0.5).Mul(root)
}

func gradSinh(x, _, ct *Tensor) []*Tensor { return []*Tensor{ct.Mul(x.Cosh())} }
func gradCosh(x, _, ct *Tensor) []*Tensor { return []*Tensor{ct.Mul(x.Sinh())} }

func computeExp2(x *Tensor) *Tensor {
	return wide(x, func(x *Tensor) *Tensor { return x.like(2).Pow(x) })
}

func computeLog2(x *Tensor) *Tensor  { return logTo(x, 1/math.Ln2) }
func computeLog10(x *Tensor) *Tensor { return logTo(x, 1/math.Ln10) }

// logTo is a logarithm to another base; scale is 1 over the base's.
func logTo(x *Tensor, scale float64) *Tensor {
	return finer(func(x []*Tensor) *Tensor { return x[0].Log().MulScalar(scale) }, x)
}

func computeLogAddExp(x, y *Tensor) *Tensor {
	return wideAll(func(in []*Tensor) *Tensor {
		x, y := in[0], in[1]
		return x.Maximum(y).Add(apart(x, y).Neg().Exp().Log1p())
	}, x, y)
}

func computeLogAddExp2(x, y *Tensor) *Tensor {
	return wideAll(func(in []*Tensor) *Tensor {
		x, y := in[0], in[1]
		return x.Maximum(y).Add(apart(x, y).Neg().Exp2().Log1p().DivScalar(math.Ln2)) // a quotient, which no sum fuses with
	}, x, y)
}

// apart is |x-y|, 0 for equal infinities.
func apart(x, y *Tensor) *Tensor {
	return x.Equal(y).Where(x.like(0), x.Sub(y)).Abs()
}

// computeHypot scales by the larger operand in f64: in f32 by way of f64 no square overflows.
func computeHypot(x, y *Tensor) *Tensor {
	d := x.DType()
	return finer(func(in []*Tensor) *Tensor {
		x, y := in[0], in[1]
		length := x.Mul(x).Add(y.Mul(y)).Sqrt()
		if d == types.F64 {
			large, small := x.Abs().Maximum(y.Abs()), x.Abs().Minimum(y.Abs())
			ratio := small.Div(large.Equal(large.like(0)).Where(large.like(1), large))
			length = large.Mul(ratio.Mul(ratio).AddScalar(1).Sqrt())
		}
		infinite := x.IsInf().Or(y.IsInf())
		return infinite.Where(x.like(math.Inf(1)), length)
	}, x, y)
}

// computeXlogy takes 1 for a y whose logarithm times 0 is no number.
func computeXlogy(x, y *Tensor) *Tensor {
	return wideAll(func(in []*Tensor) *Tensor {
		x, y := in[0], in[1]
		off := x.Equal(x.like(0)).And(y.LessEqual(y.like(0)).Or(y.IsPosInf()))
		return x.Mul(off.Where(y.like(1), y).Log())
	}, x, y)
}

func computeDeg2Rad(x *Tensor) *Tensor { return x.MulScalar(math.Pi / 180) }
func computeRad2Deg(x *Tensor) *Tensor { return x.MulScalar(180 / math.Pi) }

func computeTrunc(x *Tensor) *Tensor {
	if x.DType().IsInteger() {
		return x.tr.Read(x) // not x itself, which may be written
	}
	return x.Less(x.like(0)).Where(x.Ceil(), x.Floor())
}

func computeFrac(x *Tensor) *Tensor { return x.Sub(x.Trunc()) }

func computeRoundDecimals(x *Tensor, decimals int) *Tensor {
	switch {
	case decimals == 0:
		return x.Round()
	case decimals > 0:
		return wide(x, func(x *Tensor) *Tensor {
			by := math.Pow(10, float64(decimals))
			return x.MulScalar(by).Round().DivScalar(by)
		})
	}
	return wide(x, func(x *Tensor) *Tensor {
		by := math.Pow(10, float64(-decimals))
		return x.DivScalar(by).Round().MulScalar(by)
	})
}

func computeIsNaN(x *Tensor) *Tensor { return x.NotEqual(x) }

func computeIsInf(x *Tensor) *Tensor {
	if x.DType().IsComplex() {
		return x.Real().IsInf().Or(x.Imag().IsInf())
	}
	if !x.DType().IsFloat() {
		return x.NotEqual(x)
	}
	return x.Abs().Equal(x.like(math.Inf(1)))
}

func computeIsPosInf(x *Tensor) *Tensor { return isValue(x, math.Inf(1)) }
func computeIsNegInf(x *Tensor) *Tensor { return isValue(x, math.Inf(-1)) }

// isValue returns whether x is an infinity, which no integer is.
func isValue(x *Tensor, v float64) *Tensor {
	if !x.DType().IsFloat() {
		return x.NotEqual(x)
	}
	return x.Equal(x.like(v))
}

func computeIsFinite(x *Tensor) *Tensor {
	switch {
	case x.DType().IsComplex():
		return x.Real().IsFinite().And(x.Imag().IsFinite())
	case !x.DType().IsFloat():
		return x.Equal(x)
	}
	return x.Abs().Less(x.like(math.Inf(1)))
}

// integerOf are the signed integers of the width of floating-point dtypes.
var integerOf = map[types.DType]types.DType{types.F16: types.I16, types.BF16: types.I16, types.F32: types.I32, types.F64: types.I64}

func computeSignBit(x *Tensor) *Tensor {
	if d := x.DType(); d.IsFloat() {
		x = x.BitCast(integerOf[d])
	}
	return x.Less(x.like(0))
}

func checkIsClose(_, _ *Tensor, relative, absolute float64, _ bool) *breach {
	if relative < 0 || absolute < 0 {
		return breaks(isCloseTolerances, "relative is %v and absolute is %v, must not be negative", relative, absolute)
	}
	return nil
}

func computeIsClose(x, y *Tensor, relative, absolute float64, equalNaN bool) *Tensor {
	a, b := inF32(x), inF32(y)
	if !a.DType().IsFloat() {
		a, b = a.Convert(types.F64), b.Convert(types.F64)
	}
	off := a.Sub(b).Abs()
	close := off.LessEqual(b.Abs().MulScalar(relative).AddScalar(absolute)).And(off.IsFinite()).Or(x.Equal(y))
	if equalNaN {
		close = close.Or(x.IsNaN().And(y.IsNaN()))
	}
	return close
}

func computeLogicalAnd(x, y *Tensor) *Tensor { return x.holds().And(y.holds()) }
func computeLogicalOr(x, y *Tensor) *Tensor  { return x.holds().Or(y.holds()) }
func computeLogicalXor(x, y *Tensor) *Tensor { return x.holds().Xor(y.holds()) }
func computeLogicalNot(x *Tensor) *Tensor    { return x.holds().Not() }

// holds returns whether x is true, or not 0.
func (x *Tensor) holds() *Tensor { return x.as(types.Bool) }

// ClampScalar returns [Tensor.Clamp] with numbers as the bounds. An infinite one is none,
// for integers, too.
func (x *Tensor) ClampScalar(low, high float64) *Tensor {
	const op = "clamp"
	if b := firstBad(op, x); b != nil {
		return b
	}
	if math.IsNaN(low) || math.IsNaN(high) {
		return x.misuse(op, "a bound is NaN; use infinities for none")
	}
	y := x
	if !math.IsInf(low, -1) {
		v, bad := x.scalarLike(op, low)
		if bad != nil {
			return bad
		}
		y = y.ClampMin(v)
	}
	if !math.IsInf(high, 1) {
		v, bad := x.scalarLike(op, high)
		if bad != nil {
			return bad
		}
		y = y.ClampMax(v)
	}
	return y
}

// ClampScalar_ writes x.ClampScalar(low, high) into x and returns x.
func (x *Tensor) ClampScalar_(low, high float64) *Tensor {
	return x.writeNamed("clamp_", x.ClampScalar(low, high))
}

// ScalarWhere returns a constant of the program where cond is true, and y elsewhere.
func (cond *Tensor) ScalarWhere(v float64, y *Tensor) *Tensor {
	return cond.whereNumber("where", y, v)
}

// MaskedFill returns the number v where mask is true, and x elsewhere. They broadcast.
func (x *Tensor) MaskedFill(mask *Tensor, v float64) *Tensor {
	return mask.whereNumber("masked_fill", x, v)
}

// whereNumber returns v where cond is true, and y elsewhere, for op.
func (cond *Tensor) whereNumber(op string, y *Tensor, v float64) *Tensor {
	if t := firstBad(op, cond, y); t != nil {
		return t
	}
	tr := traceOfTwo(cond, y)
	if tr == nil {
		return noTrace(op, cond, y)
	}
	s, bad := tr.scalarLike(op, v, y)
	if bad != nil {
		return bad
	}
	return cond.Where(s, y)
}

// MaskedFill_ writes x.MaskedFill(mask, v) into x and returns x.
func (x *Tensor) MaskedFill_(mask *Tensor, v float64) *Tensor {
	return x.writeNamed("masked_fill_", x.MaskedFill(mask, v))
}

// RSubScalar, RDivScalar and RPowScalar have the number on the left: they return v-x, v/x
// and v to the power of x elementwise.
func (x *Tensor) RSubScalar(v float64) *Tensor { return x.scalarWith(ir.OpSub, v) }
func (x *Tensor) RDivScalar(v float64) *Tensor { return x.scalarWith(ir.OpDiv, v) }
func (x *Tensor) RPowScalar(v float64) *Tensor { return x.scalarWith(ir.OpPow, v) }

func (x *Tensor) scalarWith(op ir.Op, v float64) *Tensor {
	s, bad := x.scalarLike(op.String(), v)
	if bad != nil {
		return bad
	}
	return record2(op, s, x)
}

// RemScalar returns [Tensor.Rem] with the number v as the divisor.
func (x *Tensor) RemScalar(v float64) *Tensor { return x.withScalar(ir.OpRem, v) }

// RemainderScalar and FloorDivideScalar are [Tensor.Remainder] and [Tensor.FloorDivide]
// with the number v as the divisor.
func (x *Tensor) RemainderScalar(v float64) *Tensor {
	return x.methodScalar("remainder", v, (*Tensor).Remainder)
}
func (x *Tensor) FloorDivideScalar(v float64) *Tensor {
	return x.methodScalar("floor_divide", v, (*Tensor).FloorDivide)
}

func (x *Tensor) methodScalar(op string, v float64, f func(x, y *Tensor) *Tensor) *Tensor {
	s, bad := x.scalarLike(op, v)
	if bad != nil {
		return bad
	}
	return f(x, s)
}

// AndScalar, OrScalar, XorScalar, ShiftLeftScalar and ShiftRightScalar combine the bits of
// every element of x with those of the integer v.
func (x *Tensor) AndScalar(v int64) *Tensor        { return x.bitsWith(ir.OpAnd, v) }
func (x *Tensor) OrScalar(v int64) *Tensor         { return x.bitsWith(ir.OpOr, v) }
func (x *Tensor) XorScalar(v int64) *Tensor        { return x.bitsWith(ir.OpXor, v) }
func (x *Tensor) ShiftLeftScalar(v int64) *Tensor  { return x.bitsWith(ir.OpShiftLeft, v) }
func (x *Tensor) ShiftRightScalar(v int64) *Tensor { return x.bitsWith(ir.OpShiftRight, v) }

func (x *Tensor) bitsWith(op ir.Op, v int64) *Tensor {
	if t := firstBad(op.String(), x); t != nil {
		return t
	}
	if x.tr == nil {
		return noTrace(op.String(), x)
	}
	d := x.DType()
	if !holdsInteger(d, v) {
		return x.misuse(op.String(), fmt.Sprintf("%d is no value of %v", v, d))
	}
	return record2(op, x, x.tr.number(d, ir.IntLiteralBits(d, v)))
}

// holdsInteger returns whether v is a value of a dtype of integers; of others always.
func holdsInteger(d types.DType, v int64) bool {
	switch bits := 8 * d.Size(); {
	case !d.IsInteger() || d == types.I64:
		return true
	case d.IsSigned():
		return v >= -1<<(bits-1) && v < 1<<(bits-1)
	}
	return v >= 0 && (d == types.U64 || v < 1<<(8*d.Size()))
}
