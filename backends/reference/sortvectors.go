package reference

import (
	"cmp"
	"slices"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/internal/loops"
	"ltc/backends/reference/tiles"
	"ltc/internal/halt"
)

// sortVectors sorts rows of one operand's elements on vectors, in place of their places. Rows of
// which NaNs are in no order are left to [sortCode.sorted].
type sortVectors struct {
	of    *sortCode
	sort  func(s tiles.Sorting) (why tiles.Stop, row int)
	args  tiles.Sorting // but for the rows
	group int           // rows that are copied together; 0: rows are contiguous
}

// fitVectors sets the sort on vectors for the sizes of the rows, if vectors have one.
func (s *sortCode) fitVectors() {
	if s.sortBase.vectors == nil || len(s.orders) != 1 || len(s.sizes) != 2 || s.from[0] == plan.Places || s.keep != s.n || s.passes != nil || s.n == 0 {
		return
	}
	size := s.sizes[0]
	if size != 4 && size != 8 {
		return
	}
	v := &s.own.vectors
	if v.sort == nil {
		v.sort = s.sortBase.vectors.Sort(size)
	}
	if v.sort == nil {
		return
	}
	k := keyingOf[uint64](&s.orders[0])
	v.args = tiles.Sorting{N: s.n, Negative: k.negative, Flip: k.flip, Sign: k.sign, Infinity: k.infinity, Checks: k.numbers}
	v.of, v.group = s, 0
	if s.apart > 1 {
		// Elements of a cache line are in different rows.
		const line, most = 64, 1 << 20
		v.group = min(s.apart, line/size, max(1, most/(size*s.n)))
	}
	s.vectors = v
}

// scratch returns the bytes of scratch memory for copies of rows and their results.
func (v *sortVectors) scratch() int {
	if v == nil {
		return 0
	}
	return loops.Times(2*v.group, loops.Times(v.of.n, v.of.sizes[0]))
}

// perCheck is how many elements are sorted between two checks whether the run was cancelled, unless a
// row has more.
const perCheck = 1 << 16

// run sorts a range of rows.
func (v *sortVectors) run(c *kernel.Call, w *sortSpace, from, to int) {
	s := v.of
	size, rows := s.sizes[0], 0
	for row := from; row < to && !halt.Closed(c.Done); row += rows {
		rows = min(to-row, max(1, perCheck/s.n))
		start, result := s.at(int64(row))
		in, out := unsafe.Add(c.Mem[0], start*size), unsafe.Add(c.Mem[1], result*size)
		if v.group > 0 {
			rows = min(to-row, v.group, s.apart-row%s.apart)
			in = unsafe.Add(c.Scratch, s.sortBytes())
			out = unsafe.Add(in, rows*s.n*size)
			loopsBySize[size].gatherRows(in, unsafe.Add(c.Mem[0], start*size), rows, s.n, s.apart)
		}
		for done := 0; done < rows; {
			args := v.args
			args.From, args.To, args.Rows = unsafe.Add(in, done*s.n*size), unsafe.Add(out, done*s.n*size), rows-done
			why, sorted := v.sort(args)
			if v.group > 0 {
				loopsBySize[size].scatterRows(unsafe.Add(c.Mem[1], (result+done)*size), args.To, sorted, s.n, s.apart)
			}
			if done += sorted; why != 0 {
				if v.left(c, w, why, row+done); halt.Closed(c.Done) {
					return
				}
				done++
			}
		}
	}
}

// left sorts a row that the sort on vectors has left.
func (v *sortVectors) left(c *kernel.Call, w *sortSpace, why tiles.Stop, row int) {
	s := v.of
	size := s.sizes[0]
	start, result := s.at(int64(row))
	if why == tiles.Special && loopsBySize[size].special(v, unsafe.Add(c.Mem[1], result*size), unsafe.Add(c.Mem[0], start*size), w.other, w.packed) {
		return
	}
	if places := s.sorted(w, c, start); !halt.Closed(c.Done) {
		s.arrange(c.Mem, start, result, places)
	}
}

// specialAs sorts a row with elements that have equal keys and other bits. It sorts a copy, in which
// one zero and one NaN stand for all. Then all of them replace these, in the order of the row. It
// works in memory of n words each, and reports whether it did: not where NaNs are in no order.
func specialAs[T word](v *sortVectors, to, row unsafe.Pointer, forCopy, forSorted []uint64) bool {
	s, k := v.of, keyingOf[T](&v.of.orders[0])
	n := s.n
	from, result := unsafe.Slice((*T)(row), (n-1)*s.apart+1), unsafe.Slice((*T)(to), (n-1)*s.apart+1)
	nan := k.nan
	if nan == 0 {
		nan = k.element(k.own)
	}
	same := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(forCopy))), n)
	sorted := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(forSorted))), n)
	nans := 0
	for i := range same {
		x := from[i*s.apart]
		switch size := x &^ k.sign; {
		case size > k.infinity:
			x = nan
			nans++
		case size == 0:
			x = 0
		}
		same[i] = x
	}
	if nans > 0 && k.none {
		return false
	}
	args := v.args
	args.From, args.To = unsafe.Pointer(unsafe.SliceData(same)), unsafe.Pointer(unsafe.SliceData(sorted))
	args.Rows, args.Checks = 1, false
	if why, _ := v.sort(args); why != 0 {
		return false
	}
	zero, _ := slices.BinarySearchFunc(sorted, k.plain(0), func(x, key T) int { return cmp.Compare(k.plain(x), key) })
	atNaN := 0
	if k.plain(nan) > k.plain(0) {
		atNaN = n - nans
	}
	for i := range n {
		x := from[i*s.apart]
		switch size := x &^ k.sign; {
		case size > k.infinity:
			sorted[atNaN] = x
			atNaN++
		case size == 0:
			sorted[zero] = x
			zero++
		}
	}
	for i, x := range sorted {
		result[i*s.apart] = x
	}
	return true
}

// gatherRowsAs copies rows of n elements, which are apart elements from each other and of which
// the first ones are side by side, to rows one after the other.
func gatherRowsAs[T word](to, from unsafe.Pointer, rows, n, apart int) {
	out, in := unsafe.Slice((*T)(to), rows*n), unsafe.Slice((*T)(from), (n-1)*apart+rows)
	for i := range n {
		at := i
		for _, x := range in[i*apart:][:rows] {
			out[at] = x
			at += n
		}
	}
}

// scatterRowsAs copies rows back.
func scatterRowsAs[T word](to, from unsafe.Pointer, rows, n, apart int) {
	out, in := unsafe.Slice((*T)(to), (n-1)*apart+rows), unsafe.Slice((*T)(from), rows*n)
	for i := range n {
		line, at := out[i*apart:][:rows], i
		for r := range line {
			line[r] = in[at]
			at += n
		}
	}
}
