package vector

import (
	"slices"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/ir/types"
)

// Pointer is the address of an element, of whose alignment no more is known
// than that of an element.
type Pointer struct {
	V     value.Value // of type Memory(DType)*
	DType types.DType
}

// PointerTo returns the address p, of any type, as that of an element.
func (b *Builder) PointerTo(p value.Value, d types.DType) Pointer {
	return Pointer{b.bitcast(p, ll.NewPointer(Memory(d))), d}
}

// At returns the address i elements, an i64, behind p.
func (b *Builder) At(p Pointer, i value.Value) Pointer {
	g := b.Block.NewGetElementPtr(Memory(p.DType), p.V, i)
	g.InBounds = true
	return Pointer{g, p.DType}
}

// Load loads lanes elements that lie side by side.
func (b *Builder) Load(p Pointer, lanes int) Value {
	t := vectorOf(Memory(p.DType), lanes)
	l := b.Block.NewLoad(t, b.bitcast(p.V, ll.NewPointer(t)))
	l.Align = ir.Align(p.DType.Size())
	return b.Widen(l, p.DType)
}

// LoadLanes loads elements that lie side by side; those that the mask leaves
// out are 0, and their memory is not touched.
func (b *Builder) LoadLanes(p Pointer, l Lanes) Value {
	if l.Mask == nil {
		return b.Load(p, l.N)
	}
	t := vectorOf(Memory(p.DType), l.N)
	if l.N == 1 {
		return b.Widen(b.guarded(l.Mask, b.bits(t, 0), func() value.Value {
			load := b.Block.NewLoad(t, p.V)
			load.Align = ir.Align(p.DType.Size())
			return load
		}), p.DType)
	}
	r := b.Call("llvm.masked.load."+mangle(t)+".p0", t, b.bitcast(p.V, ll.NewPointer(t)),
		constant.NewInt(ll.I32, int64(p.DType.Size())), l.Mask, b.bits(t, 0))
	return b.Widen(r, p.DType)
}

// Prefetch brings the cache line of an address near, which need not be in memory.
func (b *Builder) Prefetch(p Pointer) {
	i32 := func(n int64) *constant.Int { return constant.NewInt(ll.I32, n) }
	b.Call("llvm.prefetch.p0", ll.Void, b.bitcast(p.V, ll.NewPointer(ll.I8)), i32(0), i32(3), i32(1))
}

// Store stores lanes side by side.
func (b *Builder) Store(p Pointer, v Value) {
	b.store(p, v).Align = ir.Align(p.DType.Size())
}

// StoreStreaming stores lanes side by side, past the caches, to an address
// that is aligned to the bytes of all lanes.
func (b *Builder) StoreStreaming(p Pointer, v Value) {
	s := b.store(p, v)
	s.Align = ir.Align(p.DType.Size() * v.Lanes())
	s.Metadata = append(s.Metadata, b.Module.streaming())
}

func (b *Builder) store(p Pointer, v Value) *ir.InstStore {
	m := b.Narrow(v)
	return b.Block.NewStore(m, b.bitcast(p.V, ll.NewPointer(m.Type())))
}

// StoreLanes stores lanes side by side, but for those that the mask leaves out.
func (b *Builder) StoreLanes(p Pointer, v Value, l Lanes) {
	switch {
	case l.Mask == nil:
		b.Store(p, v)
		return
	case l.N == 1:
		b.If(l.Mask, func() { b.Store(p, v) })
		return
	}
	m := b.Narrow(v)
	t := m.Type()
	b.Call("llvm.masked.store."+mangle(t)+".p0", ll.Void, m, b.bitcast(p.V, ll.NewPointer(t)),
		constant.NewInt(ll.I32, int64(p.DType.Size())), l.Mask)
}

// LoadStrided loads elements that lie stride elements, an i64, apart.
func (b *Builder) LoadStrided(p Pointer, stride value.Value, l Lanes) Value {
	switch {
	case l.N == 1:
		return b.LoadLanes(p, l)
	case isMinusOne(stride):
		first, lanes := b.backwards(p, l)
		r := b.LoadLanes(first, lanes)
		return Value{b.pick(r.V, nil, falling(l.N)), r.DType}
	case l.Mask != nil:
		return b.Gather(p, b.strided(stride, l.N), l)
	}
	t := Memory(p.DType)
	all := b.poison(vectorOf(t, l.N))
	for i := range l.N {
		// Four elements have one base, so that their addresses do not wait for each other.
		from := p
		switch {
		case i%4 > 0:
			from = b.At(p, b.Block.NewMul(stride, b.Index(int64(i%4))))
		case i > 0:
			p = b.At(p, b.Block.NewMul(stride, b.Index(4)))
			from = p
		}
		load := b.Block.NewLoad(t, from.V)
		load.Align = ir.Align(p.DType.Size())
		all = b.setLane(all, load, i)
	}
	return b.Widen(all, p.DType)
}

