package simplify

import (
	"encoding/binary"
	"math"

	"ltc/backends/kit/simplify/program"
	"ltc/mlir"
	"ltc/stablehlo"
)

// Functions of complex numbers, of functions of floats. Those of complex<f32> are computed
// in f64 and rounded, so that no step of theirs is too large or too small, or inexact by
// more than a part of a unit of f32. A power loses as many digits as its angle has. Of
// complex<f64> there are those that need no more digits to be exact to two units in the last
// place of the larger part. They are scaled by powers of 2 where a step could be too large or
// too small. Infinities and NaN are as the evaluator has them; a zero can have the other sign.

// complexFunctions are the rules of functions of one complex number.
var complexFunctions = map[mlir.Code]rules{
	stablehlo.Cosine:              {cosineComplex},
	stablehlo.Exponential:         {exponentialComplex},
	stablehlo.ExponentialMinusOne: {exponentialMinusOneComplex},
	stablehlo.Log:                 {logComplex},
	stablehlo.LogPlusOne:          {logPlusOneComplex},
	stablehlo.Logistic:            {logisticComplex},
	stablehlo.Rsqrt:               {rsqrtComplex},
	stablehlo.Sine:                {sineComplex},
	stablehlo.Sqrt:                {sqrtComplex},
	stablehlo.Tan:                 {tanComplex},
	stablehlo.Tanh:                {tanhComplex},
}

// floats emits elementwise ops of f64.
type floats struct {
	*editor
	t    *mlir.TensorType // of f64
	part *mlir.TensorType // of the complex numbers' parts
}

// floatsOf returns what functions of v are made of, and the parts of v; ok is false if v is
// not complex.
func (e *editor) floatsOf(v *mlir.Value) (f floats, x, y *mlir.Value, ok bool) {
	if !isComplex(v) {
		return f, nil, nil, false
	}
	part := partType(v.Type).(*mlir.TensorType)
	f = floats{e, mlir.Tensor(mlir.F64, part.Shape...), part}
	x, y = f.of(v)
	return f, x, y, true
}

// narrowOf is floatsOf of complex numbers of f32; ok is false for all else.
func (e *editor) narrowOf(v *mlir.Value) (f floats, x, y *mlir.Value, ok bool) {
	if t := tensorOf(v); t == nil || !mlir.SameType(partType(t), like(mlir.Tensor(mlir.F32), t.Shape)) {
		return f, nil, nil, false
	}
	return e.floatsOf(v)
}

// of returns the parts of v as f64.
func (f floats) of(v *mlir.Value) (x, y *mlir.Value) {
	x, y = f.parts(v)
	return f.converted(x, f.t), f.converted(y, f.t)
}

// narrow reports whether f64 has more digits and exponents than what is computed.
func (f floats) narrow() bool { return !mlir.SameType(f.t, f.part) }

// rounded returns the complex number of two parts in f64.
func (f floats) rounded(x, y *mlir.Value) *mlir.Value {
	return f.complex(f.converted(x, f.part), f.converted(y, f.part))
}

func (f floats) number(x float64) *mlir.Value { return f.constant(f.t, x) }

func (f floats) add(a, b *mlir.Value) *mlir.Value { return f.binary(stablehlo.Add, a, b) }
func (f floats) sub(a, b *mlir.Value) *mlir.Value { return f.binary(stablehlo.Subtract, a, b) }
func (f floats) mul(a, b *mlir.Value) *mlir.Value { return f.binary(stablehlo.Multiply, a, b) }
func (f floats) div(a, b *mlir.Value) *mlir.Value { return f.binary(stablehlo.Divide, a, b) }
func (f floats) or(a, b *mlir.Value) *mlir.Value  { return f.binary(stablehlo.Or, a, b) }
func (f floats) and(a, b *mlir.Value) *mlir.Value { return f.binary(stablehlo.And, a, b) }
func (f floats) max(a, b *mlir.Value) *mlir.Value { return f.binary(stablehlo.Maximum, a, b) }
func (f floats) min(a, b *mlir.Value) *mlir.Value { return f.binary(stablehlo.Minimum, a, b) }
func (f floats) neg(a *mlir.Value) *mlir.Value    { return f.unary(stablehlo.Negate, a) }
func (f floats) abs(a *mlir.Value) *mlir.Value    { return f.unary(stablehlo.Abs, a) }
func (f floats) sqrt(a *mlir.Value) *mlir.Value   { return f.unary(stablehlo.Sqrt, a) }
func (f floats) exp(a *mlir.Value) *mlir.Value    { return f.unary(stablehlo.Exponential, a) }
func (f floats) expm1(a *mlir.Value) *mlir.Value  { return f.unary(stablehlo.ExponentialMinusOne, a) }
func (f floats) log1p(a *mlir.Value) *mlir.Value  { return f.unary(stablehlo.LogPlusOne, a) }
func (f floats) sin(a *mlir.Value) *mlir.Value    { return f.unary(stablehlo.Sine, a) }
func (f floats) cos(a *mlir.Value) *mlir.Value    { return f.unary(stablehlo.Cosine, a) }

