package simplify

import (
	"ltc/backends/kit/simplify/program"
	"ltc/mlir"
	"ltc/stablehlo"
)

// choose decides selections: by a constant, between equal values, by what has
// been selected by before. A choice between true and false is logic, and of
// integers by their order it is their minimum or maximum; of floats it is not,
// for NaN and -0.
func choose(s *state) bool {
	return s.rewrite(func(r *opRow) rules { return r.choose })
}

// choice is the parts of a select.
func choice(op *mlir.Op) (p, x, y *mlir.Value) { return op.Operands[0], op.Operands[1], op.Operands[2] }

// chooseKnown: the predicate is constant or does not matter.
func chooseKnown(e *editor, op *mlir.Op) *mlir.Value {
	p, x, y := choice(op)
	if n, ok := program.NumberOf(p); ok {
		if n.Int&1 == 1 {
			return x
		}
		return y
	}
	if x == y {
		return x
	}
	if not := def(p, stablehlo.Not); not != nil {
		return e.again(op, op.Results[0].Type, not.Operands[0], y, x)
	}
	return nil
}

// chooseAgain: of a choice by the same predicate one side does not matter.
func chooseAgain(e *editor, op *mlir.Op) *mlir.Value {
	p, x, y := choice(op)
	if inner := def(x, op.Code); inner != nil && inner.Operands[0] == p {
		return e.again(op, op.Results[0].Type, p, inner.Operands[1], y)
	}
	if inner := def(y, op.Code); inner != nil && inner.Operands[0] == p {
		return e.again(op, op.Results[0].Type, p, x, inner.Operands[2])
	}
	return nil
}

// chooseBool: p ? true : y is p or y, and so on.
func chooseBool(e *editor, op *mlir.Op) *mlir.Value {
	p, x, y := choice(op)
	t := op.Results[0].Type
	if !mlir.SameType(p.Type, t) {
		return nil
	}
	not := func(v *mlir.Value) *mlir.Value { return e.emit(stablehlo.Not, t, nil, v) }
	if n, ok := program.NumberOf(x); ok {
		if n.Int&1 == 1 {
			return e.emit(stablehlo.Or, t, nil, p, y)
		}
		return e.emit(stablehlo.And, t, nil, not(p), y)
	}
	if n, ok := program.NumberOf(y); ok {
		if n.Int&1 == 0 {
			return e.emit(stablehlo.And, t, nil, p, x)
		}
		return e.emit(stablehlo.Or, t, nil, not(p), x)
	}
	return nil
}

// chooseOrder: integers chosen by how they compare.
func chooseOrder(e *editor, op *mlir.Op) *mlir.Value {
	p, x, y := choice(op)
	c := def(p, stablehlo.Compare)
	if c == nil || !isInt(resultType(op)) {
		return nil
	}
	a, b := sides(c)
	dir := direction(c)
	switch {
	case a == y && b == x:
		dir = program.Mirrored[dir]
	case a != x || b != y:
		return nil
	}
	switch dir {
	case "EQ":
		return y
	case "NE":
		return x
	case "GT", "GE":
		return e.emit(stablehlo.Maximum, op.Results[0].Type, nil, x, y)
	}
	return e.emit(stablehlo.Minimum, op.Results[0].Type, nil, x, y)
}
