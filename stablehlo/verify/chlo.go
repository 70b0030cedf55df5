package verify

import (
	"slices"

	"ltc/internal/diag"
	"ltc/internal/lexeme"
	"ltc/mlir"
	"ltc/stablehlo"
)

// The rules of the CHLO dialect: its definitions' traits and checks. They have
// no labels, for the specification does not treat the dialect.

// verifyChloSame checks ops whose operands and result have one type.
func verifyChloSame(elem kinds) func(*verifier, *mlir.Op) {
	return func(v *verifier, op *mlir.Op) {
		v.count(op)
		v.kinds(op, op.Operands, elem)
		v.kinds(op, op.Results, elem)
		ins, outs := v.tensors(op, len(op.Operands), 1)
		for i, t := range ins {
			if !v.sameTensor(t, outs[0]) {
				v.stop(op, "", "operand %d is %s but the result is %s", i, t, outs[0])
			}
			v.infer(outs[0], t.Shape)
		}
	}
}

// kinds checks the elements of all of xs that are tensors.
func (v *verifier) kinds(op *mlir.Op, xs []*mlir.Value, want kinds) {
	for _, x := range xs {
		if t, ok := x.Type.(*mlir.TensorType); ok && kindOf(t.Elem)&want == 0 {
			v.stop(op, "", "cannot work on elements of type %s, but takes %s", t.Elem, want)
		}
	}
}

// verifyChloPredicate checks the tests of floating-point numbers.
func verifyChloPredicate(v *verifier, op *mlir.Op) {
	v.kinds(op, op.Operands, kFloat)
	v.kinds(op, op.Results, kBool)
	ins, outs := v.tensors(op, 1, 1)
	if !v.sameShape(ins[0].Shape, outs[0].Shape) || outs[0].Elem != mlir.Type(mlir.I1) {
		v.fail(op, "", "the operand is %s but the result is %s: it should be i1 of the same shape", ins[0], outs[0])
	}
	v.infer(outs[0], ins[0].Shape)
}

// verifyChloBroadcast checks the elements of ops that broadcast, and that the
// shapes of the operands broadcast to that of the result. Of three operands, the
// first is a predicate.
func verifyChloBroadcast(elem kinds, result func(mlir.Type) mlir.Type) func(*verifier, *mlir.Op) {
	return func(v *verifier, op *mlir.Op) {
		n := len(op.Operands)
		more := kinds(0)
		if elem == kTensor {
			more = kQuant
		}
		v.count(op)
		v.kinds(op, op.Operands[n-2:], elem|more)
		v.kinds(op, op.Operands[:n-2], kBool)
		ins, outs := v.tensors(op, n, 1)
		a, b := ins[n-2].Elem, ins[n-1].Elem
		switch {
		case !mlir.SameType(a, b):
			v.fail(op, "", "elements differ: %s and %s", a, b)
		case !mlir.SameType(result(a), outs[0].Elem):
			v.fail(op, "", "elements of the result are %s, but should be %s", outs[0].Elem, result(a))
		default:
			v.broadcasts(op, ins, outs[0])
		}
	}
}

