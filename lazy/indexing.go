package lazy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ltc/batching"
	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// Gather returns the rows of x (its slices along axis 0) that the indices choose: its shape is
// that of indices followed by that of a row. An index out of range is an error of the step,
// or clamped to the first or last row where indices are not looked at: see [CheckIndices]. See [Tensor.IndexSelect] for
// another axis, and [Tensor.GatherAlong] for an index of each element.
func (x *Tensor) Gather(indices *Tensor) *Tensor {
	y := record2(ir.OpGather, x, indices, ir.Attr{})
	if y.tr != nil && y.tr.inline != "" {
		return y.calledBy("gather")
	}
	return y
}

// calledBy notes the user's call that a gather, a scatter or a comparison is part of, for errors: op, unless another is
// being recorded.
func (x *Tensor) calledBy(op string) *Tensor {
	if n := x.node; n != nil && (n.Op == ir.OpGather || n.Op == ir.OpScatter || n.Op == ir.OpCompare) {
		op = x.tr.callOf(op)
		if was, ok := n.Value.(*ir.Called); !ok || was.Op != op {
			n.Value = x.tr.noteOf(op)
		}
	}
	return x
}

// callOf returns the user's call that is being recorded, or op if there is none.
func (tr *Trace) callOf(op string) string { return cmp.Or(tr.inline, op) }

// noteOf returns the note of the call op, which callOf has returned.
func (tr *Trace) noteOf(op string) *ir.Called {
	if tr.inline == "" {
		return &ir.Called{Op: op}
	}
	if tr.noted == nil {
		tr.noted = &ir.Called{Op: op} // its operands are noted when it ends
	}
	return tr.noted
}

// wrapped notes that x, a Where, adds the size to negative ones of the indices of a user's call, which
// had the dtype.
func (x *Tensor) wrapped(op string, size int, dtype types.DType) *Tensor {
	if n := x.node; n != nil && n.Op == ir.OpWhere && !dims.IsExpr(size) {
		op, unsigned := x.tr.callOf(op), dtype == types.U64
		if was, ok := n.Value.(ir.Wrapped); !ok || was.Call.Op != op || was.Size != size || was.Unsigned != unsigned {
			n.Value = ir.Wrapped{Call: x.tr.noteOf(op), Size: size, Unsigned: unsigned}
		}
	}
	return x
}

// Within returns x and checks its integers: when the step runs, one outside of [low, high] is an error that calls
// it by name, a singular noun such as "length". With [CheckIndices](false) it is clamped instead. The bounds may be
// sizes that are open.
func (x *Tensor) Within(low, high int, name string) *Tensor {
	const op = "within"
	if bad := firstBad(op, x); bad != nil {
		return bad
	}
	tr := traceOf(x)
	switch {
	case tr == nil:
		return noTrace(op, x)
	case !x.DType().IsInteger():
		return x.violates(op, "integers", fmt.Sprintf("x is %v, must be of integers: convert it with Convert(lazy.I64)", x.Type()))
	case dims.Less(high, low):
		return x.violates(op, "bounds", fmt.Sprintf("there is no integer from %s to %s", dims.String(low), dims.String(high)))
	}
	return called(op, func() *Tensor { return tr.Read(x).bounded(op, low, high, ir.Bounded{Name: name}) }, x)
}

