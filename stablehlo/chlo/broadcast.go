package chlo

import (
	"slices"
	"strconv"

	"ltc/mlir"
	"ltc/stablehlo"
)

// lowerBroadcast brings the operands of chlo.broadcast_f to the result's shape
// and applies f to them.
func lowerBroadcast(e *emitter, op *mlir.Op) []*mlir.Value {
	dims, why := stablehlo.BroadcastDims(op)
	if why != "" {
		return nil
	}
	result := op.Results[0].Type.(*mlir.TensorType)
	sizes := func() val { return e.broadcastSizes(op, dims, result) }
	operands := make([]*mlir.Value, len(op.Operands))
	for i, v := range op.Operands {
		x := e.val(v)
		t := &mlir.TensorType{Shape: result.Shape, Elem: x.elem(), Encoding: result.Encoding}
		operands[i] = e.spread(x, dims[i], t, sizes).v
	}
	code := opTable[op.Code].of
	if f := opTable[code].lower; f != nil {
		return f(e, &mlir.Op{Code: code, Operands: operands, Results: op.Results})
	}
	attrs := slices.DeleteFunc(slices.Clone(op.Attrs), func(a mlir.NamedAttr) bool { return a.Name == "broadcast_dimensions" })
	for i, a := range attrs {
		if v, ok := a.Value.(mlir.EnumAttr); ok {
			attrs[i].Value = mlir.EnumAttr{Dialect: "stablehlo", Kind: v.Kind, Value: v.Value}
		}
	}
	return e.op(code, operands, attrs, result).Results
}

// broadcastSizes computes the sizes of a result with unknown dimensions: of
// those that meet in a dimension, one that is not 1.
func (e *emitter) broadcastSizes(op *mlir.Op, dims [][]int64, result *mlir.TensorType) val {
	parts := make([]val, len(result.Shape))
	for d, n := range result.Shape {
		if n != mlir.Dynamic {
			parts[d] = e.scalar(strconv.FormatInt(n, 10), mlir.I64)
			continue
		}
		for i, v := range op.Operands {
			k := slices.Index(dims[i], int64(d))
			if k < 0 {
				continue
			}
			size := e.val(v).size(k)
			if parts[d].v != nil {
				size = parts[d].eq(1).pick(size, parts[d])
			}
			parts[d] = size
		}
	}
	return e.vector(parts)
}

func lowerConstant(e *emitter, op *mlir.Op) []*mlir.Value {
	return e.op(stablehlo.Constant, nil, op.Attrs, op.Results[0].Type).Results
}

// lowerConstantLike fills the operand's shape with the value.
func lowerConstantLike(e *emitter, op *mlir.Op) []*mlir.Value {
	result := op.Results[0].Type.(*mlir.TensorType)
	if _, pair := result.Elem.(mlir.ComplexType); pair {
		return nil // #complex.number is an attribute of a dialect unknown here
	}
	var literal string
	switch v := op.Attrs.Get("value").(type) {
	case mlir.IntegerAttr:
		v.Type = nil
		literal = v.String()
	case mlir.FloatAttr:
		literal = v.Text
	case mlir.BoolAttr:
		literal = v.String()
	default:
		return nil
	}
	x := e.val(op.Operands[0])
	return []*mlir.Value{e.spread(e.scalar(literal, result.Elem), nil, result, x.sizes).v}
}
