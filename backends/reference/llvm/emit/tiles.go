package emit

import (
	"math/bits"

	"github.com/llir/llvm/ir/constant"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
)

// tiled runs all points for those from lo to before hi along Across, tile by
// tile: what is loaded from far apart is transposed into scratch memory, then
// the points run as without.
func (f *function) tiled(lo, hi value.Value) {
	b := f.newBody(0, len(f.k.Stages))
	side := f.Index(f.s.tile)
	n := f.size(f.k.Axes[f.s.Vector].Size)
	f.If(f.less(lo, hi), func() {
		f.steps(f.Index(0), n, side, func(v0, v1 value.Value) {
			f.steps(lo, hi, side, func(u0, u1 value.Value) {
				b.enter(0, nil)
				b.emit(0, vector.Lanes{N: 1})
				for _, id := range f.s.Tiled {
					b.transpose(id, b.s.tile, nil, u0, u1, v0, v1)
				}
				b.tile(u0, u1, v0, v1)
			})
		})
	})
}

// steps runs body for ranges of at most step numbers that make up those from lo
// to before hi.
func (f *function) steps(lo, hi, step value.Value, body func(from, to value.Value)) {
	f.While([]value.Value{lo}, func(v []value.Value) value.Value { return f.less(v[0], hi) },
		func(v []value.Value) []value.Value {
			next := f.add(v[0], step)
			body(v[0], f.min(next, hi))
			return []value.Value{next}
		})
}

// tile runs the points of a tile.
func (b *body) tile(u0, u1, v0, v1 value.Value) {
	all := b.tiles
	b.For(vector.Loop{From: u0, To: u1, Step: b.Index(1), Rolled: true}, nil, func(u value.Value, _ []value.Value) []value.Value {
		b.axis[b.s.Across] = u
		b.enter(1, []place{{u, 0}})
		b.emit(1, vector.Lanes{N: 1})
		b.tiles = map[kernel.ID]vector.Pointer{}
		row := b.sub(b.mul(b.sub(u, u0), b.Index(b.s.tile)), v0)
		for _, id := range b.s.Tiled {
			b.tiles[id] = b.at(all[id], row)
		}
		past := b.pastCaches(v0)
		b.past, b.defers = past, past != nil
		next := b.whole(v0, v1)
		b.defers = false
		b.remaining(next, v1)
		return nil
	})
	b.tiles = all
}

// transpose copies the elements of a load for the points of a tile to scratch memory,
// transposed, where rows are pitch elements apart. It works in blocks of as many as a
// vector has along both axes, up to 16. It prefetches so many elements behind each block,
// unless ahead is nil.
func (b *body) transpose(id kernel.ID, pitch int64, ahead, u0, u1, v0, v1 value.Value) {
	i := &b.k.Instrs[id]
	side := min(b.Lanes, 16)
	step := b.Index(int64(side))
	apart := b.coefficient(i.Mem, b.Vector)
	from := b.raw(b.at(b.memory(i.Mem), b.offset[0][id-b.begin][0]))
	to := b.raw(b.tiles[id])
	last := b.sub(v1, b.Index(1))
	b.steps(v0, v1, step, func(v, _ value.Value) {
		block := func(u value.Value, l vector.Lanes) {
			rows := make([]vector.Value, side)
			for r := range rows {
				row := b.min(b.add(v, b.Index(int64(r))), last)
				p := b.at(b.at(from, b.mul(row, apart)), u)
				rows[r] = b.LoadLanes(p, l)
				if ahead != nil {
					b.Prefetch(b.at(p, ahead))
				}
			}
			at := b.at(to, b.add(b.mul(b.sub(u, u0), b.Index(pitch)), b.sub(v, v0)))
			for r, x := range transposed(b.function, rows) {
				b.Store(b.at(at, b.Index(int64(r)*pitch)), x)
			}
		}
		next, _ := b.For(vector.Loop{From: u0, To: u1, Step: step, Rolled: true}, nil, func(u value.Value, _ []value.Value) []value.Value {
			block(u, vector.Lanes{N: side})
			return nil
		})
		if b.Machine.Masks(from.DType) && side > 1 {
			b.If(b.less(next, u1), func() {
				block(next, vector.Lanes{N: side, Mask: b.Mask(side, b.sub(u1, next))})
			})
			return
		}
		b.For(vector.Loop{From: next, To: u1, Step: b.Index(1), Rolled: true}, nil, func(u value.Value, _ []value.Value) []value.Value {
			for r := range side {
				row := b.min(b.add(v, b.Index(int64(r))), last)
				x := b.Load(b.at(b.at(from, b.mul(row, apart)), u), 1)
				at := b.add(b.mul(b.sub(u, u0), b.Index(pitch)), b.sub(v, v0))
				b.Store(b.at(to, b.add(at, b.Index(int64(r)))), x)
			}
			return nil
		})
	})
}

