package reference

import (
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/internal/loops"
	"ltc/backends/reference/tiles"
	"ltc/internal/halt"
)

// sortVectors sorts rows of one operand's elements on vectors, in place of their places. Rows with
// elements of equal keys and other bits are left to [sortCode.sorted], and so are NaNs: those of
// a float comparison, and -0.
type sortVectors struct {
	of    *sortCode
	sort  func(s tiles.Sorting) (why tiles.Stop, row int)
	args  tiles.Sorting // but for the rows
	group int           // rows that are copied together; 0: they are sorted where they lie
}

// newSortVectors returns the sort on vectors; nil if these have none for it.
func newSortVectors(s *sortCode, vectors tiles.Vectors) *sortVectors {
	if len(s.orders) != 1 || len(s.sizes) != 2 || s.from[0] == plan.Places || s.keep != s.n || s.passes != nil || s.n == 0 {
		return nil
	}
	size := s.sizes[0]
	if size != 4 && size != 8 {
		return nil
	}
	v := &sortVectors{of: s, sort: vectors.Sort(size)}
	if v.sort == nil {
		return nil
	}
	k := keyingOf[uint64](&s.orders[0])
	v.args = tiles.Sorting{N: s.n, Negative: k.negative, Flip: k.flip, Sign: k.sign, Infinity: k.infinity, Checks: k.numbers}
	if s.apart > 1 {
		// Elements of a cache line are in different rows.
		const line, most = 64, 1 << 20
		v.group = min(s.apart, line/size, max(1, most/(size*s.n)))
	}
	return v
}

// scratch returns the bytes of scratch memory for copies of rows and their results.
func (v *sortVectors) scratch() int {
	if v == nil {
		return 0
	}
	return loops.Times(2*v.group, loops.Times(v.of.n, v.of.sizes[0]))
}

// together is how many elements are sorted before a run looks whether it has ended, unless a row
// has more.
const together = 1 << 16

// run sorts some rows.
func (v *sortVectors) run(c *kernel.Call, w *sortSpace, from, to int) {
	s := v.of
	size := s.sizes[0]
	for row := from; row < to && !halt.Closed(c.Done); {
		rows := min(to-row, max(1, together/s.n))
		start, result := s.at(int64(row))
		args := v.args
		args.From, args.To = unsafe.Add(c.Mem[0], start*size), unsafe.Add(c.Mem[1], result*size)
		if v.group > 0 {
			rows = min(to-row, v.group, s.apart-row%s.apart)
			args.From = unsafe.Add(c.Scratch, s.sortBytes())
			args.To = unsafe.Add(args.From, rows*s.n*size)
			loopsBySize[size].copyRows(args.From, unsafe.Add(c.Mem[0], start*size), rows, s.n, s.n, 1, 1, s.apart)
		}
		args.Rows = rows
		why, sorted := v.sort(args)
		if v.group > 0 {
			loopsBySize[size].copyRows(unsafe.Add(c.Mem[1], result*size), args.To, sorted, s.n, 1, s.apart, s.n, 1)
		}
		row += sorted
		if why != 0 {
			start, result := s.at(int64(row))
			places := s.sorted(w, c, start)
			if halt.Closed(c.Done) {
				return
			}
			s.arrange(c.Mem, start, result, places)
			row++
		}
	}
}

// copyRowsAs copies rows of n elements. Strides are from one row to the next and from one element
// to the next.
func copyRowsAs[T word](to, from unsafe.Pointer, rows, n, toRow, toElement, fromRow, fromElement int) {
	if rows == 0 || n == 0 {
		return
	}
	out := unsafe.Slice((*T)(to), (rows-1)*toRow+(n-1)*toElement+1)
	in := unsafe.Slice((*T)(from), (rows-1)*fromRow+(n-1)*fromElement+1)
	for i := range n {
		for r := range rows {
			out[r*toRow+i*toElement] = in[r*fromRow+i*fromElement]
		}
	}
}
