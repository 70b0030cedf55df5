package mlir

import "slices"

func verifyDotGeneral(v *verifier, op *Op) {
	ins, outs, ok := v.tensors(op, 2, 1)
	if !ok {
		return
	}
	d, ok := ParseDot(op.Attrs.Get("dot_dimension_numbers"))
	if !ok {
		v.missing(op, "dot_dimension_numbers", "#stablehlo.dot<…>", op.Attrs.Get("dot_dimension_numbers"))
		return
	}
	lhs, rhs := ins[0], ins[1]
	if len(d.LHSBatch) != len(d.RHSBatch) {
		v.fail(op, "C1", "batches over %d and %d dimensions", len(d.LHSBatch), len(d.RHSBatch))
		return
	}
	if len(d.LHSContract) != len(d.RHSContract) {
		v.fail(op, "C2", "contracts %d and %d dimensions", len(d.LHSContract), len(d.RHSContract))
		return
	}
	good := v.unique(op, "C3", "the left operand's dimensions", slices.Concat(d.LHSBatch, d.LHSContract)...) &&
		v.unique(op, "C4", "the right operand's dimensions", slices.Concat(d.RHSBatch, d.RHSContract)...) &&
		v.within(op, "C5", "lhs_batching_dimensions", d.LHSBatch, len(lhs.Shape)) &&
		v.within(op, "C6", "lhs_contracting_dimensions", d.LHSContract, len(lhs.Shape)) &&
		v.within(op, "C7", "rhs_batching_dimensions", d.RHSBatch, len(rhs.Shape)) &&
		v.within(op, "C8", "rhs_contracting_dimensions", d.RHSContract, len(rhs.Shape)) &&
		v.dotPairs(op, "C9", "batching", lhs, rhs, d.LHSBatch, d.RHSBatch) &&
		v.dotPairs(op, "C10", "contracting", lhs, rhs, d.LHSContract, d.RHSContract) &&
		v.dotPrecision(op) && v.dotAlgorithm(op)
	if !good {
		return
	}
	var shape []int64
	for _, i := range d.LHSBatch {
		shape = append(shape, lhs.Shape[i])
	}
	shape = append(shape, rest(lhs.Shape, d.LHSBatch, d.LHSContract)...)
	shape = append(shape, rest(rhs.Shape, d.RHSBatch, d.RHSContract)...)
	if v.result(op, "C12", outs[0], shape) && !SameType(lhs.Elem, rhs.Elem) {
		v.fail(op, "C13", "elements differ: %s and %s", lhs.Elem, rhs.Elem)
	}
}

func (v *verifier) dotPairs(op *Op, label, what string, lhs, rhs *TensorType, a, b []int64) bool {
	for i := range a {
		if x, y := lhs.Shape[a[i]], rhs.Shape[b[i]]; !sameDim(x, y) {
			v.fail(op, label, "%s dimensions differ: %d and %d (%s, %s)", what, x, y, lhs, rhs)
			return false
		}
	}
	return true
}

func (v *verifier) dotPrecision(op *Op) bool {
	a := op.Attrs.Get("precision_config")
	list, ok := a.(ArrayAttr)
	if a == nil {
		return true
	}
	if !ok || len(list) > 2 { // the dialect's implementation takes fewer, too
		v.fail(op, "C11", "precision_config is %s, but should have two entries", a)
		return false
	}
	for _, e := range list {
		if p := Enum(e); p != "DEFAULT" && p != "HIGH" && p != "HIGHEST" {
			v.fail(op, "I7", "precision is '%s', but should be one of DEFAULT, HIGH, HIGHEST", p)
			return false
		}
	}
	return true
}

