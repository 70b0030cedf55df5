// Package soa holds tensors' memory as structure of arrays: owning buffers
// and views that borrow from them or from the caller. Its central type is
// [View].
//
// imports only ltc/ir/types and ltc/internal/diag.
package soa

import (
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"ltc/internal/diag"
	"ltc/ir/types"
)

// Alignment is the alignment in bytes of every buffer that [New] makes.
const Alignment = 64

// Buffer owns memory for elements: on the Go heap ([New]) or off it ([OffHeap],
// [MapFile]). It is freed after the last view of it is gone.
type Buffer struct {
	mem []byte // aligned to Alignment
	off bool   // not on the Go heap: views must hold the buffer

	foreign  bool // its pages are another owner's
	readOnly bool
	file     bool // the memory is a file's
	released atomic.Bool
	uses     atomic.Int64 // runs that use it; what gives it back waits for them
	watched  atomic.Pointer[watch]

	also []*Buffer // of a table of columns from several buffers

	// Of memory that is a device's: see [OfRemote]. mem is then nil.
	remote Remote
	at     uintptr
	n      int
}

// New returns a zeroed buffer of n bytes. It panics as make does when n is negative;
// for more than there may be, see [Fits].
func New(n int) *Buffer {
	return NewAligned(n, Alignment)
}

// NewAligned returns a zeroed buffer of n bytes on the Go heap that starts at a
// multiple of align. It panics when n is negative and when align is no power of two.
func NewAligned(n, align int) *Buffer {
	if n < 0 || align < 1 || align&(align-1) != 0 || n > math.MaxInt-align {
		panic(fmt.Sprintf("soa: there is no buffer of %s from a multiple of %d on, a power of two", diag.Count(n, "byte"), align))
	}
	raw := make([]byte, n+align)
	hugeHeap(raw)
	off := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw))) & uintptr(align-1))
	return &Buffer{mem: raw[off : off+n : off+n]}
}

// Wrap returns a buffer of the caller's memory, which must be of the Go heap or
// never go away. It starts where mem does.
func Wrap(mem []byte) *Buffer { return &Buffer{mem: mem[:len(mem):len(mem)]} }

// Bytes returns the memory of the buffer; nil if it is remote. Off the Go heap the
// slice must not be used after the buffer and its views are gone: see
// [runtime.KeepAlive].
func (b *Buffer) Bytes() []byte { return b.mem }

// Aligned reports whether byte offset of b lies at a multiple of n bytes, a
// power of two, both in b and in memory.
func (b *Buffer) Aligned(offset, n int) bool {
	return (uintptr(unsafe.Pointer(unsafe.SliceData(b.mem)))|uintptr(offset))&uintptr(n-1) == 0
}

// View returns a dense view of the start of b. It panics when t is no type or does
// not fit.
func (b *Buffer) View(t types.Type) View { return b.ViewAt(0, t) }

// ViewAt returns a dense view of b from the given byte on. It panics when t is no type
// or does not fit, and when offset is not a multiple of the element's size.
func (b *Buffer) ViewAt(offset int, t types.Type) View {
	if err := t.Check(); err != nil { // the bytes of such a type could be any number
		panic("soa: view: " + err.Error())
	}
	if offset%max(t.DType.Size(), 1) != 0 {
		panic("soa: offset is not a multiple of the element size")
	}
	if b.remote != nil {
		if offset < 0 || t.Bytes() > b.n-offset {
			panic("soa: a view of remote memory leaves it")
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

// Make returns a dense view of a fresh zeroed buffer. It panics when [types.Type.Check]
// refuses t, as it does a type whose size is open; for more than there may be, see [Fits].
func Make(t types.Type) View {
	if err := t.Check(); err != nil {
		panic(fmt.Sprintf("soa: make %v: %v", t, err))
	}
	return New(t.Bytes()).View(t)
}

// At returns a dense view of the memory at p, which must hold the elements of
// t for as long as the view is used. It is for backends, whose own memory
// plans know that. The memory has no known end: [View.Check] cannot tell that a type or
// strides leave it.
func At(p unsafe.Pointer, t types.Type) View {
	return View{Type: t, Strides: Dense(t.Shape), base: p, bounds: unbounded}
}

// Slab gives memory for small values, many from one block, which is freed when
// none of them is reached any more. It belongs to one goroutine at a time; the
// zero Slab is ready for use, and gives memory of the host.
type Slab struct {
	// Remote makes blocks of a device's memory; nil: they are the host's.
	Remote func(types.Type) (View, error)

	mem   []byte
	there View // the block of remote memory
	left  int  // bytes of it
}

const (
	slabBytes = 4 << 10
	// SlabMost is the most bytes of a value that a [Slab] takes.
	SlabMost = slabBytes / 8
)

// slabOf is the type of a block of remote memory.
var slabOf = types.Of(types.U8, slabBytes)

// Make returns a view of zeros of type t, of at most [SlabMost] bytes, whose
// elements lie in row-major order: strides is Dense(t.Shape), which the view
// shares. The contents of remote memory are undefined, and the view is the zero View
// where the device has none left.
func (s *Slab) Make(t types.Type, strides []int) View {
	n := (t.Bytes() + Alignment - 1) &^ (Alignment - 1)
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