// broadcasts checks that every dimension of the operands has the size of the
// result's that it goes to, or 1, and that these sizes come from operands.
func (v *verifier) broadcasts(op *mlir.Op, ins []*mlir.TensorType, out *mlir.TensorType) {
	dims, why := stablehlo.BroadcastDims(op)
	if why != "" {
		v.stop(op, "", "%s", why)
	}
	rank := 0
	for _, t := range ins {
		rank = max(rank, len(t.Shape))
	}
	if len(out.Shape) != rank {
		v.stop(op, "", "the result is %s, but should have %s, as the operand with most", out, diag.Count(rank, "dimension"))
	}
	for i, t := range ins {
		for k, d := range dims[i] {
			size := t.Shape[k]
			if d < 0 || d >= int64(len(out.Shape)) || size != 1 && !v.sameDim(size, out.Shape[d]) {
				v.stop(op, "", "operand %d is %s, which does not broadcast to the result's %s: dimension %d", i, t, out, k)
			}
		}
	}
	shape := make([]int64, rank)
	for d := range shape {
		shape[d] = 1
		for i, t := range ins {
			k := slices.Index(dims[i], int64(d))
			if k < 0 || t.Shape[k] == 1 {
				continue
			}
			if size := t.Shape[k]; shape[d] == 1 || shape[d] == mlir.Dynamic {
				shape[d] = size
			} else if !v.sameDim(size, shape[d]) {
				v.stop(op, "", "operand %d is %s, but another has %d in dimension %d of the result", i, t, shape[d], d)
			}
		}
		if size := out.Shape[d]; shape[d] == 1 && size != 1 && size != mlir.Dynamic {
			v.stop(op, "", "the result is %s, but no operand has more than 1 in dimension %d", out, d)
		}
	}
	v.infer(out, shape)
}

func verifyConstantLike(v *verifier, op *mlir.Op) {
	ins, outs := v.tensors(op, 1, 1)
	if !v.sameShape(ins[0].Shape, outs[0].Shape) {
		v.fail(op, "", "the operand is %s but the result is %s: shapes differ", ins[0], outs[0])
	}
	v.infer(outs[0], ins[0].Shape)
	var t mlir.Type
	switch a := op.Attrs.Get("value").(type) {
	case nil:
		v.missing(op, "value", "a number", nil)
	case mlir.IntegerAttr:
		t = a.Type
	case mlir.FloatAttr:
		t = a.Type
	case mlir.BoolAttr:
		t = mlir.I1
	default:
		return // such as #complex.number, of a dialect that is not known here
	}
	if !mlir.SameType(t, outs[0].Elem) {
		v.fail(op, "", "the value is %s, but the result has elements of %s", op.Attrs.Get("value"), outs[0].Elem)
	}
}

func verifyTopK(v *verifier, op *mlir.Op) {
	ins, outs := v.tensors(op, 1, 2)
	k, isInt := mlir.Int(op.Attrs.Get("k"))
	if !isInt || k < 0 {
		v.missing(op, "k", "an integer that is not negative", op.Attrs.Get("k"))
	}
	v.largest(op, ins[0], outs, k)
}

// largest checks that the results are the k largest along the last dimension of
// in, and their indices.
func (v *verifier) largest(op *mlir.Op, in *mlir.TensorType, outs []*mlir.TensorType, k int64) {
	last := len(in.Shape) - 1
	if last < 0 || !v.atMost(k, in.Shape[last]) {
		v.stop(op, "", "the operand is %s, but its last dimension should have at least k = %s", in, lexeme.Size(k))
	}
	shape := slices.Clone(in.Shape)
	shape[last] = k
	for _, t := range outs {
		v.try(func() { v.result(op, "", t, shape) })
	}
	if !mlir.SameType(outs[0].Elem, in.Elem) || outs[1].Elem != mlir.Type(mlir.I32) {
		v.fail(op, "", "the results have elements %s and %s, but should have %s and i32", outs[0].Elem, outs[1].Elem, in.Elem)
	}
}

