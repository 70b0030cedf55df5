package llvm

import (
	"math/bits"
	"slices"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/emit"
	"ltc/backends/reference/llvm/gemm"
)

// border is the padded image that B of a [spread] is read from. It has what windows read, and is
// dense. Memory has the image without the 0 around it.
//
// Code that copies parts of an image adds the border to the copies. Dimensions that outer axes run
// along have none then, and are not in the padded image, of which there is one for each of their
// points. For other code, and if a row's elements are not together in memory, a whole image is
// padded before.
type border struct {
	gemm.Border
	whole   bool
	access  *kernel.Access // the load of B
	rows    []int64
	low     []int64 // by dimension: the first index in the padded image
	size    []int64 // and how many there are
	strides []int64 // of the padded image, in elements; 0 along dimensions of outer axes
	origin  int64   // bytes from the operand's first element to where B begins in memory
	element int64   // the bytes of an element
	step    int64   // and from an element of a row to the next, in memory
	even    bool    // Width was made even for columns that are two elements apart, see [gemm.Border]
}

// A padded image has mostBorder elements and mostBorderRows rows at most.
const mostBorder, mostBorderRows = 1 << 31, 1 << 22

// locate finds the padded image for sizes and strides, and columns that are the points of some
// axes. It reports false if the padded image is too large. If the image is to be copied in parts,
// it does so, too, if an index along an outer axis may be outside of the image, or the elements of
// rows are not together.
func (b *border) locate(r *spread, columns []int, sizes []int64) bool {
	k := r.of.Kernel
	source := &k.Instrs[r.of.Contraction.B.Source]
	b.access = source.Mem
	dims, memory, elem := k.Params[b.access.Param].Dims, r.table[b.access.Param], int64(source.Type.Size())
	b.element = elem
	b.low, b.size, b.strides, b.origin = b.low[:0], b.size[:0], b.strides[:0], 0
	last := -1 // the dimension along rows
	for d, x := range b.access.Index {
		low, size, outer, ok := r.span(x, columns, sizes)
		if !ok {
			return false
		}
		stride := int64(1)
		if outer {
			if low < 0 || low+size > dims[d].Of(sizes) {
				return false
			}
			b.origin += x.Offset * memory[d] * elem
			stride, size = 0, 1
		} else {
			last = d
		}
		b.low, b.size, b.strides = append(b.low, low), append(b.size, size), append(b.strides, stride)
	}
	if last < 0 {
		return false
	}
	b.step, b.Width = memory[last]*elem, int(b.size[last])
	if !b.whole && b.step != elem {
		return false
	}
	b.even = slices.ContainsFunc(b.access.Index[last].Terms, func(t kernel.Term) bool { return t.Axis == r.of.N && t.Factor == 2 })
	if b.even {
		b.Width = (b.Width + 2) &^ 1
	}
	b.First = int(min(max(-b.low[last], 0), int64(b.Width)))
	b.End = max(int(min(dims[last].Of(sizes)-b.low[last], int64(b.Width))), b.First)
	b.Count = 1
	origin := b.access.Index[last].Offset - b.low[last]
	for d := last - 1; d >= 0; d-- {
		if b.strides[d] == 0 {
			continue
		}
		b.strides[d] = int64(b.Count * b.Width)
		origin += (b.access.Index[d].Offset - b.low[d]) * b.strides[d]
		if b.Count *= int(b.size[d]); b.Count > mostBorderRows || b.Count*b.Width > mostBorder {
			return false
		}
	}
	b.Origin = int(origin * elem)
	b.findRows(memory[:last+1], dims, sizes, elem)
	return true
}

// findRows locates the rows of the padded image in memory, of some strides along the dimensions up
// to that of rows.
func (b *border) findRows(memory []int64, dims []kernel.Size, sizes []int64, elem int64) {
	last := len(memory) - 1
	first := b.low[last] * memory[last] * elem
	if b.First == b.End {
		first = gemm.NoRow
	}
	b.rows = append(slices.Grow(b.rows[:0], b.Count), first)
	for d, stride := range memory[:last] {
		if b.strides[d] == 0 {
			continue
		}
		before, size := len(b.rows), int(b.size[d])
		b.rows = b.rows[:before*size]
		for i := before - 1; i >= 0; i-- {
			from := b.rows[i]
			for j := range size {
				at := b.low[d] + int64(j)
				if row := &b.rows[i*size+j]; from == gemm.NoRow || at < 0 || at >= dims[d].Of(sizes) {
					*row = gemm.NoRow
				} else {
					*row = from + at*stride*elem
				}
			}
		}
	}
	b.Rows = &b.rows[0]
}

// span returns the first index and how many there are up to the last one, for all points of the
// axes; and whether outer axes move it. It reports false if other axes do too, or they are too far
// apart.
func (r *spread) span(x kernel.Index, columns []int, sizes []int64) (low, size int64, outer, ok bool) {
	low, high, inner := x.Offset, x.Offset, false
	for _, t := range x.Terms {
		n := int64(r.extent(t.Axis, sizes))
		if n == 1 {
			continue
		}
		if over, far := bits.Mul64(uint64(abs(t.Factor)), uint64(n-1)); n == 0 || over != 0 || far > mostBorder {
			return 0, 0, false, false
		}
		low, high = low+min(t.Factor, 0)*(n-1), high+max(t.Factor, 0)*(n-1)
		if !r.border.whole && t.Axis < len(r.of.Kernel.Axes) && !slices.Contains(columns, t.Axis) {
			outer = true
		} else {
			inner = true
		}
	}
	return low, high - low + 1, outer, !(outer && inner) && abs(low) <= mostBorder && high-low < mostBorder
}

// move has a factor begin where B does, and move along outer axes as B does.
func (b *border) move(f *emit.Factor, outer []int) {
	f.Origin = b.origin
	if b.whole {
		f.Origin = int64(b.Origin)
		for i, a := range outer {
			f.Steps[i] = b.along(a) * b.element
		}
	}
}

// bytes is the size of the padded image, which is a multiple of 64.
func (b *border) bytes() int { return (b.Count*b.Width*int(b.element) + 63) &^ 63 }

// pad writes the padded image of an operand.
func (b *border) pad(to, operand unsafe.Pointer) {
	size := int(b.element)
	from, row := unsafe.Add(operand, b.origin), b.Width*size
	for _, at := range b.rows {
		all := unsafe.Slice((*byte)(to), row)
		if to = unsafe.Add(to, row); at == gemm.NoRow {
			clear(all)
			continue
		}
		clear(all[:b.First*size])
		some, source := all[b.First*size:b.End*size], unsafe.Add(from, at+int64(b.First)*b.step)
		if b.step == b.element {
			copy(some, unsafe.Slice((*byte)(source), len(some)))
		} else {
			for i := 0; i < len(some); i += size {
				copy(some[i:i+size], unsafe.Slice((*byte)(source), size))
				source = unsafe.Add(source, b.step)
			}
		}
		clear(all[b.End*size:])
	}
}

// along returns how many elements of the padded image there are from a point of an axis to the next.
func (b *border) along(axis int) int64 { return b.access.StrideAlong(axis, b.strides) }
