package reference

import (
	"cmp"
	"slices"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/internal/loops"
	"ltc/internal/halt"
)

// sortCode runs a sort whose orders keys have: the places of a row are sorted by the
// keys of the elements there, and all operands go by these. A row is one part's.
type sortCode struct {
	sortRows
	orders []sortOrder
}

var _ claimedCode = (*sortCode)(nil)

// mostSorted is the longest row, so that a place has 32 bits.
const mostSorted = 1<<31 - 1

// newSortCode returns the code of a sort.
func newSortCode(s *plan.Sort, orders []sortOrder) *sortCode {
	return &sortCode{rowsOf(s), orders}
}

// sortRows is how the rows of a sort lie.
type sortRows struct {
	sizes []int // of an element, by operand and then by result
	from  []int // by result, the operand that is permuted, or [plan.Places]
	n     int   // places of a row
	keep  int   // places of a row of the results, from the first
	apart int   // elements from one place to the next
	rows  int
}

func rowsOf(s *plan.Sort) sortRows {
	c := sortRows{apart: 1, rows: 1, from: s.From}
	_, c.sizes = launchOf(s.Args, s.Outs)
	for d, size := range s.Shape() {
		switch {
		case d == s.Dim:
			c.n, c.keep = size, cmp.Or(s.Keep, size)
			continue
		case d > s.Dim:
			c.apart = loops.Times(c.apart, size)
		}
		c.rows = loops.Times(c.rows, size)
	}
	return c
}

// at returns the first elements of a row of the operands and of the results.
func (s *sortRows) at(row int64) (start, result int) {
	outer, inner := int(row)/s.apart*s.apart, int(row)%s.apart
	return outer*s.n + inner, outer*s.keep + inner
}

// work is what a sort takes, in elements that an op computes.
func (s *sortCode) work() int {
	return loops.Times(loops.Times(s.rows, s.n), 4*len(s.sizes)+4*len(s.orders))
}

// Parts gives a thread rows of which at least so much is to be done.
func (s *sortCode) Parts(_ []int64, threads int) int {
	const least = 1 << 16
	return max(1, min(threads, s.rows, s.work()/least))
}

// Scratch is for the keys of all orders, places with parts of keys, these once more, and
// places.
func (s *sortCode) Scratch([]int64, int) int {
	if s.rows == 0 {
		return 0
	}
	return loops.Times(8*(len(s.orders)+3), s.n)
}

// Run sorts the rows of a part.
func (s *sortCode) Run(c *kernel.Call) error {
	if s.rows == 0 || s.n == 0 {
		return nil
	}
	w := s.workspace(c.Scratch)
	from, to := c.Share(int64(s.rows))
	for row := from; row < to; row++ {
		if halt.Closed(c.Done) {
			return nil
		}
		start, result := s.at(row)
		if len(s.orders) == 1 && s.keep <= s.n/leastLeft && s.first(w.places[:s.keep], unsafe.Slice((*candidate)(c.Scratch), 2*s.keep), s.row(c.Mem, 0, start), c.Done) {
			if halt.Closed(c.Done) {
				return nil
			}
			s.arrange(c.Mem, start, result, w.places)
			continue
		}
		places := w.packed
		if words, ordered := s.join(w.keys, c.Mem, start); ordered {
			places = w.sort(words, c.Done)
		} else {
			s.merge(&w, c.Mem, start)
		}
		s.arrange(c.Mem, start, result, places)
	}
	return nil
}

// row returns the first element of a row of the operand that an order is of. The row starts
// at an element of the operands.
func (s *sortCode) row(mem []unsafe.Pointer, order, start int) unsafe.Pointer {
	operand := s.orders[order].operand
	return unsafe.Add(mem[operand], start*s.sizes[operand])
}

// arrange writes the elements of a row that are kept. The row starts at an element of the
// operands and at an element of the results.
func (s *sortRows) arrange(mem []unsafe.Pointer, start, result int, places []uint64) {
	operands := len(s.sizes) - len(s.from)
	for i, from := range s.from {
		size := s.sizes[operands+i]
		to := unsafe.Add(mem[operands+i], result*size)
		if from == plan.Places {
			writePlaces(to, size, s.apart, places[:s.keep])
			continue
		}
		arrange(to, unsafe.Add(mem[from], start*size), size, s.n, s.apart, places[:s.keep])
	}
}

