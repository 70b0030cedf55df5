package chlo

import (
	"slices"

	"ltc/mlir"
	"ltc/stablehlo"
)

// lowerRaggedDot is a dot_general. Where groups of the left operand meet groups of the
// right one, or of the result, the left operand gets a dimension of groups behind its own.
// In it all but the group's own rows are zero. It is contracted with the groups of the
// right operand, or kept.
func lowerRaggedDot(e *emitter, op *mlir.Op) []*mlir.Value {
	l, r, groups := e.val(op.Operands[0]), e.val(op.Operands[1]), e.val(op.Operands[2])
	d, ok := stablehlo.ParseRaggedDot(op.Attrs.Get("ragged_dot_dimension_numbers"))
	if !ok || len(d.LHSRagged) != 1 || !l.typ().Static() || !r.typ().Static() || !groups.typ().Static() {
		return nil
	}
	result := op.Results[0].Type.(*mlir.TensorType)
	rank := int64(len(l.shape()))
	dims := d.DotDims
	switch d.Mode() {
	case stablehlo.RaggedBatch:
		return []*mlir.Value{e.dot(op, l, r, dims, result).v}
	case stablehlo.RaggedRows:
		dims.LHSContract = append(slices.Clone(dims.LHSContract), rank)
		dims.RHSContract = append(slices.Clone(dims.RHSContract), d.RHSGroup[0])
		return []*mlir.Value{e.dot(op, e.ungroup(l, groups, d), r, dims, result).v}
	}
	// The new dimension is the last of the left operand's free ones.
	shape := result.Shape
	at := int(rank) - len(d.LHSContract)
	product := slices.Concat(shape[1:at+1], shape[:1], shape[at+1:])
	y := e.dot(op, e.ungroup(l, groups, d), r, dims, mlir.Tensor(result.Elem, product...))
	order := []int64{int64(at)}
	for i := range int64(len(shape)) {
		if i != int64(at) {
			order = append(order, i)
		}
	}
	attrs := mlir.Dict{{Name: "permutation", Value: mlir.I64Array(order)}}
	return []*mlir.Value{e.one(stablehlo.Transpose, attrs, result, y.v).v}
}

func (e *emitter) dot(op *mlir.Op, l, r val, d stablehlo.DotDims, result *mlir.TensorType) val {
	attrs := mlir.Dict{{Name: "dot_dimension_numbers", Value: d.Attr()}}
	if list, ok := op.Attrs.Get("precision_config").(mlir.ArrayAttr); ok {
		config := make(mlir.ArrayAttr, len(list))
		for i, a := range list {
			config[i] = mlir.EnumAttr{Dialect: "stablehlo", Kind: "precision", Value: mlir.Enum(a)}
		}
		attrs.Set("precision_config", config)
	}
	return e.one(stablehlo.DotGeneral, attrs, result, l.v, r.v)
}

// ungroup gives l a last dimension of groups.
func (e *emitter) ungroup(l, groups val, d stablehlo.RaggedDims) val {
	groups = groups.convert(mlir.I64)
	last := len(groups.shape()) - 1
	shape := append(slices.Clone(l.shape()), groups.shape()[last])
	var to []int64
	if last > 0 {
		to = stablehlo.RaggedLead(d, len(l.shape()))
	}
	to = append(to, int64(len(shape)-1))
	counts := mlir.Tensor(mlir.I64, shape...)
	end := e.runningSum(groups)
	start := e.spread(end.sub(groups), to, counts, nil)
	row := e.iota(mlir.I64, int(d.LHSRagged[0]), shape...)
	inside := row.cmp("GE", start).and(row.cmp("LT", e.spread(end, to, counts, nil)))

	own := make([]int64, len(l.shape()))
	for i := range own {
		own[i] = int64(i)
	}
	t := mlir.Tensor(l.elem(), shape...)
	return inside.pick(e.spread(l, own, t, nil), e.blank(t))
}

// runningSum adds up along the last dimension: for each entry those up to it.
func (e *emitter) runningSum(x val) val {
	n := len(x.shape())
	size := x.shape()[n-1]
	square := append(slices.Clone(x.shape()), size)
	to := make([]int64, n)
	for i := range to {
		to[i] = int64(i)
	}
	to[n-1] = int64(n) // the entries that are added
	t := mlir.Tensor(mlir.I64, square...)
	upTo := e.iota(mlir.I64, n, square...).cmp("LE", e.iota(mlir.I64, n-1, square...))
	terms := upTo.pick(e.spread(x, to, t, nil), e.blank(t))
	attrs := mlir.Dict{{Name: "dimensions", Value: mlir.I64Array([]int64{int64(n)})}}
	zero := e.scalar("0", mlir.I64)
	reduce := e.op(stablehlo.Reduce, []*mlir.Value{terms.v, zero.v}, attrs, x.typ())
	scalar := mlir.Tensor(mlir.I64)
	reduce.Regions = []*mlir.Region{e.block([]mlir.Type{scalar, scalar}, func(_ *emitter, args []val) []*mlir.Value {
		return []*mlir.Value{args[0].add(args[1]).v}
	})}
	return e.val(reduce.Results[0])
}
