package lazy

import (
	"fmt"
	"slices"

	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy/internal/strided"
	"ltc/shapeinfer"
)

func checkBroadcastTo(x *Tensor, dims []int) *breach {
	shape := types.Shape(dims)
	if s, ok := shapeinfer.BroadcastShapes(x.OpenShape(), shape); !ok || !s.Equal(shape) {
		return breaks(broadcastToDims, "it does not broadcast to %v", shape)
	}
	return nil
}

func computeBroadcastTo(x *Tensor, dims []int) *Tensor {
	shape := types.Shape(slices.Clone(dims))
	if x.OpenShape().Equal(shape) {
		return x.makeView("broadcast", &strided.Layout{Offset: x.layout().Offset, Strides: x.layout().Strides})
	}
	axes := make([]int, x.Rank())
	for i := range axes {
		axes[i] = len(shape) - len(axes) + i
	}
	return x.view(ir.OpBroadcast, ir.Attr{Ints: shape}, ir.Attr{Ints: axes})
}

func checkUnsqueeze(x *Tensor, axis int) *breach {
	if n := x.Rank() + 1; axis < -n || axis >= n {
		return breaks(unsqueezeAxis, "axis %d is out of range: the result has axes 0 to %d", axis, n-1)
	}
	return nil
}

func computeUnsqueeze(x *Tensor, axis int) *Tensor {
	if axis < 0 {
		axis += x.Rank() + 1
	}
	return x.Reshape(slices.Insert(slices.Clone([]int(x.OpenShape())), axis, 1)...)
}

// Concatenate joins tensors along an axis; a negative one counts from the end.
// All their other dimensions must agree, and their dtypes.
func Concatenate(axis int, xs ...*Tensor) *Tensor {
	if len(xs) == 0 {
		return noOperands("concatenate", "there is nothing to join: give it a tensor or more")
	}
	return recordN(ir.OpConcatenate, xs, ir.Attr{Int: int64(axis)})
}

// MatMul returns the matrix product of x and y. As in NumPy the product is of the last two
// axes, and the axes before them broadcast. A vector counts as one row on the left and as
// one column on the right, which the result drops.
func (x *Tensor) MatMul(y *Tensor) *Tensor {
	if x.Rank() == 2 && y.Rank() == 2 {
		return record2(ir.OpMatMul, x, y)
	}
	if t := firstBad("matmul", x, y); t != nil {
		return t
	}
	tr := traceOf(x, y)
	p, q := x.Type().Shape, y.Type().Shape
	switch {
	case tr == nil || tr.operand(x) == nil || tr.operand(y) == nil:
	case len(p) == 1 && len(q) >= 1:
		z := tr.gently(func() *Tensor { return tr.Read(x).Reshape(1, p[0]).MatMul(y) }).blame(x, y)
		return z.Squeeze(-min(len(q), 2))
	case len(q) == 1 && len(p) >= 1:
		z := tr.gently(func() *Tensor { return x.MatMul(tr.Read(y).Reshape(q[0], 1)) }).blame(x, y)
		return z.Squeeze(-1)
	case len(p) >= 2 && len(q) >= 2 && p[len(p)-1] == q[len(q)-2] && (len(q) > 2 && !p[:len(p)-2].Equal(q[:len(q)-2])):
		if batch, ok := shapeinfer.BroadcastShapes(p[:len(p)-2], q[:len(q)-2]); ok {
			x = tr.Read(x).BroadcastTo(slices.Concat(batch, p[len(p)-2:])...)
			y = tr.Read(y).BroadcastTo(slices.Concat(batch, q[len(q)-2:])...)
		}
	}
	return record2(ir.OpMatMul, x, y)
}

// blame makes the operands in x's error, if it has one, those that the user
// gave.
func (x *Tensor) blame(operands ...*Tensor) *Tensor {
	if x.err == nil {
		return x
	}
	e := *x.err
	e.Operands = nil
	for _, t := range operands {
		e.Operands = append(e.Operands, t.Type())
	}
	return x.tr.poisoned(&e)
}

// SumKeep is [Tensor.Sum] whose axes stay, of one element each, so that the result
// broadcasts with x. MeanKeep, MaxKeep and MinKeep are the same of [Tensor.Mean],
// [Tensor.Max] and [Tensor.Min].
func (x *Tensor) SumKeep(axes ...int) *Tensor  { return x.keeping("sum_keep", (*Tensor).Sum, axes) }
func (x *Tensor) MeanKeep(axes ...int) *Tensor { return x.keeping("mean_keep", (*Tensor).Mean, axes) }
func (x *Tensor) MaxKeep(axes ...int) *Tensor  { return x.keeping("max_keep", (*Tensor).Max, axes) }
func (x *Tensor) MinKeep(axes ...int) *Tensor  { return x.keeping("min_keep", (*Tensor).Min, axes) }

// keeping reduces x over the axes, which stay, for the user's call op.
func (x *Tensor) keeping(op string, reduce func(x *Tensor, axes ...int) *Tensor, axes []int) *Tensor {
	return called(op, func() *Tensor { return x.keepAxes(reduce(x, axes...), axes) }, x)
}

