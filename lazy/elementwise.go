package lazy

import (
	"math"
	"math/cmplx"

	"ltc/ir"
	"ltc/ir/types"
	"ltc/shapeinfer"
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
	return f(all).AsType(d)
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

// AsType returns x if its dtype is d, and else x converted to d by [Tensor.Convert].
func (x *Tensor) AsType(d types.DType) *Tensor {
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

func computeFloatPower(x, y *Tensor) *Tensor { return x.AsType(types.F64).Pow(y.AsType(types.F64)) }

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
	return wideAll(func(in []*Tensor) *Tensor { return in[0].Mul(in[0].like(2).Pow(y.AsType(in[0].DType()))) }, x)
}

// computeFrexp takes the exponent of the bits of f64, which has all numbers of the other dtypes as normal ones. Those
// of f64 below 2^-1022 are multiplied first.
func computeFrexp(x *Tensor) (mantissa, exponent *Tensor) {
	const up, bias, fraction = 54, 1022, 52
	y := x.Convert(types.F64)
	small := y.Abs().Less(y.like(0x1p-1022))
	bits := small.Where(y.Mul(y.like(1<<up)), y).BitCast(types.I64)
	exponent = bits.ShiftRightLogical(bits.word(fraction)).And(bits.word(0x7ff)).Convert(types.I32)
	exponent = exponent.Sub(small.Where(exponent.like(bias+up), exponent.like(bias)))
	mantissa = bits.And(bits.word(1<<63 | 1<<fraction - 1)).Or(bits.word(bias << fraction)).BitCast(types.F64).Convert(x.DType())
	has := x.IsFinite().And(x.NotEqual(x.like(0)))
	return has.Where(mantissa, x), has.Where(exponent, exponent.like(0))
}

// gradFrexp is ct·2^-e, as two products: 2^e overflows where x is among the largest numbers of its dtype.
func gradFrexp(x *Tensor, y, ct []*Tensor) []*Tensor {
	if ct[0] == nil {
		return []*Tensor{nil}
	}
	e := y[1].Neg()
	half := e.quotient(e.like(2))
	return []*Tensor{wide(ct[0], func(ct *Tensor) *Tensor { return ct.Ldexp(half).Ldexp(e.Sub(half)) })}
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
		larger, apart := ordered(in[0], in[1])
		return larger.Add(apart.Neg().Exp().Log1p())
	}, x, y)
}

func computeLogAddExp2(x, y *Tensor) *Tensor {
	return wideAll(func(in []*Tensor) *Tensor {
		larger, apart := ordered(in[0], in[1])
		return larger.Add(apart.Neg().Exp2().Log1p().DivScalar(math.Ln2)) // a quotient, which no sum fuses with
	}, x, y)
}

