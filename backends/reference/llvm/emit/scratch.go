package emit

import (
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/internal/spare"
)

// arithmetic is on numbers V: those of the code that is written, or of a launch
// whose sizes are known. What is computed in both is written once.
type arithmetic[V any] interface {
	Index(int64) V
	size(kernel.Size) V
	add(x, y V) V
	mul(x, y V) V
	min(x, y V) V
	max(x, y V) V
	// quotient is of numbers that are not negative.
	quotient(x, y V) V
	// floor rounds down to a multiple of a power of two.
	floor(x V, power int64) V
}

// localBytes returns what [kernel.Local.Bytes] does.
func localBytes[V any](a arithmetic[V], l *kernel.Local) V {
	n := a.Index(int64(l.DType.Size()))
	for _, d := range l.Dims {
		n = a.mul(n, a.size(d))
	}
	return n
}

// stripWidth returns how many points a strip has.
func stripWidth[V any](a arithmetic[V], k *kernel.Kernel, s *Schedule) V {
	if s.Form == Written || s.Form == Windows {
		return a.Index(int64(s.Lanes))
	}
	if len(s.Blocked) > 0 {
		return a.Index(blockRows)
	}
	column := a.Index(s.column)
	for l := range k.Locals {
		column = a.add(column, localBytes(a, &k.Locals[l]))
	}
	bytes := int64(stripBytes)
	if s.holds() {
		bytes = heldBytes
	}
	w := a.quotient(a.Index(bytes), a.max(column, a.Index(1)))
	return a.floor(a.max(a.min(w, a.Index(widest)), a.Index(stripsPiece)), stripsPiece)
}

// pieces are where the parts of scratch memory begin, in bytes.
type pieces[V any] struct {
	locals func(l int, at V)
	values func(id kernel.ID, at V) // kept for later stages, of strips
	tiles  func(id kernel.ID, at V) // and what is staged
}

// divide divides scratch memory from next on: locals in their order, then, of
// strips, what is kept for later stages, then tiles, blocks and what is staged. All are
// aligned as next is, to 64 bytes. It returns where they end. width is the points
// of a strip, 1 without strips.
func divide[V any](a arithmetic[V], k *kernel.Kernel, s *Schedule, width, next V, p pieces[V]) V {
	line := kernel.Aligned(1)
	aligned := func(n V) V { return a.floor(a.add(n, a.Index(line-1)), line) }
	element := func(id kernel.ID) int64 { return int64(k.Instrs[id].Type.Size()) }
	for l := range k.Locals {
		p.locals(l, next)
		next = a.add(next, aligned(a.mul(localBytes(a, &k.Locals[l]), width)))
	}
	for _, id := range s.kept {
		p.values(id, next)
		next = a.add(next, aligned(a.mul(width, a.Index(element(id)))))
	}
	for _, id := range s.Tiled {
		p.tiles(id, next)
		next = a.add(next, a.Index(s.tile*s.tile*element(id)))
	}
	for _, id := range s.Blocked {
		p.tiles(id, next)
		next = a.add(next, a.Index(blockRows*blockColumns*element(id)))
	}
	for _, id := range s.Staged {
		p.tiles(id, next)
		stage := k.StageOf(id)
		t := s.Stages[stage]
		next = a.add(next, aligned(a.mul(a.size(k.Axis(stage, t.Loops[0]).Size), a.Index(int64(t.Lanes*t.Unroll)*element(id)))))
	}
	return next
}

// scratch divides the function's scratch memory.
func (f *function) scratch() {
	if len(f.k.Locals) == 0 && len(f.s.kept) == 0 && len(f.s.Tiled) == 0 && len(f.s.Staged) == 0 && len(f.s.Blocked) == 0 {
		return
	}
	one := f.Index(1) // between neighbours along the innermost dimension
	if stripOf(f.s) >= 0 {
		f.width = stripWidth(f, f.k, f.s)
		one = f.width
	}
	divide(f, f.k, f.s, one, f.word(wordScratch), pieces[value.Value]{
		locals: func(l int, at value.Value) {
			a := &f.k.Locals[l]
			f.locals = append(f.locals, f.pointer(at, a.DType))
			row, stride := make([]value.Value, len(a.Dims)), one
			for d := len(a.Dims) - 1; d >= 0; d-- {
				row[d] = stride
				stride = f.mul(stride, f.size(a.Dims[d]))
			}
			f.dims = append(f.dims, row)
		},
		values: func(id kernel.ID, at value.Value) { f.kept[id] = f.placed(id, at) },
		tiles:  func(id kernel.ID, at value.Value) { f.tiles[id] = f.placed(id, at) },
	})
}

// placed returns the memory of values of an instruction.
func (f *function) placed(id kernel.ID, at value.Value) vector.Pointer {
	return f.pointer(at, f.k.Instrs[id].Type)
}

// Scratch returns how many bytes of scratch memory a part of a launch of these
// sizes takes.
func (s *Schedule) Scratch(k *kernel.Kernel, sizes []int64) int {
	a := launches.Get()
	defer launches.Put(a)
	*a = sizes
	width := int64(1)
	if stripOf(s) >= 0 {
		width = stripWidth(a, k, s)
	}
	nothing := func(kernel.ID, int64) {}
	return int(divide(a, k, s, width, 0, pieces[int64]{func(int, int64) {}, nothing, nothing}))
}

// launch is the sizes of one; its arithmetic is Go's.
type launch []int64

// launches has some, so that asking for scratch memory allocates nothing.
var launches = spare.New(4, func() *launch { return new(launch) })

func (launch) Index(i int64) int64              { return i }
func (a launch) size(s kernel.Size) int64       { return s.Of(a) }
func (launch) add(x, y int64) int64             { return x + y }
func (launch) mul(x, y int64) int64             { return x * y }
func (launch) min(x, y int64) int64             { return min(x, y) }
func (launch) max(x, y int64) int64             { return max(x, y) }
func (launch) quotient(x, y int64) int64        { return x / y }
func (launch) floor(x int64, power int64) int64 { return x &^ (power - 1) }
