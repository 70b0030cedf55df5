package emit

import (
	"slices"

	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// A stage of Strips that carries from point to point of a scanned axis has its vectors
// across that axis. Operands whose neighbours lie along it are moved a block at a time:
// blockRows points of the strip by blockColumns of the axis, transposed into memory that
// is near, or from there. Each line of memory is then loaded once, however far apart rows
// are: those a power of two apart fall into a few sets of a cache.

// blockRows is the points of a strip with blocks, blockColumns those of the scanned
// axis in a block.
const (
	blockRows    = stripsPiece
	blockColumns = 64
)

// block finds what scanning stages of strips move in blocks.
func (p *planner) block(r *Schedule) {
	for s := range p.k.Stages {
		for id := p.k.Stages[s].Begin; id < p.k.Stages[s].End; id++ {
			if p.blocked(s, id, r.Vector) && r.Stages[s].Lanes > 1 {
				r.Blocked = append(r.Blocked, id)
			}
		}
	}
}

// blocked reports whether a stage moves what an instruction loads or stores in blocks,
// where vectors lie along an axis of the kernel.
func (p *planner) blocked(s int, id kernel.ID, axis int) bool {
	i := &p.k.Instrs[id]
	if i.Mem == nil || i.Mem.Local || i.Mem.Guard || i.Mem.Combine != kernel.Invalid || !p.k.Carries(s) ||
		p.move(s, i.Mem, axis) != strided || p.move(s, i.Mem, len(p.k.Axes)) != unit {
		return false
	}
	// What is stored is put off to the end of a block: nothing else may be there.
	alone := true
	for other := range p.k.Instrs {
		m := p.k.Instrs[other].Mem
		alone = alone && (kernel.ID(other) == id || m == nil || m.Local || m.Param != i.Mem.Param)
	}
	return (alone || !p.k.Params[i.Mem.Param].Out) && !slices.ContainsFunc(i.Mem.Index, func(x kernel.Index) bool { return x.Value != kernel.None })
}

// blocks returns what the stage moves in blocks.
func (b *body) blocks() []kernel.ID {
	return slices.DeleteFunc(slices.Clone(b.s.Blocked), func(id kernel.ID) bool { return id < b.begin || id >= b.end })
}

// runBlocks runs a stage along its axis of n points, block by block, for the points of a
// strip from lo to before hi. run runs a point of the axis.
func (b *body) runBlocks(ids []kernel.ID, n, lo, hi value.Value, run func(i value.Value)) {
	tiles := b.tiles
	b.steps(b.Index(0), n, b.Index(blockColumns), func(from, to value.Value) {
		first, last := from, to // where they are along the axis
		if b.scanned() == kernel.ReverseAxis {
			first, last = b.sub(n, to), b.sub(n, from)
		}
		for _, id := range ids {
			if b.k.Instrs[id].Op == kernel.Load {
				b.transpose(id, blockRows, b.blockAhead(), first, last, lo, hi)
			}
		}
		b.For(vector.Loop{From: from, To: to, Step: b.Index(1), Rolled: true}, nil, func(i value.Value, _ []value.Value) []value.Value {
			at := i
			if b.scanned() == kernel.ReverseAxis {
				at = b.sub(b.sub(n, i), b.Index(1))
			}
			row := b.sub(b.mul(b.sub(at, first), b.Index(blockRows)), lo)
			b.tiles = map[kernel.ID]vector.Pointer{}
			for _, id := range ids {
				b.tiles[id] = b.at(tiles[id], row)
			}
			run(at)
			b.tiles = tiles
			return nil
		})
		for _, id := range ids {
			if b.k.Instrs[id].Op == kernel.Store {
				b.transposeBack(id, first, last, lo, hi)
			}
		}
	})
}

// blockAhead is how far behind elements of a block those of the next one are, along the
// scanned axis. They are fetched meanwhile: no processor foresees a block.
func (b *body) blockAhead() value.Value {
	if b.scanned() == kernel.ReverseAxis {
		return b.Index(-blockColumns)
	}
	return b.Index(blockColumns)
}

// transposeBack copies what a block has for a store to its operand: the points from u0
// to before u1 of the scanned axis and from v0 to before v1 of the strip. It takes squares
// of as many elements as a vector has, up to 16. Their last rows, beyond v1, are stored
// where the last one is, before that.
func (b *body) transposeBack(id kernel.ID, u0, u1, v0, v1 value.Value) {
	i := &b.k.Instrs[id]
	side := min(b.Lanes, 16)
	step := b.Index(int64(side))
	apart := b.coefficient(i.Mem, b.Vector)
	to := b.raw(b.at(b.memory(i.Mem), b.offset[0][id-b.begin][0]))
	from := b.raw(b.tiles[id])
	last := b.sub(v1, b.Index(1))
	b.steps(v0, v1, step, func(v, _ value.Value) {
		place := func(r int, u value.Value) vector.Pointer {
			row := b.min(b.add(v, b.Index(int64(r))), last)
			return b.at(b.at(to, b.mul(row, apart)), u)
		}
		near := func(u value.Value) vector.Pointer {
			return b.at(from, b.add(b.mul(b.sub(u, u0), b.Index(blockRows)), b.sub(v, v0)))
		}
		square := func(u value.Value, l vector.Lanes) {
			columns := make([]vector.Value, side)
			for c := range columns {
				columns[c] = b.Load(b.at(near(u), b.Index(int64(c)*blockRows)), side)
			}
			rows := transposed(b.function, columns)
			for r := side - 1; r >= 0; r-- {
				p := place(r, u)
				b.StoreLanes(p, rows[r], l)
				b.Prefetch(b.at(p, b.blockAhead()))
			}
		}
		next, _ := b.For(vector.Loop{From: u0, To: u1, Step: step, Rolled: true}, nil, func(u value.Value, _ []value.Value) []value.Value {
			square(u, vector.Lanes{N: side})
			return nil
		})
		if b.Machine.Masks(to.DType) && side > 1 {
			b.If(b.less(next, u1), func() {
				square(next, vector.Lanes{N: side, Mask: b.Mask(side, b.sub(u1, next))})
			})
			return
		}
		b.For(vector.Loop{From: next, To: u1, Step: b.Index(1), Rolled: true}, nil, func(u value.Value, _ []value.Value) []value.Value {
			for r := side - 1; r >= 0; r-- {
				b.Store(place(r, u), b.Load(b.at(near(u), b.Index(int64(r))), 1))
			}
			return nil
		})
	})
}

// raw returns where elements are that are only moved, as integers if they are narrow:
// of bools not masks, of half floats not f32s, whose NaNs might change.
func (b *body) raw(p vector.Pointer) vector.Pointer {
	switch p.DType {
	case types.Bool:
		return b.PointerTo(p.V, types.U8)
	case types.F16, types.BF16:
		return b.PointerTo(p.V, types.U16)
	}
	return p
}
