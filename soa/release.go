package soa

import (
	"errors"
	"slices"
)

// Errors of functions that use columns may wrap [ErrReleased] or [ErrReadOnly].
var (
	// ErrReleased says that [Buffer.Release] has released the memory.
	ErrReleased = errors.New("its memory was released")
	// ErrReadOnly says that the memory must not be written.
	ErrReadOnly = errors.New("it is read only")
)

// Release ends the use of the buffer. From now on, uses of its columns and collections return
// errors that wrap [ErrReleased]. Runs in progress keep the memory until they end.
//
// Memory off the Go heap is freed when no run uses it. Programs refuse views of released memory.
// The addresses stay mapped until the last view is unreachable, with undefined contents, so that
// a late access does not fault. On Linux (amd64 and arm64) they no longer map the file, if the
// buffer is from [MapFile], [OpenShared] or [CreateShared]. You can then truncate the file, and a
// late write does not reach the file. Memory on the Go heap stays valid for its views.
//
// A second Release does nothing. A buffer that is not released is freed after its last view
// is unreachable.
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

// anyReleased reports whether b, or a buffer of a table's columns, was released.
func (b *Buffer) anyReleased() bool {
	return b.Released() || slices.ContainsFunc(b.also, (*Buffer).anyReleased)
}

// anyFreed reports whether the memory of b, or of a buffer of a table's columns, is freed: it
// was released, and no run uses it.
func (b *Buffer) anyFreed() bool {
	return b.Released() && b.uses.Load() == 0 || slices.ContainsFunc(b.also, (*Buffer).anyFreed)
}

// anyReadOnly reports whether b, or a buffer of a table's columns, is read-only.
func (b *Buffer) anyReadOnly() bool {
	return b.readOnly || slices.ContainsFunc(b.also, (*Buffer).anyReadOnly)
}

// Released reports whether memory of the view was released. The result is false for memory on
// the Go heap, which views keep.
func (v *View) Released() bool { return v.hold != nil && v.hold.anyReleased() }

// ReadOnly reports whether the memory must not be written through the view: [View.AsReadOnly] has
// made the view, or a buffer of the view is read-only ([OpenShared], [Foreign]). A view does not
// know of [Column.Const].
func (v *View) ReadOnly() bool { return v.readOnly || v.hold != nil && v.hold.anyReadOnly() }

// AsReadOnly returns v as a view through which the memory must not be written. Views made of the
// result are read-only, too. [Copy] and runs of programs refuse to write such a view. A slice of
// its elements ([Slice], [With]) can be written all the same, and must not be.
func (v View) AsReadOnly() View {
	v.readOnly = true
	return v
}

// acquire keeps the memory from being freed until done is called. It reports false if the
// buffer was released: then done must not be called.
func (b *Buffer) acquire() bool {
	b.uses.Add(1)
	if b.released.Load() {
		b.done()
		return false
	}
	return true
}

// done undoes one acquire, and frees the memory of a released buffer after the last.
func (b *Buffer) done() {
	if b.uses.Add(-1) == 0 && b.released.Load() {
		b.discard()
	}
}

// discard frees the pages and keeps the addresses mapped. A second call does no harm.
func (b *Buffer) discard() {
	switch {
	case !b.off || b.foreign || len(b.mem) == 0:
	case b.file:
		leave(b.mem)
	default:
		discard(b.mem)
	}
}
