package chlo

import (
	"slices"

	"ltc/mlir"
)

// lowerTopK sorts the last dimension together with its indices, the largest
// first, and keeps the first k. Floats are in total order, NaN the largest.
func lowerTopK(e *emitter, op *mlir.Op) []*mlir.Value {
	x := e.val(op.Operands[0])
	k, _ := mlir.Int(op.Attrs.Get("k"))
	if !x.typ().Static() {
		return nil
	}
	last := len(x.shape()) - 1
	index := e.iota(mlir.I32, last, x.shape()...)
	stable := op.Attrs.Get("is_stable")
	if stable == nil {
		stable = mlir.BoolAttr(true)
	}
	kind := ""
	if _, float := x.elem().(mlir.FloatType); float {
		kind = "TOTALORDER"
	}
	attrs := mlir.Dict{{Name: "dimension", Value: mlir.I64Attr(int64(last))}, {Name: "is_stable", Value: stable}}
	sort := e.op("stablehlo.sort", []*mlir.Value{x.v, index.v}, attrs, x.typ(), index.typ())
	number, count := mlir.Tensor(x.elem()), mlir.Tensor(mlir.I32)
	sort.Regions = []*mlir.Region{e.block([]mlir.Type{number, number, count, count}, func(e *emitter, args []val) []*mlir.Value {
		return []*mlir.Value{e.compare(args[0], args[1], "GT", kind).v}
	})}
	results := make([]*mlir.Value, 2)
	for i, r := range sort.Results {
		results[i] = e.firsts(e.val(r), last, k).v
	}
	return results
}

// firsts is the slice of the first k along dimension d.
func (e *emitter) firsts(x val, d int, k int64) val {
	limits := slices.Clone(x.shape())
	limits[d] = k
	ones := slices.Repeat([]int64{1}, len(limits))
	attrs := mlir.Dict{
		{Name: "start_indices", Value: mlir.I64Array(make([]int64, len(limits)))},
		{Name: "limit_indices", Value: mlir.I64Array(limits)},
		{Name: "strides", Value: mlir.I64Array(ones)},
	}
	return e.one("stablehlo.slice", attrs, mlir.Tensor(x.elem(), limits...), x.v)
}