// bounded is Within for the user's call op. Words are the note's for errors. Equal checks are one node: it keeps the words
// of the call that recorded it, whose line errors name too.
func (x *Tensor) bounded(op string, low, high int, words ir.Bounded) *Tensor {
	i := x.Convert(types.I64)
	least, most := i.sized(low), i.sized(high)
	y := i.Less(least).Or(i.Greater(most)).Where(i.Maximum(least).Minimum(most), i)
	if n := y.node; n != nil && n.Op == ir.OpWhere {
		if _, ok := n.Value.(ir.Bounded); !ok {
			words.Call, words.Low, words.Bound = x.tr.noteOf(x.tr.callOf(op)), low, dims.Add(high, 1)
			n.Value = words
		}
	}
	return y.Convert(x.DType())
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

func (x *Tensor) scatterSlices(op string, indices, updates *Tensor, axis int, combine string) *Tensor {
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
		return called("gather_along", func() *Tensor {
			y := x.Unsqueeze(0).GatherAlong(indices.ofOneAxis(), axis)
			if indices.Rank() == 0 {
				return y.scalar()
			}
			return y
		}, x, indices)
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
	return x.gatherAlong("gather_along", indices, axis)
}

// gatherAlong is GatherAlong for the user's call op.
func (x *Tensor) gatherAlong(op string, indices *Tensor, axis int) *Tensor {
	if indicesWithin(x, indices, axis, gatherAlongIndices) != nil { // there are none
		return Zeros(x.tr, x.DType(), indices.OpenShape()...)
	}
	last := x.Rank() - 1
	x = x.within(indices.OpenShape(), axis).moved(axis, last)
	return record2(ir.OpGather, x, indices.moved(axis, last), ir.Attr{Int: int64(last)}).calledBy(op).moved(last, axis)
}

// TakeAlong returns, for each element of indices, the element of x that has this index along the axis, as
// [Tensor.GatherAlong] does. Along the other axes x and indices broadcast to each other. A negative index
// counts from the end; see [Tensor.Index] for those out of range.
func (x *Tensor) TakeAlong(indices *Tensor, axis int) *Tensor {
	return called("take_along", func() *Tensor { return x.takeAlong(indices, axis) }, x, indices)
}

func (x *Tensor) takeAlong(indices *Tensor, axis int) *Tensor {
	const op = "take_along"
	if x.isScalar(axis) && indices.Rank() == 0 {
		return x.Unsqueeze(0).takeAlong(indices.Unsqueeze(0), axis).scalar()
	}
	tr, rank := traceOf(x, indices), x.Rank()
	switch {
	case axis < -rank || axis >= rank:
		return x.violates(op, "axis", shapeinfer.NoAxis(axis, x.OpenShape()))
	case !indices.DType().IsInteger():
		return x.mistyped(op, "integers", fmt.Sprintf("the indices are %v, must be integers: convert them with Convert(lazy.I64)", indices.Type()))
	case indices.Rank() != rank:
		return x.violates(op, "axes", fmt.Sprintf("the indices are %v and x is %v; give them as many axes", indices.Type(), x.Type()))
	}
	axis = (axis + rank) % rank
	from, to := slices.Clone(x.OpenShape()), slices.Clone(indices.OpenShape())
	d, n := from[axis], to[axis]
	from[axis], to[axis] = 1, 1
	all, ok := shapeinfer.BroadcastShapes(from, to)
	if !ok {
		return x.violates(op, "broadcast", fmt.Sprintf("the indices are %v, which does not broadcast with %v along the axes but %d", indices.Type(), x.Type(), axis))
	}
	from, to = all, slices.Clone(all)
	from[axis], to[axis] = d, n
	if x, indices = tr.Read(x), tr.Read(indices); x.err != nil || indices.err != nil {
		return firstBad(op, x, indices)
	}
	i := indices.Convert(types.I64)
	i = i.Less(i.like(0)).Where(i.Add(i.sized(d)), i).wrapped(op, d, indices.DType())
	return x.BroadcastTo(from...).gatherAlong(op, i.BroadcastTo(to...), axis)
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
func (x *Tensor) scatterAlong(op string, indices, updates *Tensor, axis int, combine string) *Tensor {
	last := x.Rank() - 1
	part, updates := x.within(indices.OpenShape(), axis), updates.within(indices.OpenShape(), -1)
	y := part.moved(axis, last).scatter(indices.moved(axis, last), updates.moved(axis, last), last, combine).calledBy(op).moved(last, axis)
	if part == x {
		return y
	}
	return x.SliceScatter(y, make([]int, x.Rank()), slices.Repeat([]int{1}, x.Rank()))
}

// chosen is what tensors of indices choose of x: rows of x with the indexed axes joined to
// its first.
type chosen struct {
	perm  []int   // the axes of x, the indexed ones first
	at    *Tensor // the rows, of the shape that all indices broadcast to
	shape []int   // of the result
	first int     // where the axes of at are in the result
	count string  // words for how many the indices are if data tells that, as "the mask of axis 0 has"
}

// choose reads the indices of the first axes of x; nil stands for a whole axis.
func (x *Tensor) choose(op string, indices []*Tensor) (c chosen, bad *Tensor) {
	if len(indices) > x.Rank() {
		return c, x.violates(op, "axes", fmt.Sprintf("there are indices for %s, x has %s", diag.Count(len(indices), "axis"), diag.Count(x.Rank(), "axis")))
	}
	var indexed, rest []int
	var common types.Shape
	for a := range x.Rank() {
		if a >= len(indices) || indices[a] == nil {
			rest = append(rest, a)
			continue
		}
		i := indices[a]
		if bad := firstBad(op, i); bad != nil {
			return c, bad
		}
		if !i.DType().IsInteger() {
			return c, x.mistyped(op, "integers", fmt.Sprintf("the indices of axis %d are %v, must be integers or a mask of bools: convert them with Convert(lazy.I64)", a, i.Type()))
		}
		s, ok := shapeinfer.BroadcastShapes(common, i.OpenShape())
		if !ok {
			hint := ""
			if x.tr.fromData(types.Type{Shape: common}, i.Type()) {
				hint = "; the sizes follow from data: index by masks, whose numbers of places are compared when the step runs"
			}
			return c, x.violates(op, "broadcast", fmt.Sprintf("the indices of axis %d have the shape %v, which does not broadcast with %v%s", a, i.OpenShape(), common, hint))
		}
		indexed, common = append(indexed, a), s
	}
	if len(indexed) == 0 {
		return c, x.violates(op, "some", "there are no indices; give an axis some")
	}
	rows := 1
	var outside *Tensor
	for _, a := range indexed {
		d := x.OpenDim(a)
		i := x.tr.Read(indices[a]).Convert(types.I64)
		size := i.sized(d)
		wrong := i.Less(size.Neg()).Or(i.GreaterEqual(size))
		i = i.Less(i.like(0)).Where(i.Add(size), i).wrapped(op, d, indices[a].DType())
		if c.at == nil {
			c.at, outside = i, wrong
		} else {
			c.at, outside = c.at.Mul(size).Add(i), outside.Or(wrong)
		}
		rows = dims.Mul(rows, d)
	}
	// A place out of range is one of no row, whatever its other indices are.
	c.at = outside.Where(c.at.sized(rows), c.at)
	if !dims.IsExpr(rows) {
		c.at = c.at.inRange()
	}
	c.at = c.at.BroadcastTo(common...)
	if c.perm = append(slices.Clone(indexed), rest...); indexed[len(indexed)-1]-indexed[0] == len(indexed)-1 {
		c.first = indexed[0]
	}
	for _, a := range rest {
		c.shape = append(c.shape, x.OpenDim(a))
	}
	c.shape = slices.Insert(c.shape, c.first, common...)
	return c, c.at.bad()
}

// bad returns x if it is poisoned.
func (x *Tensor) bad() *Tensor {
	if x.err != nil {
		return x
	}
	return nil
}

// joined is x as rows: the indexed axes are one.
func (c *chosen) joined(x *Tensor) *Tensor {
	moved := x.Transpose(c.perm...)
	indexed := len(c.perm) - (len(c.shape) - c.at.Rank())
	shape := moved.OpenShape()
	return moved.Reshape(slices.Insert(slices.Clone([]int(shape[indexed:])), 0, elementsOf(shape[:indexed]))...)
}

// order is where the axes of the result, the chosen ones first, go to.
func (c *chosen) order() []int {
	axes := types.Axes(len(c.shape))
	n := c.at.Rank()
	return slices.Concat(axes[n:n+c.first], axes[:n], axes[n+c.first:])
}

// Index returns the elements of x that indices choose along its first axes, as x[i, j, …]
// does in PyTorch. An index that is nil stands for a whole axis. A mask of bools, which has the
// dimensions of as many axes of x, stands for the places at which it is true. The others are integers. All
// broadcast to one shape, the places of a mask as a vector. That two numbers of places do not is an error of the
// step. The axes of the shape take the place of those of x: of the first, or before
// all if the axes are apart. A negative index counts from the end. An index out of range is
// an error of the step, or some element where none looks at indices: see [CheckIndices].
func (x *Tensor) Index(indices ...*Tensor) *Tensor {
	const op = "index"
	return called(op, func() *Tensor { return x.index(op, indices) }, append([]*Tensor{x}, withoutNil(indices)...)...)
}

// withoutNil returns the tensors that are not nil.
func withoutNil(xs []*Tensor) []*Tensor {
	return slices.DeleteFunc(slices.Clone(xs), func(x *Tensor) bool { return x == nil })
}

// index is Index for the user's call op.
func (x *Tensor) index(op string, indices []*Tensor) *Tensor {
	x, c, bad := x.indexed(op, indices)
	if bad != nil {
		return bad
	}
	return c.joined(x).Gather(c.at).calledBy(op).Transpose(c.order()...).Clone()
}

// placesOf returns indices with the places at which masks are true in place of these: a mask of
// several axes is for as many of x. The places broadcast with the other indices and with those of
// other masks, as their counts say when the step runs. Words say in errors what has the count.
func (x *Tensor) placesOf(op string, indices []*Tensor) (all []*Tensor, words string, bad *Tensor) {
	if !slices.ContainsFunc(indices, isMask) {
		return indices, "", nil
	}
	var open []openIndex
	fixed, of, axis := 1, indexSide{}, 0
	places := slices.Clone(indices)
	for k, i := range indices {
		side := indexSide{isMask(i), axis, 1}
		if side.mask {
			if i.Rank() == 0 || axis+i.Rank() > x.Rank() || !i.OpenShape().Equal(x.OpenShape()[axis:axis+i.Rank()]) {
				return nil, "", x.violates(op, "mask", fmt.Sprintf("the mask from axis %d on is %v, must have the dimensions of x there, which is %v", axis, i.Type(), x.Type()))
			}
			at := x.tr.Read(i).Nonzero()
			if at.err != nil {
				return nil, "", at
			}
			places[k], side.axes = at.Transpose(1, 0), i.Rank()
		}
		axis += side.axes
		if i == nil || i.Rank() == 0 {
			continue
		}
		switch d := places[k].OpenDim(-1); {
		case dims.IsExpr(d):
			places[k] = x.tr.Read(places[k])
			open = append(open, openIndex{places[k], side, k})
		case d != 1:
			fixed, of = d, side
		}
	}
	words = "the indices choose"
	if len(open) == 1 {
		words = "the " + open[0].side.has()
	}
	for k, i := range x.broadcastCounts(op, open, fixed, of) {
		places[open[k].number] = i
	}
	for k, i := range indices {
		if !isMask(i) {
			all = append(all, places[k])
			continue
		}
		for axis := range i.Rank() {
			all = append(all, places[k].Select(0, axis))
		}
	}
	return all, words, nil
}

// openIndex is an index whose last axis has as many elements as the run tells.
type openIndex struct {
	elements *Tensor // of a mask the places, an axis a row
	side     indexSide
	number   int // of the index
}

// indexSide is an index as errors name it.
type indexSide struct {
	mask       bool
	axis, axes int // the first one of x, and how many
}

// has are the words before its count, without an article.
func (s indexSide) has() string {
	switch {
	case !s.mask:
		return fmt.Sprintf("indices of axis %d have", s.axis)
	case s.axes == 1:
		return fmt.Sprintf("mask of axis %d has", s.axis)
	}
	return fmt.Sprintf("mask of axes %d to %d has", s.axis, s.axis+s.axes-1)
}

// against are the words for two counts that must be equal, or 1.
func (s indexSide) against(t indexSide) ir.Counts {
	w := ir.Counts{Of: "the " + s.has(), Noun: "element", With: "the " + t.has(), Rule: "they must be equal, or 1; for all pairs index one axis after the other"}
	if s.mask {
		w.Noun = "true element"
	}
	if s.mask == t.mask {
		_, axis, _ := strings.Cut(t.has(), " ")
		w.With = map[bool]string{true: "that ", false: "those "}[s.mask] + axis
	}
	return w
}

// isMask reports whether an index is a mask.
func isMask(i *Tensor) bool { return i != nil && i.err == nil && i.DType() == types.Bool }

// broadcastCounts gives the last axes of open indices one count: fixed, the count of index of, or if that is 1 the
// first count that is not 1. Counts other than that and 1 are errors of the run.
func (x *Tensor) broadcastCounts(op string, open []openIndex, fixed int, of indexSide) []*Tensor {
	all := make([]*Tensor, len(open))
	for k, i := range open {
		all[k] = i.elements
	}
	n := fixed
	if n == 1 {
		if len(all) == 0 || !slices.ContainsFunc(all, func(i *Tensor) bool { return i.OpenDim(-1) != all[0].OpenDim(-1) }) {
			return all
		}
		size, most := x.tr.size(types.I64, all[0].OpenDim(-1)), 1
		for _, i := range all {
			d := i.OpenDim(-1)
			size = size.Equal(size.like(1)).Where(x.tr.size(types.I64, d), size)
			_, bound := dims.Bounds(d)
			most = max(most, bound)
		}
		n = x.tr.newSize(op, size, most)
	}
	for k, i := range open {
		count := x.tr.size(types.I64, i.elements.OpenDim(-1))
		one, checked := count.Equal(count.like(1)), count
		switch {
		case !dims.IsExpr(n):
			checked = one.Where(count.sized(n), count).bounded(op, n, n, ir.Bounded{Counts: i.side.against(of)})
		case k > 0:
			checked = count.sized(n)
		}
		for _, j := range open[:k] {
			d := j.elements.OpenDim(-1)
			if dims.IsExpr(n) && d != i.elements.OpenDim(-1) {
				other := count.sized(d)
				equal := one.Or(other.Equal(other.like(1))).Where(other, count).bounded(op, d, d, ir.Bounded{Counts: i.side.against(j.side)})
				checked = checked.Add(equal.Sub(other)) // 0
			}
		}
		all[k] = i.elements.resized(-1, n, checked)
	}
	return all
}

// resized returns x with n elements along the axis in place of its count, which is checked to be n or 1 once
// the scalar checked is computed. That is n, or a count of 1.
func (x *Tensor) resized(axis, n int, checked *Tensor) *Tensor {
	axis = (axis + x.Rank()) % x.Rank()
	count := x.tr.size(types.I64, x.OpenDim(axis))
	at := Iota(x.tr, types.I64, 0, n).Minimum(count.Sub(count.like(1))).Maximum(count.like(0))
	return x.moved(axis, 0).taken(checked.Equal(checked.sized(n)).Where(at, at.like(0)).inRange()).moved(0, axis)
}

// checkCount returns values for the elements that c chooses. A count that only data tells is checked at run time: values
// have as many elements as c chooses, or one.
func (c *chosen) checkCount(op string, values *Tensor) *Tensor {
	tr := values.tr
	for axis := range values.Rank() {
		k := len(c.shape) - values.Rank() + axis
		if k < 0 {
			continue
		}
		d, n := values.OpenDim(axis), c.shape[k]
		if d == 1 || d == n || !tr.fromData(types.Type{Shape: types.Shape{d, n}}) {
			continue
		}
		words := ir.Counts{Of: fmt.Sprintf("axis %d of values has", axis), Noun: "element", With: fmt.Sprintf("axis %d of the chosen elements has", k), Rule: "they must be equal, or that of values 1"}
		if c.count != "" && k >= c.first && k < c.first+c.at.Rank() {
			words.With = c.count
		}
		count, want := tr.size(types.I64, d), tr.size(types.I64, n)
		if dims.IsExpr(d) {
			count = count.Equal(count.like(1)).Where(want, count)
		}
		if d == 0 { // Gather needs one row, even of an empty result
			more := slices.Clone([]int(values.OpenShape()))
			more[axis] = 1
			values = Zeros(tr, values.DType(), more...)
		}
		values = values.resized(axis, n, count.bounded(op, n, n, ir.Bounded{Counts: words}))
	}
	return values
}

// indexed is choose in the trace of x and the indices.
func (x *Tensor) indexed(op string, indices []*Tensor, more ...*Tensor) (*Tensor, chosen, *Tensor) {
	given := append([]*Tensor{x}, more...)
	for _, i := range indices {
		if i != nil {
			given = append(given, i)
		}
	}
	if bad := firstBad(op, given...); bad != nil {
		return nil, chosen{}, bad
	}
	tr := traceOf(given...)
	if tr == nil {
		return nil, chosen{}, noTrace(op, given...)
	}
	if x = tr.Read(x); x.err != nil {
		return nil, chosen{}, x
	}
	indices, count, bad := x.placesOf(op, indices)
	if bad != nil {
		return nil, chosen{}, bad
	}
	c, bad := x.choose(op, indices)
	c.count = count
	return x, c, bad
}

// IndexPut returns x with the elements that [Tensor.Index] takes replaced by values, which
// broadcast to them: as many as a mask has places, or one. With accumulate they are added instead. Of values for the same element
// the last stays. Those with an index out of range are left out, or an error as there.
func (x *Tensor) IndexPut(values *Tensor, accumulate bool, indices ...*Tensor) *Tensor {
	const op = "index_put"
	return called(op, func() *Tensor { return x.indexPut(op, values, accumulate, indices) }, append([]*Tensor{x, values}, withoutNil(indices)...)...)
}

// indexPut is IndexPut for the user's call op.
func (x *Tensor) indexPut(op string, values *Tensor, accumulate bool, indices []*Tensor) *Tensor {
	x, c, bad := x.indexed(op, indices, values)
	if bad != nil {
		return bad
	}
	if values.DType() != x.DType() {
		return x.violates(op, "dtype", fmt.Sprintf("x is %v and values are %v; convert one with Convert", x.DType(), values.DType()))
	}
	values = c.checkCount(op, x.tr.Read(values))
	if s, ok := shapeinfer.BroadcastShapes(values.OpenShape(), c.shape); !ok || !s.Equal(c.shape) {
		return x.violates(op, "values", fmt.Sprintf("values have the shape %v, which does not broadcast to the %v that the indices choose", values.OpenShape(), types.Shape(c.shape)))
	}
	n, axes := c.at.Rank(), types.Axes(len(c.shape))
	first := slices.Concat(axes[c.first:c.first+n], axes[:c.first], axes[c.first+n:])
	updates := values.BroadcastTo(c.shape...).Transpose(first...)
	combine := ir.CombineSet
	if accumulate {
		combine = ir.CombineAdd
	}
	moved := x.Transpose(c.perm...)
	back := make([]int, len(c.perm))
	for i, p := range c.perm {
		back[p] = i
	}
	return c.joined(x).scatter(c.at, updates, 0, combine).calledBy(op).Reshape(moved.OpenShape()...).Transpose(back...).Clone()
}

// IndexPut_ writes x.IndexPut(values, accumulate, indices...) into x and returns x.
func (x *Tensor) IndexPut_(values *Tensor, accumulate bool, indices ...*Tensor) *Tensor {
	return x.writeNamed("index_put_", x.IndexPut(values, accumulate, indices...))
}

// MaskedScatter returns x with the elements at which the mask is true replaced by those of source, both
// in row-major order. The mask broadcasts to x. A source of fewer elements than there are places is an error,
// or gives its last one for the others where none looks at indices: see [CheckIndices].
func (x *Tensor) MaskedScatter(mask, source *Tensor) *Tensor {
	return called("masked_scatter", func() *Tensor { return x.maskedScatter(mask, source) }, x, mask, source)
}

func (x *Tensor) maskedScatter(mask, source *Tensor) *Tensor {
	const op = "masked_scatter"
	tr := traceOf(x, mask, source)
	x, mask, source = tr.Read(x), tr.Read(mask), tr.Read(source)
	if bad := firstBad(op, x, mask, source); bad != nil {
		return bad
	}
	shape, given := x.OpenShape(), elementsOf(source.OpenShape())
	s, ok := shapeinfer.BroadcastShapes(mask.OpenShape(), shape)
	switch {
	case mask.DType() != types.Bool:
		return x.violates(op, "mask", fmt.Sprintf("the mask is %v, must be bool", mask.Type()))
	case source.DType() != x.DType():
		return x.violates(op, "dtype", fmt.Sprintf("x is %v and source is %v; convert one with Convert", x.DType(), source.DType()))
	case !ok || !s.Equal(shape):
		return x.violates(op, "broadcast", fmt.Sprintf("the mask's %v does not broadcast to x's %v", mask.OpenShape(), shape))
	case given == 0:
		return x.violates(op, "elements", "source has no elements; give it one for each place at which the mask is true")
	}
	n := elementsOf(shape)
	if n == 0 {
		return x.Clone()
	}
	at := cumulative(mask.BroadcastTo(shape...).Reshape(n).Convert(types.I32)).SubScalar(1)
	at = at.Maximum(at.like(0)) // of places before the first at which the mask is true
	return mask.Where(source.Reshape(given).Gather(at).calledBy(op).Reshape(shape...), x)
}

// MaskedScatter_ writes x.MaskedScatter(mask, source) into x and returns x.
func (x *Tensor) MaskedScatter_(mask, source *Tensor) *Tensor {
	return x.writeNamed("masked_scatter_", x.MaskedScatter(mask, source))
}

// Take returns the elements of x, as they lie in row-major order, that the indices choose.
// Negative ones count from the end; see [Tensor.Index] for those out of range.
func (x *Tensor) Take(indices *Tensor) *Tensor {
	const op = "take"
	return called(op, func() *Tensor { return x.Reshape(elementsOf(x.OpenShape())).index(op, []*Tensor{indices}) }, x, indices)
}

// Put returns x with the elements that [Tensor.Take] takes replaced by values, or with
// accumulate with values added: see [Tensor.IndexPut]. The values broadcast to the indices, or
// are as many.
func (x *Tensor) Put(indices, values *Tensor, accumulate bool) *Tensor {
	const op = "put"
	return called(op, func() *Tensor {
		to := values
		if values.Rank() > indices.Rank() && elementsOf(values.OpenShape()) == elementsOf(indices.OpenShape()) {
			to = values.Reshape(indices.OpenShape()...)
		}
		y := x.Reshape(elementsOf(x.OpenShape())).indexPut(op, to, accumulate, []*Tensor{indices})
		return y.Reshape(x.OpenShape()...).Clone()
	}, x, indices, values)
}

// IndexFill returns x with a number at the indices of the axis. Negative ones count from the
// end; those out of range are an error as there.
func (x *Tensor) IndexFill(indices *Tensor, axis int, v float64) *Tensor {
	return called("index_fill", func() *Tensor { return x.indexFill(indices, axis, v) }, x, indices)
}

func (x *Tensor) indexFill(indices *Tensor, axis int, v float64) *Tensor {
	const op = "index_fill"
	if x.isScalar(axis) {
		return x.Unsqueeze(0).indexFill(indices.ofOneAxis(), axis, v).scalar()
	}
	if axis < -x.Rank() || axis >= x.Rank() {
		return x.violates(op, "axis", shapeinfer.NoAxis(axis, x.OpenShape()))
	}
	value, bad := traceOf(x, indices).scalarLike(op, v, x)
	if bad != nil {
		return bad
	}
	all := make([]*Tensor, (axis+x.Rank())%x.Rank()+1)
	all[len(all)-1] = indices
	return x.indexPut(op, value, false, all)
}

// SelectScatter returns x with src at the index of the axis, which [Tensor.Select] takes.
func (x *Tensor) SelectScatter(src *Tensor, axis, index int) *Tensor {
	return x.scattered("select_scatter", src, func(x *Tensor) *Tensor { return x.Select(axis, index) })
}

// DiagonalScatter returns x with src on the diagonal that [Tensor.Diagonal] takes.
func (x *Tensor) DiagonalScatter(src *Tensor, offset, axis1, axis2 int) *Tensor {
	return x.scattered("diagonal_scatter", src, func(x *Tensor) *Tensor { return x.Diagonal(offset, axis1, axis2) })
}

// scattered writes src into a view of a copy of x.
func (x *Tensor) scattered(op string, src *Tensor, view func(x *Tensor) *Tensor) *Tensor {
	return called(op, func() *Tensor { return x.scatteredInto(op, src, view) }, x, src)
}

func (x *Tensor) scatteredInto(op string, src *Tensor, view func(x *Tensor) *Tensor) *Tensor {
	y := traceOf(x, src).Read(x).Clone()
	part := view(y)
	if part.err == nil && (part.DType() != src.DType() || !part.OpenShape().Equal(src.OpenShape())) {
		return x.violates(op, "src", fmt.Sprintf("src is %v, must be %v", src.Type(), part.Type()))
	}
	if part = part.Copy_(src); part.err != nil {
		return part
	}
	return y.Clone()
}

func checkOneHot(_ *Tensor, classes int, _ types.DType) *breach {
	if classes < 0 {
		return breaks(oneHotClasses, "there cannot be %s", diag.Count(classes, "class"))
	}
	return nil
}

func computeOneHot(x *Tensor, classes int, dtype types.DType) *Tensor {
	return oneHot("one_hot", x, classes, dtype)
}

// oneHot is OneHot for the user's call op.
func oneHot(op string, x *Tensor, classes int, dtype types.DType) *Tensor {
	// Compared in 64 bits, so that every class number fits.
	index := x.Convert(types.I64)
	if x.DType() == types.U64 {
		index = x
	}
	return index.Unsqueeze(-1).Equal(Iota(x.tr, index.DType(), 0, classes)).calledBy(op).Convert(dtype)
}