// dotAlgorithm checks the counts of an algorithm, and that it stands alone.
func (v *verifier) dotAlgorithm(op *Op) bool {
	a, ok := op.Attrs.Get("algorithm").(StructAttr)
	if !ok {
		return true
	}
	for i, name := range []string{"lhs_component_count", "rhs_component_count", "num_primitive_operations"} {
		if n, ok := Int(a.Fields.Get(name)); !ok || n <= 0 {
			v.fail(op, []string{"C22", "C23", "C24"}[i], "%s of the algorithm should be a positive number", name)
			return false
		}
	}
	list, _ := op.Attrs.Get("precision_config").(ArrayAttr)
	for _, e := range list {
		if Enum(e) != "DEFAULT" {
			v.fail(op, "C21", "precision %s cannot be combined with an algorithm: it should be DEFAULT", Enum(e))
			return false
		}
	}
	return true
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

func verifyReduce(v *verifier, op *Op) {
	if len(op.Operands) == 0 || len(op.Operands)%2 != 0 || len(op.Results) != len(op.Operands)/2 {
		v.fail(op, "C3", "has %d operands and %d results, but takes as many initial values as inputs and gives as many results", len(op.Operands), len(op.Results))
		return
	}
	n := len(op.Results)
	ins, outs, ok := v.tensors(op, 2*n, n)
	if !ok {
		return
	}
	dims, ok := v.ints(op, "dimensions")
	if !ok || !v.within(op, "C4", "dimensions", dims, len(ins[0].Shape)) || !v.unique(op, "C5", "dimensions", dims...) {
		return
	}
	for i := range n {
		if !sameShape(ins[i].Shape, ins[0].Shape) {
			v.fail(op, "C1", "inputs differ in shape: %s and %s", ins[0], ins[i])
			return
		}
		if len(ins[n+i].Shape) > 0 {
			v.fail(op, "I2", "initial value %d is %s, but should be a scalar", i, ins[n+i])
			return
		}
		if !SameType(ins[i].Elem, ins[n+i].Elem) {
			v.fail(op, "C2", "input %d is %s but its initial value is %s", i, ins[i], ins[n+i])
			return
		}
		if !v.result(op, "C7", outs[i], rest(ins[i].Shape, dims)) {
			return
		}
	}
	v.reduceBody(op, outs)
}

// reduceBody checks that the body combines scalars of the results' elements.
func (v *verifier) reduceBody(op *Op, outs []*TensorType) {
	n := len(outs)
	b := op.Body()
	if b == nil {
		v.fail(op, "I4", "has no body of one block")
		return
	}
	if len(b.Args) != 2*n {
		v.fail(op, "C6", "the body has %d arguments, but should have %d", len(b.Args), 2*n)
		return
	}
	ret := b.Ops[len(b.Ops)-1]
	if ret.Name != "stablehlo.return" || len(ret.Operands) != n {
		v.fail(op, "C6", "the body should end with a stablehlo.return of %d values", n)
		return
	}
	for i, out := range outs {
		elem, ok := b.Args[i].Type.(*TensorType)
		if !ok || len(elem.Shape) > 0 || !SameType(b.Args[i].Type, b.Args[n+i].Type) || !SameType(b.Args[i].Type, ret.Operands[i].Type) {
			v.fail(op, "C6", "the body combines %s and %s to %s, but should take and give one scalar type", b.Args[i].Type, b.Args[n+i].Type, ret.Operands[i].Type)
			return
		}
		if !SameType(elem.Elem, out.Elem) {
			v.fail(op, "C8", "the body works on %s but result %d is %s", elem.Elem, i, out)
			return
		}
		if in := op.Operands[i].Type.(*TensorType); !promotable(in.Elem, elem.Elem) {
			v.fail(op, "C6", "elements of type %s cannot be promoted to %s", in.Elem, elem.Elem)
			return
		}
	}
}

// promotable is the specification's is_promotable: the same kind of number, at
// least as wide.
func promotable(from, to Type) bool {
	if SameType(from, to) {
		return true
	}
	a, okA := from.(IntegerType)
	b, okB := to.(IntegerType)
	if okA && okB {
		return a != I1 && b != I1 && a.Sign == b.Sign && a.Width <= b.Width
	}
	return (isFloat(from) && isFloat(to) || isComplex(from) && isComplex(to)) && bitWidth(from) <= bitWidth(to)
}
