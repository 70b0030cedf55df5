package eval

import (
	"slices"

	"ltc/backends"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// foldTwo are the ops that compute an integer from two as sizes do. Divisions of the dialect
// round towards zero, those of sizes down: they agree where nothing is negative.
var foldTwo = map[mlir.Code]func(a, b int64) (n int64, ok bool){
	stablehlo.Add:      func(a, b int64) (int64, bool) { return dims.Add(a, b), true },
	stablehlo.Subtract: func(a, b int64) (int64, bool) { return dims.Sub(a, b), true },
	stablehlo.Multiply: func(a, b int64) (int64, bool) { return dims.Mul(a, b), true },
	stablehlo.Minimum:  func(a, b int64) (int64, bool) { return dims.Min(a, b), true },
	stablehlo.Maximum:  func(a, b int64) (int64, bool) { return dims.Max(a, b), true },
	stablehlo.Divide: func(a, b int64) (int64, bool) {
		return dims.Div(a, b), dims.AtMost(0, a) && dims.AtMost(1, b)
	},
	stablehlo.Remainder: func(a, b int64) (int64, bool) {
		return dims.Mod(a, b), dims.AtMost(0, a) && dims.AtMost(1, b)
	},
}

// fold returns the integers that op gives for integers of which some are expressions. It is false
// if it is not known how they follow, such as of a comparison that may hold, or if they surely are
// none of the type's: then they wrap. Where shapes follow from them, [closing.guardRanges] has runs
// be of sizes for which they do not.
func (x *closing) fold(op *mlir.Op) ([]int64, bool) {
	in := make([][]int64, len(op.Operands))
	for i, v := range op.Operands {
		var ok bool
		if in[i], ok = x.ints(v); !ok || !holdsSizes(v.Type) {
			return nil, false
		}
	}
	out := op.Results[0].Type.(*mlir.TensorType)
	if len(in) == 0 || !holdsSizes(out) {
		return nil, false
	}
	if _, most := rangeOf(out); op.Code == stablehlo.Convert && most == 1 {
		return elements(out, func(i int) (int64, bool) { return compared("NE", in[0][i], 0) })
	}
	switch op.Code {
	case stablehlo.Convert, stablehlo.Reshape, stablehlo.OptimizationBarrier:
		return in[0], true
	case stablehlo.Negate:
		return elements(out, func(i int) (int64, bool) { return dims.Sub(0, in[0][i]), true })
	case stablehlo.Concatenate:
		return slices.Concat(in...), stablehlo.AsConcatenate(op).Dimension() == 0
	case stablehlo.Transpose:
		return in[0], len(out.Shape) < 2
	case stablehlo.Slice:
		s := stablehlo.AsSlice(op)
		if len(out.Shape) != 1 {
			return nil, false
		}
		return elements(out, func(i int) (int64, bool) { return in[0][s.StartIndices()[0]+int64(i)*s.Strides()[0]], true })
	case stablehlo.BroadcastInDim:
		if len(in[0]) != 1 && len(out.Shape) > 1 {
			return nil, false
		}
		return elements(out, func(i int) (int64, bool) { return in[0][min(i, len(in[0])-1)], true })
	case stablehlo.Compare:
		c := mlir.Enum(op.Attrs.Get("comparison_direction"))
		return elements(out, func(i int) (int64, bool) { return compared(c, in[0][i], in[1][i]) })
	case stablehlo.Select:
		return elements(out, func(i int) (int64, bool) {
			p := in[0][min(i, len(in[0])-1)]
			if dims.IsExpr(p) {
				return 0, false
			}
			if p != 0 {
				return in[1][i], true
			}
			return in[2][i], true
		})
	case stablehlo.Clamp:
		return elements(out, func(i int) (int64, bool) {
			low, high := in[0][min(i, len(in[0])-1)], in[2][min(i, len(in[2])-1)]
			return dims.Min(dims.Max(in[1][i], low), high), true
		})
	}
	if two := foldTwo[op.Code]; two != nil {
		return elements(out, func(i int) (int64, bool) { return two(in[0][i], in[1][i]) })
	}
	return nil, false
}

// rangeOf returns the least and the largest integer of a type that holds sizes, no further from 0
// than sizes are.
func rangeOf(t *mlir.TensorType) (least, most int64) {
	i, ok := t.Elem.(mlir.IntegerType)
	switch {
	case !ok || i.Width > 56:
		least, most = -dims.Largest, dims.Largest
	case i.Width == 1 || i.Sign == mlir.Unsigned:
		most = 1<<i.Width - 1
	default:
		most = 1<<(i.Width-1) - 1
		least = -most - 1
	}
	if ok && i.Sign == mlir.Unsigned {
		least = 0
	}
	return least, most
}

// inRange reports whether integers can be those of a type.
func inRange(t *mlir.TensorType, list []int64) bool {
	least, most := rangeOf(t)
	return !slices.ContainsFunc(list, func(n int64) bool {
		lo, hi := dims.Bounds(n)
		return hi < least || lo > most
	})
}

// guardRanges notes what has to hold for the integers of v, and for those that they are computed
// from, to be those of their types: beyond them the text's integers wrap and expressions do not.
func (x *closing) guardRanges(v *mlir.Value) {
	list, ok := x.exprs[v]
	if !ok || x.ranged[v] {
		return
	}
	x.ranged[v] = true
	guard := func(a, b int64) {
		g := SizeGuard{dims.Guard{Rule: dims.NotMore, A: a, B: b}, v.Def}
		if !slices.ContainsFunc(x.fixed.Guards, func(h SizeGuard) bool { return h.Guard == g.Guard }) {
			x.fixed.Guards = append(x.fixed.Guards, g)
		}
	}
	least, most := rangeOf(v.Type.(*mlir.TensorType))
	for _, n := range list {
		lo, hi := dims.Bounds(n)
		if lo < least {
			guard(least, n)
		}
		if hi > most {
			guard(n, most)
		}
	}
	if v.Def != nil {
		for _, o := range v.Def.Operands {
			x.guardRanges(o)
		}
	}
}

// asserted reports whether op is a shape_assertion that surely holds, or whose comparison of sizes became a
// guard: the evaluator, which has its message, runs calls for which it does not hold.
func (x *closing) asserted(op *mlir.Op) bool {
	if op.Code != stablehlo.CustomCall || !isShapeAssertion(op) || backends.Host(stablehlo.ShapeAssertion) != nil || len(op.Operands) == 0 {
		return false
	}
	if holds, ok := x.ints(op.Operands[0]); ok {
		return len(holds) == 1 && holds[0] != 0
	}
	compare := op.Operands[0].Def
	if compare == nil || compare.Code != stablehlo.Compare {
		return false
	}
	a, known := x.ints(compare.Operands[0])
	b, both := x.ints(compare.Operands[1])
	if !known || !both || len(a) != 1 || len(b) != 1 {
		return false
	}
	g := dims.Guard{Rule: dims.NotMore, A: a[0], B: b[0]}
	switch mlir.Enum(compare.Attrs.Get("comparison_direction")) {
	case "EQ":
		g.Rule = dims.Equal
	case "LE":
	case "GE":
		g.A, g.B = b[0], a[0]
	case "LT":
		g.A = dims.Add(a[0], 1)
	case "GT":
		g.A, g.B = dims.Add(b[0], 1), a[0]
	default:
		return false
	}
	if dims.Check(g.Size()) != nil {
		return false
	}
	x.guardRanges(compare.Operands[0])
	x.guardRanges(compare.Operands[1])
	x.fixed.Guards = append(x.fixed.Guards, SizeGuard{g, op})
	return true
}

// elements returns those of a tensor, of which element says each.
func elements(t *mlir.TensorType, element func(i int) (int64, bool)) ([]int64, bool) {
	list := make([]int64, t.Elements())
	for i := range list {
		var ok bool
		if list[i], ok = element(i); !ok || dims.Check(list[i]) != nil {
			return nil, false
		}
	}
	return list, true
}

// holdsSizes reports whether a type has integers that sizes fit, or booleans.
func holdsSizes(t mlir.Type) bool {
	tt, ok := t.(*mlir.TensorType)
	if !ok || !tt.Static() || !dims.Static(tt.Shape) {
		return false
	}
	i, ok := tt.Elem.(mlir.IntegerType)
	return ok && (i.Width >= 32 || i.Width == 1) || tt.Elem == mlir.Type(mlir.IndexType{})
}

// compared returns 1 if a and b surely compare so, 0 if they surely do not.
func compared(how string, a, b int64) (int64, bool) {
	var yes, no bool
	switch how {
	case "EQ":
		yes, no = a == b, dims.Differ(a, b)
	case "NE":
		yes, no = dims.Differ(a, b), a == b
	case "LT":
		yes, no = dims.Less(a, b), dims.AtMost(b, a)
	case "LE":
		yes, no = dims.AtMost(a, b), dims.Less(b, a)
	case "GT":
		yes, no = dims.Less(b, a), dims.AtMost(a, b)
	case "GE":
		yes, no = dims.AtMost(b, a), dims.Less(a, b)
	}
	if yes {
		return 1, true
	}
	return 0, no
}
