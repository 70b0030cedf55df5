package emit

import (
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// column returns which of the vectors a variant is; its iteration of the loop before
// is what remains.
func (b *body) column(v int) int { return v % len(b.place[b.Vector]) }

// address returns where a variant of an access begins, whether in vectors, and the layout
// of its lanes. The layout is unit, strided by the returned stride, indexed by the returned
// values in elements, or still, all in one place.
func (b *body) address(id kernel.ID, v, vars int, l vector.Lanes) (p vector.Pointer, how along, stride value.Value, index vector.Value) {
	m := b.k.Instrs[id].Mem
	all := b.offset[min(b.level(id), len(b.Loops))][id-b.begin]
	p = b.at(b.memory(m), all[v*len(all)/vars])
	vectors := b.Vector >= 0 && b.level(id) == b.last()
	stride = b.Index(0)
	how = still
	if vectors {
		how = b.move(b.number, m, b.Vector)
		stride = b.coefficient(m, b.Vector)
		at := b.place[b.Vector][b.column(v)]
		p = b.at(p, b.mul(at.at, stride))
		if n, ok := number(stride); !ok || n != 0 {
			p = b.at(p, b.mul(b.Index(at.plus), stride))
		}
	}
	for d, x := range m.Index {
		if x.Value == kernel.None || zeroStride(b.k, m, d) {
			continue
		}
		value := b.index(x.Value, v, vars, l)
		if value.Lanes() == 1 {
			p = b.at(p, b.mul(value.V, b.stride(m, d)))
			continue
		}
		step := vector.Value{V: b.stride(m, d), DType: types.I64}
		if n, ok := number(step.V); !ok || n != 1 {
			value = b.binary(kernel.Multiply, value, b.Splat(step, l.N))
		}
		if index.V != nil {
			value = b.binary(kernel.Add, index, value)
		}
		index = value
	}
	if index.V != nil {
		how = indexed
		if n, ok := number(stride); !ok || n != 0 {
			steps := b.binary(kernel.Multiply, b.Iota(types.I64, l.N), b.Splat(vector.Value{V: stride, DType: types.I64}, l.N))
			index = b.binary(kernel.Add, index, steps)
		}
	} else if how == indexed {
		how = strided // one lane at a time
	}
	return p, how, stride, index
}

// lanesOf returns how many lanes a value that is used with others has: one if
// it is the same in all.
func (b *body) lanesOf(id kernel.ID, l vector.Lanes) int {
	if b.Vector < 0 || !b.depends(b.number, id).Has(b.Vector) {
		return 1
	}
	return l.N
}

// index returns the value of an index as i64: a scalar if it is the same in all
// lanes.
func (b *body) index(id kernel.ID, v, vars int, l vector.Lanes) vector.Value {
	i := &b.k.Instrs[id]
	if i.Op == kernel.Constant {
		bits, unused := i.Aux, 64-8*i.Type.Size()
		if i.Type.IsSigned() {
			bits = bits << unused >> unused
		}
		return vector.Value{V: b.Index(bits), DType: types.I64}
	}
	return b.Convert(b.arg(id, v, vars, vector.Lanes{N: b.lanesOf(id, l)}), types.I64)
}

// load writes a load.
func (b *body) load(id kernel.ID, v, vars int, l vector.Lanes) vector.Value {
	i := &b.k.Instrs[id]
	p, near := b.tiles[id]
	switch {
	case near && b.staged(l):
		return b.Load(b.at(p, b.stagedAt(b.place[b.Loops[0]][0].at, b.column(v))), l.N)
	case near && b.Held == 0:
		at := b.place[b.Vector][b.column(v)]
		return b.LoadLanes(b.at(b.at(p, at.at), b.Index(at.plus)), l)
	}
	p, how, stride, index := b.address(id, v, vars, l)
	if i.Mem.Guard && !b.unguarded && b.s.Form == Windows {
		return b.loadIfInside(i, p, how, v, vars, l)
	}
	lanes := l
	if how == still {
		lanes = vector.Lanes{N: 1}
	}
	var inside value.Value
	if i.Mem.Guard && !b.unguarded {
		inside = b.inside(i.Mem, v, vars, l.N)
		mask := inside
		if how == still {
			mask = b.Any(vector.Value{V: inside, DType: types.Bool})
		}
		lanes = b.both(lanes, mask)
	} else if b.ready != nil && b.levels[id-b.begin] == 0 {
		lanes = b.both(lanes, b.ready)
	}
	var r vector.Value
	switch how {
	case still, unit:
		r = b.LoadLanes(p, lanes)
	case strided:
		r = b.LoadStrided(p, stride, lanes)
	default:
		r = b.Gather(p, index, lanes)
	}
	if inside == nil {
		return r
	}
	other := b.arg(i.Args[0], v, vars, l)
	if r.Lanes() != l.N {
		r = b.Splat(r, l.N)
	}
	return b.Select(vector.Value{V: inside, DType: types.Bool}, r, other)
}

// loadIfInside writes a load of windows, which is inside of its operand with all lanes or with
// none. Branches that are taken alike for all vectors of a point cost less than masks.
func (b *body) loadIfInside(i *kernel.Instr, p vector.Pointer, how along, v, vars int, l vector.Lanes) vector.Value {
	other := b.arg(i.Args[0], v, vars, l)
	r := b.Either(b.inside(i.Mem, v, vars, 1), func() []value.Value {
		if how == still {
			return []value.Value{b.Splat(b.Load(p, 1), l.N).V}
		}
		return []value.Value{b.LoadLanes(p, l).V}
	}, func() []value.Value { return []value.Value{other.V} })
	return vector.Value{V: r[0], DType: other.DType}
}

// both returns lanes that must be in a mask, too.
func (b *body) both(l vector.Lanes, mask value.Value) vector.Lanes {
	if l.Mask != nil {
		mask = b.Block.NewAnd(l.Mask, mask)
	}
	return vector.Lanes{N: l.N, Mask: mask}
}

// store writes a store.
func (b *body) store(id kernel.ID, v, vars int, l vector.Lanes) {
	i := &b.k.Instrs[id]
	if id == b.result {
		b.taken = b.arg(i.Args[0], v, vars, l)
		return
	}
	if p, near := b.tiles[id]; near {
		at := b.place[b.Vector][b.column(v)]
		b.StoreLanes(b.at(b.at(p, at.at), b.Index(at.plus)), b.arg(i.Args[0], v, vars, l), l)
		return
	}
	p, how, stride, index := b.address(id, v, vars, l)
	x := b.arg(i.Args[0], v, vars, l)
	if how == still && l.N > 1 {
		// All lanes are stored to one place, in any order: the first is there.
		x, l = b.Lane(x, 0), vector.Lanes{N: 1}
	}
	if i.Mem.Guard {
		l = b.both(l, b.inside(i.Mem, v, vars, l.N))
	}
	if op := i.Mem.Combine; op != kernel.Invalid {
		x = b.binary(op, b.fetch(p, how, stride, index, l), x)
	}
	switch {
	case b.defers && b.streams(i.Mem):
		b.pending = append(b.pending, pending{past: func() { b.StoreStreaming(p, x) }, near: func() { b.Store(p, x) }})
	case how == still || how == unit:
		b.StoreLanes(p, x, l)
	case how == strided:
		b.StoreStrided(p, stride, x, l)
	default:
		b.Scatter(p, index, x, l)
	}
}

func (b *body) fetch(p vector.Pointer, how along, stride value.Value, index vector.Value, l vector.Lanes) vector.Value {
	switch how {
	case still, unit:
		return b.LoadLanes(p, l)
	case strided:
		return b.LoadStrided(p, stride, l)
	}
	return b.Gather(p, index, l)
}

// streams reports whether a store is of those that may go past the caches.
func (b *body) streams(m *kernel.Access) bool {
	if m.Local {
		return false
	}
	for _, p := range b.s.Stream {
		if p == m.Param {
			return true
		}
	}
	return false
}

// flush writes the stores that were put off: past the caches if past is set.
func (b *body) flush(past value.Value) {
	if len(b.pending) == 0 {
		return
	}
	b.Either(past, func() []value.Value {
		for _, s := range b.pending {
			s.past()
		}
		return nil
	}, func() []value.Value {
		for _, s := range b.pending {
			s.near()
		}
		return nil
	})
	b.pending = b.pending[:0]
}

// inside returns which lanes of an access are within its operand or local, as
// bools of n lanes.
func (b *body) inside(m *kernel.Access, v, vars, n int) value.Value {
	var all value.Value
	and := func(c value.Value) {
		if all != nil {
			c = b.Block.NewAnd(all, c)
		}
		all = c
	}
	splat := func(c value.Value) value.Value {
		return b.Splat(vector.Value{V: c, DType: types.Bool}, n).V
	}
	for d, x := range m.Index {
		if b.s.Form == Windows && everywhere(b.k, m, d) {
			continue
		}
		size := b.size(b.dim(m, d))
		at, factor, index := b.indexAt(x, v, vars, n)
		switch {
		case index.V == nil && factor == 0 || n == 1:
			if index.V != nil {
				at = b.add(at, index.V)
			}
			and(splat(b.Block.NewICmp(enum.IPredULT, at, size)))
		case index.V == nil && factor == 1:
			// The lanes from -at on, and those before size-at.
			lanes := b.Index(int64(n))
			before := b.max(b.min(b.sub(size, at), lanes), b.Index(0))
			skip := b.max(b.min(b.sub(b.Index(0), at), lanes), b.Index(0))
			and(b.Mask(n, before))
			not := b.Block.NewXor(b.Mask(n, skip), b.ConstInt(types.Bool, n, 1).V)
			and(not)
		default:
			list := b.Splat(vector.Value{V: at, DType: types.I64}, n)
			if index.V != nil {
				list = b.binary(kernel.Add, list, index)
			}
			if factor != 0 {
				steps := b.binary(kernel.Multiply, b.Iota(types.I64, n), b.ConstInt(types.I64, n, factor))
				list = b.binary(kernel.Add, list, steps)
			}
			limit := b.Splat(vector.Value{V: size, DType: types.I64}, n)
			and(b.Block.NewICmp(enum.IPredULT, list.V, limit.V))
		}
	}
	if all == nil {
		return b.ConstInt(types.Bool, n, 1).V
	}
	return all
}

func (b *body) dim(m *kernel.Access, d int) kernel.Size {
	if m.Local {
		return b.k.Locals[m.Param].Dims[d]
	}
	return b.k.Params[m.Param].Dims[d]
}

// indexAt returns an index as its first lane without values that differ between
// lanes, how it grows from lane to lane besides them, and these values.
func (b *body) indexAt(x kernel.Index, v, vars, n int) (at value.Value, factor int64, index vector.Value) {
	at = b.Index(x.Offset)
	for _, t := range x.Terms {
		var here value.Value
		switch {
		case t.Axis == b.Vector:
			factor = t.Factor
			here = b.position(b.place[t.Axis][b.column(v)])
		default:
			here = b.position(b.here(t.Axis, v, vars))
		}
		at = b.add(at, b.mul(here, b.Index(t.Factor)))
	}
	if x.Value != kernel.None {
		value := b.index(x.Value, v, vars, vector.Lanes{N: n})
		if value.Lanes() == 1 {
			at = b.add(at, value.V)
		} else {
			index = value
		}
	}
	return at, factor, index
}
