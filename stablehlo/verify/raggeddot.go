package verify

import (
	"slices"

	"ltc/mlir"
	"ltc/stablehlo"
)

func verifyRaggedDot(v *verifier, op *mlir.Op) {
	ins, outs := v.tensors(op, 3, 1)
	const name = "ragged_dot_dimension_numbers"
	d, ok := stablehlo.ParseRaggedDot(op.Attrs.Get(name))
	if !ok || len(d.LHSRagged) != 1 || len(d.RHSGroup) > 1 {
		v.missing(op, name, "#chlo.ragged_dot<…> with one ragged dimension and at most one of groups", op.Attrs.Get(name))
	}
	lhs, rhs, groups := ins[0], ins[1], ins[2]
	v.within(op, "", name, slices.Concat(d.LHSBatch, d.LHSContract, d.LHSRagged), len(lhs.Shape))
	v.within(op, "", name, slices.Concat(d.RHSBatch, d.RHSContract, d.RHSGroup), len(rhs.Shape))
	v.unique(op, "", "the left operand's list of dimensions", slices.Concat(d.LHSBatch, d.LHSContract)...)
	v.unique(op, "", "the right operand's list of dimensions", slices.Concat(d.RHSBatch, d.RHSContract, d.RHSGroup)...)
	mode := d.Mode()
	if (mode == stablehlo.RaggedRows) != (len(d.RHSGroup) == 1) {
		v.stop(op, "", "the right operand has a dimension of groups where the ragged dimension is neither contracted nor of the batch, and only there")
	}
	v.pairs(op, "batching", lhs, rhs, d.LHSBatch, d.RHSBatch)
	v.pairs(op, "contracting", lhs, rhs, d.LHSContract, d.RHSContract)
	rank := len(groups.Shape)
	if rank == 0 || kindOf(groups.Elem)&kInt == 0 || mode == stablehlo.RaggedRows && !v.sameDim(groups.Shape[rank-1], rhs.Shape[d.RHSGroup[0]]) {
		v.stop(op, "", "the group sizes are %s, but should be integers, one for each group in the last dimension", groups)
	}
	if lead := groups.Shape[:rank-1]; rank > 1 && !v.sameShape(lead, raggedLead(d, lhs.Shape)) {
		v.stop(op, "", "the group sizes are %s, but their first dimensions should be those of the batch and those before the ragged one, %s",
			groups, shapeText(raggedLead(d, lhs.Shape)))
	}
	v.result(op, "", outs[0], raggedShape(d, lhs.Shape, rhs.Shape, groups.Shape[rank-1]))
}

func (v *verifier) pairs(op *mlir.Op, what string, l, r *mlir.TensorType, ld, rd []int64) {
	if len(ld) != len(rd) {
		v.stop(op, "", "the operands have %d and %d %s dimensions", len(ld), len(rd), what)
	}
	for i := range ld {
		if !v.sameDim(l.Shape[ld[i]], r.Shape[rd[i]]) {
			v.stop(op, "", "%s dimension %d of %s and %d of %s differ in size", what, ld[i], l, rd[i], r)
		}
	}
}

// raggedLead is the shape of the first dimensions of group sizes that are
// given for each slice: those of the left operand's dimensions that the ragged
// one is counted within.
func raggedLead(d stablehlo.RaggedDims, lhs []int64) []int64 {
	var shape []int64
	for _, x := range stablehlo.RaggedLead(d, len(lhs)) {
		shape = append(shape, lhs[x])
	}
	return shape
}

func raggedShape(d stablehlo.RaggedDims, lhs, rhs []int64, groups int64) []int64 {
	var shape []int64
	if d.Mode() == stablehlo.RaggedContracting {
		shape = append(shape, groups)
	}
	for _, i := range slices.Concat(d.LHSBatch, d.LHSFree(len(lhs))) {
		shape = append(shape, lhs[i])
	}
	return append(shape, rest(rhs, d.RHSBatch, d.RHSContract, d.RHSGroup)...)
}
