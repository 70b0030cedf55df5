package simplify

import (
	"math"
	"slices"

	"ltc/backends/kit/simplify/program"
	"ltc/mlir"
	"ltc/stablehlo"
)

// algebra removes arithmetic that does nothing: x+0, x*1, --x, not not x, max(x, x),
// x < x and the like. It does this only where the result is the same to the bit for every
// x, including NaN, infinities and -0. Constants move to the right, and signs move into
// sums and products. Reductions of precision become ops on bits: pass convert has left out
// those that do nothing.
//
// Not to the bit: powers 2, 3 and -1 become products and a quotient. x*x and
// 1/x are off the power by at most 1 ulp, x*x*x by at most 2.
func algebra(s *state) bool { return s.rewrite(func(r *opRow) rules { return r.algebra }) }

// lhs and rhs of a binary op.
func sides(op *mlir.Op) (x, y *mlir.Value) { return op.Operands[0], op.Operands[1] }

func resultType(op *mlir.Op) *mlir.TensorType { return tensorOf(op.Results[0]) }

func isInt(t *mlir.TensorType) bool { _, ok := t.Elem.(mlir.IntegerType); return ok }

// constantRight puts the constant of a commutative op on the right.
func constantRight(e *editor, op *mlir.Op) *mlir.Value {
	if x, y := sides(op); program.Literal(x) != nil && program.Literal(y) == nil {
		return e.again(op, op.Results[0].Type, y, x)
	}
	return nil
}

// addition: x + 0 of integers and x + -0 of floats; x + -y is x - y.
func addition(e *editor, op *mlir.Op) *mlir.Value {
	x, y := sides(op)
	if n, ok := program.NumberOf(y); ok && (n.NegZero() || !n.IsFloat && n.Is(0)) {
		return x
	}
	for _, p := range [][2]*mlir.Value{{x, y}, {y, x}} {
		if neg := def(p[1], stablehlo.Negate); neg != nil {
			return e.emit(stablehlo.Subtract, op.Results[0].Type, nil, p[0], neg.Operands[0])
		}
	}
	return nil
}

// subtraction: x - 0; -0 - x, and 0 - x of integers, is -x; x - -y is x + y;
// x - x of integers is 0.
func subtraction(e *editor, op *mlir.Op) *mlir.Value {
	x, y := sides(op)
	if n, ok := program.NumberOf(y); ok && n.Is(0) {
		return x
	}
	if n, ok := program.NumberOf(x); ok && (n.NegZero() || !n.IsFloat && n.Is(0)) {
		return e.emit(stablehlo.Negate, op.Results[0].Type, nil, y)
	}
	if neg := def(y, stablehlo.Negate); neg != nil {
		return e.emit(stablehlo.Add, op.Results[0].Type, nil, x, neg.Operands[0])
	}
	if x == y && isInt(resultType(op)) {
		return e.constant(resultType(op), 0)
	}
	return nil
}

// product: x * 1; x * 0 of integers; x * -1 is -x; -x * -y is x * y; -x times a
// number is x times the opposite.
func product(e *editor, op *mlir.Op) *mlir.Value {
	x, y := sides(op)
	if n, ok := program.NumberOf(y); ok {
		switch {
		case n.Is(1):
			return x
		case n.Is(-1) && !isBool(resultType(op)):
			return e.emit(stablehlo.Negate, op.Results[0].Type, nil, x)
		case n.Is(0) && !n.IsFloat:
			return y
		}
		if neg := def(x, stablehlo.Negate); neg != nil && n.IsFloat {
			if opposite := e.constant(resultType(op), -n.Float); opposite != nil {
				return e.emit(op.Code, op.Results[0].Type, nil, neg.Operands[0], opposite)
			}
		}
	}
	if a, b := def(x, stablehlo.Negate), def(y, stablehlo.Negate); a != nil && b != nil {
		return e.emit(stablehlo.Multiply, op.Results[0].Type, nil, a.Operands[0], b.Operands[0])
	}
	return nil
}

func isBool(t *mlir.TensorType) bool { return t.Elem == mlir.Type(mlir.I1) }

// quotient: x / 1, and x over a power of two whose inverse the type holds.
func quotient(e *editor, op *mlir.Op) *mlir.Value {
	x, y := sides(op)
	n, ok := program.NumberOf(y)
	switch {
	case !ok:
		return nil
	case n.Is(1):
		return x
	case n.IsFloat && n.Is(-1):
		return e.emit(stablehlo.Negate, op.Results[0].Type, nil, x)
	case n.IsFloat:
		if frac, _ := math.Frexp(n.Float); math.Abs(frac) != 0.5 {
			return nil
		}
		if inverse := e.constant(resultType(op), 1/n.Float); inverse != nil && !math.IsInf(1/n.Float, 0) {
			return e.emit(stablehlo.Multiply, op.Results[0].Type, nil, x, inverse)
		}
	}
	return nil
}

