package lazy

import (
	"math"
	"slices"

	"ltc/ir"
)

func checkSelect(x *Tensor, axis, index int) *breach {
	if d := x.Shape()[axis]; index < -d || index >= d {
		return breaks(selectIndex, "index %d is not one of the %d of axis %d", index, d, axis)
	}
	return nil
}

func computeSelect(x *Tensor, axis, index int) *Tensor {
	if index < 0 {
		index += x.Shape()[axis]
	}
	dims := slices.Delete(slices.Clone([]int(x.Shape())), axis, axis+1)
	strides := x.window().dense(x.Shape())
	win := window{x.window().offset + index*strides[axis], slices.Delete(slices.Clone(strides), axis, axis+1)}
	return x.makeView("select", &win, x.part(axis, index, index+1), step{ir.OpReshape, []ir.Attr{ir.ReshapeDims: {Ints: dims}}})
}

// part is the step that slices one axis.
func (x *Tensor) part(axis, start, limit int) step {
	starts, limits, strides := make([]int, x.Rank()), slices.Clone([]int(x.Shape())), slices.Repeat([]int{1}, x.Rank())
	starts[axis], limits[axis] = start, limit
	return step{ir.OpSlice, []ir.Attr{ir.SliceStarts: {Ints: starts}, ir.SliceLimits: {Ints: limits}, ir.SliceStrides: {Ints: strides}}}
}

func checkNarrow(x *Tensor, axis, start, length int) *breach {
	d := x.Shape()[axis]
	if start >= 0 && length >= 0 && start <= d && length <= d-start {
		return nil
	}
	why := ""
	if start < 0 {
		why = ": a negative start does not count from the end"
	}
	return breaks(narrowIndices, "%d indices from %d are not within the %d of axis %d%s", length, start, d, axis, why)
}

func computeNarrow(x *Tensor, axis, start, length int) *Tensor {
	return x.makeView("narrow", nil, x.part(axis, start, start+length))
}

func checkSqueeze(x *Tensor, axes []int) *breach {
	for _, a := range axes {
		if d := x.Shape()[a]; d != 1 {
			return breaks(squeezeOne, "axis %d has dimension %d, not 1", a, d)
		}
	}
	return nil
}

func computeSqueeze(x *Tensor, axes []int) *Tensor {
	dims := []int{}
	for i, d := range x.Shape() {
		if !slices.Contains(axes, i) && (d != 1 || len(axes) > 0) {
			dims = append(dims, d)
		}
	}
	return x.Reshape(dims...)
}

func checkDiagonal(_ *Tensor, _, a1, a2 int) *breach {
	if a1 == a2 {
		return breaks(diagonalDistinct, "both axes are axis %d", a1)
	}
	return nil
}

func computeDiagonal(x *Tensor, offset, a1, a2 int) *Tensor {
	shape, strides := x.Shape(), x.window().dense(x.Shape())
	row, col := max(-max(offset, -math.MaxInt), 0), max(offset, 0)
	n := max(min(shape[a1]-row, shape[a2]-col), 0)
	if n == 0 {
		row, col = 0, 0
	}
	var perm []int
	dims, win := []int{}, window{offset: x.window().offset + row*strides[a1] + col*strides[a2], strides: []int{}}
	for i, d := range shape {
		if i != a1 && i != a2 {
			perm, dims, win.strides = append(perm, i), append(dims, d), append(win.strides, strides[i])
		}
	}
	win.strides = append(win.strides, strides[a1]+strides[a2])
	// The two axes go last and are cut to a square, whose diagonal is every
	// (n+1)th element.
	r := len(dims)
	starts, limits, ones := make([]int, r+2), append(slices.Clone(dims), row+n, col+n), slices.Repeat([]int{1}, r+2)
	starts[r], starts[r+1] = row, col
	last := slices.Repeat([]int{1}, r+1)
	last[r] = n + 1
	return x.makeView("diagonal", &win,
		step{ir.OpTranspose, []ir.Attr{ir.TransposePerm: {Ints: append(perm, a1, a2)}}},
		step{ir.OpSlice, []ir.Attr{ir.SliceStarts: {Ints: starts}, ir.SliceLimits: {Ints: limits}, ir.SliceStrides: {Ints: ones}}},
		step{ir.OpReshape, []ir.Attr{ir.ReshapeDims: {Ints: append(slices.Clone(dims), n*n)}}},
		step{ir.OpSlice, []ir.Attr{ir.SliceStarts: {Ints: make([]int, r+1)}, ir.SliceLimits: {Ints: append(slices.Clone(dims), n*n)}, ir.SliceStrides: {Ints: last}}})
}

// AsStrided returns the view of the elements at offset + i*strides[0] +
// j*strides[1] + … for each index (i, j, …) of the given sizes, counted in the
// row-major order of x's storage: if x is a view itself, of what it is a view
// of in the end. A view in which two indices are one element cannot be written.
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
