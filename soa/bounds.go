package soa

import (
	"math/bits"

	"ltc/ir/types"
)

// bounds is the number of bytes of memory before and after the address of a view's element
// (0, 0, …). A caller can change the exported type and strides of a view, but not its
// bounds. For a table it is the least of all columns.
type bounds struct{ before, after int }

// unbounded stands for memory whose ends are not known.
var unbounded = bounds{1 << 62, 1 << 62}

// shifted returns the bounds at an address that is so many bytes higher.
func (b bounds) shifted(bytes int) bounds { return bounds{b.before + bytes, b.after - bytes} }

// contain reports whether all elements of v are within b. V has a valid type and at least
// one element.
func (b bounds) contain(v *View) bool {
	switch {
	case b == bounds{} && v.Table != nil: // the caller has made the table itself
		return true
	case b.before < 0 || b.after < 0:
		return false
	}
	size := uint64(v.Type.DType.Size())
	lo, hi := uint64(0), size
	for i, d := range v.Type.Shape {
		if d == 1 || v.Table != nil && i == v.TableAxis {
			continue
		}
		stride := v.Strides[i]
		far := uint64(stride)
		if stride < 0 {
			far = -far
		}
		over, n := bits.Mul64(far, uint64(d-1)*size)
		if over != 0 || n > uint64(unbounded.after) {
			return false
		}
		if stride < 0 {
			lo += n
		} else {
			hi += n
		}
		if lo > uint64(b.before) || hi > uint64(b.after) {
			return false
		}
	}
	return hi <= uint64(b.after)
}

// Plain reports whether v is dense, of type t, with at least one element, and in memory of the
// Go heap that is large enough. Such a view passes [View.Check], does not overlap itself, and
// may be written. Most views are plain, and Plain is fast: the checks of each run call Plain
// first.
func (v *View) Plain(t *types.Type) bool {
	if v.hold != nil || v.readOnly || v.Table != nil || v.base == nil || v.Type.DType != t.DType ||
		len(v.Type.Shape) != len(t.Shape) || len(v.Strides) != len(t.Shape) {
		return false
	}
	n, over := uint64(1), uint64(0)
	for i := len(t.Shape) - 1; i >= 0; i-- {
		d := v.Type.Shape[i]
		if d != t.Shape[i] || d <= 0 || d != 1 && uint64(v.Strides[i]) != n {
			return false
		}
		var high uint64
		high, n = bits.Mul64(n, uint64(d))
		over |= high
	}
	size := uint64(t.DType.Size())
	high, n := bits.Mul64(n, size)
	return over|high == 0 && v.bounds.before >= 0 && v.bounds.after >= 0 && n <= uint64(v.bounds.after) && uintptr(v.base)&uintptr(t.DType.Align()-1) == 0
}

// Spans calls yield with the address range [lo, hi) of v, or of each column of v's table. The
// range includes the gaps between elements. V must have passed [View.Check]. Spans stops when
// yield returns false.
func (v *View) Spans(yield func(lo, hi uintptr) bool) {
	if v.Type.Elements() == 0 {
		return
	}
	low, high := v.extent()
	size := v.Type.DType.Size()
	from, to := uintptr(low*size), uintptr((high+1)*size)
	if v.Table == nil {
		yield(uintptr(v.base)+from, uintptr(v.base)+to)
		return
	}
	for _, base := range v.Table {
		if !yield(uintptr(base)+from, uintptr(base)+to) {
			return
		}
	}
}