// power: x to the power of 1, 2, 3 and -1.
func power(e *editor, op *mlir.Op) *mlir.Value {
	x, y := sides(op)
	n, ok := program.NumberOf(y)
	if !ok || !n.IsFloat {
		return nil
	}
	multiply := func(a, b *mlir.Value) *mlir.Value {
		return e.emit(stablehlo.Multiply, op.Results[0].Type, nil, a, b)
	}
	switch n.Float {
	case 1:
		return x
	case 2:
		return multiply(x, x)
	case 3:
		return multiply(multiply(x, x), x)
	case -1:
		if unit := e.constant(resultType(op), 1); unit != nil {
			return e.emit(stablehlo.Divide, op.Results[0].Type, nil, unit, x)
		}
	}
	return nil
}

// idempotent: max(x, x); max(max(x, y), y); min, and, or likewise.
func idempotent(_ *editor, op *mlir.Op) *mlir.Value {
	x, y := sides(op)
	if x == y {
		return x
	}
	for _, p := range [][2]*mlir.Value{{x, y}, {y, x}} {
		if inner := def(p[0], op.Code); inner != nil && slices.Contains(inner.Operands, p[1]) {
			return p[0]
		}
	}
	return nil
}

// extremum: max and min of x and the least or greatest number of its type, which
// for floats are infinities.
func extremum(_ *editor, op *mlir.Op) *mlir.Value {
	x, y := sides(op)
	lowest, highest := extremes(y)
	if op.Code == stablehlo.Minimum {
		lowest, highest = highest, lowest
	}
	switch {
	case lowest:
		return x
	case highest && isInt(resultType(op)):
		return y
	}
	return nil
}

// extremes reports whether v is the least or the greatest number of its type.
func extremes(v *mlir.Value) (lowest, highest bool) {
	n, ok := program.NumberOf(v)
	if !ok {
		return false, false
	}
	switch t := tensorOf(v).Elem.(type) {
	case mlir.FloatType:
		return math.IsInf(n.Float, -1), math.IsInf(n.Float, 1)
	case mlir.IntegerType:
		switch {
		case t.Width == 1:
			return n.Int == 0, n.Int == 1
		case t.Sign == mlir.Unsigned:
			return n.Int == 0, uint64(n.Int) == math.MaxUint64>>(64-t.Width)
		}
		return n.Int == math.MinInt64>>(64-t.Width), n.Int == math.MaxInt64>>(64-t.Width)
	}
	return false, false
}

// lattice: x and 0; x and all ones; or likewise.
func lattice(_ *editor, op *mlir.Op) *mlir.Value {
	x, y := sides(op)
	zeros, ones := bits(y)
	if op.Code == stablehlo.Or {
		zeros, ones = ones, zeros
	}
	switch {
	case zeros:
		return y
	case ones:
		return x
	}
	return nil
}

// bits reports whether all bits of v are 0 or 1.
func bits(v *mlir.Value) (zeros, ones bool) {
	n, ok := program.NumberOf(v)
	t, integer := tensorOf(v).Elem.(mlir.IntegerType)
	if !ok || !integer {
		return false, false
	}
	mask := uint64(math.MaxUint64) >> (64 - t.Width)
	return uint64(n.Int)&mask == 0, uint64(n.Int)&mask == mask
}

// exclusive: x xor 0; x xor x; x xor all ones is not x.
func exclusive(e *editor, op *mlir.Op) *mlir.Value {
	x, y := sides(op)
	zeros, ones := bits(y)
	switch {
	case zeros:
		return x
	case ones:
		return e.emit(stablehlo.Not, op.Results[0].Type, nil, x)
	case x == y:
		return e.constant(resultType(op), 0)
	}
	return nil
}

// twice is an op that undoes itself.
func twice(_ *editor, op *mlir.Op) *mlir.Value {
	if inner := def(op.Operands[0], op.Code); inner != nil {
		return inner.Operands[0]
	}
	return nil
}

// again is an op that does nothing the second time.
func again(_ *editor, op *mlir.Op) *mlir.Value {
	if def(op.Operands[0], op.Code) != nil {
		return op.Operands[0]
	}
	return nil
}

// negation: -(x - y) is y - x for integers; of x times a number, x times the
// opposite.
func negation(e *editor, op *mlir.Op) *mlir.Value {
	if mul := def(op.Operands[0], stablehlo.Multiply); mul != nil && e.uses()[op.Operands[0]] == 1 {
		if n, ok := program.NumberOf(mul.Operands[1]); ok && n.IsFloat {
			if opposite := e.constant(resultType(op), -n.Float); opposite != nil {
				return e.emit(mul.Code, op.Results[0].Type, nil, mul.Operands[0], opposite)
			}
		}
	}
	if sub := def(op.Operands[0], stablehlo.Subtract); sub != nil && isInt(resultType(op)) {
		return e.emit(sub.Code, op.Results[0].Type, nil, sub.Operands[1], sub.Operands[0])
	}
	return nil
}

// absolute: | |x| | and |-x|.
func absolute(e *editor, op *mlir.Op) *mlir.Value {
	x := op.Operands[0]
	if neg := def(x, stablehlo.Negate); neg != nil {
		return e.again(op, op.Results[0].Type, neg.Operands[0])
	}
	if def(x, op.Code) != nil {
		return x
	}
	return nil
}

// shift: by nothing.
func shift(_ *editor, op *mlir.Op) *mlir.Value {
	x, y := sides(op)
	if n, ok := program.NumberOf(y); ok && n.Is(0) {
		return x
	}
	return nil
}
