package soa

import "unsafe"

// Entries is a column as a slice, for loops over many elements. In generated code, the method
// XEntries of a view returns the Entries of column X. An index is checked, and costs as much as
// the index of a slice. Making Entries panics if the memory was released; a loop that runs already
// does not notice a release.
type Entries[T any] struct{ ConstEntries[T] }

// ConstEntries is read-only [Entries]: read-only views, such as HitConstView, return it.
type ConstEntries[T any] struct{ all []T }

// NewEntries returns the entries of one of the columns c, for generated code. E is the extent of
// c, base the address of the column, and T its type: see [Access]. NewEntries panics if the
// memory was released, or is off the Go heap, since Entries do not keep such memory from being
// freed.
func NewEntries[T any](c *Columns, e *Extent, base unsafe.Pointer) Entries[T] {
	if e.n == 0 || !e.heap {
		c.mustBeHeap()
	}
	return Entries[T]{ConstEntries[T]{unsafe.Slice((*T)(base), e.n)}}
}

// mustBeHeap panics if the columns were released or are off the Go heap, where a slice would
// not keep them. A zero view has nil columns and no entries.
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

// Even holds the address of the first of several columns, and the distance from each component's
// column to the next, which is the same for all. The columns are in one block of memory.
// Neighbouring columns of a layout are at equal distances if their elements have one size.
// Generated code then needs one address for all of these columns.
type Even struct {
	first unsafe.Pointer // address of the first component
	step  int            // distance of the components, in bytes
	not   string         // the first column at another distance; "" if there is none
}

// Even sets e for the columns of the given fields, which must be of kind Plain. It stores the
// address of the first column, and the distance from each column to the next. Each
// component of a vector has a column of its own here. If the distances are not equal, [Even.All]
// panics later.
func (a *Access) Even(e *Even, fields []Field) {
	var of *Buffer
	count := 0 // components of the fields before f
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

// All returns the address of the first component, the distance of the components in bytes, and
// the number of elements n, given the extent x of c. All panics as [NewEntries] does, and if the
// components are not at equal distances.
func (e *Even) All(c *Columns, x *Extent) (first unsafe.Pointer, step, n int) {
	if x.n == 0 || !x.heap || e.not != "" {
		c.mustBeEven(e)
	}
	return e.first, e.step, x.n
}

// mustBeEven panics if the components are not at equal distances, or mustBeHeap panics.
func (c *Columns) mustBeEven(e *Even) {
	c.mustBeHeap()
	if e.not != "" {
		panic("soa: " + c.errorf("column %s: its components are not at the distance of those before them: use At", e.not).Error())
	}
}