// verifyScan checks the body's arguments against slices of the inputs and the
// inits, and what it returns against slices of the outputs and the carries.
func verifyScan(v *verifier, op *mlir.Op) {
	inputs, _, outputs, ok := stablehlo.ScanSegments(op)
	if !ok {
		v.stop(op, "", "operandSegmentSizes and resultSegmentSizes do not tell %s and %s apart", diag.Count(len(op.Operands), "operand"), diag.Count(len(op.Results), "result"))
	}
	dim, ok := mlir.Int(op.Attrs.Get("dimension"))
	if !ok || dim < 0 {
		v.missing(op, "dimension", "an integer that is not negative", op.Attrs.Get("dimension"))
	}
	body := op.Body()
	if body == nil || len(body.Args) != len(op.Operands) || body.Ops[len(body.Ops)-1].Code != stablehlo.Return ||
		len(body.Ops[len(body.Ops)-1].Operands) != len(op.Results) {
		v.stop(op, "", "needs a body of one block that takes %s and returns %s", diag.Count(len(op.Operands), "argument"), diag.Count(len(op.Results), "value"))
	}
	v.slicesOf(op, "operand", op.Operands, body.Args, inputs, int(dim))
	v.slicesOf(op, "result", op.Results, body.Ops[len(body.Ops)-1].Operands, outputs, int(dim))
	along := slices.Concat(op.Operands[:inputs], op.Results[:outputs])
	for _, x := range along {
		first, t := along[0].Type.(*mlir.TensorType), x.Type.(*mlir.TensorType)
		if !v.sameDim(first.Shape[dim], t.Shape[dim]) {
			v.stop(op, "", "%s and %s differ in dimension %d, which is scanned", first, t, dim)
		}
	}
	for i, x := range op.Operands[inputs:] {
		if c := op.Results[outputs+i]; !mlir.SameType(x.Type, c.Type) {
			v.stop(op, "", "init %d is %s, but the carry is %s", i, x.Type, c.Type)
		}
	}
}

// slicesOf checks that the type of each inner value is that of the outer one,
// for the first n without dimension dim.
func (v *verifier) slicesOf(op *mlir.Op, what string, outer, inner []*mlir.Value, n, dim int) {
	for i, x := range outer {
		t, ok := x.Type.(*mlir.TensorType)
		u, ok2 := inner[i].Type.(*mlir.TensorType)
		if !ok || !ok2 || t.Unranked || i < n && dim >= len(t.Shape) {
			v.stop(op, "", "%s %d is %s, but a tensor with a dimension %d is expected", what, i, x.Type, dim)
		}
		shape := t.Shape
		if i < n {
			shape = slices.Delete(slices.Clone(shape), dim, dim+1)
		}
		if !v.sameShape(shape, u.Shape) || !mlir.SameType(t.Elem, u.Elem) {
			v.stop(op, "", "%s %d is %s, but the body has %s in its place", what, i, t, u)
		}
	}
}

// The type of a result's elements, of that of the operands'.

func sameElem(t mlir.Type) mlir.Type  { return t }
func complexOf(t mlir.Type) mlir.Type { return mlir.ComplexType{Elem: t} }
func boolean(mlir.Type) mlir.Type     { return mlir.I1 }

// chloRules has the rule of each op of CHLO.
type chloRules struct{}

