package eval

import (
	"fmt"
	"slices"

	"ltc/mlir"
	"ltc/stablehlo"
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

// untilSized reports whether an op of CHLO is to stay until its sizes are known: then its
// rule checks them, and what stands for it is of these sizes. No rule knows the size that
// is a value, or the sizes within regions.
func untilSized(op *mlir.Op) bool {
	return op.Code != stablehlo.DynamicTopK && len(op.Regions) == 0 && openOp(op)
}

// closed returns the type that a declared one becomes with the given sizes.
func closed(t *mlir.TensorType, shape []int) (*mlir.TensorType, error) {
	most := stablehlo.Bounds(t)
	fits := len(shape) == len(t.Shape)
	for i := 0; fits && i < len(shape); i++ {
		fits = shape[i] >= 0 && (t.Shape[i] == mlir.Dynamic || t.Shape[i] == int64(shape[i])) &&
			(i >= len(most) || most[i] < 0 || int64(shape[i]) <= most[i])
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
	found := openSignature(fn)
	eachBlock(fn, func(bl *mlir.Block) {
		for _, a := range bl.Args {
			found = found || openType(a.Type)
		}
		for _, op := range bl.Ops {
			for _, r := range op.Results {
				found = found || openType(r.Type)
			}
		}
	})
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

func eachBlock(op *mlir.Op, f func(*mlir.Block)) {
	for _, r := range op.Regions {
		for _, bl := range r.Blocks {
			f(bl)
			for _, op := range bl.Ops {
				eachBlock(op, f)
			}
		}
	}
}