// merge sorts the places of a row in w.packed, stably, as the evaluator does. A NaN that an
// order has no place for is before and behind no element: what comes out then is no order,
// but the evaluator's.
func (s *sortCode) merge(w *sortSpace, mem []unsafe.Pointer, start int) {
	for i := range s.orders {
		s.orders[i].keysOf(w.keys[i*s.n:][:s.n], s.row(mem, i, start), s.apart)
	}
	for i := range w.packed {
		w.packed[i] = uint64(i)
	}
	s.mergePlaces(w.keys, w.packed, w.other)
}

func (s *sortCode) mergePlaces(keys, places, temp []uint64) {
	if len(places) < 2 {
		return
	}
	m := len(places) / 2
	s.mergePlaces(keys, places[:m], temp)
	s.mergePlaces(keys, places[m:], temp)
	left, right, k := temp[:copy(temp, places[:m])], places[m:], 0
	for ; len(left) > 0 && len(right) > 0; k++ {
		if s.before(keys, right[0], left[0]) {
			places[k], right = right[0], right[1:]
		} else {
			places[k], left = left[0], left[1:]
		}
	}
	copy(places[k:], left)
}

// before reports whether a place of a row is before another by the keys of all orders.
func (s *sortCode) before(keys []uint64, x, y uint64) bool {
	for i := range s.orders {
		k := keys[i*s.n:][:s.n]
		a, b := k[x], k[y]
		if none, some := s.orders[i].none(); some && (a == none || b == none) {
			return false
		}
		if a != b {
			return a < b
		}
	}
	return false
}

// leastLeft is how many times as long as what is kept a row must be for [sortCode.first].
const leastLeft = 8

// candidate is an element that may be among the first of a row.
type candidate struct{ key, place uint64 }

// first finds the places of the elements of a row that come first, in their order. It
// collects candidates, up to twice as many as are kept. A later element is one only if it
// comes before the last that is kept of those collected. It returns false if some elements
// are in no order. A run that is given up ends it early, without places.
func (s *sortCode) first(places []uint64, found []candidate, row unsafe.Pointer, done <-chan struct{}) bool {
	const chunk = 512
	var keys [chunk]uint64
	found, limit := found[:0], candidate{}
	for from, full := 0, false; from < s.n; {
		n := min(chunk, s.n-from)
		if full {
			from, n = s.orders[0].skip(row, from, s.n, s.apart, limit.place)
		}
		keys := keys[:min(chunk, n)]
		if s.orders[0].keysOf(keys, unsafe.Add(row, from*s.apart*s.orders[0].t.Size()), s.apart) {
			return false
		}
		for i, k := range keys {
			if k >= limit.key && full {
				continue
			}
			found = append(found, candidate{k, uint64(from + i)})
			if len(found) == cap(found) {
				slices.SortFunc(found, candidate.compare)
				found = found[:s.keep]
				limit, full = found[s.keep-1], true
			}
		}
		if from += len(keys); halt.Closed(done) {
			return true
		}
	}
	slices.SortFunc(found, candidate.compare)
	for i := range places {
		places[i] = found[i].place
	}
	return true
}

func (a candidate) compare(b candidate) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.place, b.place))
}

// arrange writes the elements at places of a row of n, apart elements from each other, one
// after the other.
func arrange(to, from unsafe.Pointer, size, n, apart int, places []uint64) {
	switch size {
	case 1:
		arrangeAs[uint8](to, from, n, apart, places)
	case 2:
		arrangeAs[uint16](to, from, n, apart, places)
	case 4:
		arrangeAs[uint32](to, from, n, apart, places)
	default:
		arrangeAs[uint64](to, from, n, apart, places)
	}
}

func arrangeAs[T any](to, from unsafe.Pointer, n, apart int, places []uint64) {
	in, out := unsafe.Slice((*T)(from), (n-1)*apart+1), unsafe.Slice((*T)(to), (len(places)-1)*apart+1)
	for i, p := range places {
		out[i*apart] = in[int(p)*apart]
	}
}

// writePlaces writes places as integers of a size, apart elements from each other.
func writePlaces(to unsafe.Pointer, size, apart int, places []uint64) {
	switch size {
	case 1:
		writePlacesAs[uint8](to, apart, places)
	case 2:
		writePlacesAs[uint16](to, apart, places)
	case 4:
		writePlacesAs[uint32](to, apart, places)
	default:
		writePlacesAs[uint64](to, apart, places)
	}
}

func writePlacesAs[T uint8 | uint16 | uint32 | uint64](to unsafe.Pointer, apart int, places []uint64) {
	out := unsafe.Slice((*T)(to), (len(places)-1)*apart+1)
	for i, p := range places {
		out[i*apart] = T(p)
	}
}
