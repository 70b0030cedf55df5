package reference

import (
	"context"
	"sync"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/internal/loops"
	"ltc/backends/reference/tiles"
	"ltc/internal/halt"
	"ltc/ir/dims"
)

// sortCode runs a sort whose orders keys have: the places of a row are sorted by the
// keys of the elements there, and all operands go by these. A row is one part's.
type sortCode struct {
	*sortBase
	sortRows
	passes  *sortPasses  // by which few elements that are kept are found; nil: otherwise
	blocks  *sortBlocks  // by which the first elements are found; nil: otherwise
	vectors *sortVectors // by which rows are sorted; nil: otherwise
	// What the three point to, which is reused when the code is fitted again.
	own struct {
		passes  sortPasses
		blocks  sortBlocks
		vectors sortVectors
	}
}

var _ claimedCode = (*sortCode)(nil)

// sortBase is what the code of a sort has for all sizes.
type sortBase struct {
	orders  []sortOrder
	vectors tiles.Vectors
	packed  func(tiles.Sorting) (tiles.Stop, int) // sorts keys with places on vectors; nil: in Go
	spare   sync.Pool                             // of *finder
	kernels sortKernels
	opens   bool // how many places a row has depends on a run
}

// mostSorted is the longest row, so that a place has 32 bits.
const mostSorted = 1<<31 - 1

// newSortCode returns the code of a sort.
func newSortCode(s *plan.Sort, orders []sortOrder, compilers []kernel.Compiler) *sortCode {
	of := &sortBase{orders: orders, kernels: sortKernels{compilers: compilers}, opens: dims.IsExpr(s.Shape()[s.Dim])}
	of.spare.New = func() any { return new(finder) }
	if of.vectors = plainOf(compilers).Vectors; of.vectors != nil {
		of.packed = of.vectors.Sort(8)
	}
	return &sortCode{sortBase: of, sortRows: rowsOf(s)}
}

func (s *sortCode) fit(ctx context.Context, w plan.Work, last kernel.Code) (claimedCode, error) {
	c, ok := last.(*sortCode)
	if !ok {
		c = &sortCode{sortBase: s.sortBase, sortRows: s.sortRows}
	}
	if err := c.sortRows.fit(w.(*plan.Sort)); err != nil {
		return nil, err
	}
	c.passes, c.blocks, c.vectors = nil, nil, nil
	if err := c.fitPasses(ctx); err != nil {
		return nil, err
	}
	if err := c.fitBlocks(ctx); err != nil {
		return nil, err
	}
	c.fitVectors()
	return c, nil
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

// rowsOf returns how the rows of a sort lie, but for their sizes.
func rowsOf(s *plan.Sort) sortRows {
	_, sizes := launchOf(s.Args, s.Outs)
	return sortRows{sizes: sizes, from: s.From}
}

// fit sets the sizes.
func (c *sortRows) fit(s *plan.Sort) error {
	c.rows, c.apart = 1, 1
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
	if c.keep = s.ResultShape()[s.Dim]; c.n > mostSorted {
		return tooLarge(c.n, mostSorted)
	}
	return nil
}

// at returns the first elements of a row of the operands and of the results.
func (s *sortRows) at(row int64) (start, result int) {
	outer, inner := int(row)/s.apart*s.apart, int(row)%s.apart
	return outer*s.n + inner, outer*s.keep + inner
}

// work is what a sort takes, in elements that an op computes.
func (s *sortCode) work() int {
	switch {
	case s.passes != nil:
		return loops.Times(s.rows, s.keep*(s.n/4+16))
	case s.findsFirst():
		return loops.Times(s.rows, s.n+16*s.keep)
	case s.vectors != nil:
		return loops.Times(loops.Times(s.rows, s.n), 4)
	}
	return loops.Times(loops.Times(s.rows, s.n), 4*len(s.sizes)+4*len(s.orders))
}

// Parts gives a thread rows of which at least so much is to be done.
func (s *sortCode) Parts(_ []int64, threads int) int {
	const least = 1 << 16
	return max(1, min(threads, s.rows, s.work()/least))
}

// Scratch is for the keys of all orders, places with parts of keys, these once more, and
// places; and behind that for passes, blocks or vectors.
func (s *sortCode) Scratch([]int64, int) int {
	if s.rows == 0 {
		return 0
	}
	return loops.Added(s.sortBytes(), max(s.passes.scratch(s.n), s.blocks.scratch(), s.vectors.scratch()))
}

// sortBytes is a multiple of 64, so that what follows is aligned.
func (s *sortCode) sortBytes() int { return loops.Times((s.n*(len(s.orders)+3)+7)/8, 64) }

// Run sorts the rows of a part.
func (s *sortCode) Run(c *kernel.Call) error {
	if s.rows == 0 || s.keep == 0 {
		return nil
	}
	w := s.workspace(c.Scratch)
	var f *finder
	if s.findsFirst() || s.passes != nil {
		f = s.finder(c)
		defer s.putBack(f)
	}
	from, to := c.Share(int64(s.rows))
	if s.passes != nil {
		return s.runPasses(c, f, &w, int(from), int(to))
	}
	if s.vectors != nil {
		s.vectors.run(c, &w, int(from), int(to))
		return nil
	}
	for row := from; row < to; row++ {
		if halt.Closed(c.Done) {
			return nil
		}
		start, result := s.at(row)
		places := w.places[:s.keep]
		found, err := f != nil, error(nil)
		if found {
			found, err = s.first(f, &w, s.row(c.Mem, 0, start), s.rows*s.n-start)
		}
		if !found && err == nil {
			places = s.sorted(&w, c, start)
		}
		if err != nil || halt.Closed(c.Done) {
			return err
		}
		s.arrange(c.Mem, start, result, places)
	}
	return nil
}

// sorted returns the places of a row in their order. The row starts at an element of the
// operands.
func (s *sortCode) sorted(w *sortSpace, c *kernel.Call, start int) []uint64 {
	if words, ordered := s.join(w.keys, c.Mem, start); ordered {
		return w.sort(words, s.packed, c.Done)
	}
	s.merge(w, c.Mem, start)
	return w.packed
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
			loopsBySize[size].places(to, s.apart, places[:s.keep])
			continue
		}
		loopsBySize[size].arrange(to, unsafe.Add(mem[from], start*size), s.n, s.apart, places[:s.keep])
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

// arrangeAs writes the elements at places of a row of n, apart elements from each other, one
// after the other.
func arrangeAs[T word](to, from unsafe.Pointer, n, apart int, places []uint64) {
	in, out := unsafe.Slice((*T)(from), (n-1)*apart+1), unsafe.Slice((*T)(to), (len(places)-1)*apart+1)
	for i, p := range places {
		out[i*apart] = in[int(p)*apart]
	}
}

// writePlacesAs writes places as integers, apart elements from each other.
func writePlacesAs[T word](to unsafe.Pointer, apart int, places []uint64) {
	out := unsafe.Slice((*T)(to), (len(places)-1)*apart+1)
	for i, p := range places {
		out[i*apart] = T(p)
	}
}
