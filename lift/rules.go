package lift

import (
	"encoding/binary"
	"slices"

	"ltc/ir"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// rule records an op that is not elementwise, and returns its results.
type rule func(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node

// rules has the rule of each op.
var rules map[mlir.Code]rule

func init() { // not a value of the variable: the rules use it
	rules = map[mlir.Code]rule{
		mlir.OpCall:                   call,
		stablehlo.Composite:           composite,
		stablehlo.CustomCall:          customCall,
		stablehlo.OptimizationBarrier: barrier,
		stablehlo.Constant:            constant,
		stablehlo.Iota:                counting,
		stablehlo.Convert:             convert,
		stablehlo.BitcastConvert:      bitCast,
		stablehlo.Compare:             compare,
		stablehlo.Complex:             complexOf,
		stablehlo.Real:                partOf,
		stablehlo.Imag:                partOf,
		stablehlo.FFT:                 fourier,
		stablehlo.Clamp:               clamp,
		stablehlo.IsFinite:            isFinite,
		stablehlo.CHLOErf:             errorFunction,
		stablehlo.CHLODigamma:         digamma,
		stablehlo.BroadcastInDim:      broadcastInDim,
		stablehlo.Broadcast:           broadcast,
		stablehlo.Reshape:             reshape,
		stablehlo.Transpose:           transpose,
		stablehlo.Reverse:             reverse,
		stablehlo.Slice:               slice,
		stablehlo.DynamicSlice:        dynamicSlice,
		stablehlo.DynamicUpdateSlice:  dynamicUpdateSlice,
		stablehlo.Concatenate:         concatenate,
		stablehlo.Pad:                 pad,
		stablehlo.DotGeneral:          dotGeneral,
		stablehlo.Dot:                 dot,
		stablehlo.Convolution:         convolution,
		stablehlo.Cholesky:            cholesky,
		stablehlo.TriangularSolve:     triangularSolve,
		stablehlo.Reduce:              reduce,
		stablehlo.ReduceWindow:        reduceWindow,
		stablehlo.SelectAndScatter:    selectAndScatter,
		stablehlo.Sort:                sort,
		stablehlo.Gather:              gather,
		stablehlo.CHLOTopK:            topK,
		stablehlo.Scatter:             scatter,
		stablehlo.If:                  branches,
		stablehlo.Case:                branches,
		stablehlo.While:               while,
	}
}

// neutral are the custom calls that only say where values lie.
var neutral = []string{"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "annotate_device_placement", "xla.sdy.FuncResultSharding"}

// customCall is a call of a function of the host, unless it only says where values lie.
// Functions that take a configuration have no call in the IR.
func customCall(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	name := stablehlo.AsCustomCall(op).CallTargetName()
	if slices.Contains(neutral, name) && len(in) == len(op.Results) {
		return in
	}
	for _, config := range []string{"backend_config", "mhlo.backend_config", "indices_of_shape_operands", "called_computations"} {
		if op.Attrs.Get(config) != nil {
			r.fail("there is no op of lazy tensors for the call of %q with its %s", name, config)
		}
	}
	out := make([]types.Type, len(op.Results))
	for i := range out {
		out[i] = r.result(i)
	}
	attrs := []ir.Attr{ir.HostCallName: {Str: name}, ir.HostCallResults: {Str: ir.HostResultsText(out)}, ir.HostCallEffect: {}}
	if stablehlo.AsCustomCall(op).HasSideEffect() {
		attrs[ir.HostCallEffect].Int = 1
	}
	return r.results(ir.OpHostCall, in, attrs, nil)
}

func barrier(r *recorder, _ *mlir.Op, in []*ir.Node) []*ir.Node {
	out := make([]*ir.Node, len(in))
	for i, n := range in {
		out[i] = r.node(ir.OpBarrier, nil, append([]*ir.Node{n}, slices.Delete(slices.Clone(in), i, i+1)...)...)
	}
	return out
}

// constant is a number, a tensor of one number, or an argument of many.
func constant(r *recorder, op *mlir.Op, _ []*ir.Node) []*ir.Node {
	t := r.result(0)
	data, splat, err := stablehlo.AsConstant(op).Value().Decode()
	if err != nil {
		r.fail("%v", err)
	}
	switch {
	case t.Elements() == 0:
		return one(r.filled(t.DType, 0, t.Shape))
	case splat || t.Elements() == 1:
		half := t.DType.Part().Size()
		x := r.bits(t.DType.Part(), bitsOf(data[:half]))
		if t.DType.IsComplex() {
			x = r.node(ir.OpComplex, nil, x, r.bits(t.DType.Part(), bitsOf(data[half:2*half])))
		}
		return one(r.spread(x, t.Shape))
	}
	return one(r.dense(t, data))
}

// bitsOf returns an element's bits.
func bitsOf(data []byte) uint64 {
	var word [8]byte
	copy(word[:], data)
	return binary.LittleEndian.Uint64(word[:])
}

func counting(r *recorder, op *mlir.Op, _ []*ir.Node) []*ir.Node {
	return one(r.iota(r.result(0), int(stablehlo.AsIota(op).IotaDimension())))
}

// iota counts along an axis.
func (r *recorder) iota(t types.Type, axis int) *ir.Node {
	return r.node(ir.OpIota, []ir.Attr{{Int: int64(t.DType)}, {Ints: t.Shape}, {Int: int64(axis)}})
}

func broadcastInDim(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	return one(r.broadcast(in[0], r.result(0).Shape, narrow(stablehlo.AsBroadcastInDim(op).BroadcastDimensions())))
}

func broadcast(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	shape, rank := r.result(0).Shape, in[0].Type.Rank()
	axes := make([]int, rank)
	for i := range axes {
		axes[i] = len(shape) - rank + i
	}
	return one(r.broadcast(in[0], shape, axes))
}

// broadcast repeats x: axis i of x becomes axis axes[i].
func (r *recorder) broadcast(x *ir.Node, shape types.Shape, axes []int) *ir.Node {
	order := sortedBy(axes)
	if !isIdentity(order) {
		x = r.transpose(x, order)
		sorted := slices.Clone(axes)
		slices.Sort(sorted)
		axes = sorted
	}
	if slices.Equal(x.Type.Shape, shape) {
		return x
	}
	return r.node(ir.OpBroadcast, []ir.Attr{{Ints: shape}, {Ints: axes}}, x)
}

func reshape(r *recorder, _ *mlir.Op, in []*ir.Node) []*ir.Node {
	return one(r.reshape(in[0], r.result(0).Shape))
}

func (r *recorder) reshape(x *ir.Node, shape types.Shape) *ir.Node {
	if slices.Equal(x.Type.Shape, shape) {
		return x
	}
	return r.node(ir.OpReshape, []ir.Attr{{Ints: shape}}, x)
}

func transpose(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	return one(r.transpose(in[0], narrow(stablehlo.AsTranspose(op).Permutation())))
}

func (r *recorder) transpose(x *ir.Node, perm []int) *ir.Node {
	if isIdentity(perm) {
		return x
	}
	return r.node(ir.OpTranspose, []ir.Attr{{Ints: perm}}, x)
}

func reverse(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	return one(r.reverse(in[0], narrow(stablehlo.AsReverse(op).Dimensions())))
}

func (r *recorder) reverse(x *ir.Node, axes []int) *ir.Node {
	if len(axes) == 0 { // which are all to the row
		return x
	}
	slices.Sort(axes)
	return r.node(ir.OpReverse, []ir.Attr{{Ints: axes}}, x)
}

func slice(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	o := stablehlo.AsSlice(op)
	return one(r.slice(in[0], narrow(o.StartIndices()), narrow(o.LimitIndices()), narrow(o.Strides())))
}

func (r *recorder) slice(x *ir.Node, starts, limits, strides []int) *ir.Node {
	if len(starts) == 0 {
		return x
	}
	return r.node(ir.OpSlice, []ir.Attr{{Ints: starts}, {Ints: limits}, {Ints: strides}}, x)
}

func dynamicSlice(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	if len(in) == 1 {
		return in
	}
	return one(r.node(ir.OpDynamicSlice, []ir.Attr{{Ints: narrow(stablehlo.AsDynamicSlice(op).SliceSizes())}}, in...))
}

func dynamicUpdateSlice(r *recorder, _ *mlir.Op, in []*ir.Node) []*ir.Node {
	if len(in) == 2 {
		return in[1:]
	}
	return one(r.node(ir.OpDynamicUpdateSlice, nil, in...))
}

func concatenate(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	if len(in) == 1 {
		return in
	}
	return one(r.node(ir.OpConcatenate, []ir.Attr{{Int: stablehlo.AsConcatenate(op).Dimension()}}, in...))
}

func pad(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	o := stablehlo.AsPad(op)
	return one(r.node(ir.OpPad, []ir.Attr{{Ints: narrow(o.EdgePaddingLow())}, {Ints: narrow(o.EdgePaddingHigh())}, {Ints: narrow(o.InteriorPadding())}}, in...))
}

// narrow returns numbers of a text as those of an attribute.
func narrow(all []int64) []int {
	out := make([]int, len(all))
	for i, v := range all {
		out[i] = int(v)
	}
	return out
}

// sortedBy returns the places of axes in rising order of the axes.
func sortedBy(axes []int) []int {
	order := make([]int, len(axes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return axes[a] - axes[b] })
	return order
}

// isIdentity reports whether a permutation changes nothing.
func isIdentity(perm []int) bool {
	for i, a := range perm {
		if a != i {
			return false
		}
	}
	return true
}

// without returns the numbers below n that no list has, in rising order.
func without(n int, lists ...[]int) []int {
	var all []int
	for i := range n {
		if !slices.ContainsFunc(lists, func(l []int) bool { return slices.Contains(l, i) }) {
			all = append(all, i)
		}
	}
	return all
}

// at returns what a list has at places.
func at(list []int, places []int) []int {
	out := make([]int, len(places))
	for i, p := range places {
		out[i] = list[p]
	}
	return out
}

func product(list []int) int {
	n := 1
	for _, v := range list {
		n *= v
	}
	return n
}
