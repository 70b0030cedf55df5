package lift

import (
	"math"
	"slices"

	"ltc/ir"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// What a region does with scalars says which op it stands for. The programs that exporters
// write compute the same in many ways, above all around NaN: a region is recognised by its
// results for chosen operands, and not by its text.

// scalars evaluates a region of scalars on numbers; bools are 0 and 1. ok is false if the
// region has an op that is not known here.
func scalars(region *mlir.Region, args ...float64) (results []float64, ok bool) {
	b := region.Blocks[0]
	if len(b.Ops) > maxScalars {
		return nil, false
	}
	values := make(map[*mlir.Value]float64, len(b.Ops)+len(args))
	for i, v := range b.Args {
		values[v] = args[i]
	}
	for _, op := range b.Ops {
		in := make([]float64, len(op.Operands))
		for i, v := range op.Operands {
			x, known := values[v]
			if !known {
				if x, known = number(v); !known {
					return nil, false
				}
			}
			in[i] = x
		}
		if op.Code == stablehlo.Return {
			return in, true
		}
		x, known := scalar(op, in)
		if !known {
			return nil, false
		}
		values[op.Results[0]] = x
	}
	return nil, false
}

// maxScalars bounds the ops of a region that is evaluated, which is once for each two samples.
const maxScalars = 100

// scalar evaluates one op.
func scalar(op *mlir.Op, in []float64) (x float64, ok bool) {
	switch op.Code {
	case stablehlo.Constant:
		return number(op.Results[0])
	case stablehlo.Compare:
		return truth(compared(stablehlo.AsCompare(op), in[0], in[1])), true
	case stablehlo.Select:
		if in[0] != 0 {
			return in[1], true
		}
		return in[2], true
	case stablehlo.Not:
		return 1 - in[0], isBool(op)
	case stablehlo.And:
		return min(in[0], in[1]), isBool(op)
	case stablehlo.Or:
		return max(in[0], in[1]), isBool(op)
	case stablehlo.Add:
		return in[0] + in[1], true
	case stablehlo.Multiply:
		return in[0] * in[1], true
	case stablehlo.Maximum:
		return max(in[0], in[1]), true
	case stablehlo.Minimum:
		return min(in[0], in[1]), true
	}
	return 0, false
}

// compared compares two numbers.
func compared(o stablehlo.CompareOp, a, b float64) bool {
	if o.CompareType() == "TOTALORDER" {
		a, b = place(a), place(b)
	}
	switch o.ComparisonDirection() {
	case "EQ":
		return a == b
	case "NE":
		return a != b
	case "LT":
		return a < b
	case "LE":
		return a <= b
	case "GT":
		return a > b
	}
	return a >= b
}

// place is where a number stands in the total order: -0 before 0, NaN after all others.
func place(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return math.Inf(1)
	case math.IsInf(x, 1):
		return math.MaxFloat64
	case x == 0 && math.Signbit(x):
		return -1e-300
	}
	return x
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// isBool reports whether an op gives a bool.
func isBool(op *mlir.Op) bool {
	t, ok := op.Results[0].Type.(*mlir.TensorType)
	return ok && t.Elem == mlir.Type(mlir.I1)
}

// number returns the value of a constant of one number, which exporters also repeat to a
// scalar.
func number(v *mlir.Value) (x float64, ok bool) {
	bits, d := literal(v)
	if d == types.Invalid {
		return 0, false
	}
	return ir.LiteralValue(d, bits), true
}

// literal returns the bits and the dtype of such a constant; the dtype is Invalid if a value
// is none.
func literal(v *mlir.Value) (bits uint64, d types.DType) {
	for v.Def != nil && (v.Def.Code == stablehlo.BroadcastInDim || v.Def.Code == stablehlo.Reshape) {
		v = v.Def.Operands[0]
	}
	if v.Def == nil || v.Def.Code != stablehlo.Constant {
		return 0, types.Invalid
	}
	a := stablehlo.AsConstant(v.Def).Value()
	data, splat, err := a.Decode()
	t, why := typeOf(a.Type)
	if err != nil || why != "" || !splat && t.Elements() != 1 {
		return 0, types.Invalid
	}
	half := t.DType.Part().Size()
	if slices.ContainsFunc(data[half:t.DType.Size()], func(b byte) bool { return b != 0 }) { // an imaginary part
		return 0, types.Invalid
	}
	return bitsOf(data[:half]), t.DType
}
