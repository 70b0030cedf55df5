package soa

import (
	"fmt"
	"sync"
	"unsafe"
	"weak"

	"ltc/internal/diag"
)

// Extent is the number of elements of columns, for the accessors of generated code. The number
// becomes 0 when memory of the columns is released. Releasing memory while another goroutine
// uses it is a data race.
type Extent struct {
	n    int
	heap bool // all memory is on the Go heap
}

// Has reports whether element i exists.
func (e *Extent) Has(i int) bool { return uint(i) < uint(e.n) }

// All returns the number of elements, for a loop over them. All panics if memory of the columns
// was released. C is nil if the generated view (such as HitView) is a zero value; such a view has
// no elements.
func (e *Extent) All(c *Columns) int {
	if e.n == 0 && c != nil {
		c.MustLive()
	}
	return e.n
}

// watch lists the extents of the columns in a buffer.
type watch struct {
	sync.Mutex
	extents []weak.Pointer[Extent]
}

// follow sets e to the number of elements of the columns, and registers it with their
// buffers: releasing one sets it to 0.
func (e *Extent) follow(c *Columns) {
	e.n, e.heap = c.counts[0], true
	parts := c.parts
	for i, p := range parts {
		if i > 0 && p.buffer == parts[i-1].buffer {
			continue
		}
		e.heap = e.heap && !p.buffer.off
		p.buffer.watch(e)
		if p.buffer.Released() { // by another goroutine, before watch
			e.n = 0
		}
	}
}

// watch registers an extent of columns in b.
func (b *Buffer) watch(e *Extent) {
	w := b.watched.Load()
	if w == nil {
		b.watched.CompareAndSwap(nil, new(watch))
		w = b.watched.Load()
	}
	w.Lock()
	defer w.Unlock()
	if len(w.extents) == cap(w.extents) { // drop unreachable extents before the list grows
		live := w.extents[:0]
		for _, p := range w.extents {
			if p.Value() != nil {
				live = append(live, p)
			}
		}
		clear(w.extents[len(live):])
		w.extents = live
	}
	w.extents = append(w.extents, weak.Make(e))
}

// end sets the extents of all columns in b to 0.
func (b *Buffer) end() {
	w := b.watched.Load()
	if w == nil {
		return
	}
	w.Lock()
	defer w.Unlock()
	for _, p := range w.extents {
		if e := p.Value(); e != nil {
			e.n = 0
		}
	}
	w.extents = nil
}

// Access gives generated code the addresses of columns. After an error the methods of an Access
// do nothing, and Err returns that error.
type Access struct {
	columns *Columns
	err     error
}

// NewAccess returns the access to columns. If write is set, read-only columns are an error.
func NewAccess(c *Columns, write bool) *Access {
	a := &Access{columns: c, err: c.check()}
	if a.err == nil && write && c.readOnly {
		a.err = c.errorf("%w", ErrReadOnly)
	}
	return a
}

// Field returns the address of column f and the distance of its components in bytes. The name,
// type and kind of f must match the column's. The address is nil after an error. The
// columns keep their memory alive, and an address does not: see [runtime.KeepAlive].
func (a *Access) Field(f Field) (base unsafe.Pointer, step int) {
	if a.err != nil {
		return nil, 0
	}
	p, err := a.columns.locate(f)
	if err != nil {
		a.err = err
		return nil, 0
	}
	return p.base, p.Stride * p.DType.Size()
}

// Components sets bases to the addresses of the components of column f, a vector or a matrix. The
// components of a matrix are in column-major order. Bases must have one entry for each component.
func (a *Access) Components(f Field, bases []unsafe.Pointer) {
	base, step := a.Field(f)
	if base == nil {
		return
	}
	for i := range bases {
		bases[i] = unsafe.Add(base, i*step)
	}
}

// Extent makes e the extent of the columns.
func (a *Access) Extent(e *Extent) {
	if a.err == nil {
		e.follow(a.columns)
	}
}

// Err returns the first error of the access.
func (a *Access) Err() error { return a.err }

// MustLive panics if there are no columns, or their memory was released.
func (c *Columns) MustLive() {
	if err := c.check(); err != nil {
		panic(fmt.Errorf("soa: %w", err))
	}
}

// NoElement is the value of the panic when an element is out of range. After a release, and for
// the zero value of a generated view, every element is out of range.
type NoElement struct {
	Columns *Columns
	Index   int
}

// Error returns a message with the layout's name. After a release, the message has the name of a
// column, too.
func (e NoElement) Error() string {
	err := e.Unwrap()
	if err == nil {
		err = e.Columns.errorf("there is no element %d of %d", e.Index, e.Columns.Len())
	}
	return "soa: " + err.Error()
}

// Unwrap returns the reason if there are no elements. The reason wraps [ErrReleased] after a
// release, and is nil if only the index is out of range.
func (e NoElement) Unwrap() error { return e.Columns.check() }

// Values returns the index of value k of element i within the jagged column with the given name.
// Offsets is the address of the column's offsets. Values panics if the element has no value k,
// or the offsets of the element are not within the column.
func (c *Columns) Values(offsets unsafe.Pointer, name string, i, k int) int {
	o := (*[2]int64)(unsafe.Add(offsets, i*8))
	lo, hi := int(o[0]), int(o[1])
	if lo < 0 || hi < lo || hi > c.Count(name) || uint(k) >= uint(hi-lo) {
		panic(fmt.Errorf("soa: %w", c.noValue(name, i, k, lo, hi)))
	}
	return lo + k
}

// noValue is the error for value k of element i, whose offsets are lo and hi.
func (c *Columns) noValue(name string, i, k, lo, hi int) error {
	if n := c.Count(name); lo < 0 || hi < lo || hi > n {
		return c.errorf("column %s: %w", name, badOffsets(i, lo, hi, n))
	}
	return c.errorf("column %s: element %d has %s: there is no value %d", name, i, diag.Count(hi-lo, "value"), k)
}

// badOffsets is the error for the offsets lo and hi of element i of a column with n values.
func badOffsets(i, lo, hi, n int) error {
	return fmt.Errorf("the offsets of element %d are %d and %d: want ascending numbers from 0 to %d", i, lo, hi, n)
}
