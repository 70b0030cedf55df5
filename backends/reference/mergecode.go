package reference

import (
	"context"
	"math/bits"
	"slices"
	"sync"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/internal/loops"
	"ltc/internal/halt"
)

// mergeCode runs a sort by any comparator: a merge sort, stable, that asks the comparator
// what the evaluator asks it. So a comparator that is no order has the evaluator's result.
// Merges of one level run side by side, also of several short rows: a launch of the
// comparator's kernel makes one comparison for each of them. A row is one part's.
type mergeCode struct {
	*mergeBase
	sortRows
}

// mergeBase is what the code of a sort by a comparator has for all sizes.
type mergeBase struct {
	of []plan.Compared // by parameter of the comparator
	// wide makes [wideBatch] comparisons, narrow [narrowBatch].
	wide, narrow kernel.Code
	mergers      sync.Pool // of *merger
}

var _ claimedCode = (*mergeCode)(nil)

const wideBatch, narrowBatch = 256, 16

// sortedTogether is how many places short rows have together that are sorted side by side.
const sortedTogether = 1 << 12

// newMergeCode compiles the comparator of a sort.
func newMergeCode(ctx context.Context, s *plan.Sort, compilers []kernel.Compiler) (*mergeCode, error) {
	codes, err := codesOf(ctx, nil, []*kernel.Kernel{batchOf(s.Less, wideBatch), batchOf(s.Less, narrowBatch)}, compilers)
	if err != nil {
		return nil, err
	}
	for i, c := range codes {
		if p, ok := c.(kernel.Preparer); ok {
			if codes[i], err = p.Prepare(ctx, nil, nil, nil); err != nil {
				return nil, err
			}
		}
	}
	of := &mergeBase{of: s.Of, wide: codes[0], narrow: codes[1]}
	of.mergers.New = func() any { return newMerger(len(of.of)) }
	return &mergeCode{of, rowsOf(s)}, nil
}

func (s *mergeCode) fit(_ context.Context, w plan.Work, last kernel.Code) (claimedCode, error) {
	c, ok := last.(*mergeCode)
	if !ok {
		c = &mergeCode{s.mergeBase, s.sortRows}
	}
	return c, c.sortRows.fit(w.(*plan.Sort))
}

// batchOf returns a kernel that computes n times what a kernel of scalars does: a dimension
// of n elements is added to all operands.
func batchOf(k *kernel.Kernel, n int) *kernel.Kernel {
	b := kernel.NewBuilder(k.Name)
	i := kernel.Along(b.Axis(kernel.AxisName(0), kernel.Size(n)))
	for _, p := range k.Params {
		p.Dims, p.Strides = []kernel.Size{kernel.Size(n)}, []kernel.Stride{kernel.UnitStride}
		b.Param(p)
	}
	b.Stage()
	for _, in := range k.Instrs {
		switch in.Op {
		case kernel.Load:
			b.Load(in.Mem.Param, i)
		case kernel.Store:
			b.Store(in.Mem.Param, in.Args[0], i)
		default:
			in.Args = slices.Clone(in.Args)
			b.Emit(in)
		}
	}
	return b.Kernel()
}

// work is what a sort takes, in elements that an op computes.
func (s *mergeCode) work() int {
	return loops.Times(loops.Times(s.rows, s.n), 4*len(s.sizes)+4*len(s.of)*bits.Len(uint(s.n)))
}

// Parts gives a thread rows of which at least so much is to be done.
func (s *mergeCode) Parts(_ []int64, threads int) int {
	const least = 1 << 16
	return max(1, min(threads, s.rows, s.work()/least))
}

// Scratch is for places twice, and what the comparator needs.
func (s *mergeCode) Scratch([]int64, int) int {
	if s.rows == 0 || s.n == 0 {
		return 0
	}
	return s.placesBytes() + max(s.wide.Scratch(nil, 1), s.narrow.Scratch(nil, 1))
}

// together is how many rows are sorted side by side.
func (s *mergeCode) together() int { return max(1, min(s.rows, sortedTogether/s.n)) }

// placesBytes is a multiple of 64, so that what follows is aligned.
func (s *mergeCode) placesBytes() int { return loops.Times((s.n*s.together()+3)/4, 64) }

// Run sorts the rows of a part.
func (s *mergeCode) Run(c *kernel.Call) error {
	if s.rows == 0 || s.keep == 0 {
		return nil
	}
	most := s.together()
	places := unsafe.Slice((*uint64)(c.Scratch), 2*s.n*most)
	m := s.mergers.Get().(*merger)
	defer s.putBack(m)
	m.call.Scratch, m.call.Done = unsafe.Add(c.Scratch, s.placesBytes()), c.Done
	from, to := c.Share(int64(s.rows))
	for row := from; row < to; row += int64(most) {
		all := s.n * min(most, int(to-row))
		sorted, err := s.sort(m, c.Mem, row, places[:all], places[s.n*most:][:all])
		if err != nil || halt.Closed(c.Done) {
			return err
		}
		for i := 0; i < all; i += s.n {
			start, result := s.at(row + int64(i/s.n))
			s.arrange(c.Mem, start, result, sorted[i:])
		}
	}
	return nil
}

