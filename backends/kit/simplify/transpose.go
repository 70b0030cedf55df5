package simplify

import (
	"slices"

	"ltc/backends/kit/simplify/program"
	"ltc/mlir"
	"ltc/stablehlo"
)

// transpose merges consecutive transposes, removes those that move nothing, and folds
// them into broadcasts and splats, which can have any order. An elementwise op is
// transposed after it is computed, if its operands are transposed alike or can have any
// order. Transposes thus move down to products, which read their operands in any order,
// and meet their inverses. There are never more of them than before.
func transpose(s *state) bool {
	return s.rewriteAll(func(r *opRow) rules { return r.transpose }, sinkTranspose)
}

func normalTranspose(e *editor, op *mlir.Op) *mlir.Value {
	return e.transposed(op.Operands[0], stablehlo.AsTranspose(op).Permutation())
}

// sinkTranspose transposes the result of an elementwise op in the place of its
// operands, where it has no larger elements than they have.
func sinkTranspose(e *editor, op *mlir.Op) *mlir.Value {
	out := resultType(op)
	var perm []int64
	bytes := 0
	for _, v := range op.Operands {
		tr := def(v, stablehlo.Transpose)
		if tr == nil {
			continue
		}
		p := stablehlo.AsTranspose(tr).Permutation()
		if perm != nil && !slices.Equal(p, perm) || e.uses()[v] > count(op.Operands, v) {
			return nil
		}
		if t := tensorOf(v); perm == nil || v != op.Operands[0] {
			bytes += mlir.ElementBytes(t.Elem)
		}
		perm = p
	}
	if perm == nil || mlir.ElementBytes(out.Elem) > bytes {
		return nil
	}
	for _, v := range op.Operands {
		if len(tensorOf(v).Shape) > 0 && program.Element(v) == nil && def(v, stablehlo.Transpose) == nil && def(v, stablehlo.BroadcastInDim) == nil {
			return nil
		}
	}
	back := inverse(perm)
	operands := make([]*mlir.Value, len(op.Operands))
	for i, v := range op.Operands {
		operands[i] = v
		if len(tensorOf(v).Shape) > 0 {
			operands[i] = e.transpose(v, back)
		}
	}
	return e.transpose(e.again(op, like(out, pick(out.Shape, back)), operands...), perm)
}

func count(vs []*mlir.Value, v *mlir.Value) int {
	n := 0
	for _, w := range vs {
		if w == v {
			n++
		}
	}
	return n
}
