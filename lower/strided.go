package lower

import (
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// lowerSliceScatter is dynamic_update_slice where the elements replaced lie next
// to each other, and else a scatter.
func lowerSliceScatter(l *lowerer, n *ir.Node) *mlir.Value {
	starts, strides := n.Attrs[ir.SliceScatterStarts].Ints, n.Attrs[ir.SliceScatterStrides].Ints
	x, update := n.In[0].Type, n.In[1].Type
	steps := false
	for i, s := range strides {
		steps = steps || s != 1 && !dims.AtMost(update.Shape[i], 1)
	}
	if !steps || update.Elements() == 0 {
		operands := l.in(n)
		for _, s := range starts {
			if dims.IsExpr(s) {
				operands = append(operands, l.size(int64(s)))
				continue
			}
			operands = append(operands, l.constant(types.I64, uint64(s)))
		}
		return l.emit(stablehlo.DynamicUpdateSlice, tensor(n.Type), operands)
	}
	offset, flat := 0, make([]int, len(strides))
	for i, size := len(strides)-1, 1; i >= 0; i-- {
		offset = dims.Add(offset, dims.Mul(starts[i], size))
		flat[i] = dims.Mul(strides[i], size)
		size = dims.Mul(size, x.Shape[i])
	}
	return l.scatterFlat(l.in(n)[0], l.in(n)[1], n.Type, update.Shape, flat, offset)
}

func lowerAsStrided(l *lowerer, n *ir.Node) *mlir.Value {
	if n.Type.Elements() == 0 { // its places could be too many for i64 to hold them all
		return l.emit(stablehlo.BroadcastInDim, tensor(n.Type), []*mlir.Value{l.constant(n.Type.DType, 0)}, ints("broadcast_dimensions", nil))
	}
	x := l.flat(l.in(n)[0], n.In[0].Type)
	indices := l.places(n.Type.Shape, n.Attrs[ir.AsStridedStrides].Ints, int(n.Attrs[ir.AsStridedOffset].Int))
	at := stablehlo.GatherDims{CollapsedSliceDims: []int64{0}, StartIndexMap: []int64{0}, IndexVectorDim: int64(n.Type.Rank())}
	return l.emit(stablehlo.Gather, tensor(n.Type), []*mlir.Value{x, indices}, attr("dimension_numbers", at.Attr()),
		ints("slice_sizes", []int{row(n.In[0].Type.Elements())}),
		attr("indices_are_sorted", mlir.BoolAttr(false)))
}

func lowerAsStridedScatter(l *lowerer, n *ir.Node) *mlir.Value {
	if n.In[1].Type.Elements() == 0 {
		return l.in(n)[0]
	}
	return l.scatterFlat(l.in(n)[0], l.in(n)[1], n.Type, n.In[1].Type.Shape, n.Attrs[ir.AsStridedScatterStrides].Ints, int(n.Attrs[ir.AsStridedScatterOffset].Int))
}

// flat reshapes x to one axis.
func (l *lowerer) flat(x *mlir.Value, t types.Type) *mlir.Value {
	if t.Rank() == 1 {
		return x
	}
	return l.emit(stablehlo.Reshape, tensor(types.Of(t.DType, t.Elements())), []*mlir.Value{x})
}

// places emits the places of a strided window, i64 numbers of its shape.
func (l *lowerer) places(sizes types.Shape, strides []int, offset int) *mlir.Value {
	t := tensor(types.Type{DType: types.I64, Shape: sizes})
	spread := func(v int) *mlir.Value {
		if dims.IsExpr(v) {
			return l.spread(l.size(int64(v)), types.Type{DType: types.I64, Shape: sizes})
		}
		return l.filled(types.Type{DType: types.I64, Shape: sizes}, uint64(v))
	}
	sum := spread(offset)
	for i, d := range sizes {
		if dims.AtMost(d, 1) || strides[i] == 0 {
			continue
		}
		index := l.emit(stablehlo.Iota, t, nil, attr("iota_dimension", mlir.I64Attr(int64(i))))
		if strides[i] != 1 {
			index = l.emit(stablehlo.Multiply, t, []*mlir.Value{index, spread(strides[i])})
		}
		sum = l.emit(stablehlo.Add, t, []*mlir.Value{sum, index})
	}
	return sum
}

// scatterFlat replaces the elements of x at the places of a strided window, no
// two of which are the same, by those of update. t is the type of x.
func (l *lowerer) scatterFlat(x, update *mlir.Value, t types.Type, sizes types.Shape, strides []int, offset int) *mlir.Value {
	flat := types.Of(t.DType, t.Elements())
	op := mlir.NewOp(stablehlo.Scatter, []*mlir.Value{l.flat(x, t), l.places(sizes, strides, offset), update}, tensor(flat))
	at := stablehlo.ScatterDims{InsertedWindowDims: []int64{0}, ScatterDimsToOperandDims: []int64{0}, IndexVectorDim: int64(len(sizes))}
	op.Attrs = mlir.Dict{
		attr("scatter_dimension_numbers", at.Attr()),
		attr("indices_are_sorted", mlir.BoolAttr(rowMajor(sizes, strides))),
		attr("unique_indices", mlir.BoolAttr(true)),
	}
	scalar := mlir.Tensor(element(t.DType))
	op.Regions = l.region([]mlir.Type{scalar, scalar}, func(args []*mlir.Value) []*mlir.Value { return args[1:] })
	l.append(op)
	if t.Rank() == 1 {
		return op.Results[0]
	}
	return l.emit(stablehlo.Reshape, tensor(t), op.Results[:1])
}

// rowMajor reports whether the places rise in row-major order.
func rowMajor(sizes types.Shape, strides []int) bool {
	reach := 0
	for i := len(sizes) - 1; i >= 0; i-- {
		if !dims.AtMost(sizes[i], 1) && !dims.Less(reach, strides[i]) {
			return false
		}
		reach = dims.Add(reach, dims.Mul(dims.Sub(dims.Max(sizes[i], 1), 1), strides[i]))
	}
	return true
}
