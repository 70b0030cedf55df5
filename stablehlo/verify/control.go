package verify

import (
	"ltc/internal/diag"
	"ltc/mlir"
	"slices"
)

// carried reports whether values of type t can be results of an if or a case:
// tensors and tokens.
func carried(t mlir.Type) bool {
	x, ok := t.(*mlir.TensorType)
	return ok && !x.Unranked && kindOf(x.Elem) != 0 || isToken(t)
}

func verifyIf(v *verifier, op *mlir.Op) {
	v.choice(op, kBool)
	v.branches(op, "C1", "C2", "C3")
}

func verifyCase(v *verifier, op *mlir.Op) {
	p := v.choice(op, kSigned)
	if p.Elem != mlir.Type(mlir.I32) {
		v.stop(op, "I1", "the index is %s, but should be tensor<i32>", p)
	}
	if len(op.Regions) == 0 {
		v.stop(op, "C1", "has no branches")
	}
	v.branches(op, "C2", "C3", "C4")
}

// choice returns the type of the only operand, a scalar that chooses a branch.
func (v *verifier) choice(op *mlir.Op, k kinds) *mlir.TensorType {
	if len(op.Operands) != 1 {
		v.stop(op, "", "has %s, but takes 1", diag.Count(len(op.Operands), "operand"))
	}
	t := v.tensor(op, "I1", "operand", 0, op.Operands[0], of(k))
	if len(t.Shape) > 0 {
		v.stop(op, "I1", "operand 0 is %s, but should be a scalar", t)
	}
	return t
}

// branches checks that the regions take nothing, all return the same types,
// and those are the results'.
func (v *verifier) branches(op *mlir.Op, args, same, results string) {
	for i, x := range op.Results {
		if !carried(x.Type) {
			v.stop(op, results, "result %d has type %s, but a tensor or a token is expected", i, x.Type)
		}
	}
	first := returns(op.Regions[0]).Operands
	for i, r := range op.Regions {
		if n := len(r.Blocks[0].Args); n > 0 {
			v.stop(op, args, "branch %d takes %s, but should take none", i, diag.Count(n, "value"))
		}
		if got := returns(r).Operands; !v.likeTypes(mlir.TypesOf(got), mlir.TypesOf(first)) {
			v.stop(op, same, "branch %d returns (%s) but branch 0 returns (%s)", i, joinTypes(mlir.TypesOf(got)), joinTypes(mlir.TypesOf(first)))
		}
	}
	if !v.likeTypes(mlir.TypesOf(first), mlir.TypesOf(op.Results)) {
		v.fail(op, results, "branches return (%s) but the results are (%s)", joinTypes(mlir.TypesOf(first)), joinTypes(mlir.TypesOf(op.Results)))
	}
}

// likeTypes reports whether values of the types a can be of the types b:
// tensors as in likeTensor, others only if they are the same.
func (v *verifier) likeTypes(a, b []mlir.Type) bool {
	if len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] { // one list in memory
		return true
	}
	return slices.EqualFunc(a, b, v.likeType)
}

func (v *verifier) likeType(a, b mlir.Type) bool {
	x, ok1 := a.(*mlir.TensorType)
	y, ok2 := b.(*mlir.TensorType)
	if ok1 && ok2 && !x.Unranked && !y.Unranked {
		return v.likeTensor(x, y)
	}
	p, ok1 := a.(mlir.TupleType)
	q, ok2 := b.(mlir.TupleType)
	if ok1 && ok2 {
		return v.likeTypes(p.Elems, q.Elems)
	}
	return mlir.SameType(a, b)
}

