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

// sortCode runs a sort whose order keys have: the places of a row are sorted by
// the keys of the elements there, and all operands go by these. A row is one
// part's.
type sortCode struct {
	order   sortOrder
	sizes   []int // of an element, by operand
	n       int   // places of a row
	keep    int   // places of a row of the results, from the first
	apart   int   // elements from one place to the next
	rows    int
	operand int // how many of them
}

var _ claimedCode = (*sortCode)(nil)

// mostSorted is the longest row, so that a place has 32 bits.
const mostSorted = 1<<31 - 1

// newSortCode returns the code of a sort.
func newSortCode(s *plan.Sort) *sortCode {
	c := &sortCode{apart: 1, rows: 1, operand: len(s.Args)}
	c.order, _ = orderOf(s)
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

// work is what a sort takes, in elements that an op computes.
func (s *sortCode) work() int { return loops.Times(loops.Times(s.rows, s.n), 4*len(s.sizes)+4) }

// Parts gives a thread rows of which at least so much is to be done.
func (s *sortCode) Parts(_ []int64, threads int) int {
	const least = 1 << 16
	return max(1, min(threads, s.rows, s.work()/least))
}

// Scratch is for keys, places with parts of keys, these once more, and places.
func (s *sortCode) Scratch([]int64, int) int {
	if s.rows == 0 {
		return 0
	}
	return 4 * 8 * s.n
}

// Run sorts the rows of a part.
func (s *sortCode) Run(c *kernel.Call) error {
	if s.rows == 0 || s.n == 0 {
		return nil
	}
	all := unsafe.Slice((*uint64)(c.Scratch), 4*s.n)
	keys, packed, other, places := all[:s.n], all[s.n:2*s.n], all[2*s.n:3*s.n], all[3*s.n:]
	from, to := c.Share(int64(s.rows))
	for row := from; row < to; row++ {
		if halt.Closed(c.Done) {
			return nil
		}
		outer, inner := int(row)/s.apart*s.apart, int(row)%s.apart
		start, result := outer*s.n+inner, outer*s.keep+inner
		size := s.sizes[s.order.operand]
		elements := unsafe.Add(c.Mem[s.order.operand], start*size)
		if s.keep <= s.n/leastLeft && s.first(places[:s.keep], unsafe.Slice((*candidate)(c.Scratch), 2*s.keep), elements, c.Done) {
			if halt.Closed(c.Done) {
				return nil
			}
			s.arrange(c.Mem, start, result, places)
			continue
		}
		unordered := s.order.keysOf(keys, elements, s.apart)
		switch {
		case unordered:
			s.merge(keys, packed, other)
			copy(places, packed)
		case size <= 4:
			for i, k := range keys {
				packed[i] = k<<32 | uint64(i)
			}
			sorted := sortPacked(packed, other, c.Done)
			for i, p := range sorted {
				places[i] = p & (1<<32 - 1)
			}
		default:
			sortLong(keys, packed, other, places, c.Done)
		}
		s.arrange(c.Mem, start, result, places)
	}
	return nil
}

// arrange writes the elements of a row that are kept. The row starts at an element of the
// operands and at an element of the results.
func (s *sortCode) arrange(mem []unsafe.Pointer, start, result int, places []uint64) {
	for i := range s.operand {
		size := s.sizes[i]
		arrange(unsafe.Add(mem[s.operand+i], result*size), unsafe.Add(mem[i], start*size), size, s.n, s.apart, places[:s.keep])
	}
}

// sortLong sorts places by keys of 64 bits: by their lower halves, then, stably, by
// their upper ones.
func sortLong(keys, packed, other, places []uint64, done <-chan struct{}) {
	const low = 1<<32 - 1
	for i, k := range keys {
		packed[i] = k<<32 | uint64(i)
	}
	for i, p := range sortPacked(packed, other, done) {
		places[i] = p & low
	}
	for i, p := range places {
		packed[i] = keys[p]&^low | uint64(i)
	}
	sorted := sortPacked(packed, other, done)
	for i, p := range sorted {
		keys[i] = places[p&low]
	}
	copy(places, keys)
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

// merge sorts places, stably, as [mergeSort] does, by keys of which the greatest is
// before and behind none: what comes out is no order, but the evaluator's.
func (s *sortCode) merge(keys, places, temp []uint64) {
	none := widthMask(s.order.t)
	for i := range places {
		places[i] = uint64(i)
	}
	mergePlaces(keys, places, temp, none)
}

func mergePlaces(keys, places, temp []uint64, none uint64) {
	if len(places) < 2 {
		return
	}
	m := len(places) / 2
	mergePlaces(keys, places[:m], temp, none)
	mergePlaces(keys, places[m:], temp, none)
	left, right, k := temp[:copy(temp, places[:m])], places[m:], 0
	for ; len(left) > 0 && len(right) > 0; k++ {
		if x, y := keys[right[0]], keys[left[0]]; x < y && y != none {
			places[k], right = right[0], right[1:]
		} else {
			places[k], left = left[0], left[1:]
		}
	}
	copy(places[k:], left)
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
			from, n = s.order.skip(row, from, s.n, s.apart, limit.place)
		}
		keys := keys[:min(chunk, n)]
		if s.order.keysOf(keys, unsafe.Add(row, from*s.apart*s.order.t.Size()), s.apart) {
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
