package soa

import (
	"fmt"
	"reflect"

	"ltc/ir/types"
)

// Column gives access to one column or scalar. A Column borrows the memory, which belongs to a
// [Columns] or to the caller. A Column may hold an error: functions that use the Column then
// return the error.
type Column struct {
	layout, name string
	kind         Kind
	count        int
	view         View
	offsets      *Column // the offsets of a column of kind Values; else nil
	buffer       *Buffer // nil: memory of the caller, which cannot be released
	readOnly     bool
	err          error
}

// ColumnOf returns a column that borrows a slice of the caller.
func ColumnOf[T Element](name string, elements []T) Column {
	d, ok := dtypeOf(reflect.TypeFor[T]())
	if !ok {
		return Column{name: name, err: fmt.Errorf("column %s: no dtype holds %v", name, reflect.TypeFor[T]())}
	}
	v, err := Borrow(elements, types.Of(d, len(elements)))
	return Column{name: name, count: len(elements), view: v, err: err}
}

// ViewColumn returns a column that borrows the memory of v. The first dimension of v counts
// the elements, and its further dimensions are the shape of an element. V must not have a
// table.
func ViewColumn(name string, v View) Column {
	c := Column{name: name, view: v, buffer: v.hold, readOnly: v.hold != nil && v.hold.readOnly}
	switch err := v.Check(); {
	case v.IsZero():
		c.err = fmt.Errorf("column %s: its view is the zero View", name)
	case err != nil:
		c.err = fmt.Errorf("column %s: %w", name, err)
	case v.Type.Rank() < 1:
		c.err = fmt.Errorf("column %s: %v has no dimension that counts elements", name, v.Type)
	case v.Table != nil:
		c.err = fmt.Errorf("column %s: %v is a table of columns itself", name, v.Type)
	default:
		c.count = v.Type.Shape[0]
	}
	return c
}

// MissingColumn returns a column that holds an error, for a column that does not exist.
func MissingColumn(name string, err error) Column { return Column{name: name, err: err} }

// Const returns the column as read-only: [Elements] and [Collection.Writable] then refuse the
// column. The column's View can still be written, since a view does not know of Const.
func (c Column) Const() Column {
	c.readOnly = true
	return c
}

// Name returns the column's name in its layout.
func (c Column) Name() string { return c.name }

// Kind returns the kind of the Column: a column, a scalar, or a part of a jagged column.
func (c Column) Kind() Kind { return c.kind }

// Err returns the error that the column holds, or [ErrReleased] if its memory was released.
func (c Column) Err() error {
	if c.err == nil && c.view.IsZero() {
		return fmt.Errorf("%s: it is the zero Column: make a column with Columns.Col or ViewColumn", c.label())
	}
	if c.err == nil && c.buffer != nil && c.buffer.Released() {
		return fmt.Errorf("%s: %w", c.label(), ErrReleased)
	}
	return c.err
}

// label returns the name of the column for errors, with its layout.
func (c Column) label() string {
	if c.layout == "" {
		return "column " + c.name
	}
	return "layout " + c.layout + ": column " + c.name
}

// View returns the column as a tensor, in place. The tensor's shape is the number of elements,
// followed by the shape of an element. For a scalar, it is the shape of an element alone. The
// view of a read-only column ([Column.Const]) must not be written. [Copy] refuses to write to
// such a view only if the buffer itself is read-only.
func (c Column) View() (View, error) { return c.view, c.Err() }

// Offsets returns the offsets of a column of kind [Values]: one entry more than there are
// elements.
func (c Column) Offsets() Column {
	if c.offsets == nil {
		if c.err == nil {
			c.err = fmt.Errorf("%s: it is not jagged", c.label())
		}
		return c
	}
	return *c.offsets
}

// Component returns the column of one component, given by its index in the vector or matrix.
func (c Column) Component(index ...int) Column {
	if c.Err() != nil {
		return c
	}
	of := c.view.Type
	inner := of.Rank() - len(index)
	outer := 1
	if c.kind == Scalar {
		outer = 0
	}
	if inner != outer {
		c.err = fmt.Errorf("%s: component %v of %v: give one index for each dimension of an element", c.label(), index, c.view.Type)
		return c
	}
	for _, i := range index {
		if i < 0 || i >= c.view.Type.Shape[outer] {
			c.err = fmt.Errorf("%s: component %v of %v: an index is out of range", c.label(), index, of)
			return c
		}
		c.view = c.view.index(outer, i)
	}
	c.name += fmt.Sprint(index)
	return c
}

// Elements returns the values of a column, or the one value of a scalar, as a slice in
// place. It returns an error for
//
//   - vectors and matrices (see [Column.Component]);
//   - a dtype that T does not hold (see [Slice]);
//   - a read-only column;
//   - memory off the Go heap, which a slice would not keep from being freed: see [Column.View]
//     and [With].
func Elements[T Element](c Column) ([]T, error) {
	v, err := c.View()
	var zero T
	switch d, _ := dtypeOf(reflect.TypeFor[T]()); {
	case err != nil:
		return nil, err
	case c.readOnly:
		return nil, fmt.Errorf("%s: %w", c.label(), ErrReadOnly)
	case d != v.Type.DType:
		return nil, fmt.Errorf("%s: %T does not hold elements of %v", c.label(), zero, v.Type.DType)
	case !v.IsDense() || v.Type.Elements() > 1 && v.Type.Rank() > 1:
		return nil, fmt.Errorf("%s: %v with strides %v cannot be a slice: see Column.View", c.label(), v.Type, v.Strides)
	case v.OffHeap():
		return nil, fmt.Errorf("%s: it is off the Go heap, where a slice would not keep it", c.label())
	}
	return elements[T](v), nil
}

// SetScalar sets the scalar with the given name. T must hold the scalar's dtype: see [Slice].
func SetScalar[T Element](c *Columns, name string, value T) error {
	col := c.Col(name)
	v, err := col.View()
	d, _ := dtypeOf(reflect.TypeFor[T]())
	switch {
	case err != nil:
		return err
	case col.readOnly:
		return fmt.Errorf("%s: %w", col.label(), ErrReadOnly)
	case col.kind != Scalar || d != v.Type.DType || v.Type.Rank() > 0:
		return fmt.Errorf("%s: its type is %[3]v, not a scalar of %[2]T", col.label(), value, v.Type)
	}
	if err := v.onHost(); err != nil {
		return fmt.Errorf("%s: %w", col.label(), err)
	}
	With(v, func(s []T) { s[0] = value })
	return nil
}
