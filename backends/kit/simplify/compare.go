package simplify

import (
	"slices"

	"ltc/backends/kit/simplify/program"
	"ltc/mlir"
	"ltc/stablehlo"
)

// opposite has the direction of a compare that holds where one of the key's does not.
var opposite = map[string]string{"EQ": "NE", "NE": "EQ", "LT": "GE", "LE": "GT", "GT": "LE", "GE": "LT"}

func direction(op *mlir.Op) string { return stablehlo.AsCompare(op).ComparisonDirection() }

func comparisonDirection(direction string) mlir.Attribute {
	return mlir.EnumAttr{Dialect: "stablehlo", Kind: "comparison_direction", Value: direction}
}

// compared emits op with another direction.
func (e *editor) compared(op *mlir.Op, direction string, x, y *mlir.Value) *mlir.Value {
	attrs := slices.Clone(op.Attrs)
	attrs.Set("comparison_direction", comparisonDirection(direction))
	return e.emit(op.Code, op.Results[0].Type, attrs, x, y)
}

// compareRight puts a constant on the right.
func compareRight(e *editor, op *mlir.Op) *mlir.Value {
	if x, y := sides(op); program.Literal(x) != nil && program.Literal(y) == nil {
		return e.compared(op, program.Mirrored[direction(op)], y, x)
	}
	return nil
}

// total reports whether what is compared is in a total order, so that of x < y
// and x >= y one holds: integers, and floats where the op says so.
func total(op *mlir.Op) bool {
	return isInt(tensorOf(op.Operands[0])) || stablehlo.AsCompare(op).CompareType() == "TOTALORDER"
}

// comparison: x < x never holds, x = x where it cannot be NaN; a boolean that
// is compared with a constant is itself or its opposite.
func comparison(e *editor, op *mlir.Op) *mlir.Value {
	x, y := sides(op)
	dir, out := direction(op), resultType(op)
	if x == y {
		switch {
		case dir == "LT" || dir == "GT" || total(op) && dir == "NE":
			return e.constant(out, 0)
		case total(op):
			return e.constant(out, 1)
		}
	}
	n, ok := program.NumberOf(y)
	if !ok || !isBool(tensorOf(x)) {
		return nil
	}
	switch one := n.Int&1 == 1; {
	case dir == "EQ" && one, dir == "NE" && !one, dir == "GE" && one, dir == "GT" && !one:
		return x
	case dir == "EQ", dir == "NE", dir == "LT" && one, dir == "LE" && !one:
		return e.emit(stablehlo.Not, op.Results[0].Type, nil, x)
	}
	return nil
}

// notCompare: what is not equal is unequal, NaN too; the other directions turn
// around in a total order.
func notCompare(e *editor, op *mlir.Op) *mlir.Value {
	c := def(op.Operands[0], stablehlo.Compare)
	if c == nil || e.uses()[c.Results[0]] > 1 {
		return nil
	}
	if d := direction(c); total(c) || d == "EQ" || d == "NE" {
		x, y := sides(c)
		return e.compared(c, opposite[d], x, y)
	}
	return nil
}

// clamp: between the least and the greatest number of the type.
func clamp(e *editor, op *mlir.Op) *mlir.Value {
	x := op.Operands[1]
	lowest, _ := extremes(op.Operands[0])
	_, highest := extremes(op.Operands[2])
	switch {
	case lowest && highest:
		return x
	case lowest:
		return e.emit(stablehlo.Minimum, op.Results[0].Type, nil, x, e.whole(op.Operands[2], resultType(op)))
	case highest:
		return e.emit(stablehlo.Maximum, op.Results[0].Type, nil, x, e.whole(op.Operands[0], resultType(op)))
	}
	return nil
}

// whole is an operand that can be a scalar, in the shape of t.
func (e *editor) whole(v *mlir.Value, t *mlir.TensorType) *mlir.Value {
	if len(tensorOf(v).Shape) == len(t.Shape) {
		return v
	}
	return e.broadcast(v, t.Shape, []int64{})
}
