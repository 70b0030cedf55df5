package soa

import "unsafe"

// Entries are those of a column, taken once for a loop that reads and writes many, as
// generated views give them. An index costs as much as that of a slice, and is checked as
// that is. A release of the memory is seen when they are taken, and not by a loop that is
// already at work.
type Entries[T any] struct{ ConstEntries[T] }

// ConstEntries are [Entries] to be read only.
type ConstEntries[T any] struct{ all []T }

// NewEntries returns the entries of one of the columns of extent e, which starts
// at base and of which T must be the type: see [Access]. It panics when their
// memory was released, or is off the Go heap, where entries would not keep it.
func NewEntries[T any](c *Columns, e *Extent, base unsafe.Pointer) Entries[T] {
	if e.n == 0 || !e.heap {
		c.mustBeHeap()
	}
	return Entries[T]{ConstEntries[T]{unsafe.Slice((*T)(base), e.n)}}
}

// mustBeHeap panics when the columns have no memory that a slice keeps. Of a zero view
// there are no columns, and no entries.
func (c *Columns) mustBeHeap() {
	if c == nil {
		return
	}
	c.MustLive()
	for _, p := range c.parts {
		if p.buffer.off {
			panic("soa: " + c.errorf("column %s: it is off the Go heap, where its entries would not keep it: use At", p.Name).Error())
		}
	}
}

// Len returns the number of entries.
func (v ConstEntries[T]) Len() int { return len(v.all) }

// At returns entry i.
func (v ConstEntries[T]) At(i int) T { return v.all[i] }

// Set sets entry i.
func (v Entries[T]) Set(i int, x T) { v.all[i] = x }

// Even says where columns lie whose components are at equal distances in one block of
// memory, as columns of one size are that a layout has one after the other. It is for
// generated code, which then needs no address of each.
type Even struct {
	first unsafe.Pointer // of the first component
	step  int            // in bytes
	not   string         // the column that lies otherwise
}

// Even notes how the columns of plain fields lie.
func (a *Access) Even(e *Even, fields []Field) {
	var of *Buffer
	count := 0 // components before
	for i, f := range fields {
		base, step := a.Field(f)
		if base == nil {
			return
		}
		p, _ := a.columns.locate(f)
		if i == 0 {
			e.first, e.step, of = base, step, p.buffer
		}
		if base != unsafe.Add(e.first, count*e.step) || step != e.step || p.buffer != of {
			e.not = f.Name
			return
		}
		count += f.components()
	}
}

// All returns where the first component of the columns of extent x starts, how many
// bytes each lies after the one before it, and the number of elements. It panics as
// [NewEntries] does, and when the columns do not lie so.
func (e *Even) All(c *Columns, x *Extent) (first unsafe.Pointer, step, n int) {
	if x.n == 0 || !x.heap || e.not != "" {
		c.mustBeEven(e)
	}
	return e.first, e.step, x.n
}

// mustBeEven panics when there can be no entries of all columns.
func (c *Columns) mustBeEven(e *Even) {
	c.mustBeHeap()
	if e.not != "" {
		panic("soa: " + c.errorf("column %s does not lie behind the others at their distance: use At", e.not).Error())
	}
}
