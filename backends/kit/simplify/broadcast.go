package simplify

import (
	"slices"

	"ltc/backends/kit/simplify/program"
	"ltc/mlir"
	"ltc/stablehlo"
)

// broadcast brings broadcasts into their normal form. A splat is a constant, and a
// broadcast that repeats nothing is a reshape. The operand of a broadcast is neither a
// broadcast nor a transpose, and has no unit dimensions. Elementwise ops on operands
// that are all broadcast in the same way are computed before the broadcast.
func broadcast(s *state) bool {
	return s.rewriteAll(func(r *opRow) rules { return r.broadcast }, hoistBroadcast)
}

func normalBroadcast(e *editor, op *mlir.Op) *mlir.Value {
	return e.repeated(op.Operands[0], resultType(op).Shape, stablehlo.AsBroadcastInDim(op).BroadcastDimensions())
}

// hoistBroadcast computes an elementwise op before its operands are repeated.
// Splats are as small as need be, scalars are repeated less.
func hoistBroadcast(e *editor, op *mlir.Op) *mlir.Value {
	out := resultType(op)
	var first *mlir.Op // the operand repeated from most dimensions
	for _, v := range op.Operands {
		b := def(v, stablehlo.BroadcastInDim)
		switch {
		case b != nil && len(tensorOf(v).Shape) == len(out.Shape):
			if first == nil || len(tensorOf(b.Operands[0]).Shape) > len(tensorOf(first.Operands[0]).Shape) {
				first = b
			}
		case program.Element(v) != nil, len(tensorOf(v).Shape) == 0:
		default:
			return nil
		}
	}
	if first == nil {
		return nil
	}
	shape, to := tensorOf(first.Operands[0]).Shape, stablehlo.AsBroadcastInDim(first).BroadcastDimensions()
	if hasUnits(shape) || len(shape) == len(out.Shape) {
		return nil
	}
	small := make([]*mlir.Value, len(op.Operands))
	for i, v := range op.Operands {
		b := def(v, stablehlo.BroadcastInDim)
		if b == nil {
			continue
		}
		d := stablehlo.AsBroadcastInDim(b).BroadcastDimensions()
		switch {
		case slices.Equal(d, to) && slices.Equal(tensorOf(b.Operands[0]).Shape, shape):
			small[i] = b.Operands[0]
		case len(d) > 0:
			return nil
		}
	}
	for i, v := range op.Operands {
		t := tensorOf(v)
		switch b := def(v, stablehlo.BroadcastInDim); {
		case small[i] != nil:
		case b != nil:
			small[i] = e.broadcast(b.Operands[0], shape, []int64{})
		case len(t.Shape) == 0 && len(out.Shape) > 0:
			small[i] = v // the scalar of a clamp or a select
		default:
			small[i] = e.splat(like(t, shape), program.Element(v))
		}
	}
	return e.broadcast(e.again(op, like(out, shape), small...), out.Shape, to)
}
