package gemm

import (
	"unsafe"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// The words of the block that copiers of an [image] take.
const (
	imageFrom   = iota // the first column's first element; of an image with a border, its memory
	imageTo            // the copy
	imageSpans         // the spans of the block of k
	imageCount         // how many
	imageEnd           // the bytes from the first column's element to the end of the last one's
	imageFirst         // of an image with a border, the offset of the first column's first element
	imageBorder        // and its [Border]
	imageWords
)

// imageCopier emits a kernel that copies what a block reads of an image, of elements of a
// core. If step is 2 it parts those between the columns' from these.
func (m *module) imageCopier(c *core, name string, step int) {
	f, args := m.kernel(name)
	from, to, spans := f.pointer(args, imageFrom), f.pointer(args, imageTo), f.pointer(args, imageSpans)
	count, end := f.word(args, imageCount), f.word(args, imageEnd)
	size := c.laneSize()
	t := c.vector()
	f.count(count, i64(1), []value.Value{spans}, func(_ value.Value, at []value.Value) []value.Value {
		n := f.Block.NewUDiv(f.add(f.word(at[0], 1), end), i64(size))
		from, even, odd := f.off(from, f.word(at[0], 0)), f.off(to, f.word(at[0], 2)), f.off(to, f.word(at[0], 3))
		some := func(at []value.Value, vectors int, masks []value.Value) []value.Value {
			v := make([]value.Value, vectors)
			for i := range v {
				p := f.off(at[0], i64(i*c.lanes*size))
				if masks == nil {
					v[i] = f.load(t, p, size)
				} else {
					v[i] = f.maskedLoad(t, p, size, masks[i])
				}
			}
			if step == 2 {
				for i := 0; i < len(v); i += 2 {
					v[i], v[i+1] = f.parted(v[i], v[i+1])
				}
			}
			for i := range v {
				f.store(v[i], f.off(at[1+i%step], i64(i/step*c.lanes*size)), size)
			}
			next := []value.Value{f.off(at[0], i64(vectors*c.lanes*size)), f.off(at[1], i64(vectors/step*c.lanes*size))}
			if step == 2 {
				next = append(next, f.off(at[2], i64(vectors/step*c.lanes*size)))
			}
			return next
		}
		start := []value.Value{from, even, odd}[:1+step]
		rest, full := f.rest(n, 4*c.lanes)
		last := f.count(full, i64(4*c.lanes), start, func(_ value.Value, at []value.Value) []value.Value { return some(at, 4, nil) })
		f.count(rest, i64(step*c.lanes), last, func(i value.Value, at []value.Value) []value.Value {
			masks := make([]value.Value, step)
			for j := range masks {
				masks[j] = f.mask(c.lanes, f.sub(rest, f.add(i, i64(j*c.lanes))))
			}
			return some(at, step, masks)
		})
		return []value.Value{f.off(at[0], i64(int(unsafe.Sizeof(imageSpan{}))))}
	})
	f.end()
}

// parted returns the lanes of even numbers of two vectors, one behind the other, and the
// others.
func (f *fn) parted(x, y value.Value) (even, odd value.Value) {
	n := int(x.Type().(*ll.VectorType).Len)
	evens, odds := make([]int, n), make([]int, n)
	for i := range n {
		evens[i], odds[i] = 2*i, 2*i+1
	}
	return f.shuffle(x, y, evens), f.shuffle(x, y, odds)
}

// imageProduct is product for a panel whose vectors are in the copy of an image, where offsets
// locates elements of k. There are some. There is a loop for each choice of vectors that have
// columns of two runs: other vectors are loaded at once.
func (k *tile) imageProduct(steps, panel, offsets, soon, drip value.Value) (sums []value.Value, after value.Value) {
	c := k.core
	at, next, masks := make([]value.Value, c.vecs), make([]value.Value, c.vecs), make([]value.Value, c.vecs)
	for j := range c.vecs {
		first := 2 + 3*j
		at[j], next[j], masks[j] = k.pointer(panel, first), k.pointer(panel, first+1), k.mask(c.lanes, k.word(panel, first+2))
	}
	start := append([]value.Value{offsets}, k.starts...)
	pointers := len(start)
	start = append(start, k.zeros()...)
	all := len(start)
	start = append(start, soon)
	ahead := c.rows > 6 // there are registers for it
	loop := func(mixed int) []value.Value {
		return k.repeat(steps, start, func(x []value.Value) []value.Value {
			following := k.advance(x[:pointers], i64(8))
			if ahead { // before any load: LLVM keeps all that are before a prefetch in registers
				soon := k.load(ll.I64, k.off(x[0], i64(8*imageDistance)), 8)
				for _, p := range at {
					k.prefetch(k.off(p, soon), false, 3)
				}
			}
			off := k.load(ll.I64, x[0], 8)
			vectors := make([]value.Value, c.vecs)
			for j := range vectors {
				vectors[j] = k.load(c.vector(), k.off(at[j], off), c.laneSize())
				if mixed>>j&1 != 0 {
					vectors[j] = k.Block.NewSelect(masks[j], vectors[j], k.load(c.vector(), k.off(next[j], off), c.laneSize()))
				}
			}
			following = append(following, k.multiplied(x[1:pointers], x[pointers:all], vectors)...)
			k.prefetch(x[all], false, 1)
			return append(following, k.off(x[all], drip))
		})
	}
	before, end := k.Block, k.Func.NewBlock("")
	var cases []*ir.Case
	var first *ir.Block
	incoming := make([][]*ir.Incoming, all+1)
	for mixed := range 1 << c.vecs {
		k.Block = k.Func.NewBlock("")
		if first == nil {
			first = k.Block
		} else {
			cases = append(cases, ir.NewCase(constant.NewInt(ll.I64, int64(mixed)), k.Block))
		}
		for i, v := range loop(mixed) {
			incoming[i] = append(incoming[i], ir.NewIncoming(v, k.Block))
		}
		k.Block.NewBr(end)
	}
	k.Block = before
	before.NewSwitch(k.word(panel, 0), first, cases...)
	k.Block = end
	for i := pointers; i <= all; i++ {
		sums = append(sums, end.NewPhi(incoming[i]...))
	}
	return sums[:all-pointers], sums[all-pointers]
}

// zeros returns what sums begin with.
func (k *tile) zeros() []value.Value {
	sums := make([]value.Value, k.h*k.core.vecs)
	for i := range sums {
		sums[i] = zero(k.core.vector())
	}
	return sums
}

// borderCopier is imageCopier for an image that has a [Border], whose rows are copied one by one.
// Vectors that end behind what a row has of a span write over what the next row writes anew. If
// step is 2, a row begins at an element that has an even number in its span. That may be the
// last one of the row before, which no window reads.
func (m *module) borderCopier(c *core, name string, step int) {
	f, args := m.kernel(name)
	from, to, spans, border := f.pointer(args, imageFrom), f.pointer(args, imageTo), f.pointer(args, imageSpans), f.pointer(args, imageBorder)
	count, end, first := f.word(args, imageCount), f.word(args, imageEnd), f.word(args, imageFirst)
	rows := f.pointer(border, int(unsafe.Offsetof(Border{}.Rows)/8))
	width := f.word(border, int(unsafe.Offsetof(Border{}.Width)/8))
	low, high := f.word(border, int(unsafe.Offsetof(Border{}.First)/8)), f.word(border, int(unsafe.Offsetof(Border{}.End)/8))
	size := c.laneSize()
	t := c.vector()
	f.count(count, i64(1), []value.Value{spans}, func(_ value.Value, at []value.Value) []value.Value {
		n := f.Block.NewUDiv(f.add(f.word(at[0], 1), end), i64(size))
		begin := f.Block.NewUDiv(f.add(first, f.word(at[0], 0)), i64(size))
		start := []value.Value{i64(0), f.off(rows, f.mul(f.Block.NewUDiv(begin, width), i64(8))), f.Block.NewURem(begin, width)}
		copies := []value.Value{f.off(to, f.word(at[0], 2)), f.off(to, f.word(at[0], 3))}[:step]
		f.while(start, func(at []value.Value) value.Value { return f.less(at[0], n) }, func(at []value.Value) []value.Value {
			done, x := at[0], at[2]
			if step == 2 {
				odd := f.Block.NewAnd(done, i64(1))
				done, x = f.sub(done, odd), f.sub(x, odd)
			}
			pieces := f.min(f.sub(width, x), f.sub(n, done))
			row := f.load(ll.I64, at[1], 8)
			there := f.Block.NewICmp(enum.IPredNE, row, constant.NewInt(ll.I64, NoRow))
			low, high := f.sub(low, x), f.Block.NewSelect(there, f.sub(high, x), i64(0))
			// No lanes are loaded of a row that is not there: from memory that is.
			start := []value.Value{f.Block.NewSelect(there, f.off(from, f.add(row, f.mul(x, i64(size)))), to)}
			for _, p := range copies {
				start = append(start, f.off(p, f.mul(f.Block.NewUDiv(done, i64(step)), i64(size))))
			}
			f.count(pieces, i64(step*c.lanes), start, func(i value.Value, at []value.Value) []value.Value {
				v := make([]value.Value, step)
				for j := range v {
					i := f.add(i, i64(j*c.lanes))
					mask := f.Block.NewAnd(f.mask(c.lanes, f.sub(high, i)), f.Block.NewXor(f.mask(c.lanes, f.sub(low, i)), splatConst(c.lanes, constant.True)))
					v[j] = f.maskedLoad(t, f.off(at[0], i64(j*c.lanes*size)), size, mask)
				}
				if step == 2 {
					v[0], v[1] = f.parted(v[0], v[1])
				}
				next := []value.Value{f.off(at[0], i64(step*c.lanes*size))}
				for j := range v {
					f.store(v[j], at[1+j], size)
					next = append(next, f.off(at[1+j], i64(c.lanes*size)))
				}
				return next
			})
			return []value.Value{f.add(done, pieces), f.off(at[1], i64(8)), i64(0)}
		})
		return []value.Value{f.off(at[0], i64(int(unsafe.Sizeof(imageSpan{}))))}
	})
	f.end()
}