// ordered returns the larger of x and y, and |x-y|, which is 0 for equal infinities. Of equal numbers x counts as
// the larger, so that every derivative of a sum with both is right.
func ordered(x, y *Tensor) (larger, apart *Tensor) {
	below, difference := x.Less(y), x.Sub(y)
	alike := x.Equal(y).And(x.IsInf())
	larger = alike.Where(x.Maximum(y), below.Where(y, x))
	return larger, alike.Where(x.like(0), below.Where(difference.Neg(), difference))
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

// gradHypot is ct·x/z and ct·y/z, and 0 where z is 0. In f64 a product ct·x can become infinite, and z, as in PyTorch.
func gradHypot(x, y, z, ct *Tensor) []*Tensor {
	of := func(side int) *Tensor {
		operands := []*Tensor{x, y, z, ct}
		slope := finer(func(in []*Tensor) *Tensor {
			z := in[2]
			if x.DType() != types.F64 { // rounded, and infinite too soon
				z = in[0].Mul(in[0]).Add(in[1].Mul(in[1])).Sqrt()
			}
			none := z.Equal(z.like(0))
			return none.Where(z.like(0), in[3].Mul(in[side]).Div(none.Where(z.like(1), z)))
		}, operands...)
		return slope.summedLike(operands[side])
	}
	return []*Tensor{of(0), of(1)}
}

// summedLike returns the sums of x over the axes along which an operand of another shape was repeated.
func (x *Tensor) summedLike(operand *Tensor) *Tensor {
	if axes := shapeinfer.RepeatedAxes(x.OpenShape(), operand.OpenShape()); axes != nil {
		return x.Sum(axes...).Reshape(operand.OpenShape()...)
	}
	return x
}

// computeXlogy takes 1 for a y whose logarithm times 0 is no number.
func computeXlogy(x, y *Tensor) *Tensor {
	return wideAll(func(in []*Tensor) *Tensor {
		x, y := in[0], in[1]
		off := x.Equal(x.like(0)).And(y.LessEqual(y.like(0)).Or(y.IsPosInf()))
		return x.Mul(off.Where(y.like(1), y).Log())
	}, x, y)
}

// gradXlogy is ct·log(y), 0 where x and the logarithm are none, and ct·x/y, which is NaN where both are 0.
func gradXlogy(x, y, _, ct *Tensor) []*Tensor {
	slopes := func(f func(x, y, ct *Tensor) *Tensor, operand *Tensor) *Tensor {
		return wideAll(func(in []*Tensor) *Tensor { return f(in[0], in[1], in[2]) }, x, y, ct).summedLike(operand)
	}
	return []*Tensor{
		slopes(func(x, y, ct *Tensor) *Tensor {
			off := x.Equal(x.like(0)).And(y.LessEqual(y.like(0)))
			return off.Where(ct.like(0), ct.Xlogy(y))
		}, x),
		slopes(func(x, y, ct *Tensor) *Tensor { return ct.Mul(x).Div(y) }, y),
	}
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
func (x *Tensor) holds() *Tensor {
	if x.DType().IsComplex() {
		return x.NotEqual(x.like(0))
	}
	return x.AsType(types.Bool)
}

// Equal returns whether x and y are equal, elementwise; NaN is not.
func (x *Tensor) Equal(y *Tensor) *Tensor { return x.compares("equal", "EQ", y) }

// NotEqual returns whether x and y differ, elementwise; NaN does from all.
func (x *Tensor) NotEqual(y *Tensor) *Tensor { return x.compares("not_equal", "NE", y) }

// Less returns whether x < y, elementwise.
func (x *Tensor) Less(y *Tensor) *Tensor { return x.compares("less", "LT", y) }

// LessEqual returns whether x <= y, elementwise.
func (x *Tensor) LessEqual(y *Tensor) *Tensor { return x.compares("less_equal", "LE", y) }

// Greater returns whether x > y, elementwise.
func (x *Tensor) Greater(y *Tensor) *Tensor { return x.compares("greater", "GT", y) }

// GreaterEqual returns whether x >= y, elementwise.
func (x *Tensor) GreaterEqual(y *Tensor) *Tensor { return x.compares("greater_equal", "GE", y) }

// compares is compare for the user's call op.
func (x *Tensor) compares(op, direction string, y *Tensor) *Tensor {
	return called(op, func() *Tensor { return x.compare(direction, y) }, x, y)
}

func (x *Tensor) compare(direction string, y *Tensor) *Tensor {
	return record2(ir.OpCompare, x, y, ir.Attr{Str: direction})
}

// Complex returns the complex numbers with the real parts re and the imaginary parts im: c64 of
// f32, c128 of f64. Both may be columns in memory of their own: they are read where they lie.
// A slice of complex64 or complex128 is a tensor by [From] and [Borrow].
func Complex(re, im *Tensor) *Tensor { return record2(ir.OpComplex, re, im) }

// A FourierKind is what [Tensor.FourierTransform] computes.
type FourierKind string

// The kinds. The forward transforms are not scaled, and the inverse ones divide by the number of
// elements.
const (
	Fourier            FourierKind = "FFT"   // of complex numbers
	InverseFourier     FourierKind = "IFFT"  // of complex numbers
	RealFourier        FourierKind = "RFFT"  // of real numbers, without the later half of the last axis
	InverseRealFourier FourierKind = "IRFFT" // the inverse of RealFourier, which gives real numbers
)

// FourierTransform returns the discrete Fourier transform of the last one to three axes of x, whose
// lengths are given: those of the real or complex signal. For [InverseRealFourier] the last axis of x
// has half the last length plus 1 elements. Package fft has the functions of PyTorch's torch.fft.
func (x *Tensor) FourierTransform(kind FourierKind, lengths ...int) *Tensor {
	return record1(ir.OpFFT, x, ir.Attr{Str: string(kind)}, ir.Attr{Ints: lengths})
}

// conjugate is the conjugate of complex numbers, and x itself of others.
func (x *Tensor) conjugate() *Tensor {
	if x == nil || !x.DType().IsComplex() {
		return x
	}
	return Complex(x.Real(), x.Imag().Neg())
}

func computeConj(x *Tensor) *Tensor { return x.conjugate() }

// computeAngle keeps 0 out of the gradient of atan2.
func computeAngle(x *Tensor) *Tensor {
	if !x.DType().IsComplex() {
		zero := x.like(0)
		angle := x.Less(zero).Where(x.like(cmplx.Phase(-1)), zero)
		return x.Equal(x).Where(angle, x).Stop()
	}
	re, im := x.Real(), x.Imag()
	zero := re.Equal(re.like(0)).And(im.Equal(im.like(0)))
	at := zero.Where(im.like(0), im).Atan2(zero.Where(re.like(1), re))
	return zero.Where(im.Atan2(re.CopySign(re.like(1).CopySign(re))).Stop(), at)
}

func computePolar(abs, angle *Tensor) *Tensor {
	return Complex(abs.Mul(angle.Cos()), abs.Mul(angle.Sin()))
}

func computeViewAsReal(x *Tensor) *Tensor { return Stack(-1, x.Real(), x.Imag()) }

func checkViewAsComplex(x *Tensor) *breach {
	if r := x.Rank(); r == 0 || x.OpenDim(-1) != 2 {
		return breaks(viewAsComplexParts, "x is %v, and its last dimension must be 2", x.Type())
	}
	return nil
}

func computeViewAsComplex(x *Tensor) *Tensor { return Complex(x.Select(-1, 0), x.Select(-1, 1)) }

func computeIsReal(x *Tensor) *Tensor {
	if x.DType().IsComplex() {
		im := x.Imag()
		return im.Equal(im.like(0))
	}
	return x.Equal(x).Or(x.NotEqual(x))
}

// The error function by the rational approximations of FreeBSD's
// /usr/src/lib/msun/src/s_erf.c (Sun Microsystems, 1993), which has their
// derivation; errors are below one unit in the last place in f64. The pieces
// are chosen by select, so every piece is computed within its own bounds.

var (
	// erf(x) = x + x P(x²)/Q(x²) for |x| < 0.84375
	erfSmallP = []float64{1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02, -5.77027029648944159157e-03, -2.37630166566501626084e-05}
	erfSmallQ = []float64{1, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03, 1.32494738004321644526e-04, -3.96022827877536812320e-06}
	// erf(x) = erx + P(s)/Q(s), s = |x| - 1, for |x| < 1.25
	erfMiddleP = []float64{-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01, 3.18346619901161753674e-01, -1.10894694282396677476e-01, 3.54783043256182359371e-02, -2.16637559486879084300e-03}
	erfMiddleQ = []float64{1, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02, 1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02}
	// 1 - erf(x) = exp(-x² - 0.5625 + R(1/x²)/S(1/x²))/x for |x| < 1/0.35
	erfLargeR = []float64{-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01, -6.23753324503260060396e+01, -1.62396669462573470355e+02, -1.84605092906711035994e+02, -8.12874355063065934246e+01, -9.81432934416914548592e+00}
	erfLargeS = []float64{1, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02, 6.45387271733267880336e+02, 4.29008140027567833386e+02, 1.08635005541779435134e+02, 6.57024977031928170135e+00, -6.04244152148580987438e-02}
	// and for |x| < 6
	erfHugeR = []float64{-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01, -1.60636384855821916062e+02, -6.37566443368389627722e+02, -1.02509513161107724954e+03, -4.83519191608651397019e+02}
	erfHugeS = []float64{1, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03, 3.19985821950859553908e+03, 2.55305040643316442583e+03, 4.74528541206955367215e+02, -2.24409524465858183362e+01}
)

const erx = 8.45062911510467529297e-01 // erf(1) to 24 bits

func computeErf(x *Tensor) *Tensor { return wide(x, errorFunction) }

// gradErf is 2/√π exp(-x²).
func gradErf(x, _, ct *Tensor) []*Tensor {
	const twoOverSqrtPi = 1.12837916709551257390
	return []*Tensor{ct.Mul(x.Mul(x).Neg().Exp().MulScalar(twoOverSqrtPi))}
}

// errorFunction records the error function of an f32 or f64 tensor.
func errorFunction(x *Tensor) *Tensor {
	c := func(v float64) *Tensor { return x.like(v) }
	a := x.Abs()
	within := func(limit float64) *Tensor { return a.Less(c(limit)) }

	xs := within(0.84375).Where(x, c(0))
	z := xs.Mul(xs)
	small := xs.Add(xs.Mul(ratio(z, erfSmallP, erfSmallQ)))

	s := a.Minimum(c(1.25)).SubScalar(1)
	middle := ratio(s, erfMiddleP, erfMiddleQ).AddScalar(erx)

	b := a.Maximum(c(1.25)).Minimum(c(6))
	inv := c(1).Div(b.Mul(b))
	tail := ratio(inv, erfHugeR, erfHugeS)
	tail = within(1/0.35).Where(ratio(inv, erfLargeR, erfLargeS), tail)
	large := c(1).Sub(tail.Sub(b.Mul(b)).SubScalar(0.5625).Exp().Div(b))

	y := within(1.25).Where(middle, large)
	y = x.Less(c(0)).Where(y.Neg(), y)
	y = within(0.84375).Where(small, y)
	return x.NotEqual(x).Where(x, y) // NaN
}

// ratio records p(x)/q(x), polynomials with their lowest coefficient first.
func ratio(x *Tensor, p, q []float64) *Tensor { return polynomial(x, p).Div(polynomial(x, q)) }

func polynomial(x *Tensor, c []float64) *Tensor {
	y := x.like(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		y = y.Mul(x).AddScalar(c[i])
	}
	return y
}
