package lazy

import (
	"slices"

	"ltc/batching"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// Gather returns the rows of x (its slices along axis 0) that the indices choose: its shape is
// that of indices followed by that of a row. An index out of range is an error of the step,
// or clamped to the first or last row where indices are not looked at: see [CheckIndices]. See [Tensor.IndexSelect] for
// another axis, and [Tensor.GatherAlong] for an index of each element.
func (x *Tensor) Gather(indices *Tensor) *Tensor {
	return record2(ir.OpGather, x, indices, ir.Attr{})
}

// calledBy notes the op of the user's call that a gather or a scatter is part of, for errors.
func (x *Tensor) calledBy(op ir.Called) *Tensor {
	if n := x.node; n != nil && (n.Op == ir.OpGather || n.Op == ir.OpScatter || n.Op == ir.OpCompare) {
		if was, ok := n.Value.(ir.Called); !ok || was != op {
			n.Value = op
		}
	}
	return x
}

// wrapped notes that x, a Where, adds the size to negative ones of the indices of a user's call, which
// had the dtype.
func (x *Tensor) wrapped(op string, size int, dtype types.DType) *Tensor {
	if n, w := x.node, (ir.Wrapped{Op: op, Size: size, Unsigned: dtype == types.U64}); n != nil && n.Op == ir.OpWhere && !dims.IsExpr(size) {
		if was, ok := n.Value.(ir.Wrapped); !ok || was != w {
			n.Value = w
		}
	}
	return x
}

// inRange notes that the elements of x, an index of rows, are in range wherever the indices that it is
// made of are.
func (x *Tensor) inRange() *Tensor {
	if x.node != nil && x.node.Op != ir.OpParameter {
		x.node.Value = ir.InRange{}
	}
	return x
}

// scatter combines rows of x along the axis with updates.
func (x *Tensor) scatter(indices, updates *Tensor, axis int, combine string) *Tensor {
	return record3(ir.OpScatter, x, indices, updates, ir.Attr{Int: int64(axis)}, ir.Attr{Str: combine})
}

func checkScatterAdd(x, indices, updates *Tensor) *breach {
	if x.Rank() == 0 {
		return breaks(scatterAddRank, "x is a scalar")
	}
	if want := slices.Concat(indices.OpenShape(), x.OpenShape()[1:]); !slices.Equal(updates.OpenShape(), want) {
		return breaks(scatterAddUpdates, "updates have shape %v, must have %v", types.Shape(updates.OpenShape()), types.Shape(want))
	}
	return nil
}

func computeScatterAdd(x, indices, updates *Tensor) *Tensor {
	return x.scatter(indices, updates, 0, ir.CombineAdd).calledBy("scatter_add")
}

// moved is x with an axis at another place among its axes.
func (x *Tensor) moved(from, to int) *Tensor {
	if from == to || x.err != nil {
		return x
	}
	return x.Transpose(batching.Moved(x.Rank(), from, to)...)
}

func checkIndexSelect(x, indices *Tensor, axis int) *breach { return ofRank1(indices, indexSelectRank) }

func ofRank1(indices *Tensor, d demand) *breach {
	if indices.Rank() == 1 {
		return nil
	}
	return breaks(d, "indices are %v", indices.Type())
}

func computeIndexSelect(x, indices *Tensor, axis int) *Tensor {
	return x.moved(axis, 0).Gather(indices).calledBy("index_select").moved(0, axis)
}

func checkIndexAdd(x, indices, updates *Tensor, axis int) *breach {
	return slicesFor(x, indices, updates, axis, indexAddRank, indexAddUpdates)
}

func checkIndexCopy(x, indices, updates *Tensor, axis int) *breach {
	return slicesFor(x, indices, updates, axis, indexCopyRank, indexCopyUpdates)
}

func slicesFor(x, indices, updates *Tensor, axis int, rank, sizes demand) *breach {
	if b := ofRank1(indices, rank); b != nil {
		return b
	}
	want := slices.Clone(x.OpenShape())
	want[axis] = indices.OpenDim(0)
	if !slices.Equal(updates.OpenShape(), want) {
		return breaks(sizes, "updates have shape %v, must have %v", types.Shape(updates.OpenShape()), types.Shape(want))
	}
	return nil
}

func computeIndexAdd(x, indices, updates *Tensor, axis int) *Tensor {
	return x.scatterSlices("index_add", indices, updates, axis, ir.CombineAdd)
}

func computeIndexCopy(x, indices, updates *Tensor, axis int) *Tensor {
	return x.scatterSlices("index_copy", indices, updates, axis, ir.CombineSet)
}

func (x *Tensor) scatterSlices(op ir.Called, indices, updates *Tensor, axis int, combine string) *Tensor {
	return x.moved(axis, 0).scatter(indices, updates.moved(axis, 0), 0, combine).calledBy(op).moved(0, axis)
}

// GatherAlong returns, for each element of indices, the element of x that has this index along
// the axis and the place of the index along all others. For the axis 1 of three, y[i,j,k] =
// x[i, indices[i,j,k], k]. An index out of range is an error, or clamped, as that
// of [Tensor.Gather].
//
// It requires: x is any dtype; indices is an integer; axis is one of those of x. Indices have the
// rank of x and no dimension but that of the axis is larger, or they have no elements.
func (x *Tensor) GatherAlong(indices *Tensor, axis int) *Tensor {
	if x.isScalar(axis) && indices != nil {
		y := x.Unsqueeze(0).GatherAlong(indices.ofOneAxis(), axis)
		if indices.Rank() == 0 {
			return y.scalar()
		}
		return y
	}
	return recordGatherAlong(x, indices, axis)
}

func checkGatherAlong(x, indices *Tensor, axis int) *breach {
	if elementsOf(indices.OpenShape()) == 0 {
		return nil
	}
	return indicesWithin(x, indices, axis, gatherAlongIndices)
}

// indicesWithin says why indices are none of single elements of x along the axis.
func indicesWithin(x, indices *Tensor, axis int, d demand) *breach {
	if indices.Rank() != x.Rank() {
		return breaks(d, "indices are %v, and x %v", indices.Type(), x.Type())
	}
	for i, n := range indices.OpenShape() {
		if i != axis && dims.Less(x.OpenDim(i), n) {
			return breaks(d, "axis %d has %s in indices, and %s in x", i, countOf(n, "place"), dims.String(x.OpenDim(i)))
		}
	}
	return nil
}

func computeGatherAlong(x, indices *Tensor, axis int) *Tensor {
	if indicesWithin(x, indices, axis, gatherAlongIndices) != nil { // there are none
		return Zeros(x.tr, x.DType(), indices.OpenShape()...)
	}
	last := x.Rank() - 1
	x = x.within(indices.OpenShape(), axis).moved(axis, last)
	return record2(ir.OpGather, x, indices.moved(axis, last), ir.Attr{Int: int64(last)}).calledBy("gather_along").moved(last, axis)
}

// within returns the first elements of x along all axes but one (-1: all), as many as the shape
// has.
func (x *Tensor) within(shape []int, but int) *Tensor {
	for i, n := range shape {
		if i != but && n != x.OpenDim(i) {
			x = x.Narrow(i, 0, n)
		}
	}
	return x
}

func checkScatterAlong(x, indices, updates *Tensor, axis int) *breach {
	return updatesAlong(x, indices, updates, axis, scatterAlongIndices, scatterAlongUpdates)
}

func checkScatterAddAlong(x, indices, updates *Tensor, axis int) *breach {
	return updatesAlong(x, indices, updates, axis, scatterAddAlongIndices, scatterAddAlongUpdates)
}

func checkScatterMulAlong(x, indices, updates *Tensor, axis int) *breach {
	return updatesAlong(x, indices, updates, axis, scatterMulAlongIndices, scatterMulAlongUpdates)
}

func checkScatterMinAlong(x, indices, updates *Tensor, axis int) *breach {
	return updatesAlong(x, indices, updates, axis, scatterMinAlongIndices, scatterMinAlongUpdates)
}

func checkScatterMaxAlong(x, indices, updates *Tensor, axis int) *breach {
	return updatesAlong(x, indices, updates, axis, scatterMaxAlongIndices, scatterMaxAlongUpdates)
}

func updatesAlong(x, indices, updates *Tensor, axis int, within, sizes demand) *breach {
	if b := indicesWithin(x, indices, axis, within); b != nil {
		return b
	}
	if updates.Rank() != indices.Rank() {
		return breaks(sizes, "updates are %v, and indices %v", updates.Type(), indices.Type())
	}
	for i, n := range indices.OpenShape() {
		if dims.Less(updates.OpenDim(i), n) {
			return breaks(sizes, "axis %d has %s in updates, and %s in indices", i, countOf(updates.OpenDim(i), "place"), dims.String(n))
		}
	}
	return nil
}

func computeScatterAlong(x, indices, updates *Tensor, axis int) *Tensor {
	return x.scatterAlong("scatter_along", indices, updates, axis, ir.CombineSet)
}

func computeScatterAddAlong(x, indices, updates *Tensor, axis int) *Tensor {
	return x.scatterAlong("scatter_add_along", indices, updates, axis, ir.CombineAdd)
}

func computeScatterMulAlong(x, indices, updates *Tensor, axis int) *Tensor {
	return x.scatterAlong("scatter_mul_along", indices, updates, axis, ir.CombineMul)
}

func computeScatterMinAlong(x, indices, updates *Tensor, axis int) *Tensor {
	return x.scatterAlong("scatter_min_along", indices, updates, axis, ir.CombineMinimum)
}

func computeScatterMaxAlong(x, indices, updates *Tensor, axis int) *Tensor {
	return x.scatterAlong("scatter_max_along", indices, updates, axis, ir.CombineMaximum)
}

// scatterAlong combines single elements. All axes but one are a batch of rows, and what lies
// beyond the indices along them stays.
func (x *Tensor) scatterAlong(op ir.Called, indices, updates *Tensor, axis int, combine string) *Tensor {
	last := x.Rank() - 1
	part, updates := x.within(indices.OpenShape(), axis), updates.within(indices.OpenShape(), -1)
	y := part.moved(axis, last).scatter(indices.moved(axis, last), updates.moved(axis, last), last, combine).calledBy(op).moved(last, axis)
	if part == x {
		return y
	}
	return x.SliceScatter(y, make([]int, x.Rank()), slices.Repeat([]int{1}, x.Rank()))
}