// keepAxes gives y, which x was reduced to over some axes, these axes back.
func (x *Tensor) keepAxes(y *Tensor, over []int) *Tensor {
	if y.err != nil || x.Rank() == 0 {
		return y
	}
	if len(over) == 0 {
		over = types.Axes(x.Rank())
	}
	shape := slices.Clone([]int(x.OpenShape()))
	for _, a := range over {
		shape[(a+len(shape))%len(shape)] = 1
	}
	return y.Reshape(shape...)
}

// isScalar reports whether x is a scalar, and the axis one that it has: 0, of one element.
func (x *Tensor) isScalar(axis int) bool {
	return x != nil && x.err == nil && (x.tr != nil || x.dev != nil) && x.Rank() == 0 && (axis == 0 || axis == -1)
}

// ofOneAxis returns x with an axis if it is a scalar.
func (x *Tensor) ofOneAxis() *Tensor {
	if x.isScalar(0) {
		return x.Unsqueeze(0)
	}
	return x
}

// scalar returns x, a result for a scalar that was given an axis, without it.
func (x *Tensor) scalar() *Tensor {
	if x.err == nil && x.Rank() == 1 && x.OpenDim(0) == 1 {
		return x.Squeeze(0)
	}
	return x
}

func scalars(x, y *Tensor) (_, _ *Tensor) { return x.scalar(), y.scalar() }

// PadZeros returns x with zeros around it: before and after the elements of each of its
// last axes, as many axes as there are entries. Negative numbers take elements away.
func (x *Tensor) PadZeros(padding ...[2]int) *Tensor {
	return called("pad_zeros", func() *Tensor { return x.padZeros(padding) }, x)
}

func (x *Tensor) padZeros(padding [][2]int) *Tensor {
	const op = "pad_zeros"
	first := x.Rank() - len(padding)
	if first < 0 {
		return x.violates(op, "entries", fmt.Sprintf("got %s of padding, x has %s", diag.Count(len(padding), "entry"), diag.Count(x.Rank(), "axis")))
	}
	zero, bad := x.scalarLike(op, 0)
	if bad != nil {
		return bad
	}
	before, after := paddingSides(padding, 0, len(padding))
	none := make([]int, first)
	return x.Pad(zero, slices.Concat(none, before), slices.Concat(none, after), make([]int, x.Rank()))
}

func checkSelect(x *Tensor, axis, index int) *breach {
	d := x.OpenShape()[axis]
	if i := fromEnd(index, d); dims.Less(i, 0) || dims.AtMost(d, i) {
		return breaks(selectIndex, "index %d is not one of the %s of axis %d", index, dims.String(d), axis)
	}
	return nil
}

func computeSelect(x *Tensor, axis, index int) *Tensor {
	index = fromEnd(index, x.OpenShape()[axis])
	shape := slices.Delete(slices.Clone([]int(x.OpenShape())), axis, axis+1)
	strides := x.layout().Dense(x.OpenShape())
	layout := strided.Layout{Offset: dims.Add(x.layout().Offset, dims.Mul(index, strides[axis])), Strides: slices.Delete(slices.Clone(strides), axis, axis+1)}
	return x.makeView("select", &layout, x.part(axis, index, dims.Add(index, 1)), step{ir.OpReshape, []ir.Attr{ir.ReshapeDims: {Ints: shape}}})
}

// fromEnd counts a negative number, which is no expression, from the end of a dimension.
func fromEnd(index, d int) int {
	if index < 0 && !dims.IsExpr(index) {
		return dims.Add(index, d)
	}
	return index
}

// part is the step that slices one axis.
func (x *Tensor) part(axis, start, limit int) step {
	starts, limits, strides := make([]int, x.Rank()), slices.Clone([]int(x.OpenShape())), slices.Repeat([]int{1}, x.Rank())
	starts[axis], limits[axis] = start, limit
	return step{ir.OpSlice, []ir.Attr{ir.SliceStarts: {Ints: starts}, ir.SliceLimits: {Ints: limits}, ir.SliceStrides: {Ints: strides}}}
}

func checkNarrow(x *Tensor, axis, start, length int) *breach {
	d := x.OpenShape()[axis]
	for _, n := range []int{start, length} {
		if err := dims.Check(n); err != nil && dims.IsExpr(n) {
			return breaks(narrowIndices, "%v", err)
		}
	}
	if !dims.Less(start, 0) && !dims.Less(length, 0) && !dims.Less(d, start) && !dims.Less(dims.Sub(d, start), length) {
		return nil
	}
	why := ""
	if start < 0 {
		why = ": a negative start does not count from the end"
	}
	return breaks(narrowIndices, "no %s from %s among the %s of axis %d%s", countOf(length, "index"), dims.String(start), dims.String(d), axis, why)
}

func computeNarrow(x *Tensor, axis, start, length int) *Tensor {
	return x.makeView("narrow", nil, x.part(axis, start, dims.Add(start, length)))
}

