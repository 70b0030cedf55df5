package reference

import (
	"math/bits"
	"slices"
	"unsafe"

	"ltc/backends/reference/tiles"
	"ltc/internal/halt"
)

// sortSpace is the memory that a row is sorted in.
type sortSpace struct {
	keys                  []uint64 // as many as places for each order
	packed, other, places []uint64
}

func (s *sortCode) workspace(scratch unsafe.Pointer) sortSpace {
	n, keys := s.n, len(s.orders)*s.n
	all := unsafe.Slice((*uint64)(scratch), keys+3*n)
	return sortSpace{all[:keys], all[keys:][:n], all[keys+n:][:n], all[keys+2*n:][:n]}
}

// halfWord is how many bits of a word [sortPacked] sorts by.
const halfWord = 32

// keyWord is a key of up to 64 bits by place.
type keyWord struct {
	keys []uint64
	bits int // the most that a key has
}

// mostOrders is how many orders a sort has at most, so that a run keeps a list of words
// without memory from the heap.
const mostOrders = 16

// keyWords is a row's keys of all orders, the least significant word first.
type keyWords struct {
	words [mostOrders]keyWord
	n     int
}

// join makes the keys of a row by all orders. Keys that have at most 64 bits together are
// joined into one word. If their types have more than half a word, a key is what it is above
// the least one of the row, so that those of few values have few bits. It reports false if
// some elements are in no order.
func (s *sortCode) join(keys []uint64, mem []unsafe.Pointer, start int) (w keyWords, ordered bool) {
	width := 0
	for i := range s.orders {
		width += 8 * s.orders[i].t.Size()
	}
	for i := len(s.orders) - 1; i >= 0; i-- {
		next := keys[w.n*s.n:][:s.n]
		if s.orders[i].keysOf(next, s.row(mem, i, start), s.apart) {
			return w, false
		}
		least, size := uint64(0), 8*s.orders[i].t.Size()
		if width > halfWord {
			least, size = span(next)
		}
		if w.n > 0 && w.words[w.n-1].bits+size <= 64 {
			last := &w.words[w.n-1]
			for p, k := range next {
				last.keys[p] |= (k - least) << last.bits
			}
			last.bits += size
			continue
		}
		if least > 0 {
			for p := range next {
				next[p] -= least
			}
		}
		w.words[w.n] = keyWord{next, size}
		w.n++
	}
	return w, true
}

// span returns the least key, and how many bits the others have at most above it.
func span(keys []uint64) (least uint64, size int) {
	least, most := keys[0], keys[0]
	for _, k := range keys {
		least, most = min(least, k), max(most, k)
	}
	return least, bits.Len64(most - least)
}

// sort returns the places of a row in the order of their keys. They are sorted by the least
// significant half word first, then, stably, by the others.
func (s *sortSpace) sort(w keyWords, vectors func(tiles.Sorting) (tiles.Stop, int), done <-chan struct{}) []uint64 {
	const low = 1<<halfWord - 1
	packed, other, places := s.packed, s.other, s.places
	sorted := false
	for _, word := range w.words[:w.n] {
		for shift := uint(0); int(shift) < word.bits; shift += halfWord {
			if !sorted {
				for i, k := range word.keys[:len(packed)] {
					packed[i] = k>>(shift%64)<<halfWord | uint64(i)
				}
			} else {
				for i, p := range places[:len(packed)] {
					packed[i] = word.keys[p]>>(shift%64)<<halfWord | uint64(i)
				}
			}
			if vectors != nil && (len(packed) <= fewSorted || word.bits-int(shift) > fewBits) && sortPackedOnVectors(vectors, packed, other) {
				packed, other = other, packed
			} else if in := sortPacked(packed, other, done); &in[0] != &packed[0] {
				packed, other = other, packed
			}
			if !sorted {
				for i, p := range packed[:len(places)] {
					places[i] = p & low
				}
				sorted = true
				continue
			}
			for i, p := range packed {
				packed[i] = places[p&low]
			}
			packed, places = places, packed
		}
	}
	if !sorted { // all keys are equal
		for i := range places {
			places[i] = uint64(i)
		}
	}
	return places
}

// fewBits is how many bits keys have that are sorted faster by a pass over bytes than on vectors.
const fewBits = 8

// sortPackedOnVectors sorts numbers, no two of which are equal, to another place, and reports
// whether it did.
func sortPackedOnVectors(sort func(tiles.Sorting) (tiles.Stop, int), from, to []uint64) bool {
	why, _ := sort(tiles.Sorting{
		From: unsafe.Pointer(unsafe.SliceData(from)), To: unsafe.Pointer(unsafe.SliceData(to)),
		N: len(from), Rows: 1,
	})
	return why == 0
}

// fewSorted is how many numbers are sorted by comparing them.
const fewSorted = 512

// sortPacked sorts numbers whose lower halves are 0, 1, … by their upper halves,
// stably, and returns where they are then: in one of two places.
func sortPacked(a, other []uint64, done <-chan struct{}) []uint64 {
	if len(a) <= fewSorted {
		slices.Sort(a)
		return a
	}
	const digits, radix = 4, 1 << 8
	var count [digits][radix]uint32
	for _, x := range a {
		for d := range digits {
			count[d][uint8(x>>(32+8*d))]++
		}
	}
	for d := range digits {
		n := &count[d]
		if n[uint8(a[0]>>(32+8*d))] == uint32(len(a)) {
			continue // all have the same
		}
		if halt.Closed(done) {
			break
		}
		at := uint32(0)
		for i, c := range n {
			n[i], at = at, at+c
		}
		for _, x := range a {
			i := &n[uint8(x>>(32+8*d))]
			other[*i] = x
			*i++
		}
		a, other = other, a
	}
	return a
}
