package reference

import (
	"cmp"
	"math/bits"
	"slices"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/internal/halt"
)

// leastLeft is how many times as long as the part that is kept a row must be for
// [sortCode.first].
const leastLeft = 8

// findsFirst reports whether [sortCode.first] finds the elements that are kept, unless some
// are in no order.
func (s *sortCode) findsFirst() bool {
	return len(s.orders) == 1 && s.rows > 0 && s.keep > 0 && s.keep <= s.n/leastLeft
}

// candidate is an element that may be among the first of a row.
type candidate struct{ key, place uint64 }

// before reports whether an element comes before another: of equal ones, that with the lower
// place does.
func (a candidate) before(b candidate) bool {
	return a.key < b.key || a.key == b.key && a.place < b.place
}

func (a candidate) compare(b candidate) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.place, b.place))
}

// selection collects the first elements of those that it is offered, in any order.
type selection struct {
	// found has no more than keep elements, in their order, if these are few. Otherwise it
	// has up to twice as many, in any order.
	found []candidate
	keep  int
	// limit is the last element that can be among the first.
	limit candidate
}

// fewKept is how many elements a selection keeps in their order.
const fewKept = 32

// last comes behind all elements.
var last = candidate{1<<64 - 1, 1<<64 - 1}

// newSelection returns an empty selection that works in memory of four words for each
// element that it keeps.
func newSelection(memory []uint64, keep int, limit candidate) selection {
	found := unsafe.Slice((*candidate)(unsafe.Pointer(unsafe.SliceData(memory[:4*keep]))), 2*keep)
	return selection{found: found[:0], keep: keep, limit: limit}
}

// offer offers elements at consecutive places, by their keys.
func (s *selection) offer(keys []uint64, place int) {
	for i, k := range keys {
		if k <= s.limit.key {
			s.add(candidate{k, uint64(place + i)})
		}
	}
}

// add offers one element.
func (s *selection) add(c candidate) {
	if !c.before(s.limit) {
		return
	}
	n := len(s.found)
	if s.keep > fewKept {
		if s.found = append(s.found, c); len(s.found) == cap(s.found) {
			partition(s.found, s.keep)
			s.found = s.found[:s.keep]
			s.limit = slices.MaxFunc(s.found, candidate.compare)
		}
		return
	}
	if n < s.keep {
		s.found = s.found[:n+1]
	} else {
		n--
	}
	f := s.found
	for ; n > 0 && c.before(f[n-1]); n-- {
		f[n] = f[n-1]
	}
	f[n] = c
	if len(f) == s.keep {
		s.limit = f[s.keep-1]
	}
}

// finish leaves the first elements, in their order.
func (s *selection) finish() {
	if s.keep > fewKept {
		n := min(s.keep, len(s.found))
		partition(s.found, n)
		s.found = s.found[:n]
		slices.SortFunc(s.found, candidate.compare)
	}
}

// partition moves the first n candidates before all others: by pivots, and by a sort where
// these are badly chosen.
func partition(c []candidate, n int) {
	for rounds := 2 * bits.Len(uint(len(c))); len(c) > 1 && n > 0 && n < len(c); rounds-- {
		if rounds == 0 {
			slices.SortFunc(c, candidate.compare)
			return
		}
		pivot := middle(c[0], c[len(c)/2], c[len(c)-1])
		i, j := 0, len(c)-1
		for i <= j {
			for c[i].before(pivot) {
				i++
			}
			for pivot.before(c[j]) {
				j--
			}
			if i <= j {
				c[i], c[j] = c[j], c[i]
				i, j = i+1, j-1
			}
		}
		switch { // c[:j+1] are up to the pivot, c[i:] from it on
		case n <= j+1:
			c = c[:j+1]
		case n >= i:
			c, n = c[i:], n-i
		default:
			return
		}
	}
}

// middle returns the second of three candidates.
func middle(a, b, c candidate) candidate {
	if b.before(a) {
		a, b = b, a
	}
	switch {
	case c.before(a):
		return a
	case c.before(b):
		return c
	}
	return b
}

// full reports whether the limit is an element that was offered.
func (s *selection) full() bool { return s.limit != last }

// finder is what a part works with that finds the first elements of rows.
type finder struct {
	keys [512]uint64
	call kernel.Call // of a kernel for keys
	mem  [1 + mostPasses]unsafe.Pointer
	size [2]int64
	step [1]int64
}

// finder returns one for a part of a launch.
func (s *sortCode) finder(c *kernel.Call) *finder {
	f := s.spare.Get().(*finder)
	f.call = kernel.Call{Strides: f.step[:], Parts: 1, Done: c.Done, Scratch: unsafe.Add(c.Scratch, s.sortBytes())}
	return f
}

// putBack keeps a finder for another run, without that run's memory.
func (s *sortCode) putBack(f *finder) {
	f.call, f.mem = kernel.Call{}, [len(f.mem)]unsafe.Pointer{}
	s.spare.Put(f)
}

// set has the call run code on so many rows of n elements, and on these operands.
func (f *finder) set(code *rowsCode, rows, n int, operands ...unsafe.Pointer) {
	f.call.Mem = f.mem[:copy(f.mem[:], operands)]
	f.call.Sizes, f.step[0] = code.of.sizes(&f.size, rows, n), int64(n)
}

// first finds the places of the elements of a row that come first, in their order, in
// w.places. From the row's first element on the operand has left elements. It returns false if
// some elements are in no order. A run that is given up ends it early, without places.
func (s *sortCode) first(f *finder, w *sortSpace, row unsafe.Pointer, left int) (ordered bool, err error) {
	var chosen selection
	if s.blocks != nil {
		chosen, ordered, err = s.firstByBlocks(f, w, row, left)
	} else {
		chosen, ordered = s.firstInTurn(f, w, row)
	}
	if !ordered || err != nil || halt.Closed(f.call.Done) {
		return ordered, err
	}
	chosen.finish()
	for i, c := range chosen.found {
		w.places[i] = c.place
	}
	return true, nil
}

// firstInTurn offers the elements of a row in the order of their places.
func (s *sortCode) firstInTurn(f *finder, w *sortSpace, row unsafe.Pointer) (chosen selection, ordered bool) {
	chosen = newSelection(w.keys, s.keep, last)
	for from := 0; from < s.n && !halt.Closed(f.call.Done); {
		n := min(len(f.keys), s.n-from)
		if chosen.full() {
			from, n = s.orders[0].skip(row, from, s.n, s.apart, chosen.limit.place)
		}
		n = min(len(f.keys), n)
		if !s.offer(f, &chosen, row, from, n) {
			return chosen, false
		}
		from += n
	}
	return chosen, true
}

// offer offers some elements of a row. It returns false if some are in no order.
func (s *sortCode) offer(f *finder, to *selection, row unsafe.Pointer, from, n int) (ordered bool) {
	o := &s.orders[0]
	keys := f.keys[:n]
	if o.keysOf(keys, unsafe.Add(row, from*s.apart*o.t.Size()), s.apart) {
		return false
	}
	to.offer(keys, from)
	return true
}