// StoreStrided stores lanes to elements that lie stride elements, an i64,
// apart.
func (b *Builder) StoreStrided(p Pointer, stride value.Value, v Value, l Lanes) {
	switch {
	case l.N == 1:
		b.StoreLanes(p, v, l)
		return
	case isMinusOne(stride):
		first, lanes := b.backwards(p, l)
		b.StoreLanes(first, Value{b.pick(v.V, nil, falling(l.N)), v.DType}, lanes)
		return
	case l.Mask != nil:
		b.Scatter(p, b.strided(stride, l.N), v, l)
		return
	}
	m := b.Narrow(v)
	for i := range l.N {
		if i > 0 {
			p = b.At(p, stride)
		}
		b.Block.NewStore(b.lane(m, i), p.V).Align = ir.Align(p.DType.Size())
	}
}

func isMinusOne(stride value.Value) bool {
	c, ok := stride.(*constant.Int)
	return ok && c.X.IsInt64() && c.X.Int64() == -1
}

// falling returns n-1, …, 0.
func falling(n int) []int {
	all := ascending(0, n)
	slices.Reverse(all)
	return all
}

// backwards returns where the last of lanes is that go from p to the elements before it, and the
// lanes in the order of memory.
func (b *Builder) backwards(p Pointer, l Lanes) (Pointer, Lanes) {
	if l.Mask != nil {
		l.Mask = b.pick(l.Mask, nil, falling(l.N))
	}
	// Not in bounds: lanes that the mask leaves out may be before all memory.
	g := b.Block.NewGetElementPtr(Memory(p.DType), p.V, constant.NewInt(ll.I64, int64(1-l.N)))
	return Pointer{g, p.DType}, l
}

func (b *Builder) strided(stride value.Value, lanes int) Value {
	i := b.iota(vectorOf(ll.I64, lanes))
	return Value{b.mul(i, b.splat(stride, lanes)), types.I64}
}

// Gather loads the elements with the given indices, integers of a lane each;
// those that the mask leaves out are 0. Indices are in range where lanes are
// not left out: nothing checks it.
func (b *Builder) Gather(p Pointer, index Value, l Lanes) Value {
	if l.N == 1 {
		return b.LoadLanes(b.At(p, b.index(index)), l)
	}
	t := vectorOf(Memory(p.DType), l.N)
	r := b.Call("llvm.masked.gather."+mangle(t)+"."+mangle(vectorOf(ll.I8Ptr, l.N)), t, b.addresses(p, index),
		constant.NewInt(ll.I32, int64(p.DType.Size())), b.mask(l), b.bits(t, 0))
	return b.Widen(r, p.DType)
}

// Scatter stores lanes to the elements with the given indices, in the order of
// lanes, but for those that the mask leaves out. Indices are as those of Gather.
func (b *Builder) Scatter(p Pointer, index, v Value, l Lanes) {
	if l.N == 1 {
		b.StoreLanes(b.At(p, b.index(index)), v, l)
		return
	}
	m := b.Narrow(v)
	b.Call("llvm.masked.scatter."+mangle(m.Type())+"."+mangle(vectorOf(ll.I8Ptr, l.N)), ll.Void, m, b.addresses(p, index),
		constant.NewInt(ll.I32, int64(p.DType.Size())), b.mask(l))
}

// mask returns the mask of l, all lanes if it has none.
func (b *Builder) mask(l Lanes) value.Value {
	if l.Mask != nil {
		return l.Mask
	}
	return b.int(vectorOf(ll.I1, l.N), -1)
}

// index returns an integer as an i64, or lanes of i32 as they are: addresses
// of 32 bits gather faster.
func (b *Builder) index(v Value) value.Value {
	if v.DType == types.I32 && v.Lanes() > 1 {
		return v.V
	}
	return b.resize(v.V, ll.I64, v.DType.IsSigned())
}

func (b *Builder) addresses(p Pointer, index Value) value.Value {
	g := b.Block.NewGetElementPtr(Memory(p.DType), p.V, b.index(index))
	g.Typ = ll.NewVector(uint64(index.Lanes()), ll.NewPointer(Memory(p.DType)))
	return g
}

// Widen returns what was loaded as it lies in registers.
func (b *Builder) Widen(m value.Value, d types.DType) Value {
	switch d {
	case types.Bool:
		m = b.icmpn(enum.IPredNE, m, 0)
	case types.BF16:
		m = b.asFloat(b.shln(b.resize(m, ll.I32, false), 16))
	case types.F16:
		m = b.widenHalf(m)
	}
	return Value{m, d}
}

// Narrow returns a value as it lies in memory.
func (b *Builder) Narrow(v Value) value.Value {
	switch v.DType {
	case types.Bool:
		return b.resize(v.V, ll.I8, false)
	case types.BF16:
		return b.resize(b.lshrn(b.asInt(v.V), 16), ll.I16, false)
	case types.F16:
		return b.narrowHalf(v.V)
	}
	return v.V
}
