package verify

import (
	"slices"

	"ltc/internal/diag"
	"ltc/mlir"
	"ltc/stablehlo"
)

func verifyDotGeneral(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	d, ok := stablehlo.ParseDot(op.Attrs.Get("dot_dimension_numbers"))
	if !ok {
		v.missing(op, "dot_dimension_numbers", "#stablehlo.dot<…>", op.Attrs.Get("dot_dimension_numbers"))
	}
	lhs, rhs := ins[0], ins[1]
	if len(d.LHSBatch) != len(d.RHSBatch) {
		v.stop(op, "C1", "batches over %d and %s", len(d.LHSBatch), diag.Count(len(d.RHSBatch), "dimension"))
	}
	if len(d.LHSContract) != len(d.RHSContract) {
		v.stop(op, "C2", "contracts %d and %s", len(d.LHSContract), diag.Count(len(d.RHSContract), "dimension"))
	}
	v.unique(op, "C3", "the left operand's dimensions", slices.Concat(d.LHSBatch, d.LHSContract)...)
	v.unique(op, "C4", "the right operand's dimensions", slices.Concat(d.RHSBatch, d.RHSContract)...)
	v.within(op, "C5", "lhs_batching_dimensions", d.LHSBatch, len(lhs.Shape))
	v.within(op, "C6", "lhs_contracting_dimensions", d.LHSContract, len(lhs.Shape))
	v.within(op, "C7", "rhs_batching_dimensions", d.RHSBatch, len(rhs.Shape))
	v.within(op, "C8", "rhs_contracting_dimensions", d.RHSContract, len(rhs.Shape))
	v.dotPairs(op, "C9", "batching", lhs, rhs, d.LHSBatch, d.RHSBatch)
	v.dotPairs(op, "C10", "contracting", lhs, rhs, d.LHSContract, d.RHSContract)
	v.precisions(op, "C11", "I7")
	v.dotAlgorithm(op)
	shape, bounds := dotShape(d, lhs.Shape, rhs.Shape), dotShape(d, limits(lhs), limits(rhs))
	v.result(op, "C12", outs[0], shape, bounds...)
	v.dotElements(op, lhs, rhs, outs[0], d.RHSContract)
}

// dotShape takes the result's dimensions from those of the operands.
func dotShape(d stablehlo.DotDims, lhs, rhs []int64) []int64 {
	var shape []int64
	for _, i := range d.LHSBatch {
		shape = append(shape, lhs[i])
	}
	return append(append(shape, rest(lhs, d.LHSBatch, d.LHSContract)...), rest(rhs, d.RHSBatch, d.RHSContract)...)
}

// dotElements checks element types, quantized or not.
func (v *verifier) dotElements(op *mlir.Op, lhs, rhs, out *mlir.TensorType, contract []int64) {
	p, q, r := quantOf(lhs.Elem), quantOf(rhs.Elem), quantOf(out.Elem)
	switch {
	case p == nil && q == nil && r == nil:
		if !mlir.SameType(lhs.Elem, rhs.Elem) {
			v.fail(op, "C13", "elements differ: %s and %s", lhs.Elem, rhs.Elem)
		}
	case q == nil || (p == nil) != (r == nil):
		v.fail(op, "C14", "operands are %s and %s but the result is %s: the right operand should be quantized, and the result as the left one", lhs, rhs, out)
	case slices.ContainsFunc(q.ZeroPoints, func(z int64) bool { return z != 0 }):
		v.fail(op, "C15", "the zero points of the right operand %s should be 0", rhs)
	case q.Axis >= 0 && slices.Contains(contract, int64(q.Axis)):
		v.fail(op, "C16", "the quantization dimension %d of the right operand is contracted", q.Axis)
	default:
		v.mixed(op, [4]string{"C17", "C18", "C19", "C20"}, lhs, rhs, out)
	}
}

// verifyDot checks dot: vectors and matrices, as in the op's description; the
// specification does not treat it, and has no rule for quantized elements.
func verifyDot(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	v.precisions(op, "", "")
	lhs, rhs := ins[0].Shape, ins[1].Shape
	if n, m := len(lhs), len(rhs); n < 1 || n > 2 || m < 1 || m > 2 {
		v.stop(op, "", "operands are %s and %s, but should be vectors or matrices", ins[0], ins[1])
	}
	if !v.sameDim(lhs[len(lhs)-1], rhs[0]) {
		v.stop(op, "", "contracting dimensions differ: %s and %s", ins[0], ins[1])
	}
	bounds := slices.Concat(limits(ins[0])[:len(lhs)-1], limits(ins[1])[1:])
	v.result(op, "", outs[0], slices.Concat(lhs[:len(lhs)-1], rhs[1:]), bounds...)
	if a, b := ins[0].Elem, ins[1].Elem; quantOf(a) == nil && quantOf(b) == nil && !mlir.SameType(a, b) {
		v.fail(op, "", "elements differ: %s and %s", a, b)
	}
}

func (v *verifier) dotPairs(op *mlir.Op, label, what string, lhs, rhs *mlir.TensorType, a, b []int64) {
	for i := range a {
		x, y := lhs.Shape[a[i]], rhs.Shape[b[i]]
		if !v.sameDim(x, y) {
			v.stop(op, label, "%s dimensions differ: %d and %d (%s, %s)", what, x, y, lhs, rhs)
		}
		if !inBounds([]int64{x}, limits(rhs)[b[i]:]) || !inBounds([]int64{y}, limits(lhs)[a[i]:]) {
			v.stop(op, label, "%s dimensions differ: a bound is too low (%s, %s)", what, lhs, rhs)
		}
	}
}

// precisions checks precision_config: at most one entry an operand (the
// specification wants both, its implementation takes fewer).
func (v *verifier) precisions(op *mlir.Op, label, enumLabel string) {
	a := op.Attrs.Get("precision_config")
	list, ok := a.(mlir.ArrayAttr)
	if a == nil {
		return
	}
	if !ok || len(list) > 2 {
		v.stop(op, label, "precision_config is %s, but should have two entries", a)
	}
	for _, e := range list {
		if p := mlir.Enum(e); p != "DEFAULT" && p != "HIGH" && p != "HIGHEST" {
			v.stop(op, enumLabel, "precision is '%s', but should be one of DEFAULT, HIGH, HIGHEST", p)
		}
	}
}

// dotAlgorithm checks an algorithm, and that it stands alone.
func (v *verifier) dotAlgorithm(op *mlir.Op) {
	a, ok := op.Attrs.Get("algorithm").(mlir.StructAttr)
	if !ok {
		return
	}
	if label, why := stablehlo.AlgorithmProblem(a); why != "" {
		v.stop(op, label, "%s", why)
	}
	list, _ := op.Attrs.Get("precision_config").(mlir.ArrayAttr)
	for _, e := range list {
		if mlir.Enum(e) != "DEFAULT" {
			v.stop(op, "C21", "precision %s cannot be combined with an algorithm: it should be DEFAULT", mlir.Enum(e))
		}
	}
}

// rest is the shape without the dimensions in the lists.
func rest(shape []int64, lists ...[]int64) []int64 {
	var r []int64
	skip := slices.Concat(lists...)
	for i, d := range shape {
		if !slices.Contains(skip, int64(i)) {
			r = append(r, d)
		}
	}
	return r
}
