package verify

import (
	"slices"

	"ltc/internal/diag"
	"ltc/internal/lexeme"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// shapeOperand checks that the i-th operand gives the sizes of the result: a
// list of integers as long as the result has dimensions, and where it is
// constant, sizes that the result can have. label is the rule about its length.
func (v *verifier) shapeOperand(op *mlir.Op, label string, i int, t, out *mlir.TensorType) {
	if t.Shape[0] == mlir.Dynamic {
		v.stop(op, label, "operand %d is %s, but its length should be known", i, t)
	}
	if t.Shape[0] != int64(len(out.Shape)) {
		v.stop(op, label, "operand %d is %s but the result %s has %s", i, t, out, diag.Count(len(out.Shape), "dimension"))
	}
	sizes, known := constantInts(op.Operands[i])
	if known && (!v.sameShape(sizes, out.Shape) || !inBounds(sizes, stablehlo.Bounds(out)) || slices.ContainsFunc(sizes, func(n int64) bool { return !v.atLeast(n, 0) })) {
		v.stop(op, label, "operand %d is %s but the result is %s", i, shapeText(sizes), out)
	}
}

func verifyDynamicBroadcastInDim(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	dims := v.ints(op, "broadcast_dimensions")
	v.shapeOperand(op, "C7", 1, ins[1], outs[0])
	sizes, known := constantInts(op.Operands[1])
	if !known {
		sizes = outs[0].Shape
	}
	v.broadcastDims(op, ins[0], outs[0], dims, sizes)
	grow, _ := mlir.Ints(op.Attrs.Get("known_expanding_dimensions"))
	keep, _ := mlir.Ints(op.Attrs.Get("known_nonexpanding_dimensions"))
	v.unique(op, "C8", "the list of dimensions known to expand or not", slices.Concat(grow, keep)...)
	v.within(op, "C9", "known_expanding_dimensions", grow, len(ins[0].Shape))
	v.within(op, "C10", "known_nonexpanding_dimensions", keep, len(ins[0].Shape))
}

func verifyDynamicIota(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	v.shapeOperand(op, "C2", 0, ins[0], outs[0])
	v.dim(op, "C1", "iota_dimension", outs[0])
}

func verifyDynamicReshape(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	v.shapeOperand(op, "C4", 1, ins[1], outs[0])
	if sizes, known := constantInts(op.Operands[1]); known && ins[0].Static() && !v.can(dims.Equal, v.product(sizes), ins[0].Elements()) {
		v.stop(op, "C2", "%s has %s but the sizes %s make another number", ins[0], diag.Count(ins[0].Elements(), "element"), shapeText(sizes))
	}
	v.reshape(op, ins[0], outs[0])
}

func verifyDynamicPad(v *verifier, op *mlir.Op) {
	list := ranked(1, kInt|kIndex)
	ins, outs := v.takes(op, slots{of(kPerTensor), scalar(kPerTensor), list, list, list}, tensors(kPerTensor))
	in, rank := ins[0], len(ins[0].Shape)
	for i, t := range ins[2:] {
		if !t.Static() || !mlir.SameType(t, ins[2]) {
			v.stop(op, "C2", "operand %d is %s, but paddings should be of one type of known length", i+2, t)
		}
	}
	v.sameElem(op, "C1", in, ins[1])
	v.sameElem(op, "C1", in, outs[0])
	for i, t := range ins[2:] {
		if !v.sameDim(t.Shape[0], int64(rank)) {
			v.stop(op, "C2", "operand %d is %s, but %s has %s", i+2, t, in, diag.Count(rank, "dimension"))
		}
	}
	if len(outs[0].Shape) != rank {
		v.stop(op, "C4", "the operand is %s but the result is %s: ranks differ", in, outs[0])
	}
	low, ok1 := constantInts(op.Operands[2])
	high, ok2 := constantInts(op.Operands[3])
	inner, ok3 := constantInts(op.Operands[4])
	if ok1 && ok2 && ok3 {
		v.padded(op, in, outs[0], low, high, inner)
	} else if ok3 {
		v.interior(op, inner)
	}
}

// verifyRealDynamicSlice checks an op that the specification does not treat:
// a slice whose starts, limits and strides are operands.
func verifyRealDynamicSlice(v *verifier, op *mlir.Op) {
	list := ranked(1, kInt|kIndex)
	ins, outs := v.takes(op, slots{of(kPerTensor), list, list, list}, tensors(kPerTensor))
	v.sameElem(op, "", ins[0], outs[0])
	for i, t := range ins[1:] {
		if !mlir.SameType(t, ins[1]) || t.Shape[0] != int64(len(ins[0].Shape)) {
			v.stop(op, "", "operand %d is %s, but should have an entry for each dimension of %s, of one type", i+1, t, ins[0])
		}
	}
	if len(outs[0].Shape) != len(ins[0].Shape) {
		v.stop(op, "", "the operand is %s but the result is %s: ranks differ", ins[0], outs[0])
	}
	for i, least := range []int64{0, 0, 1} {
		list, _ := constantInts(op.Operands[i+1])
		for d, n := range list {
			if !v.atLeast(n, least) {
				v.stop(op, "", "%s %d of dimension %d should be at least %d", []string{"start", "limit", "stride"}[i], n, d, least)
			}
		}
	}
}

func verifyGetDimensionSize(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	if outs[0].Elem != mlir.Type(mlir.I32) {
		v.stop(op, "", "the result is %s, but should be tensor<i32>", outs[0])
	}
	v.dim(op, "C1", "dimension", ins[0])
}

// verifySetDimensionSize checks an op that the specification does not treat:
// the size is at most that of the operand, or its bound.
func verifySetDimensionSize(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	if ins[1].Elem != mlir.Type(mlir.I32) {
		v.stop(op, "", "the size is %s, but should be tensor<i32>", ins[1])
	}
	d := v.dim(op, "", "dimension", ins[0])
	v.sameElem(op, "", ins[0], outs[0])
	shape := slices.Clone(ins[0].Shape)
	shape[d] = mlir.Dynamic
	bounds := limits(ins[0])
	bounds[d] = most(ins[0], int(d))
	if size, known := constantInts(op.Operands[1]); known && len(size) == 1 {
		if !v.atLeast(size[0], 0) || !v.atMost(size[0], bounds[d]) {
			v.stop(op, "", "the size %d of dimension %d is not in [0, %s]", size[0], d, lexeme.Size(bounds[d]))
		}
		shape[d] = size[0]
	}
	v.result(op, "", outs[0], shape, bounds...)
}
