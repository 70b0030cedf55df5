package eval

import (
	"fmt"
	"slices"

	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// openType reports whether a type leaves a size open.
func openType(t mlir.Type) bool {
	switch t := t.(type) {
	case *mlir.TensorType:
		return !t.Static() && !t.Unranked || stablehlo.Bounds(t) != nil
	case mlir.TupleType:
		return slices.ContainsFunc(t.Elems, openType)
	case mlir.DialectType:
		return slices.ContainsFunc(content(t), openType)
	}
	return false
}

// openOp reports whether the types of an op leave a size open.
func openOp(op *mlir.Op) bool {
	open := func(v *mlir.Value) bool { return openType(v.Type) }
	return slices.ContainsFunc(op.Operands, open) || slices.ContainsFunc(op.Results, open)
}

// hasExprs reports whether sizes of the operands of an op are expressions.
func hasExprs(op *mlir.Op) bool {
	return slices.ContainsFunc(op.Operands, func(v *mlir.Value) bool {
		t, ok := v.Type.(*mlir.TensorType)
		return ok && dims.HasExpr(t.Shape...)
	})
}

// untilSized reports whether an op of CHLO is to stay until its sizes are known: then its
// rule checks them, and what stands for it is of these sizes. No rule knows the size that
// is a value, or the sizes within regions.
func untilSized(op *mlir.Op) bool {
	return op.Code != stablehlo.DynamicTopK && len(op.Regions) == 0 && openOp(op)
}

// closed returns the type that a declared one becomes with the given sizes. If guards is not nil, it gets
// what has to hold for sizes that are expressions to be within the type's bounds.
func closed(t *mlir.TensorType, shape []int, guards *[]dims.Guard) (*mlir.TensorType, error) {
	most := stablehlo.Bounds(t)
	fits := len(shape) == len(t.Shape)
	for i := 0; fits && i < len(shape); i++ {
		n := int64(shape[i])
		if dims.IsExpr(n) && t.Shape[i] != mlir.Dynamic && t.Shape[i] != n {
			return nil, &NotEqual{SizeGuard: SizeGuard{Guard: dims.Guard{Rule: dims.Equal, A: n, B: t.Shape[i]}}}
		}
		fits = (n >= 0 || dims.IsExpr(n)) && (t.Shape[i] == mlir.Dynamic || t.Shape[i] == n)
		if !fits || i >= len(most) || most[i] < 0 || dims.AtMost(n, most[i]) {
			continue
		}
		if fits = guards != nil && dims.IsExpr(n); fits {
			*guards = append(*guards, dims.Guard{Rule: dims.NotMore, A: n, B: most[i]})
		}
	}
	if !fits {
		return nil, fmt.Errorf("a shape of %v for %v", shape, t)
	}
	c := &mlir.TensorType{Elem: t.Elem, Shape: make([]int64, len(shape))}
	if most == nil {
		c.Encoding = t.Encoding
	}
	for i, n := range shape {
		c.Shape[i] = int64(n)
	}
	return c, nil
}

// leafTypes returns the types of the tensors and tokens in t.
func leafTypes(t mlir.Type) []mlir.Type {
	var elems []mlir.Type
	switch t := t.(type) {
	case mlir.TupleType:
		elems = t.Elems
	case mlir.DialectType:
		if elems = content(t); elems == nil {
			return []mlir.Type{t}
		}
	default:
		return []mlir.Type{t}
	}
	var all []mlir.Type
	for _, e := range elems {
		all = append(all, leafTypes(e)...)
	}
	return all
}

// isOpen reports whether fn is open.
func (c *compiler) isOpen(fn *mlir.Op) bool {
	if is, known := c.opens.is[fn]; known {
		return is
	}
	found := openSignature(fn) || within(fn, func(v *mlir.Value) bool { return openType(v.Type) })
	if c.opens.is == nil {
		c.opens.is = map[*mlir.Op]bool{}
	}
	c.opens.is[fn] = found
	return found
}

// openSignature reports whether an argument or result of fn is open.
func openSignature(fn *mlir.Op) bool {
	t := fn.FuncType()
	return t != nil && (slices.ContainsFunc(t.Ins, openType) || slices.ContainsFunc(t.Outs, openType))
}

// within reports whether a value in the regions of op is one that is says.
func within(op *mlir.Op, is func(v *mlir.Value) bool) (found bool) {
	eachBlock(op, func(bl *mlir.Block) {
		found = found || slices.ContainsFunc(bl.Args, is)
		for _, o := range bl.Ops {
			found = found || slices.ContainsFunc(o.Results, is)
		}
	})
	return found
}

func eachBlock(op *mlir.Op, f func(*mlir.Block)) {
	for bl := range op.Blocks() {
		f(bl)
		for _, op := range bl.Ops {
			eachBlock(op, f)
		}
	}
}

// inferShapes checks an op by its rule, for operands of types in. The results' types may
// leave sizes open. It returns the results' shapes. A shape is nil if the operands do not
// tell it, if it is that of a function's or a region's result, or if its sizes are values.
// Guards are what has to hold of sizes that are expressions.
func inferShapes(m *mlir.Module, op *mlir.Op, in []tensor, results []mlir.Type) (out [][]int, guards []dims.Guard, err error) {
	out = make([][]int, len(op.Results))
	why := opTable[op.Code].unshaped
	if why == isOfRegion || why == isValue || len(in) != len(op.Operands) { // a tuple is several
		return out, nil, nil
	}
	operands := make([][]int64, len(in))
	for i, t := range in {
		operands[i] = make([]int64, len(t.shape))
		for d, n := range t.shape {
			operands[i][d] = int64(n)
		}
	}
	shapes, guards, err := verify.InferShapes(m, op, operands, results)
	if err != nil {
		return nil, nil, err
	}
	for i, shape := range shapes {
		if shape != nil && !slices.Contains(shape, mlir.Dynamic) {
			out[i] = toInts(shape)
		}
	}
	return out, guards, nil
}

// untold is the error of an op that leaves the shape of result i open.
func untold(op *mlir.Op, i int) error {
	of, why := "the result", opTable[op.Code].unshaped
	if len(op.Results) > 1 {
		of = fmt.Sprintf("result %d", i)
	}
	if why != "" {
		why = ", since " + why
	}
	return fmt.Errorf("the operands do not tell the shape of %s%s: give its type without ?", of, why)
}