// transposed returns the columns of a square of as many vectors as lanes, a power of two.
// First the squares of 128 bits by as many rows are transposed, by interleaving lanes
// within 128 bits. Then the square that these form is transposed, by taking every other 128
// bits. Processors have single instructions for both. There may be fewer vectors, of which
// each has several rows: see squares.
func transposed(f *function, rows []vector.Value) []vector.Value {
	n := rows[0].Lanes()
	group := groupOf(len(rows), rows[0])
	rows = f.groupsInOrder(f.withinGroups(rows, group), group)
	for d := group; d < len(rows); d *= 2 {
		next := make([]vector.Value, len(rows))
		even, odd := make([]int, n), make([]int, n)
		for l := range n {
			even[l] = l/group*2*group + l%group
			odd[l] = even[l] + group
		}
		for r := range rows {
			if r/d%2 != 0 {
				continue
			}
			next[r] = f.shuffle(rows[r], rows[r+d], even)
			next[r+d] = f.shuffle(rows[r], rows[r+d], odd)
		}
		rows = next
	}
	return rows
}

// groupOf returns how many rows, of n like x, are transposed within 128 bits.
func groupOf(n int, x vector.Value) int { return min(n, 128/int(bitsOf(x))) }

// withinGroups transposes the squares of a group of lanes by as many vectors,
// which leaves these in the order that groupsInOrder undoes.
func (f *function) withinGroups(rows []vector.Value, group int) []vector.Value {
	n := rows[0].Lanes()
	// Interleaving distance d: rows r and r+d of each group.
	for d := 1; d < group; d *= 2 {
		next := make([]vector.Value, len(rows))
		for r := range rows {
			if r/d%2 != 0 {
				continue
			}
			low, high := make([]int, n), make([]int, n)
			for l := range n {
				// Runs of d lanes of both, from the lower or upper half of 128 bits.
				run, within := l%group/d, l%d
				from := l/group*group + run/2*d + within
				low[l], high[l] = from+run%2*n, from+run%2*n+group/2
			}
			next[r] = f.shuffle(rows[r], rows[r+d], low)
			next[r+d] = f.shuffle(rows[r], rows[r+d], high)
		}
		rows = next
	}
	return rows
}

// groupsInOrder undoes the order that interleaving leaves the rows of a group
// in: their numbers' bits in reverse.
func (f *function) groupsInOrder(rows []vector.Value, group int) []vector.Value {
	out := make([]vector.Value, len(rows))
	for r, x := range rows {
		out[r/group*group+reversed(r%group, group)] = x
	}
	return out
}

// reversed returns x with the bits of numbers below n, a power of two, in
// reverse.
func reversed(x, n int) int {
	width := bits.Len(uint(n)) - 1
	return int(bits.Reverse64(uint64(x)) >> (64 - width) & uint64(n-1))
}

func bitsOf(v vector.Value) int64 {
	return int64(8 * max(v.DType.Size(), map[bool]int{true: 4}[v.DType.IsFloat()]))
}

// shuffle returns lanes of x and y, counted through.
func (f *function) shuffle(x, y vector.Value, lanes []int) vector.Value {
	list := make([]constant.Constant, len(lanes))
	for i, l := range lanes {
		list[i] = constant.NewInt(ll.I32, int64(l))
	}
	mask := constant.NewVector(ll.NewVector(uint64(len(lanes)), ll.I32), list...)
	return vector.Value{V: f.Block.NewShuffleVector(x.V, y.V, mask), DType: x.DType}
}
