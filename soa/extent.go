package soa

import (
	"fmt"
	"sync"
	"unsafe"
	"weak"
)

// Extent is the number of elements of columns until their memory is released:
// generated accessors ask it. To release memory that another goroutine is just
// using is a data race as any other write is.
type Extent struct {
	n    int
	heap bool // all memory is of the Go heap
}

// Has reports whether there is an element i.
func (e *Extent) Has(i int) bool { return uint(i) < uint(e.n) }

// All returns the number of elements, for a loop over them. It panics when memory
// of the columns was released. Of a zero view there are no columns.
func (e *Extent) All(c *Columns) int {
	if e.n == 0 && c != nil {
		c.MustLive()
	}
	return e.n
}

// watch are the extents of columns in a buffer.
type watch struct {
	sync.Mutex
	extents []weak.Pointer[Extent]
}

// follow makes e the extent of the columns, which ends when any of their buffers
// is released.
func (e *Extent) follow(c *Columns) {
	e.n, e.heap = c.counts[0], true
	parts := c.parts
	for i, p := range parts {
		if i > 0 && p.buffer == parts[i-1].buffer {
			continue
		}
		e.heap = e.heap && !p.buffer.off
		p.buffer.watch(e)
		if p.buffer.Released() { // meanwhile
			e.n = 0
		}
	}
}

func (b *Buffer) watch(e *Extent) {
	w := b.watched.Load()
	if w == nil {
		b.watched.CompareAndSwap(nil, new(watch))
		w = b.watched.Load()
	}
	w.Lock()
	defer w.Unlock()
	if len(w.extents) == cap(w.extents) { // before it grows, those that are gone leave
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

// end empties the extents of columns in b.
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

// Access gives generated code the addresses of columns. It keeps the first
// error.
type Access struct {
	columns *Columns
	err     error
}

// NewAccess returns the access to columns, for writing too if write is set.
func NewAccess(c *Columns, write bool) *Access {
	a := &Access{columns: c, err: c.check()}
	if a.err == nil && write && c.readOnly {
		a.err = c.errorf("%w", ErrReadOnly)
	}
	return a
}

// Field returns the address of a column, which must be as f says, and how many
// bytes its components lie apart; nil after an error. The address does not keep
// memory off the Go heap: the columns do.
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

// Components is [Access.Field] of a vector or a matrix: it notes the address of
// each component, column by column of a matrix. There are len(bases) of them.
func (a *Access) Components(f Field, bases []unsafe.Pointer) {
	base, step := a.Field(f)
	if base == nil {
		return
	}
	for i := range bases {
		bases[i] = unsafe.Add(base, i*step)
	}
}

// Extent makes e that of the columns.
func (a *Access) Extent(e *Extent) {
	if a.err == nil {
		e.follow(a.columns)
	}
}

// Err returns why the columns cannot be had.
func (a *Access) Err() error { return a.err }

// MustLive panics when memory of the columns was released, and when there are none.
func (c *Columns) MustLive() {
	if err := c.check(); err != nil {
		panic(fmt.Errorf("soa: %w", err))
	}
}

// NoElement is what asking columns for an element that is not there panics with,
// and for any element after their memory was released and of a zero view.
type NoElement struct {
	Columns *Columns
	Index   int
}

// Error names the layout; after a release, also a column.
func (e NoElement) Error() string {
	err := e.Unwrap()
	if err == nil {
		err = e.Columns.errorf("there is no element %d of %d", e.Index, e.Columns.Len())
	}
	return "soa: " + err.Error()
}

// Unwrap returns why there are no elements, which wraps [ErrReleased] after a release;
// nil when the index is at fault.
func (e NoElement) Unwrap() error { return e.Columns.check() }

// Values returns which values of a jagged column are those of element i. It
// panics when there is no value k of these, and when offsets, which are data,
// leave the column.
func (c *Columns) Values(offsets unsafe.Pointer, name string, i, k int) int {
	o := (*[2]int64)(unsafe.Add(offsets, i*8))
	lo, hi := int(o[0]), int(o[1])
	if lo < 0 || hi < lo || hi > c.Count(name) || uint(k) >= uint(hi-lo) {
		panic(fmt.Errorf("soa: %w", c.errorf("column %s: there is no value %d of element %d, which has values %d to %d of %d", name, k, i, lo, hi, c.Count(name))))
	}
	return lo + k
}