func verifyWhile(v *verifier, op *mlir.Op) {
	if len(op.Results) != len(op.Operands) {
		v.stop(op, "C3", "has %s but %s", diag.Count(len(op.Operands), "operand"), diag.Count(len(op.Results), "result"))
	}
	types := mlir.TypesOf(op.Operands)
	cond, body := op.Regions[0], op.Regions[1]
	for i, r := range op.Regions {
		if got := mlir.TypesOf(r.Blocks[0].Args); !v.likeTypes(got, types) {
			v.stop(op, []string{"C1", "C2"}[i], "operands are (%s) but %s takes (%s)", joinTypes(types), []string{"cond", "body"}[i], joinTypes(got))
		}
	}
	got := returns(cond).Operands
	if len(got) != 1 {
		v.stop(op, "C1", "cond returns %s, but should return one", diag.Count(len(got), "value"))
	}
	v.decides(op, "C1", got[0])
	if got := mlir.TypesOf(returns(body).Operands); !v.likeTypes(got, types) {
		v.stop(op, "C2", "operands are (%s) but body returns (%s)", joinTypes(types), joinTypes(got))
	}
	if got := mlir.TypesOf(op.Results); !v.likeTypes(got, types) {
		v.fail(op, "C3", "operands are (%s) but the results are (%s)", joinTypes(types), joinTypes(got))
	}
}

// verifyBarrier checks that optimization_barrier passes its operands on.
func verifyBarrier(v *verifier, op *mlir.Op) {
	in, out := mlir.TypesOf(op.Operands), mlir.TypesOf(op.Results)
	for i, x := range op.Operands {
		if _, ok := x.Type.(*mlir.TensorType); ok {
			v.tensor(op, "I1", "operand", i, x, of(kPerTensor))
		}
	}
	v.values(op, false)
	if v.inferred == nil && !sameTypes(in, out) || len(in) != len(out) {
		v.fail(op, "C1", "operands are (%s) but the results are (%s)", joinTypes(in), joinTypes(out))
		return
	}
	for i, t := range in {
		from, _ := t.(*mlir.TensorType)
		if to, ok := out[i].(*mlir.TensorType); ok && from != nil {
			v.infer(to, from.Shape)
		}
	}
}

// verifyAfterAll checks that all operands and the result are tokens.
func verifyAfterAll(v *verifier, op *mlir.Op) {
	for i, x := range op.Operands {
		v.token(op, "I1", "operand", i, x)
	}
	v.oneToken(op)
}

// verifyCreateToken checks that the result is a token.
func verifyCreateToken(v *verifier, op *mlir.Op) {
	if len(op.Operands) > 0 {
		v.stop(op, "", "has %s, but takes none", diag.Count(len(op.Operands), "operand"))
	}
	v.oneToken(op)
}

func (v *verifier) oneToken(op *mlir.Op) {
	if len(op.Results) != 1 {
		v.stop(op, "", "has %s, but gives one token", diag.Count(len(op.Results), "result"))
	}
	v.token(op, "", "result", 0, op.Results[0])
}

func verifyTuple(v *verifier, op *mlir.Op) {
	if len(op.Results) != 1 {
		v.stop(op, "C1", "has %s, but gives one tuple", diag.Count(len(op.Results), "result"))
	}
	v.values(op, false)
	t, ok := op.Results[0].Type.(mlir.TupleType)
	if !ok || !sameTypes(mlir.TypesOf(op.Operands), t.Elems) {
		v.fail(op, "C1", "operands are (%s) but the result is %s", joinTypes(mlir.TypesOf(op.Operands)), op.Results[0].Type)
	}
}

func verifyGetTupleElement(v *verifier, op *mlir.Op) {
	if len(op.Operands) != 1 || len(op.Results) != 1 {
		v.stop(op, "", "has %s and %s, but takes a tuple and gives an element", diag.Count(len(op.Operands), "operand"), diag.Count(len(op.Results), "result"))
	}
	t, ok := op.Operands[0].Type.(mlir.TupleType)
	if !ok {
		v.stop(op, "I1", "operand 0 has type %s, but a tuple is expected", op.Operands[0].Type)
	}
	v.values(op, false)
	i := v.int(op, "C1", "index", 0)
	if i >= int64(len(t.Elems)) {
		v.stop(op, "C1", "index %d is not in [0, %d), the elements of %s", i, len(t.Elems), t)
	}
	if !v.likeType(t.Elems[i], op.Results[0].Type) {
		v.fail(op, "C2", "element %d of the tuple is %s but the result is %s", i, t.Elems[i], op.Results[0].Type)
	}
}
