package reference

import (
	"context"
	"fmt"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/internal/loops"
	"ltc/internal/halt"
	"ltc/ir/types"
)

// sortPasses is how few first elements of short rows are found: by a kernel that passes over a
// row once for each. Elements are words that have the key above the place, so that they all
// differ. A pass finds the least word that is greater than the one before.
type sortPasses struct {
	code rowsCode
	rows int // of a launch
	keep int
}

// Few elements are kept, of rows that are so short that passes take less time than a look at
// each element.
const mostPasses, mostPassed = 8, 4096

// rowsAtOnce is how many rows a launch has.
const rowsAtOnce = 128

// leastPassed is how many elements all rows have if code is compiled for passes.
const leastPassed = 1 << 12

// fitPasses sets the passes for the sizes of the rows, if there are any.
func (s *sortCode) fitPasses(ctx context.Context) error {
	switch {
	case len(s.orders) > 1 || s.orders[0].t.Size() > 4 || s.apart > 1 || s.n < 2 || s.keep == 0:
		return nil
	case s.keep > mostPasses || s.keep*s.n > mostPassed || s.inBlocks() || loops.Times(s.rows, s.n) < leastPassed:
		return nil
	}
	k := sortKernel{keep: s.keep, n: s.n}
	if s.opens {
		k.n = 0
	}
	p := &s.own.passes
	p.rows, p.keep = min(s.rows, rowsAtOnce), s.keep
	err := p.code.fit(ctx, &s.kernels, k, &s.orders[0], p.rows, s.n)
	if p.code.Code != nil {
		s.passes = p
	}
	return err
}

// wordBytes is a multiple of 64, so that what follows is aligned.
func (p *sortPasses) wordBytes() int { return (p.rows*p.keep + 7) / 8 * 64 }

// scratch is for the words of a launch, and what the kernel needs for rows of n places.
func (p *sortPasses) scratch(n int) int {
	if p == nil {
		return 0
	}
	return p.wordBytes() + p.code.scratch(p.rows, n)
}

// passesOf returns a kernel that finds the words of the first elements of each row, as many as
// are kept. Its first result has the first word of each row, its second the second one, and so
// on. Rows have n elements; n is 0 if a launch says how many.
func passesOf(o *sortOrder, n, keep int) *kernel.Kernel {
	t := o.asSigned()
	b := kernel.NewBuilder("first_of_rows")
	rows, places := b.Size(), kernel.Size(n)
	if n == 0 {
		places = b.Size()
	}
	row := kernel.Along(b.Axis(kernel.AxisName(0), rows))
	x := b.Param(kernel.Param{Name: "x0", DType: t, Dims: []kernel.Size{rows, places}, Strides: []kernel.Stride{kernel.AnyStride, kernel.UnitStride}})
	var found []kernel.ID
	for range keep {
		b.Stage(kernel.Axis{Name: kernel.StageAxisName(0), Size: places})
		key := o.signedKey(b, b.Load(x, row, kernel.Along(1)))
		word := b.Op(kernel.ShiftLeft, types.I64, b.Op(kernel.Convert, types.I64, key), b.Int(types.I64, halfWord))
		word = b.Op(kernel.Or, types.I64, word, b.Emit(kernel.Instr{Op: kernel.Iota, Type: types.I64, Aux: 1}))
		if len(found) > 0 {
			behind := b.Op(kernel.CompareGT, types.Bool, word, found[len(found)-1])
			word = b.Op(kernel.Select, types.I64, behind, word, b.Int(types.I64, 1<<63-1))
		}
		found = append(found, b.Reduce(kernel.Minimum, word))
	}
	b.Stage()
	for i, word := range found {
		y := b.Param(kernel.Param{Name: fmt.Sprintf("y%d", i), DType: types.I64, Dims: []kernel.Size{rows}, Strides: []kernel.Stride{kernel.UnitStride}, Out: true})
		b.Store(y, word, row)
	}
	return b.Kernel()
}

// runPasses finds the first elements of a range of rows. A launch may begin at rows before them, or
// end behind them: all launches have as many rows.
func (s *sortCode) runPasses(c *kernel.Call, f *finder, w *sortSpace, from, to int) error {
	p := s.passes
	all := unsafe.Slice((*int64)(f.call.Scratch), p.rows*p.keep)
	f.call.Scratch = unsafe.Add(f.call.Scratch, p.wordBytes())
	none, some := s.noWord()
	places := w.places[:s.keep]
	for row := from; row < to; {
		base := min(row, s.rows-p.rows)
		f.mem[0] = s.row(c.Mem, 0, base*s.n)
		for i := range p.keep {
			f.mem[1+i] = unsafe.Pointer(&all[i*p.rows])
		}
		f.set(&p.code, p.rows, s.n, f.mem[:1+p.keep]...)
		if err := p.code.Run(&f.call); err != nil || halt.Closed(c.Done) {
			return err
		}
		for ; row < min(base+p.rows, to); row++ {
			words, places := all[row-base:], places
			for i := range places {
				places[i] = uint64(words[i*p.rows]) & (1<<halfWord - 1)
			}
			start, result := s.at(int64(row))
			if some && words[0]>>halfWord == none {
				if places = s.sorted(w, c, start); halt.Closed(c.Done) {
					return nil
				}
			}
			s.arrange(c.Mem, start, result, places)
		}
	}
	return nil
}

// noWord returns the upper half of the word of an element in no order, if there are such ones.
func (s *sortCode) noWord() (upper int64, some bool) {
	o := &s.orders[0]
	_, some = o.none()
	return -int64(keyingOf[uint64](o).top), some
}