func (chloRules) AsinAcosKernel() rule     { return verifyChloSame(kComplex) }
func (chloRules) Acos() rule               { return verifyChloSame(kFloat | kComplex) }
func (chloRules) Acosh() rule              { return verifyChloSame(kFloat | kComplex) }
func (chloRules) Asin() rule               { return verifyChloSame(kFloat | kComplex) }
func (chloRules) Asinh() rule              { return verifyChloSame(kFloat | kComplex) }
func (chloRules) Atan() rule               { return verifyChloSame(kFloat | kComplex) }
func (chloRules) Atanh() rule              { return verifyChloSame(kFloat | kComplex) }
func (chloRules) BesselI1e() rule          { return verifyChloSame(kFloat | kComplex) }
func (chloRules) BroadcastAdd() rule       { return verifyChloBroadcast(kTensor, sameElem) }
func (chloRules) BroadcastAnd() rule       { return verifyChloBroadcast(kBool|kInt, sameElem) }
func (chloRules) BroadcastAtan2() rule     { return verifyChloBroadcast(kFloat|kComplex, sameElem) }
func (chloRules) BroadcastCompare() rule   { return verifyChloBroadcast(kTensor, boolean) }
func (chloRules) BroadcastComplex() rule   { return verifyChloBroadcast(kFloat, complexOf) }
func (chloRules) BroadcastDivide() rule    { return verifyChloBroadcast(kInt|kFloat|kComplex, sameElem) }
func (chloRules) BroadcastMaximum() rule   { return verifyChloBroadcast(kTensor, sameElem) }
func (chloRules) BroadcastMinimum() rule   { return verifyChloBroadcast(kTensor, sameElem) }
func (chloRules) BroadcastMultiply() rule  { return verifyChloBroadcast(kTensor, sameElem) }
func (chloRules) BroadcastNextAfter() rule { return verifyChloBroadcast(kFloat, sameElem) }
func (chloRules) BroadcastOr() rule        { return verifyChloBroadcast(kBool|kInt, sameElem) }
func (chloRules) BroadcastPolygamma() rule { return verifyChloBroadcast(kFloat, sameElem) }
func (chloRules) BroadcastPower() rule     { return verifyChloBroadcast(kInt|kFloat|kComplex, sameElem) }
func (chloRules) BroadcastRemainder() rule {
	return verifyChloBroadcast(kInt|kFloat|kComplex, sameElem)
}
func (chloRules) BroadcastSelect() rule               { return verifyChloBroadcast(kTensor, sameElem) }
func (chloRules) BroadcastShiftLeft() rule            { return verifyChloBroadcast(kInt, sameElem) }
func (chloRules) BroadcastShiftRightArithmetic() rule { return verifyChloBroadcast(kInt, sameElem) }
func (chloRules) BroadcastShiftRightLogical() rule    { return verifyChloBroadcast(kInt, sameElem) }
func (chloRules) BroadcastSubtract() rule             { return verifyChloBroadcast(kInt|kFloat|kComplex, sameElem) }
func (chloRules) BroadcastXor() rule                  { return verifyChloBroadcast(kBool|kInt, sameElem) }
func (chloRules) BroadcastZeta() rule                 { return verifyChloBroadcast(kFloat, sameElem) }
func (chloRules) Conj() rule                          { return verifyChloSame(kFloat | kComplex) }
func (chloRules) Constant() rule                      { return typed(verifyConstant, kAny|kQuantBlock|kIndex) }
func (chloRules) ConstantLike() rule                  { return verifyConstantLike }
func (chloRules) Cosh() rule                          { return verifyChloSame(kFloat | kComplex) }
func (chloRules) Digamma() rule                       { return verifyChloSame(kFloat) }
func (chloRules) Erf() rule                           { return verifyChloSame(kFloat) }
func (chloRules) ErfInv() rule                        { return verifyChloSame(kFloat) }
func (chloRules) Erfc() rule                          { return verifyChloSame(kFloat) }
func (chloRules) IsInf() rule                         { return verifyChloPredicate }
func (chloRules) IsNegInf() rule                      { return verifyChloPredicate }
func (chloRules) IsPosInf() rule                      { return verifyChloPredicate }
func (chloRules) Lgamma() rule                        { return verifyChloSame(kFloat) }
func (chloRules) Mulhi() rule                         { return verifyChloSame(kInt) }
func (chloRules) NextAfter() rule                     { return verifyChloSame(kFloat) }
func (chloRules) Polygamma() rule                     { return verifyChloSame(kFloat) }
func (chloRules) RaggedDot() rule                     { return verifyRaggedDot }
func (chloRules) Scan() rule                          { return verifyScan }
func (chloRules) Sinh() rule                          { return verifyChloSame(kFloat | kComplex) }
func (chloRules) Square() rule                        { return verifyChloSame(kFloat | kComplex) }
func (chloRules) Tan() rule                           { return verifyChloSame(kFloat | kComplex) }
func (chloRules) TopK() rule                          { return verifyTopK }
func (chloRules) Zeta() rule                          { return verifyChloSame(kFloat) }
