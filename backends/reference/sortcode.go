package reference

import (
	"slices"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/internal/loops"
	"ltc/ir/types"
)

// sortCode runs a sort whose order keys have: the places of a row are sorted by
// the keys of the elements there, and all operands go by these. A row is one
// part's.
type sortCode struct {
	order   sortOrder
	sizes   []int // of an element, by operand
	n       int   // places of a row
	apart   int   // elements from one place to the next
	rows    int
	operand int // how many of them
}

var _ kernel.Code = (*sortCode)(nil)

// mostSorted is the longest row, so that a place has 32 bits.
const mostSorted = 1<<31 - 1

// Claim reports for which work the backend has code itself, as [kit.Options.Claim] asks.
// That is a sort by less than or greater than of one of its operands, of which all
// elements are kept. Floats may be in their total order or not, and NaNs among them.
// The sort needs no memory but for scratch.
func Claim(w plan.Work) (work []types.Type, ok bool) {
	s, ok := w.(*plan.Sort)
	if !ok {
		return nil, false
	}
	_, ok = orderOf(s)
	return nil, ok && s.Keep == 0 && s.Shape()[s.Dim] <= mostSorted
}

// newSortCode returns the code of a sort, and the launch of it.
func newSortCode(s *plan.Sort) (*sortCode, *plan.Launch) {
	c, own := &sortCode{apart: 1, rows: 1, operand: len(s.Args)}, new(plan.Launch)
	c.order, _ = orderOf(s)
	for _, a := range slices.Concat(s.Args, s.Outs) {
		own.Operands = append(own.Operands, plan.Operand{Value: a.Value})
		c.sizes = append(c.sizes, a.Type.DType.Size())
	}
	for d, size := range s.Shape() {
		switch {
		case d == s.Dim:
			c.n = size
			continue
		case d > s.Dim:
			c.apart = loops.Times(c.apart, size)
		}
		c.rows = loops.Times(c.rows, size)
	}
	return c, own
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
		if gaveUp(c.Done) {
			return nil
		}
		start := int(row)/s.apart*s.apart*s.n + int(row)%s.apart
		size := s.sizes[s.order.operand]
		first := unsafe.Add(c.Mem[s.order.operand], start*size)
		unordered := s.order.keysOf(keys, first, s.apart)
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
		for i := range s.operand {
			n := s.sizes[i]
			arrange(unsafe.Add(c.Mem[s.operand+i], start*n), unsafe.Add(c.Mem[i], start*n), n, s.apart, places)
		}
	}
	return nil
}

// gaveUp reports whether a run is given up.
func gaveUp(done <-chan struct{}) bool {
	select {
	case <-done: // never, of nil
		return true
	default:
		return false
	}
}

// keysOf makes the keys of a row.
func (o *sortOrder) keysOf(to []uint64, first unsafe.Pointer, apart int) bool {
	switch o.t.Size() {
	case 1:
		return o.keys(to, func(i int) uint64 { return uint64(*(*uint8)(unsafe.Add(first, i*apart))) })
	case 2:
		return o.keys(to, func(i int) uint64 { return uint64(*(*uint16)(unsafe.Add(first, 2*i*apart))) })
	case 4:
		return o.keys(to, func(i int) uint64 { return uint64(*(*uint32)(unsafe.Add(first, 4*i*apart))) })
	}
	return o.keys(to, func(i int) uint64 { return *(*uint64)(unsafe.Add(first, 8*i*apart)) })
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
		if gaveUp(done) {
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

// arrange writes the elements at places of a row one after the other.
func arrange(to, from unsafe.Pointer, size, apart int, places []uint64) {
	switch size {
	case 1:
		arrangeAs[uint8](to, from, apart, places)
	case 2:
		arrangeAs[uint16](to, from, apart, places)
	case 4:
		arrangeAs[uint32](to, from, apart, places)
	default:
		arrangeAs[uint64](to, from, apart, places)
	}
}

func arrangeAs[T any](to, from unsafe.Pointer, apart int, places []uint64) {
	in, out := unsafe.Slice((*T)(from), (len(places)-1)*apart+1), unsafe.Slice((*T)(to), (len(places)-1)*apart+1)
	for i, p := range places {
		out[i*apart] = in[int(p)*apart]
	}
}
