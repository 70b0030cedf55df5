package chlo

import (
	"slices"
	"strconv"

	"ltc/mlir"
	"ltc/stablehlo"
)

// lowerTopK sorts the last dimension together with its indices, the largest
// first, and keeps the first k. Floats are in total order, NaN the largest.
func lowerTopK(e *emitter, op *mlir.Op) []*mlir.Value {
	k, _ := mlir.Int(op.Attrs.Get("k"))
	return e.largest(op, op.Attrs.Get("is_stable"), func() val { return e.scalar(strconv.FormatInt(k, 10), mlir.I64) })
}

// lowerDynamicTopK is lowerTopK with k an operand.
func lowerDynamicTopK(e *emitter, op *mlir.Op) []*mlir.Value {
	return e.largest(op, nil, func() val { return e.val(op.Operands[1]).convert(mlir.I64) })
}

// largest returns the results of op, which are k of each row. The types tell as
// much of chlo.top_k; k that is an operand must be looked at.
func (e *emitter) largest(op *mlir.Op, stable mlir.Attribute, k func() val) []*mlir.Value {
	x := e.val(op.Operands[0])
	last := len(x.shape()) - 1
	index := x.positions(last)
	if stable == nil {
		stable = mlir.BoolAttr(true)
	}
	kind := ""
	if _, float := x.elem().(mlir.FloatType); float {
		kind = "TOTALORDER"
	}
	attrs := mlir.Dict{{Name: "dimension", Value: mlir.I64Attr(int64(last))}, {Name: "is_stable", Value: stable}}
	sort := e.op(stablehlo.Sort, []*mlir.Value{x.v, index.v}, attrs, x.typ(), index.typ())
	number, count := mlir.Tensor(x.elem()), mlir.Tensor(mlir.I32)
	sort.Regions = []*mlir.Region{e.block([]mlir.Type{number, number, count, count}, func(e *emitter, args []val) []*mlir.Value {
		return []*mlir.Value{e.compare(args[0], args[1], "GT", kind).v}
	})}
	return e.cut(op, sort, last, k)
}

// lowerApproxTopK sorts along the dimension by the op's comparator.
func lowerApproxTopK(e *emitter, op *mlir.Op) []*mlir.Value {
	d, _ := mlir.Int(op.Attrs.Get("dimension"))
	n := len(op.Results)
	attrs := mlir.Dict{{Name: "dimension", Value: mlir.I64Attr(d)}, {Name: "is_stable", Value: mlir.BoolAttr(true)}}
	sort := e.op(stablehlo.Sort, slices.Clone(op.Operands[:n]), attrs, mlir.TypesOf(op.Operands[:n])...)
	sort.Regions = op.Regions
	return e.cut(op, sort, int(d), func() val {
		if len(op.Operands) > 2*n {
			return e.val(op.Operands[2*n]).convert(mlir.I64)
		}
		return e.scalar(strconv.FormatInt(op.Results[0].Type.(*mlir.TensorType).Shape[d], 10), mlir.I64)
	})
}

// cut returns the first k along dimension d of each result of sort, with the
// types of op's results. Where these do not tell it, k says how many.
func (e *emitter) cut(op, sort *mlir.Op, d int, k func() val) []*mlir.Value {
	results := make([]*mlir.Value, len(sort.Results))
	for i, r := range sort.Results {
		t := op.Results[i].Type.(*mlir.TensorType)
		from := slices.Clone(e.val(r).shape())
		from[d] = t.Shape[d] // of the others, a size that is open may be another than the type's
		if op.Code != stablehlo.DynamicTopK && t.Static() && !slices.Contains(from, mlir.Dynamic) {
			results[i] = e.firsts(e.val(r), t).v
		} else {
			results[i] = e.firstsOf(e.val(r), d, t, k()).v
		}
	}
	return results
}

// firsts is the slice of type t that begins with the first element.
func (e *emitter) firsts(x val, t *mlir.TensorType) val {
	rank := len(t.Shape)
	attrs := mlir.Dict{
		{Name: "start_indices", Value: mlir.I64Array(make([]int64, rank))},
		{Name: "limit_indices", Value: mlir.I64Array(t.Shape)},
		{Name: "strides", Value: mlir.I64Array(slices.Repeat([]int64{1}, rank))},
	}
	return e.one(stablehlo.Slice, attrs, t, x.v)
}

// firstsOf is the slice of the first n along dimension d, of type t.
func (e *emitter) firstsOf(x val, d int, t *mlir.TensorType, n val) val {
	limits := make([]val, len(t.Shape))
	for i := range limits {
		if i == d {
			limits[i] = n
		} else {
			limits[i] = x.size(i)
		}
	}
	list := mlir.Tensor(mlir.I64, int64(len(limits)))
	return e.one(stablehlo.RealDynamicSlice, nil, t, x.v, e.constant("0", list).v, e.vector(limits).v, e.constant("1", list).v)
}
