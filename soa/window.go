package soa

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/internal/diag"
	"ltc/ir/types"
)

// Strided returns a view of type t on mem whose element (0, 0, …) is mem[offset]. Strides are in
// elements and may be 0 or negative. Strided returns an error if T does not hold t's dtype (see
// [Slice]), or an element of the view is outside of mem.
func Strided[T Element](mem []T, t types.Type, offset int, strides []int) (View, error) {
	switch err := t.Check(); {
	case err != nil:
		return View{}, err
	case !holds[T](t.DType):
		return View{}, fmt.Errorf("%T does not hold elements of %v", *new(T), t.DType)
	case len(strides) != t.Rank():
		return View{}, fmt.Errorf("%s for %v: want one per dimension", diag.Count(len(strides), "stride"), t)
	}
	v := View{Type: t, Strides: slices.Clone(strides), base: unsafe.Pointer(unsafe.SliceData(mem)), bounds: bounds{after: len(mem) * t.DType.Size()}}
	if t.Elements() == 0 {
		return v, nil
	}
	// A stride beyond the slice in a dimension that takes steps leaves it, and
	// would wrap around in the sums below.
	for i, d := range t.Shape {
		if s := strides[i]; d > 1 && (s > len(mem)/(d-1) || s < -(len(mem)/(d-1))) {
			return View{}, fmt.Errorf("%v with strides %v reaches outside of a slice of %s", t, strides, diag.Count(len(mem), "element"))
		}
	}
	if offset < 0 || offset >= len(mem) {
		return View{}, fmt.Errorf("offset %d is outside of a slice of %s", offset, diag.Count(len(mem), "element"))
	}
	lo, hi := v.extent()
	if lo+offset < 0 || hi+offset >= len(mem) {
		return View{}, fmt.Errorf("%v with strides %v at %d reaches from element %d to %d of a slice of %s",
			t, strides, offset, lo+offset, hi+offset, diag.Count(len(mem), "element"))
	}
	v.base, v.bounds = unsafe.Pointer(&mem[offset]), v.bounds.shifted(offset*t.DType.Size())
	return v, nil
}

// NewTable returns a view of several columns as one tensor, without copying. The result has one
// more dimension than a column: index i of dimension axis is column i. The columns must have
// equal types and strides, must have no tables, and must be in the memory of one device.
func NewTable(axis int, columns ...View) (View, error) {
	if len(columns) == 0 {
		return View{}, fmt.Errorf("a table needs at least one column")
	}
	first := columns[0]
	if first.IsZero() { // and so are the others, or they differ
		return View{}, fmt.Errorf("column 0 is the zero View")
	}
	if axis < 0 || axis > first.Type.Rank() {
		return View{}, fmt.Errorf("table of columns %v: axis %d is not in [0, %d]", first.Type, axis, first.Type.Rank())
	}
	table, hold, all, readOnly := make([]unsafe.Pointer, len(columns)), &Buffer{off: true}, first.bounds, false
	for i, c := range columns {
		switch {
		case c.Table != nil:
			return View{}, fmt.Errorf("column %d is a table itself", i)
		case !c.Type.Equal(first.Type):
			return View{}, fmt.Errorf("column %d is %v, column 0 is %v", i, c.Type, first.Type)
		case !slices.Equal(c.Strides, first.Strides):
			return View{}, fmt.Errorf("column %d has strides %v, column 0 has %v", i, c.Strides, first.Strides)
		case c.Remote() != first.Remote():
			return View{}, fmt.Errorf("column %d is in the memory of another device than column 0", i)
		}
		table[i], all = c.base, bounds{min(all.before, c.bounds.before), min(all.after, c.bounds.after)}
		if c.hold != nil {
			hold.also = append(hold.also, c.hold)
		}
		readOnly = readOnly || c.readOnly
	}
	if hold.also == nil {
		hold = nil
	}
	return View{
		hold:      hold,
		Type:      types.Type{DType: first.Type.DType, Shape: slices.Insert(slices.Clone(first.Type.Shape), axis, len(columns))},
		Strides:   slices.Insert(slices.Clone(first.Strides), axis, 0),
		Table:     table,
		TableAxis: axis,
		bounds:    all,
		readOnly:  readOnly,
	}, nil
}

// Slice returns a view of the elements of v whose index along axis is one of start, start+step,
// … below limit. Slice returns an error unless 0 <= start <= limit <= the axis's size and step
// >= 1.
func (v View) Slice(axis, start, limit, step int) (View, error) {
	if axis < 0 || axis >= v.Type.Rank() {
		return View{}, fmt.Errorf("slice of %v: no axis %d", v.Type, axis)
	}
	if step < 1 || start < 0 || limit < start || limit > v.Type.Shape[axis] {
		return View{}, fmt.Errorf("slice of %v: [%d:%d:%d] is not within axis %d", v.Type, start, limit, step, axis)
	}
	step = min(step, max(limit-start, 1)) // a longer one takes the same elements
	n := (limit - start + step - 1) / step
	v.Type.Shape = slices.Clone(v.Type.Shape)
	v.Type.Shape[axis] = n
	if v.Table != nil && axis == v.TableAxis {
		table := make([]unsafe.Pointer, n)
		for i := range table {
			table[i] = v.Table[start+i*step]
		}
		v.Table = table
		return v, nil
	}
	if n > 0 {
		v = v.offset(start * v.Strides[axis])
	}
	v.Strides = slices.Clone(v.Strides)
	v.Strides[axis] *= step
	return v, nil
}

