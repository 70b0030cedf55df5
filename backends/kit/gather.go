package kit

import (
	"fmt"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// gather loads from its operand at indices that it loads first. These are
// clamped, so that every slice lies within the operand.
func gather(b *nodeBuilder) error {
	g := stablehlo.AsGather(b.op).DimensionNumbers()
	if !b.in[1].DType.IsInteger() {
		return leave("indices of type %v", b.in[1].DType)
	}
	sizes := stablehlo.AsGather(b.op).SliceSizes()
	if slices.Contains(sizes, 0) && b.out[0].Elements() > 0 {
		return leave("slices without elements")
	}
	index := b.Axes(b.out[0].Shape)
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
		if room := dims.GoSub(int64(b.in[0].Shape[d]), sizes[d]); !dims.GoAtMost(room, 0) {
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
// indices, as the evaluator does: of several updates of an element that replace it the
// last stays. What of an update lies outside of the operand is left out.
//
// Batching dimensions, and those that no index moves and that an update has in
// full, are parallel axes; a stage over the others copies, another scatters.
func scatter(b *nodeBuilder) error {
	if len(b.out) != 1 {
		return leave("it scatters several values at once")
	}
	numbers := stablehlo.AsScatter(b.op).ScatterDimensionNumbers()
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
	s := scattered{ScatterDims: numbers, b: b}
	s.match()
	s.share()
	s.copy()
	s.combine(with)
	return nil
}

// scattered is a scatter on its way to being a kernel.
type scattered struct {
	stablehlo.ScatterDims
	b *nodeBuilder
	// The updates' dimensions of the operand's: along windows, and along batches.
	window, together map[int]int
	// The parallel axes by the operand's dimensions and by the updates'.
	operand, updates []kernel.Index
}

// match finds which dimensions of updates and operand run together.
func (s *scattered) match() {
	var chooses []int // the updates' dimensions that choose a slice
	for u := range s.b.in[2].Shape {
		if !slices.Contains(s.UpdateWindowDims, int64(u)) {
			chooses = append(chooses, u)
		}
	}
	s.window, s.together = map[int]int{}, map[int]int{}
	next := 0
	for d := range s.b.in[0].Shape {
		if i := slices.Index(s.InputBatchingDims, int64(d)); i >= 0 {
			s.together[d] = chooses[batchAxis(s.ScatterIndicesBatchingDims[i], s.IndexVectorDim)]
		} else if !slices.Contains(s.InsertedWindowDims, int64(d)) {
			s.window[d] = int(s.UpdateWindowDims[next])
			next++
		}
	}
}

// share makes parallel axes of what copies and updates go along alike.
func (s *scattered) share() {
	operand, updates := s.b.in[0].Shape, s.b.in[2].Shape
	s.operand, s.updates = make([]kernel.Index, len(operand)), make([]kernel.Index, len(updates))
	for d, n := range operand {
		u, has := s.together[d]
		if !has {
			u, has = s.window[d]
			has = has && !slices.Contains(s.ScatterDimsToOperandDims, int64(d)) && updates[u] == n
		}
		if has {
			at := kernel.Along(s.b.Axis(kernel.AxisName(d), kernel.Size(n)))
			s.operand[d], s.updates[u] = at, at
		}
	}
}

// stage begins a stage over the dimensions of a shape that no parallel axis runs
// along, and returns an index of all. The dimensions in inner are its innermost axes.
func (s *scattered) stage(name string, shape types.Shape, shared []kernel.Index, inner []int64) []kernel.Index {
	at := slices.Clone(shared)
	var axes []kernel.Axis
	for _, innermost := range []bool{false, true} {
		for d, n := range shape {
			if at[d].Terms == nil && slices.Contains(inner, int64(d)) == innermost {
				at[d] = kernel.Along(s.b.ParallelAxes() + len(axes))
				axes = append(axes, kernel.Axis{Name: fmt.Sprintf("%s%d", name, d), Size: kernel.Size(n)})
			}
		}
	}
	s.b.Stage(axes...)
	return at
}

// copy is the stage that copies the operand.
func (s *scattered) copy() {
	at := s.stage("j", s.b.in[0].Shape, s.operand, nil)
	s.b.store(0, s.b.load(0, at...), at...)
}

// combine is the stage that combines the updates with the result, window by window:
// elements of one window are different elements of the result.
func (s *scattered) combine(with kernel.Op) {
	b, from := s.b, s.stage("u", s.b.in[2].Shape, s.updates, s.UpdateWindowDims)
	var batch []kernel.Index
	for u := range from {
		if !slices.Contains(s.UpdateWindowDims, int64(u)) {
			batch = append(batch, from[u])
		}
	}
	to := slices.Clone(s.operand)
	for d := range to {
		if u, has := s.window[d]; has {
			to[d] = from[u]
		} else if _, has := s.together[d]; !has {
			to[d] = kernel.At(0)
		}
	}
	for i, d := range s.ScatterDimsToOperandDims {
		to[d].Value = b.signed(b.load(1, placed(batch, s.IndexVectorDim, int64(i), len(b.in[1].Shape))...))
	}
	v := b.load(2, from...)
	b.Emit(kernel.Instr{Op: kernel.Store, Type: b.in[0].DType, Args: []kernel.ID{v},
		Mem: &kernel.Access{Param: b.result(0), Index: to, Guard: true, Combine: with}})
}

// signed is an index as an i64; one that is too large is negative.
func (b *nodeBuilder) signed(v kernel.ID) kernel.ID {
	if b.Type(v) == types.U64 {
		v = b.Op(kernel.Minimum, types.U64, v, b.Int(types.U64, 1<<62))
	}
	return b.As(types.I64, v)
}

// replaces reports whether a region of two scalars returns the second.
func replaces(r *mlir.Region) bool {
	body := r.Blocks[0]
	return len(body.Ops) == 1 && len(body.Args) == 2 && len(body.Ops[0].Operands) == 1 && body.Ops[0].Operands[0] == body.Args[1]
}
