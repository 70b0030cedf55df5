package lazy

import (
	"fmt"
	"math"
	"slices"

	"ltc/ir"
)

// Select returns the view of x in which the axis is gone and has the given
// index; negative ones count from the end. For the choice between two tensors
// see Where.
func (x *Tensor) Select(axis, index int) *Tensor {
	a, bad := x.axisOf("select", axis)
	if bad != nil {
		return bad
	}
	d := x.Shape()[a]
	i := index
	if i < 0 {
		i += d
	}
	if i < 0 || i >= d {
		return x.misuse("select", fmt.Sprintf("index %d is not one of the %d of axis %d", index, d, axis))
	}
	dims := slices.Delete(slices.Clone([]int(x.Shape())), a, a+1)
	strides := x.window().dense(x.Shape())
	win := window{x.window().offset + i*strides[a], slices.Delete(slices.Clone(strides), a, a+1)}
	return x.makeView("select", &win, x.part(a, i, i+1), step{ir.OpReshape, []ir.Attr{ir.ReshapeDims: {Ints: dims}}})
}

// part is the step that slices one axis.
func (x *Tensor) part(axis, start, limit int) step {
	starts, limits, strides := make([]int, x.Rank()), slices.Clone([]int(x.Shape())), slices.Repeat([]int{1}, x.Rank())
	starts[axis], limits[axis] = start, limit
	return step{ir.OpSlice, []ir.Attr{ir.SliceStarts: {Ints: starts}, ir.SliceLimits: {Ints: limits}, ir.SliceStrides: {Ints: strides}}}
}

// Narrow returns the view of the length indices of the axis from start on.
func (x *Tensor) Narrow(axis, start, length int) *Tensor {
	a, bad := x.axisOf("narrow", axis)
	if bad != nil {
		return bad
	}
	if d := x.Shape()[a]; start < 0 || length < 0 || start > d || length > d-start {
		why := fmt.Sprintf("%d indices from %d are not within the %d of axis %d", length, start, d, axis)
		if start < 0 {
			why += ": a negative start does not count from the end"
		}
		return x.misuse("narrow", why)
	}
	return x.makeView("narrow", nil, x.part(a, start, start+length))
}

// Squeeze returns the view of x without the given axes, which must have the
// dimension 1; without all such when none is given.
func (x *Tensor) Squeeze(axes ...int) *Tensor {
	if b := firstBad("squeeze", x); b != nil {
		return b
	}
	gone := make([]bool, x.Rank())
	for _, axis := range axes {
		a, bad := x.axisOf("squeeze", axis)
		if bad != nil {
			return bad
		}
		if d := x.Shape()[a]; d != 1 {
			return x.misuse("squeeze", fmt.Sprintf("axis %d has dimension %d, not 1", axis, d))
		}
		gone[a] = true
	}
	dims := []int{}
	for i, d := range x.Shape() {
		if !gone[i] && (d != 1 || len(axes) > 0) {
			dims = append(dims, d)
		}
	}
	return x.Reshape(dims...)
}

// Diagonal returns the view of the elements of x whose indices of the two axes
// differ by offset: index i of its last axis is that of [i, i+offset] of axis1
// and axis2, or [i-offset, i] when offset is negative. The two axes are gone.
func (x *Tensor) Diagonal(offset, axis1, axis2 int) *Tensor {
	a1, bad := x.axisOf("diagonal", axis1)
	if bad != nil {
		return bad
	}
	a2, bad := x.axisOf("diagonal", axis2)
	if bad != nil {
		return bad
	}
	if a1 == a2 {
		return x.misuse("diagonal", fmt.Sprintf("axes %d and %d are the same", axis1, axis2))
	}
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
