package lower

import (
	"math"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

func lowerParameter(l *lowerer, n *ir.Node) *mlir.Value {
	arg := l.block.Args[n.Attrs[ir.ParameterIndex].Int]
	arg.Loc = l.loc
	if l.block == l.border && n.Type.DType.IsComplex() {
		return l.ofParts(arg, n.Type)
	}
	return arg
}

func lowerConstant(l *lowerer, n *ir.Node) *mlir.Value {
	return l.constant(n.Type.DType, uint64(n.Attrs[ir.ConstantValue].Int))
}

// lowerCounted is x, which tells the size from here on.
func lowerCounted(l *lowerer, n *ir.Node) *mlir.Value {
	x := l.in(n)[0]
	if d := n.Attrs[ir.CountedSize].Int; l.sizes != nil && dims.IsExpr(d) {
		l.countsAs(x, d)
	}
	return x
}

// lowerSizeOf is a number, or computed from the sizes of arguments.
func lowerSizeOf(l *lowerer, n *ir.Node) *mlir.Value {
	d := n.Attrs[ir.SizeOfSize].Int
	t := n.Type.DType
	switch {
	case !dims.IsExpr(d) && t.IsFloat():
		return l.constant(t, ir.LiteralBits(t, float64(d)))
	case !dims.IsExpr(d):
		return l.constant(t, ir.IntLiteralBits(t, d))
	case t == types.I64:
		return l.size(d)
	}
	return l.emit(stablehlo.Convert, tensor(n.Type), []*mlir.Value{l.size(d)})
}

func lowerIota(l *lowerer, n *ir.Node) *mlir.Value {
	return l.emit(stablehlo.Iota, tensor(n.Type), nil, attr("iota_dimension", mlir.I64Attr(n.Attrs[ir.IotaAxis].Int)))
}

// lowerReLU emits maximum(x, 0), which keeps NaN.
func lowerReLU(l *lowerer, n *ir.Node) *mlir.Value {
	return l.emit(stablehlo.Maximum, tensor(n.Type), []*mlir.Value{l.values[n.In[0].ID], l.filled(n.Type, 0)})
}

// lowerDigamma emits -1/x at 0, where CHLO has NaN: an infinity with the sign of -x.
func lowerDigamma(l *lowerer, n *ir.Node) *mlir.Value {
	x, d, t := l.values[n.In[0].ID], n.Type.DType, tensor(n.Type)
	atZero := l.compare("EQ", d, tensor(types.Type{DType: types.Bool, Shape: n.Type.Shape}), x, l.filled(n.Type, 0))
	pole := l.emit(stablehlo.Divide, t, []*mlir.Value{l.filled(n.Type, ir.LiteralBits(d, -1)), x})
	return l.emit(stablehlo.Select, t, []*mlir.Value{atZero, pole, l.emit(stablehlo.CHLODigamma, t, []*mlir.Value{x})})
}

// lowerShiftRight keeps the sign of signed integers.
func lowerShiftRight(l *lowerer, n *ir.Node) *mlir.Value {
	op := stablehlo.ShiftRightLogical
	if n.Type.DType.IsSigned() {
		op = stablehlo.ShiftRightArithmetic
	}
	return l.emit(op, tensor(n.Type), l.in(n))
}

// filled emits a tensor of one value, of the given bits.
func (l *lowerer) filled(t types.Type, bits uint64) *mlir.Value {
	return l.spread(l.constant(t.DType, bits), t)
}

// spread emits a tensor of one value, a scalar.
func (l *lowerer) spread(v *mlir.Value, t types.Type) *mlir.Value {
	if t.Rank() > 0 {
		v = l.emit(stablehlo.BroadcastInDim, tensor(t), []*mlir.Value{v}, ints("broadcast_dimensions", nil))
	}
	return v
}

// lowerClampIndex emits minimum(maximum(indices, 0), rows-1). A dtype that cannot hold
// rows-1 has no index beyond it.
func lowerClampIndex(l *lowerer, n *ir.Node) *mlir.Value {
	t, d := tensor(n.Type), n.Type.DType
	bits := 8 * d.Size()
	if d.IsSigned() {
		bits--
	}
	most := uint64(1)<<bits - 1
	inside := l.emit(stablehlo.Maximum, t, []*mlir.Value{l.values[n.In[0].ID], l.filled(n.Type, 0)})
	if rows := n.Attrs[ir.ClampIndexRows].Int; dims.IsExpr(rows) {
		last := l.size(dims.Min(dims.Sub(rows, 1), int64(min(most, dims.Largest))))
		if d != types.I64 {
			last = l.emit(stablehlo.Convert, mlir.Tensor(element(d)), []*mlir.Value{last})
		}
		return l.emit(stablehlo.Minimum, t, []*mlir.Value{inside, l.spread(last, n.Type)})
	}
	last := min(uint64(n.Attrs[ir.ClampIndexRows].Int-1), most)
	return l.emit(stablehlo.Minimum, t, []*mlir.Value{inside, l.filled(n.Type, last)})
}

func lowerCompare(l *lowerer, n *ir.Node) *mlir.Value {
	return l.compare(n.Attrs[ir.CompareDirection].Str, n.In[0].Type.DType, tensor(n.Type), l.in(n)...)
}

// compare emits a comparison of elements of d; t is the result's type.
func (l *lowerer) compare(direction string, d types.DType, t mlir.Type, operands ...*mlir.Value) *mlir.Value {
	kind := "UNSIGNED"
	switch {
	case d.Continuous() || d.IsFloat8():
		kind = "FLOAT"
	case d.IsInteger() && d.IsSigned():
		kind = "SIGNED"
	}
	return l.emit(stablehlo.Compare, t, operands,
		attr("comparison_direction", mlir.EnumAttr{Dialect: "stablehlo", Kind: "comparison_direction", Value: direction}),
		attr("compare_type", mlir.EnumAttr{Dialect: "stablehlo", Kind: "comparison_type", Value: kind}))
}

// lowerConvert asks whether complex numbers are not 0 for bool: what stablehlo.convert makes of them is open.
func lowerConvert(l *lowerer, n *ir.Node) *mlir.Value {
	if from := n.In[0].Type; from.DType.IsComplex() && n.Type.DType == types.Bool {
		return l.compare("NE", from.DType, tensor(n.Type), l.values[n.In[0].ID], l.filled(from, 0))
	}
	if n.Type.DType == types.F8E4M3FN && n.In[0].Type.DType != types.Bool {
		return l.saturated(n)
	}
	return l.emit(stablehlo.Convert, tensor(n.Type), l.in(n))
}

// saturated converts to f8E4M3FN, which has no infinity: a conversion of StableHLO makes NaN of
// numbers that are too large, PyTorch the largest number.
func (l *lowerer) saturated(n *ir.Node) *mlir.Value {
	x, t := l.values[n.In[0].ID], n.In[0].Type
	if d := t.DType; d.IsComplex() || d.IsFloat8() {
		if t.DType = d.Part(); d.IsFloat8() {
			t.DType = types.F32
		}
		x = l.emit(stablehlo.Convert, tensor(t), []*mlir.Value{x})
	}
	if t.DType.Size() > 1 {
		most := ir.LiteralBits(t.DType, types.MaxFloat8E4M3FN)
		x = l.emit(stablehlo.Minimum, tensor(t), []*mlir.Value{x, l.filled(t, most)})
		if t.DType.IsSigned() {
			x = l.emit(stablehlo.Maximum, tensor(t), []*mlir.Value{x, l.filled(t, ir.LiteralBits(t.DType, -types.MaxFloat8E4M3FN))})
		}
	}
	return l.emit(stablehlo.Convert, tensor(n.Type), []*mlir.Value{x})
}

func lowerBroadcast(l *lowerer, n *ir.Node) *mlir.Value {
	return l.emit(stablehlo.BroadcastInDim, tensor(n.Type), l.in(n), ints("broadcast_dimensions", n.Attrs[ir.BroadcastAxes].Ints))
}

func lowerReshape(l *lowerer, n *ir.Node) *mlir.Value {
	return l.emit(stablehlo.Reshape, tensor(n.Type), l.in(n))
}

func lowerTranspose(l *lowerer, n *ir.Node) *mlir.Value {
	return l.emit(stablehlo.Transpose, tensor(n.Type), l.in(n), ints("permutation", n.Attrs[ir.TransposePerm].Ints))
}

func lowerSlice(l *lowerer, n *ir.Node) *mlir.Value {
	return l.emit(stablehlo.Slice, tensor(n.Type), l.in(n), ints("start_indices", n.Attrs[ir.SliceStarts].Ints),
		ints("limit_indices", n.Attrs[ir.SliceLimits].Ints), ints("strides", n.Attrs[ir.SliceStrides].Ints))
}

func lowerConcatenate(l *lowerer, n *ir.Node) *mlir.Value {
	return l.emit(stablehlo.Concatenate, tensor(n.Type), l.in(n), attr("dimension", mlir.I64Attr(n.Attrs[ir.ConcatenateAxis].Int)))
}

func lowerPad(l *lowerer, n *ir.Node) *mlir.Value {
	return l.emit(stablehlo.Pad, tensor(n.Type), l.in(n), ints("edge_padding_low", n.Attrs[ir.PadLow].Ints),
		ints("edge_padding_high", n.Attrs[ir.PadHigh].Ints), ints("interior_padding", n.Attrs[ir.PadInterior].Ints))
}

// lowerSum adds 16-bit floats in f32 and rounds the sum once: a running sum in
// 16 bits would stop growing after a few hundred terms.
func lowerSum(l *lowerer, n *ir.Node) *mlir.Value {
	d := n.Type.DType
	if d != types.F16 && d != types.BF16 {
		return l.reduce(stablehlo.Add, n, n.Attrs[ir.SumAxes].Ints, 0)
	}
	x := n.In[0].Type
	x.DType = types.F32
	wide := l.emit(stablehlo.Convert, tensor(x), l.in(n))
	t := n.Type
	t.DType = types.F32
	sum := l.reduceValue(stablehlo.Add, wide, t, 0, n.Attrs[ir.SumAxes].Ints)
	return l.emit(stablehlo.Convert, tensor(n.Type), []*mlir.Value{sum})
}

// lowerProd multiplies 16-bit floats in f32 and rounds the product once.
func lowerProd(l *lowerer, n *ir.Node) *mlir.Value {
	d, axes := n.Type.DType, n.Attrs[ir.ProdAxes].Ints
	t, x := n.Type, n.In[0].Type
	if d != types.F16 && d != types.BF16 {
		return l.reduce(stablehlo.Multiply, n, axes, ir.LiteralBits(d, 1))
	}
	t.DType, x.DType = types.F32, types.F32
	product := l.reduceValue(stablehlo.Multiply, l.emit(stablehlo.Convert, tensor(x), l.in(n)), t, ir.LiteralBits(types.F32, 1), axes)
	return l.emit(stablehlo.Convert, tensor(n.Type), []*mlir.Value{product})
}

func lowerMax(l *lowerer, n *ir.Node) *mlir.Value {
	return l.reduce(stablehlo.Maximum, n, n.Attrs[ir.MaxAxes].Ints, smallest(n.Type.DType))
}

func lowerMin(l *lowerer, n *ir.Node) *mlir.Value {
	return l.reduce(stablehlo.Minimum, n, n.Attrs[ir.MinAxes].Ints, largest(n.Type.DType))
}

// smallest returns the bits of d's smallest value.
func smallest(d types.DType) uint64 {
	switch {
	case d.IsFloat():
		return ir.LiteralBits(d, math.Inf(-1))
	case d.IsSigned():
		return ir.IntLiteralBits(d, math.MinInt64>>(64-8*d.Size()))
	}
	return 0
}

// largest returns the bits of d's largest value.
func largest(d types.DType) uint64 {
	if d.IsFloat() {
		return ir.LiteralBits(d, math.Inf(1))
	}
	return ir.IntLiteralBits(d, -1) ^ smallest(d)
}

func (l *lowerer) reduce(code mlir.Code, n *ir.Node, axes []int, init uint64) *mlir.Value {
	return l.reduceValue(code, l.values[n.In[0].ID], n.Type, init, axes)
}

// reduceValue folds x over axes with a binary op; t is the result's type.
func (l *lowerer) reduceValue(code mlir.Code, x *mlir.Value, t types.Type, init uint64, axes []int) *mlir.Value {
	start := l.constant(t.DType, init)
	op := mlir.NewOp(stablehlo.Reduce, []*mlir.Value{x, start}, tensor(t))
	op.Attrs.Set("dimensions", mlir.I64Array(axes))
	op.Regions = l.folding(code, t.DType)
	l.append(op)
	return op.Results[0]
}

// region makes a region of one block that returns what f emits.
func (l *lowerer) region(args []mlir.Type, f func(args []*mlir.Value) []*mlir.Value) []*mlir.Region {
	outer := l.block
	l.block = mlir.NewBlock(args...)
	l.append(mlir.NewOp(stablehlo.Return, f(l.block.Args)))
	b := l.block
	l.block = outer
	return []*mlir.Region{{Blocks: []*mlir.Block{b}}}
}

// lowerArgMax reduces pairs of element and index. A pair wins by its element,
// a NaN before all else, then by the smaller index: the order of the reduction
// does not matter.
func lowerArgMax(l *lowerer, n *ir.Node) *mlir.Value {
	x := n.In[0].Type
	d, axis := x.DType, n.Attrs[ir.ArgMaxAxis].Int
	index := types.Type{DType: types.I64, Shape: x.Shape}
	iota := l.emit(stablehlo.Iota, tensor(index), nil, attr("iota_dimension", mlir.I64Attr(axis)))
	best := types.Type{DType: d, Shape: n.Type.Shape}
	op := mlir.NewOp(stablehlo.Reduce,
		[]*mlir.Value{l.values[n.In[0].ID], iota, l.constant(d, smallest(d)), l.constant(types.I64, 0)},
		tensor(best), tensor(n.Type))
	op.Attrs.Set("dimensions", mlir.I64Array([]int64{axis}))
	e, i, p := mlir.Tensor(element(d)), mlir.Tensor(mlir.I64), mlir.Tensor(mlir.I1)
	op.Regions = l.region([]mlir.Type{e, i, e, i}, func(v []*mlir.Value) []*mlir.Value {
		a, ai, b, bi := v[0], v[1], v[2], v[3]
		logic := func(op mlir.Code, x ...*mlir.Value) *mlir.Value { return l.emit(op, p, x) }
		wins, ties := l.compare("GT", d, p, a, b), l.compare("EQ", d, p, a, b)
		if d.IsFloat() {
			aNaN, bNaN := l.compare("NE", d, p, a, a), l.compare("NE", d, p, b, b)
			wins = logic(stablehlo.Or, wins, logic(stablehlo.And, aNaN, logic(stablehlo.Not, bNaN)))
			ties = logic(stablehlo.Or, ties, logic(stablehlo.And, aNaN, bNaN))
		}
		first := l.compare("LT", types.I64, p, ai, bi)
		pick := logic(stablehlo.Or, wins, logic(stablehlo.And, ties, first))
		return []*mlir.Value{l.emit(stablehlo.Select, e, []*mlir.Value{pick, a, b}), l.emit(stablehlo.Select, i, []*mlir.Value{pick, ai, bi})}
	})
	l.append(op)
	return op.Results[1]
}

func lowerArgSort(l *lowerer, n *ir.Node) *mlir.Value {
	return l.sort(n.In[0], n.Attrs[ir.ArgSortAxis].Int, false).Results[1]
}

func lowerSort(l *lowerer, n *ir.Node) *mlir.Value {
	return l.sort(n.In[0], n.Attrs[ir.SortAxis].Int, n.Attrs[ir.SortDescending].Int != 0).Results[0]
}

// sort sorts pairs of element and index by the elements, of which NaN is the
// largest.
func (l *lowerer) sort(operand *ir.Node, axis int64, descending bool) *mlir.Op {
	x := operand.Type
	d, index := x.DType, tensor(types.Type{DType: types.I64, Shape: x.Shape})
	iota := l.emit(stablehlo.Iota, index, nil, attr("iota_dimension", mlir.I64Attr(axis)))
	op := mlir.NewOp(stablehlo.Sort, []*mlir.Value{l.values[operand.ID], iota}, tensor(x), index)
	op.Attrs = mlir.Dict{attr("dimension", mlir.I64Attr(axis)), attr("is_stable", mlir.BoolAttr(true))}
	e, i, p := mlir.Tensor(element(d)), mlir.Tensor(mlir.I64), mlir.Tensor(mlir.I1)
	op.Regions = l.region([]mlir.Type{e, e, i, i}, func(v []*mlir.Value) []*mlir.Value {
		a, b, direction := v[0], v[1], "LT"
		smaller, larger := a, b
		if descending {
			direction, smaller, larger = "GT", b, a
		}
		before := l.compare(direction, d, p, a, b)
		if d.IsFloat() {
			number, nan := l.compare("EQ", d, p, smaller, smaller), l.compare("NE", d, p, larger, larger)
			apart := l.emit(stablehlo.And, p, []*mlir.Value{number, nan})
			before = l.emit(stablehlo.Or, p, []*mlir.Value{before, apart})
		}
		return []*mlir.Value{before}
	})
	l.append(op)
	return op
}

// lowerResult takes a result of the op that its operand has been lowered to: the
// value of a node with several results is the first result of one op that has them.
func lowerResult(l *lowerer, n *ir.Node) *mlir.Value {
	if all := l.inlined[n.In[0]]; all != nil {
		return all[n.Attrs[ir.ResultIndex].Int]
	}
	return l.values[n.In[0].ID].Def.Results[n.Attrs[ir.ResultIndex].Int]
}

// lowerBarrier emits a barrier around all operands; the results but the first are not used.
func lowerBarrier(l *lowerer, n *ir.Node) *mlir.Value {
	all := make([]mlir.Type, len(n.In))
	for i, x := range n.In {
		all[i] = tensor(x.Type)
	}
	op := mlir.NewOp(stablehlo.OptimizationBarrier, l.in(n), all...)
	l.append(op)
	return op.Results[0]
}

func lowerMatMul(l *lowerer, n *ir.Node) *mlir.Value {
	x, y := n.In[0].Type.Rank(), n.In[1].Type.Rank()
	var batch []int64
	for i := range y - 2 {
		batch = append(batch, int64(i))
	}
	dims := stablehlo.DotDims{LHSBatch: batch, RHSBatch: batch, LHSContract: []int64{int64(x - 1)}, RHSContract: []int64{int64(y - 2)}}
	return l.emit(stablehlo.DotGeneral, tensor(n.Type), l.in(n), attr("dot_dimension_numbers", dims.Attr()))
}

// lowerCholesky clears the other triangle, in which StableHLO may leave anything.
func lowerCholesky(l *lowerer, n *ir.Node) *mlir.Value {
	lower := n.Attrs[ir.CholeskyUpper].Int == 0
	return l.inF32(n, func(t types.Type, in []*mlir.Value) *mlir.Value {
		y := l.emit(stablehlo.Cholesky, tensor(t), in, attr("lower", mlir.BoolAttr(lower)))
		at := types.Type{DType: types.I32, Shape: t.Shape}
		i := l.emit(stablehlo.Iota, tensor(at), nil, attr("iota_dimension", mlir.I64Attr(int64(t.Rank()-2))))
		j := l.emit(stablehlo.Iota, tensor(at), nil, attr("iota_dimension", mlir.I64Attr(int64(t.Rank()-1))))
		if !lower {
			i, j = j, i
		}
		inside := l.compare("GE", types.I32, tensor(types.Type{DType: types.Bool, Shape: t.Shape}), i, j)
		return l.emit(stablehlo.Select, tensor(t), []*mlir.Value{inside, y, l.filled(t, 0)})
	}, n.Type)
}

func lowerTriangularSolve(l *lowerer, n *ir.Node) *mlir.Value {
	flag := func(name string, v bool) mlir.NamedAttr { return attr(name, mlir.BoolAttr(v)) }
	a := n.Attrs
	transpose := "NO_TRANSPOSE"
	if a[ir.TriangularSolveTranspose].Int != 0 {
		transpose = "TRANSPOSE"
	}
	return l.inF32(n, func(t types.Type, in []*mlir.Value) *mlir.Value {
		return l.emit(stablehlo.TriangularSolve, tensor(t), in, flag("left_side", a[ir.TriangularSolveRight].Int == 0), flag("lower", a[ir.TriangularSolveUpper].Int == 0),
			flag("unit_diagonal", a[ir.TriangularSolveUnit].Int != 0), attr("transpose_a", mlir.EnumAttr{Dialect: "stablehlo", Kind: "transpose", Value: transpose}))
	}, n.Type)
}

// inF32 emits f, whose result is of t, on the operands of n: of 16-bit floats in f32, to be rounded once.
func (l *lowerer) inF32(n *ir.Node, f func(t types.Type, in []*mlir.Value) *mlir.Value, t types.Type) *mlir.Value {
	if t.DType != types.F16 && t.DType != types.BF16 {
		return f(t, l.in(n))
	}
	t.DType = types.F32
	in := l.in(n)
	for i, v := range in {
		in[i] = l.emit(stablehlo.Convert, tensor(types.Type{DType: types.F32, Shape: n.In[i].Type.Shape}), []*mlir.Value{v})
	}
	return l.emit(stablehlo.Convert, tensor(n.Type), []*mlir.Value{f(t, in)})
}

// rowAxes returns the axes of a gathered result that run along a row.
func rowAxes(indices, x types.Type, axis int) []int64 {
	var axes []int64
	for i := range x.Rank() - 1 - axis {
		axes = append(axes, int64(indices.Rank()+i))
	}
	return axes
}

// row is the size of a slice of one row of so many, of which there may be none.
func row(of int) int {
	if dims.IsExpr(of) {
		return 1
	}
	return min(1, of)
}

func lowerGather(l *lowerer, n *ir.Node) *mlir.Value {
	x, indices, axis := n.In[0].Type, n.In[1].Type, int(n.Attrs[ir.GatherAxis].Int)
	var sizes []int
	for _, d := range x.Shape[:axis+1] {
		sizes = append(sizes, row(d))
	}
	sizes = append(sizes, x.Shape[axis+1:]...)
	dims := stablehlo.GatherDims{OffsetDims: rowAxes(indices, x, axis), CollapsedSliceDims: []int64{int64(axis)}, OperandBatchingDims: before(axis), StartIndicesBatchingDims: before(axis),
		StartIndexMap: []int64{int64(axis)}, IndexVectorDim: int64(indices.Rank())}
	return l.emit(stablehlo.Gather, tensor(n.Type), l.in(n), attr("dimension_numbers", dims.Attr()),
		ints("slice_sizes", sizes),
		attr("indices_are_sorted", mlir.BoolAttr(false)))
}

// before lists the axes before one.
func before(axis int) []int64 {
	var axes []int64
	for i := range axis {
		axes = append(axes, int64(i))
	}
	return axes
}

// combining are the ops by which Scatter combines.
var combining = map[string]mlir.Code{ir.CombineAdd: stablehlo.Add, ir.CombineMul: stablehlo.Multiply, ir.CombineMinimum: stablehlo.Minimum, ir.CombineMaximum: stablehlo.Maximum}

func lowerScatter(l *lowerer, n *ir.Node) *mlir.Value {
	x, indices, axis := n.In[0].Type, n.In[1].Type, int(n.Attrs[ir.ScatterAxis].Int)
	op := mlir.NewOp(stablehlo.Scatter, l.in(n), tensor(n.Type))
	dims := stablehlo.ScatterDims{UpdateWindowDims: rowAxes(indices, x, axis), InsertedWindowDims: []int64{int64(axis)}, InputBatchingDims: before(axis), ScatterIndicesBatchingDims: before(axis),
		ScatterDimsToOperandDims: []int64{int64(axis)}, IndexVectorDim: int64(indices.Rank())}
	op.Attrs = mlir.Dict{
		attr("scatter_dimension_numbers", dims.Attr()),
		attr("indices_are_sorted", mlir.BoolAttr(false)),
		attr("unique_indices", mlir.BoolAttr(false)),
	}
	if combine := n.Attrs[ir.ScatterCombine].Str; combine == ir.CombineSet {
		op.Regions = l.second(x.DType)
	} else {
		op.Regions = l.folding(combining[combine], x.DType)
	}
	l.append(op)
	return op.Results[0]
}

// lowerHostCall emits a custom_call of the function's name.
func lowerHostCall(l *lowerer, n *ir.Node) *mlir.Value {
	op := mlir.NewOp(stablehlo.CustomCall, l.in(n), resultTypes(n)...)
	op.Attrs = mlir.Dict{attr("call_target_name", mlir.StringAttr(n.Attrs[ir.HostCallName].Str))}
	if n.Attrs[ir.HostCallEffect].Int != 0 {
		op.Attrs.Set("has_side_effect", mlir.BoolAttr(true))
	}
	l.append(op)
	return op.Results[0]
}

func lowerComposite(l *lowerer, n *ir.Node) *mlir.Value {
	if l.symbolic && !binds(n.Body.Graph) { // a function does not know these sizes
		all := l.run(n.Body.Graph, l.in(n))
		l.inlined[n] = all
		return all[0]
	}
	attrs := []mlir.NamedAttr{attr("name", mlir.StringAttr(n.Body.Name))}
	if len(n.Body.Params) > 0 {
		var params mlir.Dict
		for _, p := range n.Body.Params {
			params.Set(p.Name, number(p))
		}
		attrs = append(attrs, attr("composite_attributes", mlir.DictAttr(params)))
	}
	attrs = append(attrs, attr("decomposition", mlir.SymbolAttr(l.decomposition(n.Body))))
	op := mlir.NewOp(stablehlo.Composite, l.in(n), resultTypes(n)...)
	op.Attrs = attrs
	l.append(op)
	return op.Results[0]
}

// resultTypes are the types of a node's result, or of its results.
func resultTypes(n *ir.Node) []mlir.Type {
	if n.Results() == nil {
		return []mlir.Type{tensor(n.Type)}
	}
	var all []mlir.Type
	for _, t := range n.Results() {
		all = append(all, tensor(t))
	}
	return all
}

func number(p ir.Param) mlir.Attribute {
	if !p.IsFloat {
		return mlir.I64Attr(int64(p.Int))
	}
	return mlir.FloatAttr{Text: mlir.FloatText(p.Float, mlir.F64), Type: mlir.F64}
}
