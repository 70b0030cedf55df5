package soa

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Records are columns seen as elements of struct type T, whose fields say
// which columns: see [LayoutOf]. The zero Records have no elements, and columns that
// are errors.
type Records[T any] struct {
	*Columns
	plan plan
}

// ConstRecords are [Records] to be read only.
type ConstRecords[T any] struct {
	*Columns
	plan plan
}

// Of returns records for n elements of T in zeroed memory; options are [Align],
// [Relaxed], [Count] and [In]. When that cannot be, there are no elements, and
// Err and the uses of any column say why.
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

// As returns columns as records of T, where they lie. There must be a column
// for each field of T, but not the other way round. Columns that are read only
// are an error: see [ConstAs].
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

// ConstAs returns columns as records of T that cannot be written: see [As].
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

// Const returns the same records to be read only.
func (r *Records[T]) Const() *ConstRecords[T] {
	return &ConstRecords[T]{Columns: r.Columns.Const(), plan: r.plan}
}

// At returns element i. It panics as indexing a slice does when there is none,
// and when the memory was released.
func (r *Records[T]) At(i int) Row[T] {
	r.mustHave(i)
	return Row[T]{ConstRow[T]{r.Columns, &r.plan, i}}
}

// At returns element i. It panics as indexing a slice does when there is none,
// and when the memory was released.
func (r *ConstRecords[T]) At(i int) ConstRow[T] {
	r.mustHave(i)
	return ConstRow[T]{r.Columns, &r.plan, i}
}

func (c *Columns) mustHave(i int) {
	if c == nil || c.extent == nil || !c.extent.Has(i) {
		panic(NoElement{c, i})
	}
}

// ConstRow is an element of [ConstRecords]. The zero ConstRow is none: it must not be
// used but to be set.
type ConstRow[T any] struct {
	columns *Columns
	plan    *plan
	i       int
}

// Row is an element of [Records]. The zero Row is none, as that of [ConstRow].
type Row[T any] struct{ ConstRow[T] }

// Index returns the element's number.
func (r ConstRow[T]) Index() int { return r.i }

// Load returns a copy of the element. Scalars are those of all elements, values
// of jagged columns are copied. It panics when offsets lie outside the values.
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

// Store sets the element, but not scalars, which are not its own. It panics
// when values of a jagged column are not as many as [Columns.SetLengths] says.
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
