package soa

import (
	"errors"
	"slices"
)

// What errors of columns wrap.
var (
	// ErrReleased: its buffer was given back by [Buffer.Release].
	ErrReleased = errors.New("its memory was released")
	// ErrReadOnly: it would be written.
	ErrReadOnly = errors.New("it is read only")
)

// Release ends the use of the buffer: columns and collections of it are errors from now on,
// and runs in progress end first. Memory off the Go heap is given back at once, and its
// views are errors of programs that take them. Its addresses stay, and read as something
// until the last view is gone, so that a late use cannot fault. On Linux they are no file's
// any more: it may be made shorter, and a late write does not reach it. Memory of the Go
// heap is unchanged for views that somebody has. Releasing again does nothing. A buffer
// need not be released: it goes with its last view.
func (b *Buffer) Release() {
	if b.released.Swap(true) {
		return
	}
	b.end()
	if b.uses.Load() == 0 {
		b.discard()
	}
}

// Released reports whether the buffer was released.
func (b *Buffer) Released() bool { return b.released.Load() }

// gone reports whether b, or one of those that a table's columns are in, was released.
func (b *Buffer) gone() bool { return b.Released() || slices.ContainsFunc(b.also, (*Buffer).gone) }

// over reports whether what b, or one of those of a table, held is given back: it was
// released, and nothing uses it any more.
func (b *Buffer) over() bool {
	return b.Released() && b.uses.Load() == 0 || slices.ContainsFunc(b.also, (*Buffer).over)
}

// sealed reports whether the memory of b, or of one of those of a table, must not be
// written.
func (b *Buffer) sealed() bool {
	return b.readOnly || slices.ContainsFunc(b.also, (*Buffer).sealed)
}

// Released reports whether the view's memory, or a part of it, was released, which only
// memory off the Go heap can be.
func (v *View) Released() bool { return v.hold != nil && v.hold.gone() }

// ReadOnly reports whether the memory must not be written.
func (b *Buffer) ReadOnly() bool { return b.readOnly }

// ReadOnly reports whether the view's memory, or a part of it, must not be written: see
// [Buffer.ReadOnly]. That its column was made [Column.Const] a view does not know.
func (v *View) ReadOnly() bool { return v.hold != nil && v.hold.sealed() }

// acquire keeps the memory as it is until done; it reports false, and nothing
// is to be done, when the buffer was released.
func (b *Buffer) acquire() bool {
	b.uses.Add(1)
	if b.released.Load() {
		b.done()
		return false
	}
	return true
}

func (b *Buffer) done() {
	if b.uses.Add(-1) == 0 && b.released.Load() {
		b.discard()
	}
}

// discard gives the pages back and keeps the addresses; doing it twice does no
// harm.
func (b *Buffer) discard() {
	switch {
	case !b.off || b.foreign || len(b.mem) == 0:
	case b.file:
		leave(b.mem)
	default:
		discard(b.mem)
	}
}
