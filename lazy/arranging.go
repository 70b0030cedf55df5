package lazy

import (
	"fmt"
	"slices"

	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

func checkFlatten(_ *Tensor, first, last int) *breach {
	if first > last {
		return breaks(flattenOrder, "the first axis is %d and the last %d", first, last)
	}
	return nil
}

func computeFlatten(x *Tensor, first, last int) *Tensor {
	if x.Rank() == 0 {
		return x.Reshape(1)
	}
	shape := slices.Clone(x.OpenShape())
	return x.Reshape(slices.Replace(shape, first, last+1, dims.Product(shape[first:last+1]...))...)
}

func checkUnflatten(x *Tensor, axis int, sizes []int) *breach {
	if _, ok := leftOver(x.OpenDim(axis), sizes); !ok {
		return breaks(unflattenElements, "axis %d has %s, which are no %v", axis, countOf(x.OpenDim(axis), "element"), types.Shape(sizes))
	}
	return nil
}

// leftOver returns sizes with the one that is -1 replaced so that their product is n. It
// reports whether there are such sizes.
func leftOver(n int, sizes []int) ([]int, bool) {
	sizes, open, known := slices.Clone(sizes), -1, 1
	for i, d := range sizes {
		switch {
		case d == -1 && open < 0:
			open = i
		case d < 0 && !dims.IsExpr(d):
			return nil, false
		default:
			known = dims.Mul(known, d)
		}
	}
	if open < 0 {
		return sizes, known == n
	}
	if known == 0 || !dims.Divides(n, known) {
		return nil, false
	}
	sizes[open] = dims.Div(n, known)
	return sizes, true
}

func computeUnflatten(x *Tensor, axis int, sizes []int) *Tensor {
	sizes, _ = leftOver(x.OpenDim(axis), sizes)
	return x.Reshape(slices.Replace(slices.Clone([]int(x.OpenShape())), axis, axis+1, sizes...)...)
}

func computeMoveAxis(x *Tensor, from, to int) *Tensor {
	if x.Rank() == 0 {
		return x.Transpose()
	}
	perm := slices.Delete(types.Axes(x.Rank()), from, from+1)
	return x.Transpose(slices.Insert(perm, to, from)...)
}

func computeSwapAxes(x *Tensor, axis1, axis2 int) *Tensor {
	if x.Rank() == 0 {
		return x.Transpose()
	}
	perm := types.Axes(x.Rank())
	perm[axis1], perm[axis2] = axis2, axis1
	return x.Transpose(perm...)
}

// expanded returns the dimensions with those of x for -1, and whether x broadcasts to them.
func expanded(x *Tensor, sizes []int) ([]int, bool) {
	sizes = slices.Clone(sizes)
	for i, d := range sizes {
		if k := i - len(sizes) + x.Rank(); d == -1 && k >= 0 {
			sizes[i] = x.OpenDim(k)
		}
		if sizes[i] < 0 && !dims.IsExpr(sizes[i]) {
			return nil, false
		}
	}
	s, ok := shapeinfer.BroadcastShapes(x.OpenShape(), sizes)
	return sizes, ok && s.Equal(sizes)
}

func checkExpand(x *Tensor, sizes []int) *breach {
	if _, ok := expanded(x, sizes); !ok {
		return breaks(expandDims, "it does not broadcast to %v", types.Shape(sizes))
	}
	return nil
}

func computeExpand(x *Tensor, sizes []int) *Tensor {
	sizes, _ = expanded(x, sizes)
	return x.BroadcastTo(sizes...)
}

func checkTril(x *Tensor, _ int) *breach { return ofMatrices(x, trilRank) }

func checkTriu(x *Tensor, _ int) *breach { return ofMatrices(x, triuRank) }

func ofMatrices(x *Tensor, d demand) *breach {
	if x.Rank() < 2 {
		return breaks(d, "x is %v", x.Type())
	}
	return nil
}

// ahead returns by how much the column exceeds the row, for matrices of the given size.
func ahead(tr *Trace, rows, columns int) *Tensor {
	return Iota(tr, types.I64, 1, 1, columns).Sub(Iota(tr, types.I64, 0, rows, 1))
}

func computeTril(x *Tensor, diagonal int) *Tensor {
	by := ahead(x.tr, x.OpenDim(-2), x.OpenDim(-1))
	return by.LessEqual(by.like(float64(diagonal))).Where(x, x.like(0))
}

func computeTriu(x *Tensor, diagonal int) *Tensor {
	by := ahead(x.tr, x.OpenDim(-2), x.OpenDim(-1))
	return by.GreaterEqual(by.like(float64(diagonal))).Where(x, x.like(0))
}

func checkTile(_ *Tensor, repeats []int) *breach {
	for _, n := range repeats {
		if n < 0 && !dims.IsExpr(n) {
			return breaks(tileRepeats, "repeats are %v", types.Shape(repeats))
		}
	}
	return nil
}

func computeTile(x *Tensor, repeats []int) *Tensor {
	shape := slices.Clone(x.OpenShape())
	repeats = slices.Concat(slices.Repeat([]int{1}, max(len(shape)-len(repeats), 0)), repeats)
	shape = slices.Concat(slices.Repeat([]int{1}, len(repeats)-len(shape)), shape)
	var one, many, joined []int
	for i, d := range shape {
		one, many, joined = append(one, 1, d), append(many, repeats[i], d), append(joined, dims.Mul(repeats[i], d))
	}
	return x.Reshape(one...).BroadcastTo(many...).Reshape(joined...).Clone()
}

func checkRepeatInterleave(_ *Tensor, repeats, _ int) *breach {
	if repeats < 0 && !dims.IsExpr(repeats) {
		return breaks(repeatInterleaveRepeats, "repeats is %d", repeats)
	}
	return nil
}

func computeRepeatInterleave(x *Tensor, repeats, axis int) *Tensor {
	shape := slices.Clone([]int(x.OpenShape()))
	many := slices.Insert(slices.Clone(shape), axis+1, repeats)
	shape[axis] = dims.Mul(shape[axis], repeats)
	return x.Unsqueeze(axis + 1).BroadcastTo(many...).Reshape(shape...).Clone()
}

func checkRoll(x *Tensor, shifts, axes []int) *breach {
	if len(axes) != len(shifts) && (len(axes) > 0 || len(shifts) != 1) || len(shifts) == 0 {
		return breaks(rollLengths, "there are %s for %s", diag.Count(len(shifts), "shift"), diag.Count(len(axes), "axis"))
	}
	for _, a := range axes {
		if a < -x.Rank() || a >= x.Rank() {
			return breaks(rollAxes, "%s", shapeinfer.NoAxis(a, x.OpenShape()))
		}
	}
	return nil
}

func computeRoll(x *Tensor, shifts, axes []int) *Tensor {
	if len(axes) == 0 {
		return x.Reshape(elementsOf(x.OpenShape())).rolled(shifts[0], 0).Reshape(x.OpenShape()...).Clone()
	}
	y := x.Clone()
	for i, a := range axes {
		y = y.rolled(shifts[i], (a+x.Rank())%x.Rank())
	}
	return y
}

// rolled moves elements along an axis, from its end to its begin. It records the same ops for any size.
func (x *Tensor) rolled(by, axis int) *Tensor {
	n := x.OpenDim(axis)
	if n == 0 || by == 0 {
		return x
	}
	right := by > 0
	if !dims.IsExpr(n) {
		by %= n
	}
	var first int // the element that comes first
	if right {
		first = dims.Sub(n, dims.Mod(by, n))
	} else {
		first = dims.Mod(-by, n)
	}
	return Concatenate(axis, x.Narrow(axis, first, dims.Sub(n, first)), x.Narrow(axis, 0, first))
}

func checkRot90(_ *Tensor, _, axis1, axis2 int) *breach {
	if axis1 == axis2 {
		return breaks(rot90Distinct, "both axes are axis %d", axis1)
	}
	return nil
}

func computeRot90(x *Tensor, k, axis1, axis2 int) *Tensor {
	switch (k%4 + 4) % 4 {
	case 1:
		return computeSwapAxes(x.Reverse(axis2), axis1, axis2).Clone()
	case 2:
		return x.Reverse(axis1, axis2)
	case 3:
		return computeSwapAxes(x.Reverse(axis1), axis1, axis2).Clone()
	}
	return computeSwapAxes(x, axis1, axis1).Clone()
}

func checkDiag(x *Tensor, _ int) *breach {
	if n := x.Rank(); n != 1 && n != 2 {
		return breaks(diagRank, "x is %v", x.Type())
	}
	return nil
}

func computeDiag(x *Tensor, offset int) *Tensor {
	if x.Rank() == 2 {
		return x.Diagonal(offset, 0, 1).Clone()
	}
	return computeDiagEmbed(x, offset, 0, 1)
}

func checkDiagEmbed(x *Tensor, _, axis1, axis2 int) *breach {
	n := x.Rank() + 1
	switch {
	case n == 1:
		return breaks(diagEmbedRank, "x is a scalar")
	case min(axis1, axis2) < -n || max(axis1, axis2) >= n || (axis1+n)%n == (axis2+n)%n:
		return breaks(diagEmbedAxes, "axes %d and %d are not two of the result's %d", axis1, axis2, n)
	}
	return nil
}

// computeDiagEmbed has the elements in their rows, of which it takes the diagonal's column.
func computeDiagEmbed(x *Tensor, offset, axis1, axis2 int) *Tensor {
	rank := x.Rank() + 1
	axis1, axis2 = (axis1+rank)%rank, (axis2+rank)%rank
	low, high := make([]int, rank-1), make([]int, rank-1)
	low[rank-2], high[rank-2] = max(-offset, 0), max(offset, 0)
	rows := x.Pad(x.like(0), low, high, make([]int, rank-1)).Unsqueeze(-1)
	by := ahead(x.tr, rows.OpenDim(-2), rows.OpenDim(-2))
	y := by.Equal(by.like(float64(offset))).Where(rows, x.like(0))
	perm, next := make([]int, rank), 0
	for i := range perm {
		switch i {
		case axis1:
			perm[i] = rank - 2
		case axis2:
			perm[i] = rank - 1
		default:
			perm[i], next = next, next+1
		}
	}
	return y.Transpose(perm...).Clone()
}

func checkUnfold(x *Tensor, axis, size, step int) *breach {
	d := 1
	if x.Rank() > 0 {
		d = x.OpenDim(axis)
	}
	switch {
	case size < 1 || dims.Less(d, size):
		return breaks(unfoldSize, "size is %d, and axis %d has %s", size, axis, countOf(d, "element"))
	case step < 1:
		return breaks(unfoldStep, "step is %d", step)
	}
	return nil
}

func computeUnfold(x *Tensor, axis, size, step int) *Tensor {
	if x.Rank() == 0 {
		return x.Reshape(1).Clone()
	}
	windows := dims.Add(dims.Div(dims.Sub(x.OpenDim(axis), size), step), 1)
	first := Iota(x.tr, types.I64, 0, windows, size) // no broadcast, which one window would not need
	at := first.Mul(first.like(float64(step))).Add(Iota(x.tr, types.I64, 1, windows, size))
	rank := x.Rank()
	return x.moved(axis, 0).Gather(at).moved(1, rank).moved(0, axis).Clone()
}

// AtLeast1D, AtLeast2D and AtLeast3D return x with new axes of dimension 1 if it has fewer.
// They come before its own. But AtLeast3D has the last one behind them, unless x is a scalar.
func (x *Tensor) AtLeast1D() *Tensor { return x.atLeast("at_least_1d", 1) }
func (x *Tensor) AtLeast2D() *Tensor { return x.atLeast("at_least_2d", 2) }
func (x *Tensor) AtLeast3D() *Tensor { return x.atLeast("at_least_3d", 3) }

func (x *Tensor) atLeast(op string, rank int) *Tensor {
	if bad := firstBad(op, x); bad != nil || x.Rank() >= rank {
		if bad != nil {
			return bad
		}
		return x
	}
	shape := slices.Clone([]int(x.OpenShape()))
	if rank == 3 && len(shape) > 0 {
		shape = append(shape, 1)
	}
	return x.Reshape(slices.Concat(slices.Repeat([]int{1}, rank-len(shape)), shape)...)
}

// divided returns the dimension of an axis that is split, and the axis counted from the
// front.
func (x *Tensor) divided(op string, axis int) (d, from int, bad *Tensor) {
	if bad = firstBad(op, x); bad != nil {
		return 0, 0, bad
	}
	if axis < -x.Rank() || axis >= x.Rank() {
		return 0, 0, x.violates(op, "axis", shapeinfer.NoAxis(axis, x.OpenShape()))
	}
	axis = (axis + x.Rank()) % x.Rank()
	if d = x.OpenDim(axis); dims.IsExpr(d) {
		return 0, 0, x.violates(op, "fixed", fmt.Sprintf("axis %d has the open size %s, and the number of parts would be open; take parts with Narrow", axis, dims.String(d)))
	}
	return d, axis, nil
}

// parts are views of x along an axis, one after the other.
func (x *Tensor) parts(axis int, sizes []int) (all []*Tensor) {
	start := 0
	for _, n := range sizes {
		all = append(all, x.Narrow(axis, start, n))
		start += n
	}
	return all
}

// Split returns views of x along the axis, of size indices each, the last of those that are
// left. The axis comes first, and PyTorch's torch.split(x, size, axis) has it last.
func (x *Tensor) Split(axis, size int) []*Tensor {
	const op = "split"
	d, axis, bad := x.divided(op, axis)
	if bad == nil && (size < 0 || size == 0 && d > 0) {
		bad = x.violates(op, "size", fmt.Sprintf("size is %d, must be positive", size))
	}
	if bad != nil {
		return []*Tensor{bad}
	}
	sizes := slices.Repeat([]int{size}, d/max(size, 1))
	if rest := d - size*len(sizes); rest > 0 || d == 0 {
		sizes = append(sizes, rest)
	}
	return x.parts(axis, sizes)
}

// SplitSizes returns views of x along the axis, of the given sizes, which must add up to its
// dimension.
func (x *Tensor) SplitSizes(axis int, sizes ...int) []*Tensor {
	const op = "split_sizes"
	d, axis, bad := x.divided(op, axis)
	sum := 0
	for _, n := range sizes {
		if sum += n; n < 0 && bad == nil {
			bad = x.violates(op, "sizes", fmt.Sprintf("size %d is negative", n))
		}
	}
	if bad == nil && sum != d {
		bad = x.violates(op, "sum", fmt.Sprintf("the sizes add up to %d, axis %d has %s", sum, axis, countOf(d, "element")))
	}
	if bad != nil {
		return []*Tensor{bad}
	}
	return x.parts(axis, sizes)
}

// Chunk returns at most n views of x along the axis, which have the same size but for the
// last. The axis comes first, and PyTorch's torch.chunk(x, n, axis) has it last.
func (x *Tensor) Chunk(axis, n int) []*Tensor {
	const op = "chunk"
	d, axis, bad := x.divided(op, axis)
	if bad == nil && n < 1 {
		bad = x.violates(op, "number", fmt.Sprintf("the number of chunks is %d, must be positive", n))
	}
	switch {
	case bad != nil:
		return []*Tensor{bad}
	case d == 0:
		return x.parts(axis, make([]int, n))
	}
	return x.Split(axis, (d+n-1)/n)
}

// TensorSplit returns n views of x along the axis, of which the first have one index more
// if n does not divide its dimension. The axis comes first, and PyTorch's has it last.
func (x *Tensor) TensorSplit(axis, n int) []*Tensor {
	const op = "tensor_split"
	d, axis, bad := x.divided(op, axis)
	if bad == nil && n < 1 {
		bad = x.violates(op, "number", fmt.Sprintf("the number of parts is %d, must be positive", n))
	}
	if bad != nil {
		return []*Tensor{bad}
	}
	sizes := slices.Repeat([]int{d / n}, n)
	for i := range d % n {
		sizes[i]++
	}
	return x.parts(axis, sizes)
}

// Unbind returns views of x at each index of the axis, which is gone.
func (x *Tensor) Unbind(axis int) []*Tensor {
	d, axis, bad := x.divided("unbind", axis)
	if bad != nil {
		return []*Tensor{bad}
	}
	all := make([]*Tensor, d)
	for i := range all {
		all[i] = x.Select(axis, i)
	}
	return all
}

// operandsFor brings the operands of a function into one trace, or says what is wrong.
func operandsFor(op string, xs []*Tensor) (all []*Tensor, bad *Tensor) {
	if len(xs) == 0 {
		return nil, noOperands(op, "there is no tensor: give it one or more")
	}
	if bad = firstBad(op, xs...); bad != nil {
		return nil, bad
	}
	tr := traceOf(xs...)
	if tr == nil {
		return nil, noTrace(op, xs...)
	}
	for _, x := range xs {
		all = append(all, tr.Read(x))
	}
	return all, firstBad(op, all...)
}

// noOperands returns the poisoned result of a call without a tensor.
func noOperands(op, why string) *Tensor {
	e := opError(callsite.Caller(), op, ErrUsage, nil, "%s", why)
	e.Label = op + "_tensors"
	return &Tensor{err: e}
}

// Stack joins tensors of one shape along a new axis; a negative one counts from the end of
// the result's.
func Stack(axis int, xs ...*Tensor) *Tensor {
	const op = "stack"
	xs, bad := operandsFor(op, xs)
	if bad != nil {
		return bad
	}
	return called(op, func() *Tensor {
		rank, first := xs[0].Rank()+1, xs[0]
		if axis < -rank || axis >= rank {
			return first.violates(op, "axis", fmt.Sprintf("axis %d is out of range: the result has axes 0 to %d", axis, rank-1), xs...)
		}
		all := make([]*Tensor, len(xs))
		for i, x := range xs {
			if !x.Type().Shape.Equal(first.Type().Shape) {
				return first.violates(op, "shapes", fmt.Sprintf("tensor 0 is %v and tensor %d is %v; give all one shape", first.Type(), i, x.Type()), xs...)
			}
			all[i] = x.Unsqueeze(axis)
		}
		return Concatenate((axis+rank)%rank, all...)
	}, xs...)
}

// HStack, VStack, DStack and ColumnStack join tensors along the second, the first, the third
// and the second axis. HStack joins those of one axis along it. The others have tensors of
// fewer axes as [Tensor.AtLeast2D] or [Tensor.AtLeast3D] returns them; ColumnStack has one of
// a single axis as a column.
func HStack(xs ...*Tensor) *Tensor {
	return stacked("hstack", xs, 1, (*Tensor).AtLeast1D)
}

// VStack is one of several: see [HStack].
func VStack(xs ...*Tensor) *Tensor { return stacked("vstack", xs, 0, (*Tensor).AtLeast2D) }

// DStack is one of several: see [HStack].
func DStack(xs ...*Tensor) *Tensor { return stacked("dstack", xs, 2, (*Tensor).AtLeast3D) }

// ColumnStack is one of several: see [HStack].
func ColumnStack(xs ...*Tensor) *Tensor {
	return stacked("column_stack", xs, 1, func(x *Tensor) *Tensor {
		if x.Rank() < 2 {
			return x.Reshape(elementsOf(x.OpenShape()), 1)
		}
		return x
	})
}

func stacked(op string, xs []*Tensor, axis int, with func(x *Tensor) *Tensor) *Tensor {
	xs, bad := operandsFor(op, xs)
	if bad != nil {
		return bad
	}
	given := slices.Clone(xs)
	for i, x := range xs {
		xs[i] = with(x)
	}
	if xs[0].Rank() == 1 {
		axis = 0
	}
	y := xs[0].tr.gently(func() *Tensor { return Concatenate(axis, xs...) })
	if y.err != nil {
		return given[0].violates(op, "shapes", fmt.Sprintf("they cannot be joined along axis %d: %s", axis, y.err.Reason), given...)
	}
	return y
}

// BlockDiag returns a matrix with the matrices on its diagonal, one after the other, and
// zeros elsewhere. A tensor of one axis, or none, counts as a row. Their dtypes promote.
func BlockDiag(xs ...*Tensor) *Tensor {
	const op = "block_diag"
	xs, bad := operandsFor(op, xs)
	if bad != nil {
		return bad
	}
	width, given := 0, slices.Clone(xs)
	for i, x := range xs {
		if x.Rank() > 2 {
			return given[0].violates(op, "matrices", fmt.Sprintf("tensor %d is %v, must be a matrix, a row or a scalar", i, x.Type()), given...)
		}
		xs[i] = x.AtLeast2D()
		width = dims.Add(width, xs[i].OpenDim(1))
	}
	left := 0
	for i, x := range xs {
		right := dims.Sub(dims.Sub(width, left), x.OpenDim(1))
		xs[i] = x.Pad(x.like(0), []int{0, left}, []int{0, right}, []int{0, 0})
		left = dims.Add(left, x.OpenDim(1))
	}
	return Concatenate(0, xs...)
}

// Meshgrid returns, for tensors of one axis or none, one tensor each of as many axes as
// there are: axis i runs through tensor i. That is PyTorch's indexing "ij"; for "xy" swap
// the first two axes with [Tensor.SwapAxes].
func Meshgrid(xs ...*Tensor) []*Tensor {
	const op = "meshgrid"
	xs, bad := operandsFor(op, xs)
	if bad != nil {
		return []*Tensor{bad}
	}
	shape := make([]int, len(xs))
	for i, x := range xs {
		if x.Rank() > 1 {
			return []*Tensor{xs[0].violates(op, "axes", fmt.Sprintf("tensor %d is %v, must have one axis", i, x.Type()), xs...)}
		}
		shape[i] = elementsOf(x.OpenShape())
	}
	for i, x := range xs {
		one := slices.Repeat([]int{1}, len(xs))
		one[i] = shape[i]
		xs[i] = x.Reshape(one...).BroadcastTo(shape...)
	}
	return xs
}

// BroadcastTensors returns the tensors as views of the shape that all broadcast to.
func BroadcastTensors(xs ...*Tensor) []*Tensor {
	const op = "broadcast_tensors"
	xs, bad := operandsFor(op, xs)
	if bad != nil {
		return []*Tensor{bad}
	}
	shape := types.Shape{}
	for i, x := range xs {
		s, ok := shapeinfer.BroadcastShapes(shape, x.OpenShape())
		if !ok {
			return []*Tensor{xs[0].violates(op, "shapes", fmt.Sprintf("tensor %d has the shape %v, which does not broadcast with %v", i, x.OpenShape(), shape), xs...)}
		}
		shape = s
	}
	for i, x := range xs {
		xs[i] = x.BroadcastTo(shape...)
	}
	return xs
}