func checkSqueeze(x *Tensor, axes []int) *breach {
	for _, a := range axes {
		if d := x.OpenShape()[a]; d != 1 {
			return breaks(squeezeOne, "axis %d has dimension %d, not 1", a, d)
		}
	}
	return nil
}

func computeSqueeze(x *Tensor, axes []int) *Tensor {
	shape := []int{}
	for i, d := range x.OpenShape() {
		if !slices.Contains(axes, i) && (d != 1 || len(axes) > 0) {
			shape = append(shape, d)
		}
	}
	return x.Reshape(shape...)
}

func checkDiagonal(_ *Tensor, _, a1, a2 int) *breach {
	if a1 == a2 {
		return breaks(diagonalDistinct, "both axes are axis %d", a1)
	}
	return nil
}

func computeDiagonal(x *Tensor, offset, a1, a2 int) *Tensor {
	shape, strides := x.OpenShape(), x.layout().Dense(x.OpenShape())
	offset = min(max(offset, -dims.Largest), dims.Largest)
	row, col := max(-offset, 0), max(offset, 0)
	n := dims.Max(dims.Min(dims.Sub(shape[a1], row), dims.Sub(shape[a2], col)), 0)
	if n == 0 {
		row, col = 0, 0
	}
	var perm []int
	rest, layout := []int{}, strided.Layout{Strides: []int{},
		Offset: dims.Add(x.layout().Offset, dims.Add(dims.Mul(row, strides[a1]), dims.Mul(col, strides[a2])))}
	for i, d := range shape {
		if i != a1 && i != a2 {
			perm, rest, layout.Strides = append(perm, i), append(rest, d), append(layout.Strides, strides[i])
		}
	}
	layout.Strides = append(layout.Strides, dims.Add(strides[a1], strides[a2]))
	// The two axes go last and are cut to a square, whose diagonal is every
	// (n+1)th element.
	r := len(rest)
	starts, limits, ones := make([]int, r+2), append(slices.Clone(rest), dims.Add(row, n), dims.Add(col, n)), slices.Repeat([]int{1}, r+2)
	starts[r], starts[r+1] = row, col
	last := slices.Repeat([]int{1}, r+1)
	last[r] = dims.Add(n, 1)
	return x.makeView("diagonal", &layout,
		step{ir.OpTranspose, []ir.Attr{ir.TransposePerm: {Ints: append(perm, a1, a2)}}},
		step{ir.OpSlice, []ir.Attr{ir.SliceStarts: {Ints: starts}, ir.SliceLimits: {Ints: limits}, ir.SliceStrides: {Ints: ones}}},
		step{ir.OpReshape, []ir.Attr{ir.ReshapeDims: {Ints: append(slices.Clone(rest), dims.Mul(n, n))}}},
		step{ir.OpSlice, []ir.Attr{ir.SliceStarts: {Ints: make([]int, r+1)}, ir.SliceLimits: {Ints: append(slices.Clone(rest), dims.Mul(n, n))}, ir.SliceStrides: {Ints: last}}})
}

// AsStrided returns the view of the elements at offset + i*strides[0] + j*strides[1] + …
// for each index (i, j, …) of the given sizes, counted in the row-major order of x's
// storage. If x is a view itself, the storage is that of its base. A view in which two
// indices are one element cannot be written.
func (x *Tensor) AsStrided(sizes, strides []int, offset int) *Tensor {
	if b := firstBad(ir.OpAsStrided.String(), x); b != nil {
		return b
	}
	s := x.storage()
	if s.tr != x.tr { // of a variable, in x's trace
		s = x.tr.View(s)
	}
	return s.view(ir.OpAsStrided, ir.Attr{Ints: sizes}, ir.Attr{Ints: strides}, ir.Attr{Int: int64(offset)})
}

// DynamicSlice returns the part of x with the given sizes that begins at starts, integer scalars
// of one dtype, one for each axis. Starts are moved so that the part lies within x.
func (x *Tensor) DynamicSlice(sizes []int, starts ...*Tensor) *Tensor {
	return recordN(ir.OpDynamicSlice, append([]*Tensor{x}, starts...), []ir.Attr{ir.DynamicSliceSizes: {Ints: slices.Clone(sizes)}}...)
}

// DynamicUpdateSlice returns x with the part of the size of update that begins at starts,
// integer scalars of one dtype, one for each axis, replaced by update. Starts are moved so that
// the part lies within x.
func (x *Tensor) DynamicUpdateSlice(update *Tensor, starts ...*Tensor) *Tensor {
	return recordN(ir.OpDynamicUpdateSlice, append([]*Tensor{x, update}, starts...))
}

// DynamicUpdateSlice_ writes update into the part of x that begins at starts, as
// [Tensor.DynamicUpdateSlice] has it, and returns x.
func (x *Tensor) DynamicUpdateSlice_(update *Tensor, starts ...*Tensor) *Tensor {
	return x.writeNamed("dynamic_update_slice_", x.DynamicUpdateSlice(update, starts...))
}
