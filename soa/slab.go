package soa

import (
	"unsafe"

	"ltc/ir/types"
)

// Slab gives memory for small values, many from one block, which is freed when
// none of them is reached any more. It belongs to one goroutine at a time; the
// zero Slab is ready for use.
type Slab struct{ mem []byte }

const (
	slabBytes = 4 << 10
	// SlabMost is the most bytes of a value that a [Slab] takes.
	SlabMost = slabBytes / 8
)

// Make returns a view of zeros of type t, of at most [SlabMost] bytes, whose
// elements lie in row-major order: strides is Dense(t.Shape), which the view
// shares.
func (s *Slab) Make(t types.Type, strides []int) View {
	n := (t.Bytes() + Alignment - 1) &^ (Alignment - 1)
	if n > len(s.mem) {
		s.mem = New(slabBytes).mem
	}
	v := View{Type: t, Strides: strides, base: unsafe.Pointer(unsafe.SliceData(s.mem)), bounds: bounds{after: n}}
	s.mem = s.mem[n:]
	return v
}
