package lower

import (
	"encoding/binary"
	"slices"
	"strings"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

func lowerReverse(l *lowerer, n *ir.Node) *mlir.Value {
	return l.emit(stablehlo.Reverse, tensor(n.Type), l.in(n), ints("dimensions", n.Attrs[ir.ReverseAxes].Ints))
}

func lowerConv(l *lowerer, n *ir.Node) *mlir.Value {
	d := ir.ConvDimsOf(n.Attrs)
	numbers := stablehlo.ConvDims{
		InputBatch: int64(d.Input[0]), InputFeature: int64(d.Input[1]), InputSpatial: wide(d.Input[2:]),
		KernelOutFeature: int64(d.Kernel[0]), KernelInputFeature: int64(d.Kernel[1]), KernelSpatial: wide(d.Kernel[2:]),
		OutputBatch: int64(d.Output[0]), OutputFeature: int64(d.Output[1]), OutputSpatial: wide(d.Output[2:]),
	}
	return l.emit(stablehlo.Convolution, tensor(n.Type), l.in(n),
		ints("window_strides", n.Attrs[ir.ConvStrides].Ints), padding(n.Attrs[ir.ConvLow].Ints, n.Attrs[ir.ConvHigh].Ints),
		ints("lhs_dilation", n.Attrs[ir.ConvBase].Ints), ints("rhs_dilation", n.Attrs[ir.ConvDilation].Ints),
		attr("dimension_numbers", numbers.Attr()),
		attr("feature_group_count", mlir.I64Attr(n.Attrs[ir.ConvGroups].Int)), attr("batch_group_count", mlir.I64Attr(n.Attrs[ir.ConvBatches].Int)))
}

func wide(v []int) []int64 {
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = int64(x)
	}
	return out
}

// padding is the attribute of that name: pairs of low and high.
func padding(low, high []int) mlir.NamedAttr {
	var data []byte
	for i := range low {
		data = binary.LittleEndian.AppendUint64(data, uint64(low[i]))
		data = binary.LittleEndian.AppendUint64(data, uint64(high[i]))
	}
	return attr("padding", mlir.Dense(mlir.Tensor(mlir.I64, int64(len(low)), 2), data))
}

func lowerMaxPool(l *lowerer, n *ir.Node) *mlir.Value {
	return l.reduceWindow(stablehlo.Maximum, l.in(n)[0], n.Attrs, n.Type, smallest(n.Type.DType))
}

// lowerMaxPoolGrad emits select_and_scatter. An element of a window stays selected if
// it is not less than the next one, or is a NaN: the first largest element, or the
// first NaN. Values of 16-bit floats are added in f32, as lowerSum does.
func lowerMaxPoolGrad(l *lowerer, n *ir.Node) *mlir.Value {
	in, t := l.in(n), n.Type
	if t.DType == types.F16 || t.DType == types.BF16 {
		t.DType = types.F32
		for i, x := range n.In {
			wide := x.Type
			wide.DType = t.DType
			in[i] = l.emit(stablehlo.Convert, tensor(wide), []*mlir.Value{in[i]})
		}
	}
	scalar, is := mlir.Tensor(element(t.DType)), mlir.Tensor(element(types.Bool))
	op := mlir.NewOp(stablehlo.SelectAndScatter, append(in, l.constant(t.DType, 0)), tensor(t))
	op.Attrs = mlir.Dict{
		ints("window_dimensions", n.Attrs[ir.MaxPoolGradWindow].Ints), ints("window_strides", n.Attrs[ir.MaxPoolGradStrides].Ints),
		padding(n.Attrs[ir.MaxPoolGradLow].Ints, n.Attrs[ir.MaxPoolGradHigh].Ints),
	}
	op.Regions = append(l.region([]mlir.Type{scalar, scalar}, func(args []*mlir.Value) []*mlir.Value {
		larger := l.compare("GE", t.DType, is, args[0], args[1])
		nan := l.compare("NE", t.DType, is, args[0], args[0])
		return []*mlir.Value{l.emit(stablehlo.Or, is, []*mlir.Value{larger, nan})}
	}), l.folding(stablehlo.Add, t.DType)...)
	l.append(op)
	if t.DType == n.Type.DType {
		return op.Results[0]
	}
	return l.emit(stablehlo.Convert, tensor(n.Type), op.Results)
}

// lowerSumPool adds 16-bit floats in f32, as lowerSum does.
func lowerSumPool(l *lowerer, n *ir.Node) *mlir.Value {
	d := n.Type.DType
	if d != types.F16 && d != types.BF16 {
		return l.reduceWindow(stablehlo.Add, l.in(n)[0], n.Attrs, n.Type, 0)
	}
	x, t := n.In[0].Type, n.Type
	x.DType, t.DType = types.F32, types.F32
	sum := l.reduceWindow(stablehlo.Add, l.emit(stablehlo.Convert, tensor(x), l.in(n)), n.Attrs, t, 0)
	return l.emit(stablehlo.Convert, tensor(n.Type), []*mlir.Value{sum})
}

// reduceWindow folds each window of x with a binary op; t is the result's type.
func (l *lowerer) reduceWindow(code mlir.Code, x *mlir.Value, attrs []ir.Attr, t types.Type, init uint64) *mlir.Value {
	if dims.HasExpr(slices.Concat(attrs[ir.MaxPoolWindow].Ints, attrs[ir.MaxPoolLow].Ints, attrs[ir.MaxPoolHigh].Ints)...) {
		return l.openWindow(code, x, attrs, t, init)
	}
	op := mlir.NewOp(stablehlo.ReduceWindow, []*mlir.Value{x, l.constant(t.DType, init)}, tensor(t))
	op.Attrs = mlir.Dict{
		ints("window_dimensions", attrs[ir.MaxPoolWindow].Ints), ints("window_strides", attrs[ir.MaxPoolStrides].Ints),
		ints("window_dilations", attrs[ir.MaxPoolDilation].Ints), padding(attrs[ir.MaxPoolLow].Ints, attrs[ir.MaxPoolHigh].Ints),
	}
	op.Regions = l.folding(code, t.DType)
	l.append(op)
	return op.Results[0]
}

