package simplify

import (
	"math"

	"ltc/internal/minifloat"
	"ltc/mlir"
	"ltc/stablehlo"
)

// The pass quantized also writes ops on f8E4M3FN and f8E5M2 as ops on their bits, ui8, and on
// f32. Float8 to f32 is exact; f32 to float8 rounds once, to nearest even.

// isFloat8 reports whether t is a plain tensor of floats of 8 bits that have a dtype.
func isFloat8(t mlir.Type) bool {
	tt, ok := t.(*mlir.TensorType)
	return ok && tt.Encoding == nil && tt.Static() && mlir.DTypeOf(tt.Elem).IsFloat8()
}

// float8 is the bits of a format of 8 bits.
type float8 struct {
	mantissa int    // the stored bits of the mantissa
	bias     int    // of the exponent
	infinity uint64 // what numbers become that are too large
	nan      uint64
}

func float8Of(t mlir.Type) float8 {
	m, _, _ := minifloat.Of(t.(*mlir.TensorType).Elem.String())
	f := float8{mantissa: m.Precision() - 1, infinity: m.Bits(math.Inf(1)), nan: m.Bits(math.NaN())}
	f.bias = 1<<(6-f.mantissa) - 1
	return f
}

// ofFloat8 returns the f32 values of floats of 8 bits. The bits of f16 have a place for each bit
// of these, and subnormal numbers: only the bias of the exponent differs, a factor. That suits
// f8E5M2 as it is. In f8E4M3FN the largest magnitude is NaN.
func (e *editor) ofFloat8(v *mlir.Value) *mlir.Value {
	f, x := float8Of(v.Type), e.stored(v)
	shape := tensorOf(x).Shape
	bits, half, wide := mlir.Tensor(mlir.UI16, shape...), mlir.Tensor(mlir.F16, shape...), mlir.Tensor(mlir.F32, shape...)
	word := func(x uint64) *mlir.Value { return e.bits(bits, x) }
	x = e.converted(x, bits)
	if f.infinity != f.nan {
		x = e.binary(stablehlo.ShiftLeft, x, word(8))
		return e.converted(e.emit(stablehlo.BitcastConvert, half, nil, x), wide)
	}
	magnitude := e.binary(stablehlo.And, x, word(0x7f))
	sign := e.binary(stablehlo.ShiftLeft, e.binary(stablehlo.And, x, word(0x80)), word(8))
	x = e.binary(stablehlo.Or, sign, e.binary(stablehlo.ShiftLeft, magnitude, word(uint64(10-f.mantissa))))
	y := e.converted(e.emit(stablehlo.BitcastConvert, half, nil, x), wide)
	y = e.binary(stablehlo.Multiply, y, e.constant(wide, math.Ldexp(1, 15-f.bias)))
	return e.choice(e.compareWords("EQ", magnitude, word(f.nan)), e.constant(wide, math.NaN()), y)
}

// convertFloat8 rounds to a float of 8 bits once: not by way of f32, as [onFloats] does.
func convertFloat8(e *editor, op *mlir.Op) *mlir.Value {
	x, r := op.Operands[0], op.Results[0]
	switch {
	case !isFloat8(r.Type) || isComplex(x):
		return nil
	case mlir.SameType(x.Type, r.Type):
		return x
	}
	return e.toFloat8(e.dequantized(x), r.Type)
}

// toFloat8 returns the floats of 8 bits of type to that numbers round to.
func (e *editor) toFloat8(x *mlir.Value, to mlir.Type) *mlir.Value {
	f, shape := float8Of(to), tensorOf(x).Shape
	bits, wide := mlir.Tensor(mlir.UI32, shape...), mlir.Tensor(mlir.F32, shape...)
	word := func(x uint64) *mlir.Value { return e.bits(bits, x) }
	right := func(v *mlir.Value, by int) *mlir.Value {
		return e.binary(stablehlo.ShiftRightLogical, v, word(uint64(by)))
	}
	b := e.roundedToOdd(x, bits, wide)
	sign := e.binary(stablehlo.And, right(b, 24), word(0x80))
	b = e.binary(stablehlo.And, b, word(0x7fffffff))
	// A normal number: half of the last place that stays is added, less one where that place
	// is even. The carry moves into the exponent.
	cut := 23 - f.mantissa
	odd := e.binary(stablehlo.And, right(b, cut), word(1))
	normal := e.binary(stablehlo.Add, e.binary(stablehlo.Add, b, odd), word(1<<(cut-1)-1))
	normal = e.binary(stablehlo.Subtract, right(normal, cut), word(uint64(127-f.bias)<<f.mantissa))
	normal = e.binary(stablehlo.Minimum, normal, word(f.infinity))
	// A subnormal number: the sum with a number whose last place is that of the result has its
	// bits in the lowest places.
	magic := math.Ldexp(1, 1-f.bias-f.mantissa+23)
	small := e.binary(stablehlo.Add, e.emit(stablehlo.BitcastConvert, wide, nil, b), e.constant(wide, magic))
	small = e.binary(stablehlo.Subtract, e.emit(stablehlo.BitcastConvert, bits, nil, small), word(uint64(math.Float32bits(float32(magic)))))
	y := e.choice(e.compareWords("LT", b, word(uint64(127+1-f.bias)<<23)), small, normal)
	if f.nan != f.infinity {
		y = e.choice(e.compareWords("GT", b, word(0x7f800000)), word(f.nan), y)
	}
	return e.ofStored(e.converted(e.binary(stablehlo.Or, y, sign), mlir.Tensor(mlir.UI8, shape...)), to)
}

// roundedToOdd returns the bits of f32 for numbers: of an f64 that f32 does not have, those of
// its neighbour whose last bit is 1. That rounds to fewer bits as the f64 does. Integers that
// f32 does not have are too large for every float of 8 bits.
func (e *editor) roundedToOdd(x *mlir.Value, bits, wide *mlir.TensorType) *mlir.Value {
	y := e.converted(x, wide)
	b := e.emit(stablehlo.BitcastConvert, bits, nil, y)
	if tensorOf(x).Elem != mlir.Type(mlir.F64) {
		return b
	}
	back, one := e.converted(y, tensorOf(x)), e.bits(bits, 1)
	larger := e.compareFloats("GT", e.unary(stablehlo.Abs, back), e.unary(stablehlo.Abs, x))
	odd := e.binary(stablehlo.Or, e.choice(larger, e.binary(stablehlo.Subtract, b, one), b), one)
	return e.choice(e.compareFloats("NE", back, x), odd, b)
}
