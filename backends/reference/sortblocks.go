package reference

import (
	"context"
	"math/bits"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/internal/loops"
	"ltc/internal/halt"
)

// sortBlocks is how the first elements of rows are found by blocks. A row is cut into blocks
// of consecutive places. The first element of each block is found, and of these the first
// ones: as many blocks as elements are kept. Elements of other blocks come behind those, so
// only the elements of these blocks are looked at. What that takes hardly depends on the
// order in which elements lie.
type sortBlocks struct {
	size  int // elements of a block
	count int // whole blocks of a row
	// exact computes the key of the first element of each block of a row, if compiled is set.
	// Otherwise plain Go does.
	exact    rowsCode
	compiled bool
	// padded computes the keys of roundedCount blocks, the last of which are of the next rows.
	// Vectors then have no remainder, whose code is slower for each block.
	padded rowsCode
}

// blockMultiple is a multiple of the number of lanes that vectors of keys have.
const blockMultiple = 16

// roundedCount returns the number of blocks of a row, rounded up to a multiple of
// [blockMultiple].
func (b *sortBlocks) roundedCount() int {
	return (b.count + blockMultiple - 1) / blockMultiple * blockMultiple
}

// Rows are cut into blocks if they have so many elements, and so many times as many as are
// kept.
const leastInBlocks, leastBlocks = 1 << 8, 64

// The size of a block is a power of two from the number of lanes that vectors have up to
// the number of keys that are made together.
const leastBlock, mostBlock = 16, 256

// leastCompiled is the least number of elements in all rows for which code of blocks is
// compiled.
const leastCompiled = 1 << 15

// inBlocks reports whether rows are cut into blocks.
func (s *sortRows) inBlocks() bool {
	return s.keep > 0 && s.n >= leastInBlocks && s.n/s.keep >= leastBlocks
}

// fitBlocks sets the blocks for the sizes of the rows, if they have any.
func (s *sortCode) fitBlocks(ctx context.Context) error {
	if s.passes != nil || !s.findsFirst() || !s.inBlocks() {
		return nil
	}
	// About the root: as many blocks as elements of the blocks that are looked at.
	size := min(max(leastBlock, 1<<(bits.Len(uint(s.n/s.keep))/2)), mostBlock)
	b := &s.own.blocks
	b.size, b.count, b.compiled = size, s.n/size, false
	s.blocks = b
	if s.apart > 1 || loops.Times(s.rows, s.n) < leastCompiled {
		return nil
	}
	k, o := sortKernel{block: size}, &s.orders[0]
	if err := b.exact.fit(ctx, &s.kernels, k, o, b.count, size); err != nil {
		return err
	}
	b.compiled = b.exact.Code != nil
	return b.padded.fit(ctx, &s.kernels, k, o, b.roundedCount(), size)
}

// scratch returns the bytes of scratch memory that the code needs, 0 if there is none.
func (b *sortBlocks) scratch() int {
	if b == nil || !b.compiled {
		return 0
	}
	return max(b.exact.scratch(b.count, b.size), b.padded.scratch(b.roundedCount(), b.size))
}

// firstKeysKernel returns a kernel that computes the least key of each block of elements: those of
// [keying], as unsigned integers. Elements and keys are signed integers to the kernel.
func firstKeysKernel(o *sortOrder, size int) *kernel.Kernel {
	t := o.asSigned()
	b := kernel.NewBuilder("first_of_blocks")
	n := b.Size()
	block := kernel.Along(b.Axis(kernel.AxisName(0), n))
	x := b.Param(kernel.Param{Name: "x0", DType: t, Dims: []kernel.Size{n, kernel.Size(size)}, Strides: []kernel.Stride{kernel.AnyStride, kernel.UnitStride}})
	y := b.Param(kernel.Param{Name: "y0", DType: t, Dims: []kernel.Size{n}, Strides: []kernel.Stride{kernel.UnitStride}, Out: true})
	b.Stage(kernel.Axis{Name: kernel.StageAxisName(0), Size: kernel.Size(size)})
	least := b.Reduce(kernel.Minimum, o.signedKey(b, b.Load(x, block, kernel.Along(1))))
	b.Stage()
	b.Store(y, b.Op(kernel.Xor, t, least, b.Int(t, int64(keyingOf[uint64](o).top))), block)
	return b.Kernel()
}

// firstByBlocks offers the elements of the blocks whose first elements come first, and those
// behind the last block.
func (s *sortCode) firstByBlocks(f *finder, w *sortSpace, row unsafe.Pointer, left int) (chosen selection, ordered bool, err error) {
	if err := s.firstKeys(f, w.other, row, left); err != nil || halt.Closed(f.call.Done) {
		return chosen, true, err
	}
	blocks := newSelection(w.packed, s.keep, last)
	first := unsafe.Pointer(unsafe.SliceData(w.other))
	blocks = loopsBySize[s.orders[0].t.Size()].offer(blocks, first, s.blocks.count)
	blocks.finish()
	if _, some := s.orders[0].none(); some && blocks.found[0].key == 0 {
		return chosen, false, nil
	}
	// As many elements as are kept have no greater key than the last of the blocks.
	chosen = newSelection(w.keys, s.keep, candidate{blocks.found[s.keep-1].key, last.place})
	size := s.blocks.size
	for _, b := range blocks.found {
		if b.key > chosen.limit.key {
			break
		}
		s.offer(f, &chosen, row, int(b.place)*size, size)
	}
	rest := s.blocks.count * size
	return chosen, rest == s.n || s.offer(f, &chosen, row, rest, s.n-rest), nil
}

// offerAs returns a selection that has been offered n keys. It takes no pointer to the selection,
// which would be allocated.
func offerAs[T word](to selection, keys unsafe.Pointer, n int) selection {
	for i, k := range unsafe.Slice((*T)(keys), n) {
		if uint64(k) <= to.limit.key {
			to.add(candidate{uint64(k), uint64(i)})
		}
	}
	return to
}

// firstKeys computes the key of the first element of each block of a row, 0 where an element is in
// no order. Keys are as wide as elements. From the row's first element on the operand has
// left elements.
func (s *sortCode) firstKeys(f *finder, to []uint64, row unsafe.Pointer, left int) error {
	at, b := unsafe.Pointer(unsafe.SliceData(to)), s.blocks
	if b.compiled {
		code, count := &b.padded, b.roundedCount()
		if count*b.size > left || count > len(to) {
			code, count = &b.exact, b.count
		}
		f.set(code, count, b.size, row, at)
		return code.Run(&f.call)
	}
	loopsBySize[s.orders[0].t.Size()].firstKeys(s, at, row, f.call.Done)
	return nil
}

func firstKeysAs[T word](s *sortCode, to, row unsafe.Pointer, done <-chan struct{}) {
	k, b := keyingOf[T](&s.orders[0]), s.blocks
	out := unsafe.Slice((*T)(to), b.count)
	x := unsafe.Slice((*T)(row), (b.count*b.size-1)*s.apart+1)
	for i := range out {
		if i%256 == 0 && halt.Closed(done) {
			return
		}
		if out[i] = k.least(x, s.apart, b.size); i+1 < len(out) {
			x = x[b.size*s.apart:]
		}
	}
}