// lowerLinearScan reduces windows that end at each element, or begin there if it runs in
// reverse: pairs (x, by), each the function by·y + x of the state y before it. The pair of
// two functions is that of one after the other. The state of 16-bit floats is f32.
func lowerLinearScan(l *lowerer, n *ir.Node) *mlir.Value {
	in, t := l.in(n), n.Type
	axis, reverse := int(n.Attrs[ir.LinearScanAxis].Int), n.Attrs[ir.LinearScanReverse].Int != 0
	size := t.Shape[axis]
	if size < 2 { // y[0] = x[0]
		return in[0]
	}
	if t.DType == types.F16 || t.DType == types.BF16 {
		t.DType = types.F32
		for i, v := range in {
			in[i] = l.emit(stablehlo.Convert, tensor(t), []*mlir.Value{v})
		}
	}
	window, low, high := slices.Repeat([]int{1}, t.Rank()), make([]int, t.Rank()), make([]int, t.Rank())
	window[axis], low[axis] = size, size-1
	if reverse {
		low, high = high, low
	}
	scalar := mlir.Tensor(element(t.DType))
	op := mlir.NewOp(stablehlo.ReduceWindow, append(in, l.constant(t.DType, 0), l.constant(t.DType, ir.LiteralBits(t.DType, 1))), tensor(t), tensor(t))
	op.Attrs = mlir.Dict{ints("window_dimensions", window), padding(low, high)}
	op.Regions = l.region([]mlir.Type{scalar, scalar, scalar, scalar}, func(v []*mlir.Value) []*mlir.Value {
		first, firstBy, then, thenBy := v[0], v[1], v[2], v[3]
		if reverse {
			first, firstBy, then, thenBy = then, thenBy, first, firstBy
		}
		y := l.emit(stablehlo.Add, scalar, []*mlir.Value{l.emit(stablehlo.Multiply, scalar, []*mlir.Value{thenBy, first}), then})
		return []*mlir.Value{y, l.emit(stablehlo.Multiply, scalar, []*mlir.Value{firstBy, thenBy})}
	})
	l.append(op)
	if t.DType == n.Type.DType {
		return op.Results[0]
	}
	return l.emit(stablehlo.Convert, tensor(n.Type), op.Results[:1])
}

// openWindow is reduceWindow whose windows or padding depend on sizes that are open: the custom call
// that JAX exports for it.
func (l *lowerer) openWindow(code mlir.Code, x *mlir.Value, attrs []ir.Attr, t types.Type, init uint64) *mlir.Value {
	operands := []*mlir.Value{x, l.constant(t.DType, init)}
	list := func(sizes []int) { operands = append(operands, l.sizeList(wide(sizes))) }
	list(attrs[ir.MaxPoolWindow].Ints)
	list(attrs[ir.MaxPoolStrides].Ints)
	list(slices.Repeat([]int{1}, t.Rank()))
	list(attrs[ir.MaxPoolDilation].Ints)
	var sides []int
	for i, low := range attrs[ir.MaxPoolLow].Ints {
		sides = append(sides, low, attrs[ir.MaxPoolHigh].Ints[i])
	}
	list(sides)
	operands[6] = l.emit(stablehlo.Reshape, mlir.Tensor(mlir.I64, int64(t.Rank()), 2), []*mlir.Value{operands[6]})
	return l.emit(stablehlo.CustomCall, tensor(t), operands,
		attr("call_target_name", mlir.StringAttr("stablehlo.dynamic_reduce_window")),
		attr("called_computations", mlir.ArrayAttr{mlir.SymbolAttr(l.foldingFunction(code, t.DType))}))
}

// foldingFunction returns the symbol of a function that is a binary op on scalars of d.
func (l *lowerer) foldingFunction(code mlir.Code, d types.DType) string {
	key := strings.TrimPrefix(code.String(), "stablehlo.") + "_" + d.String()
	if name := l.foldings[key]; name != "" {
		return name
	}
	name := l.unique(symbol(key))
	l.foldings[key] = name
	scalar := mlir.Tensor(element(d))
	f := mlir.NewFunc(name, "private", []mlir.Type{scalar, scalar}, []mlir.Type{scalar})
	outer := l.block
	l.block = f.Body()
	l.append(mlir.NewOp(mlir.OpReturn, []*mlir.Value{l.emit(code, scalar, l.block.Args)}))
	l.block = outer
	l.module.Ops = append(l.module.Ops, f)
	return name
}

// folding is the body of a reduction by a binary op on scalars of d.
func (l *lowerer) folding(code mlir.Code, d types.DType) []*mlir.Region {
	scalar := mlir.Tensor(element(d))
	return l.region([]mlir.Type{scalar, scalar}, func(args []*mlir.Value) []*mlir.Value {
		return []*mlir.Value{l.emit(code, scalar, args)}
	})
}

// second is the body of a reduction that takes the later of two scalars of d.
func (l *lowerer) second(d types.DType) []*mlir.Region {
	scalar := mlir.Tensor(element(d))
	return l.region([]mlir.Type{scalar, scalar}, func(args []*mlir.Value) []*mlir.Value { return args[1:] })
}
