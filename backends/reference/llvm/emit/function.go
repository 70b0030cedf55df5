package emit

import (
	"slices"

	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/metadata"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// function writes the code of a kernel.
type function struct {
	*vector.Builder
	planner
	s        *Schedule
	args     vector.Pointer // the block that the function is handed
	none     *metadata.Tuple
	sizes    []value.Value
	mem      []vector.Pointer
	strides  [][]value.Value // by operand and dimension
	locals   []vector.Pointer
	dims     [][]value.Value // strides of locals
	kept     map[kernel.ID]vector.Pointer
	tiles    map[kernel.ID]vector.Pointer // of loads that are transposed, from the first point of both axes on
	width    value.Value                  // of strips
	axis     []value.Value                // where the point is, by the kernel's axis
	vals     [][]vector.Value
	fuse     []kernel.ID // the product that an add, subtract or sum is rounded with
	folded   []bool      // products that are
	streamed value.Value // an i1: Stream is stored past the caches
	paced    value.Value // an i1: what is Paced, or Abreast, is larger than the caches; nil if nothing is
}

// The words of a [kernel.Block].
const (
	wordMem = iota
	wordSizes
	wordStrides
	wordScratch
	wordFrom
	wordTo
	wordAt
)

// write adds the function of a kernel to a module.
func write(m *vector.Module, symbol string, k *kernel.Kernel, s *Schedule) {
	f := newFunction(m.Kernel(symbol), k, s)
	f.args = f.PointerTo(f.Func.Params[0], types.I64)
	f.begin()
	f.scratch()
	f.streaming()
	f.pacing()
	f.items()
	if len(s.Stream) > 0 && f.Machine.Level != vector.NEON {
		// Other threads see such stores once they are fenced.
		f.If(f.streamed, func() { f.Call("llvm.x86.sse.sfence", ll.Void) })
	}
	f.Return(0)
}

func newFunction(b *vector.Builder, k *kernel.Kernel, s *Schedule) *function {
	return &function{
		Builder: b, s: s,
		planner: planner{k: k, on: dependence(k, stripOf(s)), lanes: s.Lanes, stripAxis: stripOf(s)},
		axis:    make([]value.Value, len(k.Axes)),
		vals:    make([][]vector.Value, len(k.Instrs)),
		kept:    map[kernel.ID]vector.Pointer{},
		tiles:   map[kernel.ID]vector.Pointer{},
	}
}

// stripOf returns the axis of a schedule's strips, of which those of Written and Windows are
// a vector long; -1 if it has none.
func stripOf(s *Schedule) int {
	if s.Form == Strips || s.Form == Written || s.Form == Windows {
		return s.Vector
	}
	return -1
}

// begin finds what is fused and loads what the function is handed.
func (f *function) begin() {
	f.none = &metadata.Tuple{MetadataID: -1}
	f.Module.IR.MetadataDefs = append(f.Module.IR.MetadataDefs, f.none)
	f.contract()
	f.arguments()
}

// arguments loads sizes, strides and addresses.
func (f *function) arguments() {
	word := func(table, i int) value.Value { return f.entry(f.pointer(f.word(table), types.I64), i) }
	for i := range f.k.Sizes {
		f.sizes = append(f.sizes, word(wordSizes, i))
	}
	next := 0
	for p := range f.k.Params {
		a := &f.k.Params[p]
		f.mem = append(f.mem, f.pointer(word(wordMem, p), a.DType))
		row := make([]value.Value, len(a.Dims))
		for d, class := range a.Strides {
			switch class {
			case kernel.UnitStride, kernel.TableStride:
				row[d] = f.Index(1)
			case kernel.ZeroStride:
				row[d] = f.Index(0)
			default:
				row[d] = word(wordStrides, next)
				next++
			}
		}
		f.strides = append(f.strides, row)
	}
}

// word returns word i of the block that the function is handed.
func (f *function) word(i int) value.Value { return f.entry(f.args, i) }

// entry returns entry i of a table of i64s, which nobody changes while the
// function runs.
func (f *function) entry(table vector.Pointer, i int) value.Value {
	l := f.Block.NewLoad(ll.I64, f.at(table, f.Index(int64(i))).V)
	l.Align = 8
	l.Metadata = append(l.Metadata, &metadata.Attachment{Name: "invariant.load", Node: f.none})
	return l
}

// pointer returns an address, an i64, as that of an element.
func (f *function) pointer(address value.Value, d types.DType) vector.Pointer {
	return vector.Pointer{V: f.Block.NewIntToPtr(address, ll.NewPointer(vector.Memory(d))), DType: d}
}

// at returns the address i elements behind p, which may lie outside of what p
// points into.
func (f *function) at(p vector.Pointer, i value.Value) vector.Pointer {
	if n, ok := number(i); ok && n == 0 {
		return p
	}
	return vector.Pointer{V: f.Block.NewGetElementPtr(vector.Memory(p.DType), p.V, i), DType: p.DType}
}

// size returns a number of elements.
func (f *function) size(s kernel.Size) value.Value {
	if i, ok := s.Sym(); ok {
		return f.sizes[i]
	}
	return f.Index(int64(s))
}

// streaming decides whether to store past the caches: if what is stored is
// large and nothing that is loaded lies in its place, which would have brought
// it near.
func (f *function) streaming() {
	if len(f.s.Stream) == 0 {
		return
	}
	f.streamed = f.large(f.s.Stream)
	for _, p := range f.s.Stream {
		for q := range f.k.Params {
			if !f.k.Params[q].Out {
				other := f.Block.NewICmp(enum.IPredNE, f.address(f.mem[p]), f.address(f.mem[q]))
				f.streamed = f.Block.NewAnd(f.streamed, other)
			}
		}
	}
}

// pacing decides whether what is loaded is larger than the caches.
func (f *function) pacing() {
	if !slices.ContainsFunc(f.s.Stages, func(t Stage) bool { return t.Paced || t.Abreast > 0 && !t.Beside }) {
		return
	}
	var in []int
	for p := range f.k.Params {
		if !f.k.Params[p].Out {
			in = append(in, p)
		}
	}
	f.paced = f.large(in)
}

// large reports whether operands are together larger than the caches.
func (f *function) large(operands []int) value.Value {
	bytes := value.Value(f.Index(0))
	for _, p := range operands {
		n := value.Value(f.Index(int64(f.k.Params[p].DType.Size())))
		for _, d := range f.k.Params[p].Dims {
			n = f.mul(n, f.size(d))
		}
		bytes = f.add(bytes, n)
	}
	return f.Block.NewICmp(enum.IPredSGE, bytes, f.Index(streamBytes))
}

func (f *function) address(p vector.Pointer) value.Value { return f.Block.NewPtrToInt(p.V, ll.I64) }

// What sizes of memory schedules go by.
const (
	stripBytes  = 256 << 10 // of a strip, at most, if it is not the narrowest
	heldBytes   = 24 << 10  // the same where sums are in registers, and what they are of is nearer
	widest      = 4096      // points of a strip
	streamBytes = 16 << 20  // from which on memory does not stay in the caches
	tileSide    = 64        // elements of up to four bytes along each side of a tile
)
