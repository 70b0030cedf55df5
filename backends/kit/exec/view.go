package exec

import (
	"slices"

	"ltc/soa"
)

// TableOf returns the axis of a view's table; -1 if it has none.
func TableOf(v *soa.View) int {
	if v.Table == nil {
		return -1
	}
	return v.TableAxis
}

// identical reports whether two views of one type show the same memory.
func identical(v, w *soa.View) bool {
	return v.Base() == w.Base() && slices.Equal(v.Table, w.Table) && TableOf(v) == TableOf(w) &&
		(slices.Equal(v.Strides, w.Strides) || v.IsDense() && w.IsDense())
}

// disjoint reports whether two dense views share no memory; false if either is not
// dense.
func disjoint(a, b *soa.View) bool {
	if !a.IsDense() || !b.IsDense() {
		return false
	}
	p, q := uintptr(a.Base()), uintptr(b.Base())
	return p+uintptr(a.Type.Bytes()) <= q || q+uintptr(b.Type.Bytes()) <= p
}