// is compares with a number.
func (f floats) is(direction string, a *mlir.Value, x float64) *mlir.Value {
	return f.compareFloats(direction, a, f.constant(tensorOf(a), x))
}

// infinite reports whether a part is.
func (f floats) infinite(x, y *mlir.Value) *mlir.Value {
	return f.or(f.is("EQ", f.abs(x), math.Inf(1)), f.is("EQ", f.abs(y), math.Inf(1)))
}

// finite reports whether a is.
func (f floats) finite(a *mlir.Value) *mlir.Value { return f.is("LT", f.abs(a), math.Inf(1)) }

// zero reports whether both parts are 0.
func (f floats) zero(x, y *mlir.Value) *mlir.Value { return f.and(f.is("EQ", x, 0), f.is("EQ", y, 0)) }

func (f floats) ints() *mlir.TensorType { return mlir.Tensor(mlir.I64, f.t.Shape...) }

func (f floats) bits(a *mlir.Value) *mlir.Value {
	return f.emit(stablehlo.BitcastConvert, f.ints(), nil, a)
}

func (f floats) int(n int64) *mlir.Value {
	return f.splat(f.ints(), binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

// copysign gives a, which is not negative, the sign of b.
func (f floats) copysign(a, b *mlir.Value) *mlir.Value {
	sign := f.and(f.bits(b), f.int(math.MinInt64))
	return f.emit(stablehlo.BitcastConvert, f.t, nil, f.or(f.bits(a), sign))
}

// exponentBias and exponentShift are of the exponent of an f64.
const (
	exponentBias  = 1023
	exponentShift = 52
)

// power2 returns 2^k for a k of normal numbers.
func (f floats) power2(k *mlir.Value) *mlir.Value {
	biased := f.add(k, f.int(exponentBias))
	return f.emit(stablehlo.BitcastConvert, f.t, nil, f.binary(stablehlo.ShiftLeft, biased, f.int(exponentShift)))
}

// exponent returns the k of 2^k <= a, which is not negative. It is 1 too small for numbers
// from 2^1023 on, and too large for subnormal ones, so that 2^k and 2^-k are normal.
func (f floats) exponent(a *mlir.Value) *mlir.Value {
	const most = exponentBias - 1
	biased := f.binary(stablehlo.ShiftRightLogical, f.bits(f.abs(a)), f.int(exponentShift))
	return f.max(f.min(f.sub(biased, f.int(exponentBias)), f.int(most)), f.int(-most))
}

// scaled returns a number times 2^-k, so that squares of its parts are neither too large nor
// too small, and k; a number of f32 as it is, and nil.
func (f floats) scaled(x, y *mlir.Value) (u, v, k *mlir.Value) {
	if f.narrow() {
		return x, y, nil
	}
	k = f.exponent(f.max(f.abs(x), f.abs(y)))
	by := f.power2(f.neg(k))
	return f.mul(x, by), f.mul(y, by), k
}

// length is √(x²+y²), where no square is too large or too small.
func (f floats) length(x, y *mlir.Value) *mlir.Value {
	return f.sqrt(f.add(f.mul(x, x), f.mul(y, y)))
}

// absComplex is √(x²+y²), and infinite where a part is.
func absComplex(e *editor, op *mlir.Op) *mlir.Value {
	f, x, y, ok := e.floatsOf(op.Operands[0])
	if !ok {
		return nil
	}
	u, v, k := f.scaled(x, y)
	r := f.length(u, v)
	if k != nil {
		r = f.mul(r, f.power2(k))
	}
	return e.converted(f.choice(f.infinite(x, y), f.number(math.Inf(1)), r), f.part)
}

// signComplex is z/|z|, 0 of 0, and NaN of what is infinite.
func signComplex(e *editor, op *mlir.Op) *mlir.Value {
	f, x, y, ok := e.floatsOf(op.Operands[0])
	if !ok {
		return nil
	}
	u, v, _ := f.scaled(x, y)
	r := f.length(u, v)
	zero, finite := f.zero(x, y), f.finite(r)
	of := func(part *mlir.Value) *mlir.Value {
		return f.choice(zero, f.number(0), f.choice(finite, f.div(part, r), f.number(math.NaN())))
	}
	return f.rounded(of(u), of(v))
}

// quotientComplex divides by Smith's method: both parts by the larger part of the divisor.
func quotientComplex(e *editor, op *mlir.Op) *mlir.Value {
	a, b := sides(op)
	f, x, y, ok := e.floatsOf(a)
	if !ok {
		return nil
	}
	if re, im := e.parts(b); isZero(im) { // exact in the parts' own type
		f.t = f.part
		x, y = e.parts(a)
		u, v := f.byReal(x, y, re, im)
		return e.complex(f.annexG(u, v, x, y, re, im))
	}
	u, v := f.of(b)
	x1, y1, j := f.scaled(x, y)
	u1, v1, k := f.scaled(u, v)
	re, im := f.quotient(x1, y1, u1, v1)
	if k != nil { // in two steps, since the factor is no float64 where the quotient can be one
		rest := f.sub(j, k)
		half := f.binary(stablehlo.ShiftRightArithmetic, rest, f.int(1))
		for _, by := range []*mlir.Value{half, f.sub(rest, half)} {
			re, im = f.mul(re, f.power2(by)), f.mul(im, f.power2(by))
		}
	}
	return f.rounded(f.annexG(re, im, x, y, u, v))
}

// isZero reports whether v is the constant 0, not -0.
func isZero(v *mlir.Value) bool {
	n, ok := program.NumberOf(v)
	return ok && n.Is(0)
}

// byReal returns the parts of (x+iy)/(u+iv) where v is 0.
func (f floats) byReal(x, y, u, v *mlir.Value) (re, im *mlir.Value) {
	ratio := f.div(v, u)
	return f.div(f.add(x, f.mul(y, ratio)), u), f.div(f.sub(y, f.mul(x, ratio)), u)
}

// quotient returns the parts of (x+iy)/(u+iv).
func (f floats) quotient(x, y, u, v *mlir.Value) (re, im *mlir.Value) {
	wide := f.compareFloats("GE", f.abs(u), f.abs(v))
	large, small := f.choice(wide, u, v), f.choice(wide, v, u)
	ratio := f.div(small, large)
	denominator := f.add(large, f.mul(ratio, small))
	re = f.choice(wide, f.add(x, f.mul(y, ratio)), f.add(f.mul(x, ratio), y))
	im = f.choice(wide, f.sub(y, f.mul(x, ratio)), f.sub(f.mul(y, ratio), x))
	return f.div(re, denominator), f.div(im, denominator)
}

// annexG returns the parts of (x+iy)/(u+iv) as annex G of the standard of C has them where
// re and im are not numbers, as Go does: of what is infinite the direction counts alone.
func (f floats) annexG(re, im, x, y, u, v *mlir.Value) (_, _ *mlir.Value) {
	inf := f.number(math.Inf(1))
	unit := func(a *mlir.Value) *mlir.Value {
		one := f.choice(f.is("EQ", f.abs(a), math.Inf(1)), f.number(1), f.number(0))
		return f.choice(f.is("LT", a, 0), f.neg(one), one)
	}
	times := func(by, x, y, u, v *mlir.Value) (re, im *mlir.Value) {
		return f.mul(by, f.add(f.mul(x, u), f.mul(y, v))), f.mul(by, f.sub(f.mul(y, u), f.mul(x, v)))
	}
	none := f.and(f.compareFloats("NE", re, re), f.compareFloats("NE", im, im))
	large := f.and(none, f.and(f.infinite(x, y), f.and(f.finite(u), f.finite(v))))
	small := f.and(none, f.and(f.infinite(u, v), f.and(f.finite(x), f.finite(y))))
	largeRe, largeIm := times(inf, unit(x), unit(y), u, v)
	smallRe, smallIm := times(f.number(0), x, y, unit(u), unit(v))
	byZero := f.zero(u, v)
	infinite := f.div(f.number(1), u)
	re = f.choice(byZero, f.mul(infinite, x), f.choice(large, largeRe, f.choice(small, smallRe, re)))
	im = f.choice(byZero, f.mul(infinite, y), f.choice(large, largeIm, f.choice(small, smallIm, im)))
	return re, im
}

// expOf returns the parts of e^(x+iy): e^x cos y and e^x sin y, but y where that is 0. In f64
// e^x could be too large where the parts are not: half of it is a factor twice then.
func (f floats) expOf(x, y *mlir.Value) (re, im *mlir.Value) {
	cos, sin := f.cos(y), f.sin(y)
	if f.narrow() {
		r := f.exp(x)
		re, im = f.mul(r, cos), f.mul(r, sin)
	} else {
		large := f.is("GT", x, 700)
		r := f.exp(f.choice(large, f.mul(f.number(0.5), x), x))
		again := f.choice(large, r, f.number(1))
		re, im = f.mul(f.mul(r, cos), again), f.mul(f.mul(r, sin), again)
	}
	return re, f.choice(f.is("EQ", y, 0), y, im)
}

func exponentialComplex(e *editor, op *mlir.Op) *mlir.Value {
	f, x, y, ok := e.floatsOf(op.Operands[0])
	if !ok {
		return nil
	}
	return f.rounded(f.expOf(x, y))
}

// exponentialMinusOneComplex has (e^x-1) cos y - 2 sin²(y/2) as its real part near 0.
func exponentialMinusOneComplex(e *editor, op *mlir.Op) *mlir.Value {
	f, x, y, ok := e.narrowOf(op.Operands[0])
	if !ok {
		return nil
	}
	re, im := f.expOf(x, y)
	half := f.sin(f.mul(y, f.number(0.5)))
	near := f.sub(f.mul(f.expm1(x), f.cos(y)), f.mul(f.number(2), f.mul(half, half)))
	return f.rounded(f.choice(f.is("LT", f.abs(x), 1), near, f.sub(re, f.number(1))), im)
}

// logOf returns the parts of the logarithm: log √(x²+y²) and the angle. Near the unit circle
// the real part is half of log(1+(x²-1)+y²), else log m + log(1+(n/m)²)/2 with the larger
// part m and the other one n.
func (f floats) logOf(x, y *mlir.Value) (re, im *mlir.Value) {
	a, b := f.abs(x), f.abs(y)
	m, n := f.max(a, b), f.min(a, b)
	one, half := f.number(1), f.number(0.5)
	near := f.mul(half, f.log1p(f.add(f.mul(f.sub(m, one), f.add(m, one)), f.mul(n, n))))
	r := f.choice(f.is("EQ", m, 0), f.number(0), f.div(n, m))
	far := f.add(f.unary(stablehlo.Log, m), f.mul(half, f.log1p(f.mul(r, r))))
	re = f.choice(f.and(f.is("GT", m, 0.5), f.is("LT", m, 2)), near, far)
	return f.choice(f.infinite(x, y), f.number(math.Inf(1)), re), f.binary(stablehlo.Atan2, y, x)
}

func logComplex(e *editor, op *mlir.Op) *mlir.Value {
	f, x, y, ok := e.narrowOf(op.Operands[0])
	if !ok {
		return nil
	}
	return f.rounded(f.logOf(x, y))
}

// logPlusOneComplex has half of log(1+(2x+x²)+y²) as its real part near 0.
func logPlusOneComplex(e *editor, op *mlir.Op) *mlir.Value {
	f, x, y, ok := e.narrowOf(op.Operands[0])
	if !ok {
		return nil
	}
	re, im := f.logOf(f.add(x, f.number(1)), y)
	near := f.mul(f.number(0.5), f.log1p(f.add(f.mul(x, f.add(x, f.number(2))), f.mul(y, y))))
	return f.rounded(f.choice(f.is("LT", f.max(f.abs(x), f.abs(y)), 0.5), near, re), im)
}

// largerOfRoot returns the larger part of the square root of u+iv, but for its sign, and
// |u+iv|: √((|u|+|u+iv|)/2).
func (f floats) largerOfRoot(u, v *mlir.Value) (t, length *mlir.Value) {
	length = f.length(u, v)
	return f.sqrt(f.mul(f.number(0.5), f.add(f.abs(u), length))), length
}

// root returns the parts of the square root of x+iy, the larger of which is t but for its
// sign. The other one is y/2t.
func (f floats) root(x, y, t *mlir.Value) (re, im *mlir.Value) {
	other := f.mul(f.number(0.5), f.div(y, t))
	right := f.is("GE", x, 0)
	return f.choice(right, t, f.abs(other)), f.choice(right, other, f.copysign(t, y))
}

// sqrtComplex scales by an even power of 2.
func sqrtComplex(e *editor, op *mlir.Op) *mlir.Value {
	f, x, y, ok := e.floatsOf(op.Operands[0])
	if !ok {
		return nil
	}
	var t *mlir.Value
	if f.narrow() {
		t, _ = f.largerOfRoot(x, y)
	} else {
		half := f.binary(stablehlo.ShiftRightArithmetic, f.exponent(f.max(f.abs(x), f.abs(y))), f.int(1))
		by := f.power2(f.neg(f.add(half, half)))
		t, _ = f.largerOfRoot(f.mul(x, by), f.mul(y, by))
		t = f.mul(t, f.power2(half))
	}
	re, im := f.root(x, y, t)
	zero, upward := f.zero(x, y), f.is("EQ", f.abs(y), math.Inf(1))
	re = f.choice(zero, f.number(0), f.choice(upward, f.number(math.Inf(1)), re))
	return f.rounded(re, f.choice(f.or(zero, upward), y, im))
}

// rsqrtComplex is the conjugate of the root over the length.
func rsqrtComplex(e *editor, op *mlir.Op) *mlir.Value {
	f, x, y, ok := e.narrowOf(op.Operands[0])
	if !ok {
		return nil
	}
	t, length := f.largerOfRoot(x, y)
	re, im := f.root(x, y, t)
	zero, infinite := f.zero(x, y), f.infinite(x, y)
	re = f.choice(zero, f.number(math.Inf(1)), f.choice(infinite, f.number(0), f.div(re, length)))
	return f.rounded(re, f.choice(zero, f.number(math.NaN()), f.choice(infinite, f.number(0), f.div(f.neg(im), length))))
}

// hyperbolic returns sinh |y| and cosh y of p = e^|y|-1: (p + p/(p+1))/2 and
// (p+1 + 1/(p+1))/2, or p/2 where 1 does not count.
func (f floats) hyperbolic(y *mlir.Value) (sinh, cosh *mlir.Value) {
	y = f.abs(y)
	p := f.expm1(y)
	one, half := f.number(1), f.number(0.5)
	all := f.add(p, one)
	large, far := f.is("GT", y, 40), f.mul(half, p)
	sinh = f.choice(large, far, f.mul(half, f.add(p, f.div(p, all))))
	cosh = f.choice(large, far, f.mul(half, f.add(all, f.div(one, all))))
	return sinh, cosh
}

// sineComplex is sin x cosh y + i cos x sinh y.
func sineComplex(e *editor, op *mlir.Op) *mlir.Value {
	f, x, y, ok := e.narrowOf(op.Operands[0])
	if !ok {
		return nil
	}
	sinh, cosh := f.hyperbolic(y)
	re := f.choice(f.is("EQ", x, 0), x, f.mul(f.sin(x), cosh))
	return f.rounded(re, f.mul(f.cos(x), f.copysign(sinh, y)))
}

// cosineComplex is cos x cosh y - i sin x sinh y.
func cosineComplex(e *editor, op *mlir.Op) *mlir.Value {
	f, x, y, ok := e.narrowOf(op.Operands[0])
	if !ok {
		return nil
	}
	sinh, cosh := f.hyperbolic(y)
	im := f.choice(f.is("EQ", x, 0), f.mul(x, y), f.mul(f.sin(x), f.copysign(sinh, y)))
	return f.rounded(f.mul(f.cos(x), cosh), f.neg(im))
}

// tanhOf returns sinh x cosh x/(sinh² x + cos² y) and sin y cos y/(sinh² x + cos² y); beyond
// 40 these are 1 and 4 sin y cos y/e^2|x|.
func (f floats) tanhOf(x, y *mlir.Value) (re, im *mlir.Value) {
	const most = 40
	sinh, cosh := f.hyperbolic(f.min(f.abs(x), f.number(most)))
	one := f.number(1)
	sin, cos := f.sin(y), f.cos(y)
	n := f.add(f.mul(sinh, sinh), f.mul(cos, cos))
	product := f.mul(sin, cos)
	far := f.mul(f.mul(f.number(4), product), f.exp(f.mul(f.number(-2), f.abs(x))))
	re = f.copysign(f.div(f.mul(sinh, cosh), n), x)
	im = f.choice(f.is("GT", f.abs(x), most), far, f.div(product, n))
	// Of an infinite real part the limit does not depend on the angle.
	end := f.is("EQ", f.abs(x), math.Inf(1))
	lost := f.and(end, f.unary(stablehlo.Not, f.finite(y)))
	re = f.choice(end, f.copysign(one, x), re)
	return re, f.choice(f.is("EQ", y, 0), y, f.choice(lost, f.number(0), im))
}

func tanhComplex(e *editor, op *mlir.Op) *mlir.Value {
	f, x, y, ok := e.narrowOf(op.Operands[0])
	if !ok {
		return nil
	}
	return f.rounded(f.tanhOf(x, y))
}

// tanComplex is -i tanh iz.
func tanComplex(e *editor, op *mlir.Op) *mlir.Value {
	f, x, y, ok := e.narrowOf(op.Operands[0])
	if !ok {
		return nil
	}
	re, im := f.tanhOf(f.neg(y), x)
	return f.rounded(im, f.neg(re))
}

// logisticComplex is 1/(1+w) with w = e^-z where x is not negative, else w/(1+w) with w = e^z.
// The real part of 1+w is (1-g) + 2 g cos²(y/2) with g = e^-|x|.
func logisticComplex(e *editor, op *mlir.Op) *mlir.Value {
	f, x, y, ok := e.narrowOf(op.Operands[0])
	if !ok {
		return nil
	}
	minus := f.neg(f.abs(x))
	g, rest := f.exp(minus), f.neg(f.expm1(minus))
	half := f.cos(f.mul(y, f.number(0.5)))
	square := f.mul(f.number(2), f.mul(half, half))
	re, im := f.add(rest, f.mul(g, square)), f.mul(g, f.sin(y))
	n := f.add(f.mul(re, re), f.mul(im, im))
	left := f.is("LT", x, 0)
	re = f.div(f.choice(left, f.mul(g, f.sub(square, rest)), re), n)
	end := f.is("EQ", f.abs(x), math.Inf(1))
	re = f.choice(end, f.choice(left, f.number(0), f.number(1)), re)
	return f.rounded(re, f.choice(end, f.number(0), f.div(im, n)))
}

// powerComplex is e^(w log z), 1 for a w of 0, and else 0 for a z of 0 where w has a positive
// real part.
func powerComplex(e *editor, op *mlir.Op) *mlir.Value {
	z, w := sides(op)
	f, x, y, ok := e.narrowOf(z)
	if !ok {
		return nil
	}
	u, v := f.of(w)
	a, b := f.logOf(x, y)
	re, im := f.expOf(f.sub(f.mul(u, a), f.mul(v, b)), f.add(f.mul(u, b), f.mul(v, a)))
	one, none := f.zero(u, v), f.and(f.zero(x, y), f.is("GT", u, 0))
	re = f.choice(one, f.number(1), f.choice(none, f.number(0), re))
	return f.rounded(re, f.choice(f.or(one, none), f.number(0), im))
}
