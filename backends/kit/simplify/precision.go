package simplify

import (
	"ltc/backends/kit/simplify/program"
	"ltc/mlir"
	"ltc/stablehlo"
)

// floatBits is how the bits of a float are laid out, below the sign.
type floatBits struct{ exponent, mantissa int64 }

func (f floatBits) width() int64 { return 1 + f.exponent + f.mantissa }

var layouts = map[string]floatBits{"f64": {11, 52}, "f32": {8, 23}, "f16": {5, 10}, "bf16": {8, 7}}

// fullPrecision reduces to at least the precision of the type, or to one that
// the value has been reduced to.
func fullPrecision(_ *editor, op *mlir.Op) *mlir.Value {
	x := op.Operands[0]
	exponent := stablehlo.AsReducePrecision(op).ExponentBits()
	mantissa := stablehlo.AsReducePrecision(op).MantissaBits()
	t, _ := resultType(op).Elem.(mlir.FloatType)
	if f, ok := layouts[t.Name]; ok && exponent >= f.exponent && mantissa >= f.mantissa {
		return x
	}
	if inner := def(x, op.Code); inner != nil && program.SameDict(inner.Attrs, op.Attrs) {
		return x
	}
	return nil
}

// lessPrecision rounds the bits of floats to a format of fewer. The mantissa is rounded to
// nearest, ties to even, which may carry into the exponent. In a format of fewer exponent bits
// numbers above its range are infinite then, and numbers below it zeros: it has no subnormal
// numbers. NaNs stay.
func lessPrecision(e *editor, op *mlir.Op) *mlir.Value {
	t, _ := resultType(op).Elem.(mlir.FloatType)
	f, ok := layouts[t.Name]
	if !ok {
		return nil
	}
	exponent := min(stablehlo.AsReducePrecision(op).ExponentBits(), f.exponent)
	mantissa := min(stablehlo.AsReducePrecision(op).MantissaBits(), f.mantissa)
	words := mlir.Tensor(mlir.IntegerType{Width: int(f.width()), Sign: mlir.Unsigned}, resultType(op).Shape...)
	word := func(bits uint64) *mlir.Value { return e.bits(words, bits) }
	sign := uint64(1) << (f.width() - 1)
	infinity := (uint64(1)<<f.exponent - 1) << f.mantissa

	x := e.emit(stablehlo.BitcastConvert, words, nil, op.Operands[0])
	size := e.binary(stablehlo.And, x, word(sign-1))
	v := size
	if gone := uint64(f.mantissa - mantissa); gone > 0 {
		last := uint64(1) << gone // the last bit that stays
		odd := e.binary(stablehlo.And, e.binary(stablehlo.ShiftRightLogical, v, word(gone)), word(1))
		v = e.binary(stablehlo.Add, v, e.binary(stablehlo.Add, odd, word(last>>1-1)))
		v = e.binary(stablehlo.And, v, word(sign-last))
	}
	if exponent < f.exponent {
		bias, newBias := uint64(1)<<(f.exponent-1)-1, uint64(1)<<(exponent-1)-1
		above, least := (bias+newBias+1)<<f.mantissa, (bias-newBias+1)<<f.mantissa
		small := e.choice(e.compareWords("LT", v, word(least)), word(0), v)
		v = e.choice(e.compareWords("GE", v, word(above)), word(infinity), small)
	}
	v = e.binary(stablehlo.Or, v, e.binary(stablehlo.And, x, word(sign)))
	v = e.choice(e.compareWords("GT", size, word(infinity)), x, v)
	return e.emit(stablehlo.BitcastConvert, op.Results[0].Type, nil, v)
}

// compareWords compares unsigned integers.
func (e *editor) compareWords(direction string, a, b *mlir.Value) *mlir.Value {
	attrs := mlir.Dict{{Name: "comparison_direction", Value: comparisonDirection(direction)},
		{Name: "compare_type", Value: mlir.EnumAttr{Dialect: "stablehlo", Kind: "comparison_type", Value: "UNSIGNED"}}}
	return e.emit(stablehlo.Compare, mlir.Tensor(mlir.I1, tensorOf(a).Shape...), attrs, a, b)
}
