// Package soa holds the memory of tensors, and lays out records as a structure of arrays: each
// field of the records has a column of its own. The central type is [View]: borrowed memory with
// a type and strides. A [Buffer] owns memory. A [Layout] places the fields of records in a
// buffer as [Columns], and a [Collection] makes tensors of columns without copying them.
//
// The package imports only ltc/ir/types, ltc/internal/hostmem, ltc/internal/stridedcopy,
// ltc/internal/diag and ltc/soa/internal/tag.
package soa

import (
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"ltc/internal/diag"
	"ltc/internal/hostmem"
	"ltc/ir/types"
)

// alignment is the alignment in bytes of the buffers that [New] returns.
const alignment = 64

// Buffer owns memory for elements, on the Go heap ([New]) or off it ([OffHeap], [MapFile]).
// The memory is freed after the buffer and its last view are unreachable, or by
// [Buffer.Release].
type Buffer struct {
	mem []byte // aligned to alignment
	off bool   // not on the Go heap: views must hold the buffer

	foreign  bool // another owner frees the memory
	readOnly bool
	file     bool // the memory is the mapping of a file
	released atomic.Bool
	uses     atomic.Int64 // runs that use the memory, which is not freed before they end
	watched  atomic.Pointer[watch]

	also []*Buffer // of a table of columns from several buffers

	// Of memory that is a device's: see [OfRemote]. mem is then nil.
	remote Remote
	at     uintptr
	n      int
}

// New returns a zeroed buffer of n bytes on the Go heap, aligned to 64 bytes. New panics if n is
// negative. Check a large n with [Fits] first: too little memory ends the process.
func New(n int) *Buffer {
	return NewAligned(n, alignment)
}

// NewAligned returns a zeroed buffer of n bytes on the Go heap that starts at a multiple of
// align. NewAligned panics if n is negative or align is no power of two.
func NewAligned(n, align int) *Buffer {
	if n < 0 || align < 1 || align&(align-1) != 0 || n > math.MaxInt-align {
		panic(fmt.Sprintf("soa: a buffer of %s, aligned to %d: the size must fit in memory, and the alignment must be a power of two", diag.Count(n, "byte"), align))
	}
	raw := make([]byte, n+align)
	hostmem.AdviseHeap(raw)
	off := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw))) & uintptr(align-1))
	return &Buffer{mem: raw[off : off+n : off+n]}
}

// Wrap returns a buffer of the caller's memory. The memory must be on the Go heap, or never be
// freed. The memory need not be aligned.
func Wrap(mem []byte) *Buffer { return &Buffer{mem: mem[:len(mem):len(mem)]} }

// Bytes returns the memory of the buffer; nil if the memory is remote. The buffer
// and its views keep the memory alive, and a slice of memory off the Go heap does not: the slice
// must not be used after they are unreachable. See [runtime.KeepAlive].
func (b *Buffer) Bytes() []byte { return b.mem }

// View returns a dense view of type t at the start of b. View panics if t is not valid or b is
// too small.
func (b *Buffer) View(t types.Type) View { return b.ViewAt(0, t) }

// ViewAt returns a dense view of type t at byte offset of b. ViewAt panics if t is not valid, b
// is too small, or offset is not a multiple of the element's size.
func (b *Buffer) ViewAt(offset int, t types.Type) View {
	if err := t.Check(); err != nil { // the bytes of such a type could be any number
		panic("soa: view: " + err.Error())
	}
	if offset%max(t.DType.Align(), 1) != 0 {
		panic("soa: offset is not a multiple of the element size")
	}
	if b.remote != nil {
		if offset < 0 || t.Bytes() > b.n-offset {
			panic("soa: a view of remote memory reaches outside of it")
		}
		return b.RemoteAt(b.at+uintptr(offset), t)
	}
	mem := b.mem[offset : offset+t.Bytes()]
	v := View{Type: t, Strides: Dense(t.Shape), base: unsafe.Pointer(unsafe.SliceData(mem)), bounds: bounds{offset, len(b.mem) - offset}}
	if b.off {
		v.hold = b
	}
	return v
}

// Make returns a dense view of type t on a fresh zeroed buffer. Make panics if
// [types.Type.Check] refuses t, for instance because a size is open. Check a large type with
// [Fits] first.
func Make(t types.Type) View {
	if err := t.Check(); err != nil {
		panic(fmt.Sprintf("soa: make %v: %v", t, err))
	}
	return New(t.Bytes()).View(t)
}

// At returns a dense view of type t at address p. The memory must last as long as the view is
// used. At is for backends, which plan their memory themselves. The end of the memory is not
// known, so [View.Check] cannot refuse a type or strides that go beyond it.
func At(p unsafe.Pointer, t types.Type) View {
	return View{Type: t, Strides: Dense(t.Shape), base: p, bounds: unbounded}
}

// Slab allocates memory for small values by cutting blocks into pieces. A block is freed
// when none of its values is reachable. One goroutine at a time may use a slab. The zero
// Slab is ready for use and allocates memory of the host.
type Slab struct {
	// Remote allocates a block of a device's memory. If Remote is nil, blocks are memory of the
	// host.
	Remote func(types.Type) (View, error)

	mem   []byte // the free part of the host's block
	there View   // the block of remote memory
	left  int    // free bytes of there
}

const (
	slabBytes = 4 << 10
	// SlabMost is the largest value, in bytes, that a [Slab] allocates.
	SlabMost = slabBytes / 8
)

// slabOf is the type of a block of remote memory.
var slabOf = types.Of(types.U8, slabBytes)

// Make returns a dense view of zeros of type t, which must have at most [SlabMost] bytes.
// Strides must be Dense(t.Shape); the view shares the slice. If Remote is set, the contents are
// undefined, and the result is the zero View if the device has no memory left.
func (s *Slab) Make(t types.Type, strides []int) View {
	n := (t.Bytes() + alignment - 1) &^ (alignment - 1)
	if s.Remote != nil {
		return s.makeRemote(t, strides, n)
	}
	if n > len(s.mem) {
		s.mem = New(slabBytes).mem
	}
	v := View{Type: t, Strides: strides, base: unsafe.Pointer(unsafe.SliceData(s.mem)), bounds: bounds{after: n}}
	s.mem = s.mem[n:]
	return v
}

func (s *Slab) makeRemote(t types.Type, strides []int, n int) View {
	if n > s.left {
		block, err := s.Remote(slabOf)
		if err != nil {
			return View{}
		}
		s.there, s.left = block, slabBytes
	}
	at := uintptr(s.there.base) + uintptr(slabBytes-s.left)
	s.left -= n
	return View{Type: t, Strides: strides, base: address(at), hold: s.there.hold, bounds: bounds{after: n}}
}
