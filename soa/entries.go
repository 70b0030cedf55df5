package soa

import "unsafe"

// Entries are those of a column, taken once for a loop that reads and writes
// many, as generated views give them: an index costs what that of a slice does,
// and is checked as that is. That the memory was released is seen when they are
// taken, and not by a loop that is already at work.
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

// mustBeHeap panics when the columns have no memory that a slice keeps.
func (c *Columns) mustBeHeap() {
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
