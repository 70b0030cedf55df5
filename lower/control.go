package lower

import (
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// lowerCase emits an if or a case whose regions take what they use from outside, as
// StableHLO has it.
func lowerCase(l *lowerer, n *ir.Node) *mlir.Value {
	in, code := l.in(n), stablehlo.Case
	if n.In[0].Type.DType == types.Bool {
		code = stablehlo.If
	}
	op := mlir.NewOp(code, in[:1], resultTypes(n)...)
	for _, g := range n.Body.Graphs() {
		op.Regions = append(op.Regions, l.region(nil, func([]*mlir.Value) []*mlir.Value { return l.run(g, in[1:]) })...)
	}
	l.append(op)
	return op.Results[0]
}

// lowerWhile emits a while. What regions take from outside is no operand of it.
func lowerWhile(l *lowerer, n *ir.Node) *mlir.Value {
	in := l.in(n)
	cond, body := n.Body.Graph, n.Body.More[0]
	states := len(body.Results)
	with := func(state []*mlir.Value) []*mlir.Value { return slices.Concat(state, in[states:]) }
	return l.while(in[:states],
		func(state []*mlir.Value) []*mlir.Value { return l.run(cond, with(state)) },
		func(state []*mlir.Value) []*mlir.Value { return l.run(body, with(state)) }).Results[0]
}

// while emits a while.
func (l *lowerer) while(init []*mlir.Value, cond, body func(state []*mlir.Value) []*mlir.Value) *mlir.Op {
	types := make([]mlir.Type, len(init))
	for i, v := range init {
		types[i] = v.Type
	}
	op := mlir.NewOp(stablehlo.While, init, types...)
	op.Regions = append(l.region(types, cond), l.region(types, body)...)
	l.append(op)
	return op
}

// index emits a size as an i32.
func (l *lowerer) index(d int64) *mlir.Value {
	if !dims.IsExpr(d) {
		return l.constant(types.I32, uint64(d))
	}
	return l.emit(stablehlo.Convert, tensor(types.Of(types.I32)), []*mlir.Value{l.size(d)})
}

// starts returns the start indices of the row at an index: 0 along all further axes.
func (l *lowerer) starts(at *mlir.Value, rank int) []*mlir.Value {
	all := []*mlir.Value{at}
	if rank > 1 {
		zero := l.constant(types.I32, 0)
		for range rank - 1 {
			all = append(all, zero)
		}
	}
	return all
}

// row emits the row of x, of type t, at an index.
func (l *lowerer) row(x *mlir.Value, t types.Type, at *mlir.Value) *mlir.Value {
	one := types.Type{DType: t.DType, Shape: slices.Concat(types.Shape{1}, t.Shape[1:])}
	if dims.HasExpr(t.Shape[1:]...) { // no dynamic_slice takes sizes as operands
		index := types.Of(types.I32)
		g := stablehlo.GatherDims{OffsetDims: rowAxes(index, t, 0), CollapsedSliceDims: []int64{0}, StartIndexMap: []int64{0}}
		return l.emit(stablehlo.Gather, tensor(types.Type{DType: t.DType, Shape: t.Shape[1:]}), []*mlir.Value{x, at}, attr("dimension_numbers", g.Attr()),
			ints("slice_sizes", one.Shape), attr("indices_are_sorted", mlir.BoolAttr(false)))
	}
	row := l.emit(stablehlo.DynamicSlice, tensor(one), append([]*mlir.Value{x}, l.starts(at, t.Rank())...), ints("slice_sizes", one.Shape))
	one.Shape = t.Shape[1:]
	return l.emit(stablehlo.Reshape, tensor(one), []*mlir.Value{row})
}

// setRow emits rows with the one at an index replaced by row, of type t.
func (l *lowerer) setRow(rows, row *mlir.Value, t types.Type, at *mlir.Value) *mlir.Value {
	one := l.emit(stablehlo.Reshape, tensor(types.Type{DType: t.DType, Shape: slices.Concat(types.Shape{1}, t.Shape)}), []*mlir.Value{row})
	return l.emit(stablehlo.DynamicUpdateSlice, rows.Type, append([]*mlir.Value{rows, one}, l.starts(at, 1+t.Rank())...))
}

// widen finds, for each scan of a graph, another one on the same operands whose results
// begin with its own: a gradient's, that saves what it needs. One runs for both.
func (l *lowerer) widen(order []*ir.Node) {
	var scans []*ir.Node
	for _, n := range order {
		if n.Op == ir.OpScan {
			scans = append(scans, n)
		}
	}
	for _, n := range scans {
		for _, w := range scans {
			if w.Widens(n) {
				l.wider[n] = w
				break
			}
		}
	}
}

func lowerDynamicSlice(l *lowerer, n *ir.Node) *mlir.Value {
	return l.emit(stablehlo.DynamicSlice, tensor(n.Type), l.in(n), ints("slice_sizes", n.Attrs[ir.DynamicSliceSizes].Ints))
}

func lowerDynamicUpdateSlice(l *lowerer, n *ir.Node) *mlir.Value {
	return l.emit(stablehlo.DynamicUpdateSlice, tensor(n.Type), l.in(n))
}

// run emits the ops of a region's graph on args into the block at hand, and returns
// its results.
func (l *lowerer) run(g *ir.Graph, args []*mlir.Value) []*mlir.Value {
	return l.runPart(g, args, nil, g.Order(), g.Results)
}

// runPart emits those nodes of a region's graph that are in order, and returns the values of
// results. Nodes that are given have a value already.
func (l *lowerer) runPart(g *ir.Graph, args []*mlir.Value, given map[*ir.Node]*mlir.Value, order, results []*ir.Node) []*mlir.Value {
	outer, loc := l.values, l.loc
	l.values = make([]*mlir.Value, len(g.Nodes))
	for i, p := range g.Params {
		l.values[p.ID] = args[i]
	}
	for n, v := range given {
		l.values[n.ID] = v
	}
	l.widen(order)
	for _, n := range order {
		if n.Op != ir.OpParameter && given[n] == nil {
			l.node(n, loc)
		}
	}
	values := make([]*mlir.Value, len(results))
	for i, r := range results {
		values[i] = l.values[r.ID]
	}
	l.values, l.loc = outer, loc
	return values
}

// lowerStop is nothing: only gradients see it.
func lowerStop(l *lowerer, n *ir.Node) *mlir.Value { return l.values[n.In[0].ID] }
