package exec

import (
	"slices"

	"ltc/soa"
)

// TableOf returns the axis of a view's table of column addresses ([soa.View].Table); -1 if the
// view has no table.
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
