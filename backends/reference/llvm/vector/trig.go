package vector

import (
	"math"

	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/approx"
	"ltc/ir/types"
)

// turn makes a function of an angle: of a number n of quarter turns and the sine
// and cosine of the rest.
type turn func(b *Builder, n, sin, cos value.Value) value.Value

func turnSine(b *Builder, n, sin, cos value.Value) value.Value {
	return b.turned(n, b.sel(b.odd(n), cos, sin))
}

func turnCosine(b *Builder, n, sin, cos value.Value) value.Value {
	return b.turned(b.addn(n, 1), b.sel(b.odd(n), sin, cos))
}

func turnTangent(b *Builder, n, sin, cos value.Value) value.Value {
	odd := b.odd(n)
	return b.fdiv(b.sel(odd, b.fneg(cos), sin), b.sel(odd, sin, cos))
}

func floatSine(b *Builder, _ types.DType, x value.Value) value.Value {
	return b.sel(b.fcmpn(enum.FPredOEQ, x, 0), x, b.fast("ltc.sine", turnSine, x))
}

func floatCosine(b *Builder, _ types.DType, x value.Value) value.Value {
	return b.fast("ltc.cosine", turnCosine, x)
}

func floatTan(b *Builder, _ types.DType, x value.Value) value.Value {
	return b.sel(b.fcmpn(enum.FPredOEQ, x, 0), x, b.exactly(turnTangent, x))
}

// exactly computes f in f64.
func (b *Builder) exactly(f turn, x value.Value) value.Value {
	return inDouble(func(b *Builder, single bool, x ...value.Value) value.Value {
		n, r, low := b.quarterTurns(x[0], single)
		s, c := b.sinCos(r, low)
		return f(b, n, s, c)
	})(b, x)
}

// farAngle is up to where f32 with fused products counts quarter turns.
const farAngle = 1 << 13

// fast computes f in f32 where that will do: with fused products, and if no lane
// is far from 0. name is for the code of those that are.
func (b *Builder) fast(name string, f turn, x value.Value) value.Value {
	t := x.Type()
	if width(t) == 64 || !b.Machine.FMA() {
		return b.exactly(f, x)
	}
	n := b.nearest(x, b.num(t, 2/math.Pi))
	part := func(i int) value.Value { return b.num(t, approx.HalfPi32[i]) }
	first := b.fnma(n.float, part(0), x) // exact
	p, pLow := b.twoProduct(n.float, part(1))
	r, low := b.twoSum(first, b.fneg(p))
	low = b.fnma(n.float, part(2), b.fsub(low, pLow))
	// sin(r+l) = sin r + l·cos r, cos(r+l) = cos r - l·r
	one, half := b.num(t, 1), b.num(t, 0.5)
	z := b.fmul(r, r)
	w := b.fnma(z, half, one)
	rest := b.fnma(z, half, b.fsub(one, w)) // of w, exact
	s := b.fadd(r, b.fma(b.fmul(z, r), b.horner(z, approx.Sine32), b.fmul(low, w)))
	c := b.fadd(w, b.fma(b.fmul(z, z), b.horner(z, approx.Cosine32), b.fnma(r, low, rest)))
	y := f(b, n.integer, s, c)
	near := b.fcmpn(enum.FPredOLT, b.fabs(x), farAngle)
	far := b.Any(Value{b.not(near), types.Bool})
	return b.guarded(far, y, func() value.Value {
		return b.oneByOne(name, x, func(b *Builder, x value.Value) value.Value { return b.exactly(f, x) }, near, y)
	})
}

func (b *Builder) odd(n value.Value) value.Value {
	return b.icmpn(enum.IPredNE, b.andn(n, 1), 0)
}

// turned returns y, negative if the second bit of n is set.
func (b *Builder) turned(n, y value.Value) value.Value {
	return b.asFloat(b.xor(b.asInt(y), b.shln(b.andn(n, 2), int64(width(y.Type())-2))))
}

// sinCos returns the sine and cosine of r+low; low is nil for results that are
// rounded to f32.
func (b *Builder) sinCos(r, low value.Value) (sin, cos value.Value) {
	t := r.Type()
	z := b.fmul(r, r)
	half := b.fmuln(z, 0.5)
	if low == nil {
		sin = b.fma(b.fmul(z, r), b.horner(z, approx.SineShort64), r)
		cos = b.fma(b.fmul(z, z), b.horner(z, approx.CosineShort64), b.fsub(b.num(t, 1), half))
		return sin, cos
	}
	// sin(r+l) = sin r + l·cos r, cos(r+l) = cos r - l·r
	tail := b.fnma(half, low, low)
	sin = b.fadd(r, b.fma(b.fmul(z, r), b.horner(z, approx.Sine64), tail))
	w := b.fsub(b.num(t, 1), half)
	rest := b.fsub(b.fsub(b.num(t, 1), w), half)
	tail = b.fnma(r, low, b.fmul(b.fmul(z, z), b.horner(z, approx.Cosine64)))
	return sin, b.fadd(w, b.fadd(rest, tail))
}

// largeAngle is from where on quarter turns are counted bit by bit.
const largeAngle = 1 << 20

// quarterTurns returns n, modulo 4, and r+low with x = n·π/2 + r + low. low is
// nil if the result is rounded to f32.
func (b *Builder) quarterTurns(x value.Value, single bool) (n, r, low value.Value) {
	t := x.Type()
	whole := b.nearest(x, b.num(t, 2/math.Pi))
	part := func(i int) value.Value { return b.fmul(whole.float, b.num(t, approx.HalfPi64[i])) } // exact
	r = b.fsub(x, part(0))                                                                       // exact
	if single {
		r = b.fnma(whole.float, b.num(t, approx.HalfPi64[1]+approx.HalfPi64[2]), r)
	} else {
		var second value.Value
		r, low = b.twoSum(r, b.fneg(part(1)))
		low, second = b.twoSum(low, b.fneg(part(2)))
		low = b.fadd(low, b.fnma(whole.float, b.num(t, approx.HalfPi64[3]), second))
		r, low = b.fastTwoSum(r, low)
	}
	lanes := []value.Value{whole.integer, r}
	if !single {
		lanes = append(lanes, low)
	}
	large := b.fcmpn(enum.FPredOGE, b.fabs(x), largeAngle)
	lanes = b.Either(b.Any(Value{large, types.Bool}),
		func() []value.Value { return b.largeTurns(x, lanes) },
		func() []value.Value { return lanes })
	if !single {
		low = lanes[2]
	}
	return lanes[0], lanes[1], low
}
