package kit

import (
	"fmt"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
	"ltc/mlir"
)

// gather loads from its operand at indices that it loads first. These are
// clamped, so that every slice lies within the operand.
func gather(b *nodeBuilder) error {
	g, ok := mlir.ParseGather(b.op.Attrs.Get("dimension_numbers"))
	if !ok {
		return leave("dimension numbers in another form")
	}
	if !b.in[1].DType.IsInteger() {
		return leave("indices of type %v", b.in[1].DType)
	}
	sizes := b.ints("slice_sizes")
	if slices.Contains(sizes, 0) && b.out[0].Elements() > 0 {
		return leave("slices without elements")
	}
	index := b.axes(b.out[0].Shape)
	var batch []kernel.Index // the result's dimensions that choose a slice
	for d := range index {
		if !slices.Contains(g.OffsetDims, int64(d)) {
			batch = append(batch, index[d])
		}
	}
	b.Stage()
	from := make([]kernel.Index, len(b.in[0].Shape))
	offset := 0
	for d := range from {
		switch {
		case slices.Contains(g.CollapsedSliceDims, int64(d)):
			from[d] = kernel.At(0)
		case slices.Contains(g.OperandBatchingDims, int64(d)):
			i := slices.Index(g.OperandBatchingDims, int64(d))
			from[d] = batch[batchAxis(g.StartIndicesBatchingDims[i], g.IndexVectorDim)]
		default:
			from[d] = index[g.OffsetDims[offset]]
			offset++
		}
	}
	for i, d := range g.StartIndexMap {
		if room := int64(b.in[0].Shape[d]) - sizes[d]; room > 0 {
			at := placed(batch, g.IndexVectorDim, int64(i), len(b.in[1].Shape))
			from[d].Value = b.clamped(b.load(1, at...), int(room))
		}
	}
	b.store(0, b.load(0, from...), index...)
	return nil
}

// batchAxis is the place among the batch dimensions of dimension d of the
// indices.
func batchAxis(d, indexVectorDim int64) int64 {
	if d > indexVectorDim {
		return d - 1
	}
	return d
}

// placed returns where the i-th number of the index vector at batch stands in
// indices of the given rank.
func placed(batch []kernel.Index, indexVectorDim, i int64, rank int) []kernel.Index {
	at := slices.Clone(batch)
	if int(indexVectorDim) < rank {
		at = slices.Insert(at, int(indexVectorDim), kernel.At(i))
	}
	return at
}

// scatter copies its operand, then combines updates with it in the order of their
// elements. Where windows overlap, of which one is said nowhere to be first, that
// may be another order than the evaluator's, which goes by indices. What of an
// update lies outside of the operand is left out.
//
// Batching dimensions, and those that no index moves and that an update has in
// full, are parallel axes; a stage over the others copies, another scatters.
func scatter(b *nodeBuilder) error {
	if len(b.out) != 1 {
		return leave("it scatters %d values at once", len(b.out))
	}
	s, ok := mlir.ParseScatter(b.op.Attrs.Get("scatter_dimension_numbers"))
	if !ok {
		return leave("dimension numbers in another form")
	}
	with, replace := combiner(b.op.Regions[0]), replaces(b.op.Regions[0])
	t := b.in[0].DType
	switch {
	case with == kernel.Invalid && !replace:
		return leave("its body is not one op that kernels combine with")
	case !b.in[1].DType.IsInteger():
		return leave("indices of type %v", b.in[1].DType)
	case !replace && !with.Takes(t):
		return leave("elements of type %v", t)
	case b.out[0].DType != t || b.in[2].DType != t:
		return leave("results of another type")
	}
	operand, updates := b.in[0].Shape, b.in[2].Shape
	var chooses []int // the update's dimensions that choose a slice
	for u := range updates {
		if !slices.Contains(s.UpdateWindowDims, int64(u)) {
			chooses = append(chooses, u)
		}
	}
	window, together := map[int]int{}, map[int]int{} // of the operand's dimensions: the update's
	next := 0
	for d := range operand {
		if i := slices.Index(s.InputBatchingDims, int64(d)); i >= 0 {
			together[d] = chooses[batchAxis(s.ScatterIndicesBatchingDims[i], s.IndexVectorDim)]
		} else if !slices.Contains(s.InsertedWindowDims, int64(d)) {
			window[d] = int(s.UpdateWindowDims[next])
			next++
		}
	}
	to, from := make([]kernel.Index, len(operand)), make([]kernel.Index, len(updates))
	copied := make([]kernel.Index, len(operand))
	for d, n := range operand {
		u, has := together[d]
		if !has {
			u, has = window[d]
			has = has && !slices.Contains(s.ScatterDimsToOperandDims, int64(d)) && updates[u] == n
		}
		if has {
			at := kernel.Along(b.Axis(axisName(d), kernel.Size(n)))
			to[d], copied[d], from[u] = at, at, at
		}
	}
	parallel := b.ParallelAxes()
	var axes []kernel.Axis
	for d, n := range operand {
		if copied[d].Terms == nil {
			copied[d] = kernel.Along(parallel + len(axes))
			axes = append(axes, kernel.Axis{Name: fmt.Sprintf("j%d", d), Size: kernel.Size(n)})
		}
	}
	b.Stage(axes...)
	b.store(0, b.load(0, copied...), copied...)

	axes = nil
	var batch []kernel.Index
	for u, n := range updates {
		if from[u].Terms == nil {
			from[u] = kernel.Along(parallel + len(axes))
			axes = append(axes, kernel.Axis{Name: fmt.Sprintf("u%d", u), Size: kernel.Size(n)})
		}
		if !slices.Contains(s.UpdateWindowDims, int64(u)) {
			batch = append(batch, from[u])
		}
	}
	b.Stage(axes...)
	for d := range operand {
		if u, has := window[d]; has {
			to[d] = from[u]
		} else if _, has := together[d]; !has {
			to[d] = kernel.At(0)
		}
	}
	for i, d := range s.ScatterDimsToOperandDims {
		to[d].Value = b.signed(b.load(1, placed(batch, s.IndexVectorDim, int64(i), len(b.in[1].Shape))...))
	}
	v := b.load(2, from...)
	b.Emit(kernel.Instr{Op: kernel.Store, Type: t, Args: []kernel.ID{v},
		Mem: &kernel.Access{Param: b.result(0), Index: to, Guard: true, Combine: with}})
	return nil
}

// signed is an index as an i64; one that is too large is negative.
func (b *nodeBuilder) signed(v kernel.ID) kernel.ID {
	if b.Type(v) == types.I64 {
		return v
	}
	if b.Type(v) == types.U64 {
		v = b.Op(kernel.Minimum, types.U64, v, b.Int(types.U64, 1<<62))
	}
	return b.Op(kernel.Convert, types.I64, v)
}

// replaces reports whether a region of two scalars returns the second.
func replaces(r *mlir.Region) bool {
	body := r.Blocks[0]
	return len(body.Ops) == 1 && len(body.Args) == 2 && len(body.Ops[0].Operands) == 1 && body.Ops[0].Operands[0] == body.Args[1]
}