// putBack keeps a merger for another run, without that run's memory.
func (s *mergeCode) putBack(m *merger) {
	m.call.Scratch, m.call.Done = nil, nil
	s.mergers.Put(m)
}

// sort merges halves of rows, quarters before them, and so on, from one list of places
// to the other. It returns the list that has the result. A cancelled run has none.
func (s *mergeCode) sort(m *merger, mem []unsafe.Pointer, row int64, from, to []uint64) ([]uint64, error) {
	for i := range from {
		from[i] = uint64(i % s.n)
	}
	rows := len(from) / s.n
	for depth := bits.Len(uint(s.n-1)) - 1; depth >= 0; depth-- {
		active, next := m.active[:0], 0
		for {
			for ; len(active) < wideBatch && next < rows<<depth; next++ {
				r := next >> depth
				a := mergeOf(r*s.n, s.n, depth, next)
				if a.left == a.middle {
					copy(to[a.left:a.end], from[a.left:a.end])
					continue
				}
				a.start, _ = s.at(row + int64(r))
				active = append(active, a)
			}
			if len(active) == 0 {
				break
			}
			if halt.Closed(m.call.Done) {
				return from, nil
			}
			if err := s.compare(m, mem, active, from); err != nil {
				return nil, err
			}
			active = m.advance(active, from, to)
		}
		from, to = to, from
	}
	return from, nil
}

// merge is one of two runs of places: [left, middle) and [right, end) are left of them. The
// row starts at an element of the operands.
type merge struct{ left, middle, right, end, out, start int }

// mergeOf returns the merge of the halves of one of the 2^depth sections of n places, which
// are cut in halves so often. Higher bits of the section's number do not count.
func mergeOf(begin, n, depth, section int) merge {
	end := begin + n
	for b := depth - 1; b >= 0; b-- {
		if middle := begin + (end-begin)/2; section>>b&1 == 0 {
			end = middle
		} else {
			begin = middle
		}
	}
	middle := begin + (end-begin)/2
	return merge{left: begin, middle: middle, right: middle, end: end, out: begin}
}

// merger is what comparisons read and write.
type merger struct {
	call    kernel.Call
	columns [][wideBatch]uint64 // by parameter of the comparator: elements, and the answers
	active  [wideBatch]merge
}

func newMerger(params int) *merger {
	m := &merger{columns: make([][wideBatch]uint64, params)}
	m.call.Parts = 1
	for i := range m.columns {
		m.call.Mem = append(m.call.Mem, unsafe.Pointer(&m.columns[i]))
	}
	return m
}

// compare finds for each merge whether the next place of its right run is before that of
// its left run.
func (s *mergeCode) compare(m *merger, mem []unsafe.Pointer, active []merge, places []uint64) error {
	for i, of := range s.of {
		if of.Operand < 0 {
			continue
		}
		from := mem[of.Operand]
		loopsBySize[s.sizes[of.Operand]].gather(s, unsafe.Pointer(&m.columns[i]), from, active, places, of.Second)
	}
	if len(active) <= narrowBatch {
		return s.narrow.Run(&m.call)
	}
	return s.wide.Run(&m.call)
}

func gatherAs[T word](s *mergeCode, to, from unsafe.Pointer, active []merge, places []uint64, left bool) {
	column, elements := (*[wideBatch]T)(to), unsafe.Slice((*T)(from), s.n*s.rows)
	for i := range active {
		a := &active[i]
		next := a.right
		if left {
			next = a.left
		}
		column[i] = elements[a.start+int(places[next])*s.apart]
	}
}

// advance moves a place of each merge, and returns those that are not at their end.
func (m *merger) advance(active []merge, from, to []uint64) []merge {
	answers := (*[wideBatch]uint8)(m.answers())
	for i := 0; i < len(active); {
		a := &active[i]
		if answers[i] != 0 {
			to[a.out] = from[a.right]
			a.right++
		} else {
			to[a.out] = from[a.left]
			a.left++
		}
		a.out++
		switch {
		case a.left == a.middle:
			copy(to[a.out:a.end], from[a.right:a.end])
		case a.right == a.end:
			copy(to[a.out:a.end], from[a.left:a.middle])
		default:
			i++
			continue
		}
		last := len(active) - 1
		*a, answers[i] = active[last], answers[last]
		active = active[:last]
	}
	return active
}

// answers is the last column: the comparator's result.
func (m *merger) answers() unsafe.Pointer { return unsafe.Pointer(&m.columns[len(m.columns)-1]) }
