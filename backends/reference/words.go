package reference

import "unsafe"

// word is an unsigned integer of the size of an element.
type word interface {
	uint8 | uint16 | uint32 | uint64
}

// wordLoops are the loops of sorts over elements of one size. A stride is in
// elements.
type wordLoops struct {
	keys                    func(o *sortOrder, to []uint64, first unsafe.Pointer, stride int) (unordered bool)
	firstKeys               func(s *sortCode, to, row unsafe.Pointer, done <-chan struct{})
	offer                   func(to selection, keys unsafe.Pointer, n int) selection
	arrange                 func(to, from unsafe.Pointer, n, stride int, places []uint64)
	places                  func(to unsafe.Pointer, stride int, places []uint64)
	gatherRows, scatterRows func(to, from unsafe.Pointer, rows, n, stride int)
	special                 func(v *sortVectors, to, row unsafe.Pointer, forCopy, forSorted []uint64) bool
	gather                  func(s *mergeCode, to, from unsafe.Pointer, active []merge, places []uint64, left bool)
}

func wordLoopsOf[T word]() wordLoops {
	return wordLoops{keys: keysOf[T], firstKeys: firstKeysAs[T], offer: offerAs[T], arrange: arrangeAs[T], places: writePlacesAs[T], gatherRows: gatherRowsAs[T], scatterRows: scatterRowsAs[T], special: specialAs[T], gather: gatherAs[T]}
}

// loopsBySize are the loops by the bytes of an element.
var loopsBySize = [...]wordLoops{1: wordLoopsOf[uint8](), 2: wordLoopsOf[uint16](), 4: wordLoopsOf[uint32](), 8: wordLoopsOf[uint64]()}