// Overlaps reports whether the strides of v give two indices the same memory: see
// [types.Overlaps]. Such a view can be read but not written. The columns of a table are not
// compared with each other: see [View.Repeats].
func (v *View) Overlaps() bool {
	if v.IsDense() {
		return false
	}
	w := v.window()
	return types.Overlaps(w.Sizes, w.Strides, w.Without)
}

// Repeats reports whether two elements of v are in the same memory: those of one column, as
// [View.Overlaps] has it, or those of two columns of a table. v must have passed [View.Check].
func (v *View) Repeats() bool {
	if v.Overlaps() {
		return true
	}
	column := v.window()
	for i, base := range v.Table {
		for _, other := range v.Table[:i] {
			if column.Meets(column, int(uintptr(base)-uintptr(other))) {
				return true
			}
		}
	}
	return false
}

// Check returns an error if v cannot be used. The type may be invalid, or the strides or the
// table may not fit the type. The memory may be missing, misaligned for the element, released,
// or too small for the type and strides. The size of memory is not known for views of [At], and
// for addresses that the caller has written into a table.
func (v View) Check() error {
	if err := v.Type.Check(); err != nil {
		return err
	}
	if v.Released() {
		return fmt.Errorf("%v: %w", v.Type, ErrReleased)
	}
	if len(v.Strides) != v.Type.Rank() {
		return fmt.Errorf("%v has %s", v.Type, diag.Count(len(v.Strides), "stride"))
	}
	if v.Table != nil && (v.TableAxis < 0 || v.TableAxis >= v.Type.Rank() || len(v.Table) != v.Type.Shape[v.TableAxis]) {
		return fmt.Errorf("%v has a table of %s on axis %d", v.Type, diag.Count(len(v.Table), "pointer"), v.TableAxis)
	}
	if v.Type.Elements() == 0 {
		return nil
	}
	if v.Table == nil {
		if err := v.checkBase(v.base); err != nil {
			return err
		}
	}
	for _, base := range v.Table {
		if err := v.checkBase(base); err != nil {
			return err
		}
	}
	if !v.bounds.contain(&v) {
		return fmt.Errorf("%v with strides %v reaches outside of its memory (%s from its first element on, %d before it): its type or strides were changed since it was made",
			v.Type, v.Strides, diag.Count(v.bounds.after, "byte"), v.bounds.before)
	}
	return nil
}

// checkBase returns an error if a base address is nil or misaligned.
func (v View) checkBase(base unsafe.Pointer) error {
	size := uintptr(v.Type.DType.Align())
	switch over := uintptr(base) & (size - 1); {
	case base == nil:
		return fmt.Errorf("%v has no memory", v.Type)
	case over != 0:
		return fmt.Errorf("%v starts %s after a multiple of %d: copy its bytes to a buffer of New", v.Type, diag.Count(over, "byte"), size)
	}
	return nil
}

// offset returns v with all addresses moved by n elements.
func (v View) offset(n int) View {
	n *= v.Type.DType.Size()
	v.bounds = v.bounds.shifted(n)
	if v.Table == nil {
		v.base = unsafe.Add(v.base, n)
		return v
	}
	v.Table = slices.Clone(v.Table)
	for i := range v.Table {
		v.Table[i] = unsafe.Add(v.Table[i], n)
	}
	return v
}

// index returns the view of the elements at index i of axis, without that dimension.
func (v View) index(axis, i int) View {
	switch {
	case v.Table == nil:
		n := i * v.Strides[axis] * v.Type.DType.Size()
		v.base, v.bounds = unsafe.Add(v.base, n), v.bounds.shifted(n)
	case axis == v.TableAxis:
		v.base, v.Table = v.Table[i], nil
	default:
		v = v.offset(i * v.Strides[axis])
		if axis < v.TableAxis {
			v.TableAxis--
		}
	}
	v.Type.Shape = slices.Delete(slices.Clone(v.Type.Shape), axis, axis+1)
	v.Strides = slices.Delete(slices.Clone(v.Strides), axis, axis+1)
	return v
}

// extent returns the lowest and highest offset of an element, in elements
// from the origin; the table's axis does not count.
func (v View) extent() (lo, hi int) {
	for i, d := range v.Type.Shape {
		if v.Table != nil && i == v.TableAxis {
			continue
		}
		if reach := (d - 1) * v.Strides[i]; reach < 0 {
			lo += reach
		} else {
			hi += reach
		}
	}
	return lo, hi
}
