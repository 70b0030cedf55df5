package kit

import (
	"slices"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
	"ltc/mlir"
)

// Signed bytes, i8, are no elements of kernels, nor of callers. Programs have
// them in between: of quantized weights, say, that come as bytes without a sign.
// Kernels hold their bits as u8, move them as they are, and widen them to i32
// where it matters what they are. Of a program with any other op on them, or with
// a loop or a branch that takes or gives them, nothing is compiled: the op alone
// cannot be a step of the evaluator, which takes no such operands.

// signedByte reports whether v is a tensor of i8.
func signedByte(v *mlir.Value) bool {
	t, ok := v.Type.(*mlir.TensorType)
	if !ok {
		return false
	}
	i, ok := t.Elem.(mlir.IntegerType)
	return ok && i.Width == 8 && i.Sign != mlir.Unsigned
}

// typeOf is [backends.TypeOf], in which signed bytes are u8.
func typeOf(v *mlir.Value) (types.Type, error) {
	if !signedByte(v) {
		return backends.TypeOf(v.Type)
	}
	t := *v.Type.(*mlir.TensorType)
	t.Elem = mlir.IntegerType{Width: 8, Sign: mlir.Unsigned}
	return backends.TypeOf(&t)
}

// hasSignedBytes reports whether an op, or what its regions use from outside, has
// to do with i8.
func hasSignedBytes(op *mlir.Op) bool {
	return slices.ContainsFunc(inputs(op), signedByte) || slices.ContainsFunc(op.Results, signedByte)
}

// movesBytes lists the ops that do not look at elements.
var movesBytes = map[string]bool{
	"stablehlo.bitcast_convert": true, "stablehlo.broadcast_in_dim": true, "stablehlo.concatenate": true,
	"stablehlo.dynamic_slice": true, "stablehlo.dynamic_update_slice": true, "stablehlo.gather": true, "stablehlo.pad": true,
	"stablehlo.reverse": true, "stablehlo.slice": true, "stablehlo.transpose": true,
}

// takesSignedBytes reports whether there are kernels for an op on i8.
func takesSignedBytes(op *mlir.Op) bool {
	switch {
	case movesBytes[op.Name]:
		return true
	case op.Name == "stablehlo.convert":
		from, to := op.Operands[0], op.Results[0]
		return signedByte(from) || !signedByte(to) || !mlir.DTypeOf(from.Type.(*mlir.TensorType).Elem).IsFloat()
	case op.Name == "stablehlo.dot_general":
		return !signedByte(op.Results[0])
	}
	return false
}

// number loads an element of operand i as the number that it is.
func (b *nodeBuilder) number(i int, index ...kernel.Index) kernel.ID {
	v := b.load(i, index...)
	if !signedByte(b.op.Operands[i]) {
		return v
	}
	shift := b.Int(types.I32, 24)
	v = b.Op(kernel.ShiftLeft, types.I32, b.Op(kernel.Convert, types.I32, v), shift)
	return b.Op(kernel.ShiftRightArithmetic, types.I32, v, shift)
}
