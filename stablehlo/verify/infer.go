package verify

import (
	"errors"
	"strings"

	"ltc/ir/dims"
	"ltc/mlir"
)

// InferShapes returns the shapes of op's results for operands of the given shapes, which
// have no [mlir.Dynamic] size, and results of the given types. op is one of m that [Module] accepts with
// sizes left open, and that calls no function. It checks op for these shapes as [Module] does, by whose
// rules the shapes are inferred. A shape is nil where the operands do not tell it; so are those of
// results that are no tensors. Sizes may be expressions: guards are the rules that these may, but
// need not, keep. The error is that of [Module], without the op's name.
func InferShapes(m *mlir.Module, op *mlir.Op, operands [][]int64, results []mlir.Type) (shapes [][]int64, guards []dims.Guard, err error) {
	shapes = make([][]int64, len(op.Results))
	rule := ruleTable[op.Code]
	if rule == nil {
		return shapes, nil, nil
	}
	x := *op
	x.Operands = make([]*mlir.Value, len(op.Operands))
	for i, o := range op.Operands {
		v := *o
		if t, ok := o.Type.(*mlir.TensorType); ok && i < len(operands) {
			v.Type = &mlir.TensorType{Shape: operands[i], Elem: t.Elem}
		}
		x.Operands[i] = &v
	}
	x.Results = make([]*mlir.Value, len(op.Results))
	for i, r := range op.Results {
		v := *r
		v.Type = results[i]
		if t, ok := v.Type.(*mlir.TensorType); ok {
			open := *t // the results are told apart by their types
			v.Type = &open
		}
		x.Results[i] = &v
	}
	v := newVerifier(m)
	v.inferred = map[*mlir.TensorType][]int64{}
	v.try(func() { rule(v, &x) })
	if len(v.errs) > 0 {
		return nil, nil, errors.New(strings.TrimPrefix(v.errs[0].Msg, op.Name()+": "))
	}
	for i, r := range x.Results {
		if t, ok := r.Type.(*mlir.TensorType); ok {
			shapes[i] = v.inferred[t]
		}
	}
	return shapes, v.guards, nil
}

// infer notes the shape that a rule gives the result t.
func (v *verifier) infer(t *mlir.TensorType, shape []int64) {
	if v.inferred != nil {
		v.inferred[t] = append([]int64{}, shape...) // not nil, of scalars either
	}
}
