package kit

import (
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
	"ltc/stablehlo"
)

// Ops that compute each element by itself, of its operands or its place.

// elementwise is an op that is the same on every element.
func (b *nodeBuilder) elementwise(op kernel.Op) error {
	if len(b.in) != op.Arity() || len(b.out) != 1 {
		return leave("another number of operands")
	}
	if !op.Takes(b.in[0].DType) {
		return leave("elements of type %v", b.in[0].DType)
	}
	if op == kernel.BitcastConvert && (b.in[0].DType.Size() != b.out[0].DType.Size() || b.out[0].DType == types.Bool) {
		return leave("elements of another size")
	}
	index := b.Axes(b.out[0].Shape)
	b.Stage()
	args := make([]kernel.ID, len(b.in))
	for i := range b.in {
		args[i] = b.load(i, index[:min(len(index), len(b.in[i].Shape))]...) // a scalar pred or bound
	}
	v := args[0]
	if op != kernel.Convert && op != kernel.BitcastConvert || b.Type(v) != b.out[0].DType {
		v = b.Op(op, b.out[0].DType, args...)
	}
	b.store(0, v, index...)
	return nil
}

// compare is an elementwise op whose name depends on its direction.
func compare(b *nodeBuilder) error {
	ops := map[string]kernel.Op{
		"EQ": kernel.CompareEQ, "NE": kernel.CompareNE, "LT": kernel.CompareLT,
		"LE": kernel.CompareLE, "GT": kernel.CompareGT, "GE": kernel.CompareGE,
	}
	op := ops[stablehlo.AsCompare(b.op).ComparisonDirection()]
	if stablehlo.AsCompare(b.op).CompareType() == "TOTALORDER" {
		return b.totalOrder(op)
	}
	return b.elementwise(op)
}

// totalOrder compares floats by their bits as integers, those of negative numbers
// reversed but for the sign: then -NaN is the least, and NaN the largest.
func (b *nodeBuilder) totalOrder(op kernel.Op) error {
	as, known := map[types.DType]types.DType{types.F16: types.I16, types.BF16: types.I16, types.F32: types.I32, types.F64: types.I64}[b.in[0].DType]
	if !known {
		return leave("elements of type %v", b.in[0].DType)
	}
	index := b.Axes(b.out[0].Shape)
	b.Stage()
	last := int64(8*as.Size() - 1)
	key := func(i int) kernel.ID {
		bits := b.Op(kernel.BitcastConvert, as, b.load(i, index...))
		sign := b.Op(kernel.ShiftRightArithmetic, as, bits, b.Int(as, last))
		return b.Op(kernel.Xor, as, bits, b.Op(kernel.And, as, sign, b.Int(as, 1<<last-1)))
	}
	b.store(0, b.Op(op, types.Bool, key(0), key(1)), index...)
	return nil
}

// iota_ is the number of each element along a dimension.
func iota_(b *nodeBuilder) error {
	d := stablehlo.AsIota(b.op).IotaDimension()
	if !kernel.Iota.Takes(b.out[0].DType) {
		return leave("elements of type %v", b.out[0].DType)
	}
	index := b.Axes(b.out[0].Shape)
	b.Stage()
	b.store(0, b.Emit(kernel.Instr{Op: kernel.Iota, Type: b.out[0].DType, Aux: d}), index...)
	return nil
}
