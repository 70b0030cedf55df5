package soa

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Records gives access to columns as elements of struct type T. Each field of T is a column: see
// [LayoutOf]. The zero Records has no elements, and the columns that its methods return hold
// errors.
type Records[T any] struct {
	*Columns
	plan plan
}

// ConstRecords is read-only [Records].
type ConstRecords[T any] struct {
	*Columns
	plan plan
}

// Of returns records for n elements of T, in zeroed memory unless [In] is given. The other
// options are [Align], [Relaxed] and [Count]. After an error there are no elements: the method
// Err returns the error, and functions that use a column return it, too.
func Of[T any](n int, opts ...Option) *Records[T] {
	l, err := LayoutOf[T](opts...)
	if err != nil {
		return &Records[T]{Columns: &Columns{layout: &Layout{}, err: err}}
	}
	c, err := l.New(n, opts...)
	if err != nil {
		return &Records[T]{Columns: &Columns{layout: l, err: err}}
	}
	r, err := As[T](c)
	if err != nil {
		return &Records[T]{Columns: &Columns{layout: l, err: err}}
	}
	return r
}

// As returns columns as records of T, in place. There must be a column for each field of T;
// there may be further columns. Read-only columns are an error: see [ConstAs].
func As[T any](c *Columns) (*Records[T], error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.readOnly {
		return nil, fmt.Errorf("layout %s: %w", c.layout.name, ErrReadOnly)
	}
	r, err := ConstAs[T](c)
	if err != nil {
		return nil, err
	}
	return &Records[T]{Columns: c, plan: r.plan}, nil
}

// ConstAs is [As] for read-only access.
func ConstAs[T any](c *Columns) (*ConstRecords[T], error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	p, err := newPlan[T](c)
	if err != nil {
		return nil, err
	}
	return &ConstRecords[T]{Columns: c.Const(), plan: p}, nil
}

// Const returns the records for read-only access.
func (r *Records[T]) Const() *ConstRecords[T] {
	return &ConstRecords[T]{Columns: r.Columns.Const(), plan: r.plan}
}

// At returns element i. At panics with [NoElement] if there is no element i, or the memory was
// released.
func (r *Records[T]) At(i int) Row[T] {
	r.mustHave(i)
	return Row[T]{ConstRow[T]{r.Columns, &r.plan, i}}
}

// At returns element i. At panics with [NoElement] if there is no element i, or the memory was
// released.
func (r *ConstRecords[T]) At(i int) ConstRow[T] {
	r.mustHave(i)
	return ConstRow[T]{r.Columns, &r.plan, i}
}

// mustHave panics with [NoElement] unless there is an element i.
func (c *Columns) mustHave(i int) {
	if c == nil || c.extent == nil || !c.extent.Has(i) {
		panic(NoElement{c, i})
	}
}

// ConstRow is an element of [ConstRecords]. The zero ConstRow is no element: its method Load
// panics.
type ConstRow[T any] struct {
	columns *Columns
	plan    *plan
	i       int
}

// Row is an element of [Records]. The zero Row is no element: its methods Load and Store panic.
type Row[T any] struct{ ConstRow[T] }

// Load returns a copy of the element, with the values of scalars and new slices of its jagged
// values. Load panics if the offsets of a jagged column are not within its values.
func (r ConstRow[T]) Load() T {
	if len(r.plan.jagged) > 0 {
		return r.loadJagged()
	}
	var t T // does not escape
	r.loadColumns(unsafe.Pointer(&t))
	return t
}

func (r ConstRow[T]) loadJagged() T {
	var t T
	p := unsafe.Pointer(&t)
	r.loadColumns(p)
	for _, j := range r.plan.jagged {
		j.load(p, r.i)
	}
	runtime.KeepAlive(r.columns)
	return t
}

func (r ConstRow[T]) loadColumns(p unsafe.Pointer) {
	for i := range r.plan.columns {
		r.plan.columns[i].load(p, r.i)
	}
	for i := range r.plan.scalars {
		r.plan.scalars[i].load(p, 0)
	}
	runtime.KeepAlive(r.columns)
}

// Store writes the element. Scalars are not written, since all elements share them. Store panics
// if a slice of t does not have as many values as [Columns.SetLengths] has set.
func (r Row[T]) Store(t T) {
	if len(r.plan.jagged) > 0 {
		r.storeJagged(t)
	}
	p := unsafe.Pointer(&t)
	for i := range r.plan.columns {
		r.plan.columns[i].store(p, r.i)
	}
	runtime.KeepAlive(r.columns)
}

func (r Row[T]) storeJagged(t T) {
	for i := range r.plan.jagged {
		r.plan.jagged[i].store(unsafe.Pointer(&t), r.i)
	}
	runtime.KeepAlive(r.columns)
}
