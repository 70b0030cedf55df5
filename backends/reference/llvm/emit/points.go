package emit

import (
	"slices"

	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// run runs all stages for the points from lo to before hi along the vectors.
func (f *function) run(lo, hi value.Value) {
	switch f.s.Form {
	case Strips:
		f.strips(lo, hi)
		return
	case Tiles:
		f.tiled(lo, hi)
		return
	case Written:
		f.written(lo, hi)
		return
	case Windows:
		f.windowed(lo, hi)
		return
	}
	b := f.newBody(0, len(f.k.Stages))
	f.If(f.less(lo, hi), func() {
		b.enter(0, nil)
		b.emit(0, vector.Lanes{N: 1})
		b.points(lo, hi)
	})
}

// points writes the loop along the vectors.
func (b *body) points(lo, hi value.Value) {
	if len(b.s.Stream) == 0 {
		b.remaining(b.whole(lo, hi), hi)
		return
	}
	// What is stored past the caches is stored in aligned vectors. So the code
	// for some lanes runs before that for whole vectors, too: in two iterations,
	// each of what is left to the first alignment, or at the end, and then of
	// whole vectors.
	past, start := b.aligned(lo, hi)
	b.For(vector.Loop{From: b.Index(0), To: b.Index(2), Step: b.Index(1), Rolled: true}, []value.Value{lo},
		func(iteration value.Value, at []value.Value) []value.Value {
			end := b.choose(b.equal(iteration, b.Index(0)), start, hi)
			next := b.remaining(at[0], end)
			b.past, b.defers = past, true
			next = b.whole(next, hi)
			b.defers = false
			return []value.Value{next}
		})
}

// aligned returns whether to store past the caches, and the first point from
// lo on where that can be done; lo itself if it cannot.
func (b *body) aligned(lo, hi value.Value) (past, start value.Value) {
	past, start = b.streamed, nil
	for n := range b.levels {
		i := &b.k.Instrs[int(b.begin)+n]
		if i.Mem == nil || !b.streams(i.Mem) {
			continue
		}
		size := i.Type.Size()
		p := b.from(b.begin+kernel.ID(n), lo)
		bytes := b.Block.NewAnd(b.sub(b.Index(0), b.function.address(p)), b.Index(int64(b.Lanes*size-1)))
		ahead := b.Block.NewUDiv(bytes, b.Index(int64(size)))
		if start == nil {
			start = ahead
			continue
		}
		past = b.Block.NewAnd(past, b.equal(start, ahead))
	}
	start = b.min(b.add(lo, b.choose(past, start, b.Index(0))), hi)
	return past, start
}

// from returns where an access is at a point along the vectors.
func (b *body) from(id kernel.ID, at value.Value) vector.Pointer {
	b.enter(b.last(), []place{{at, 0}})
	p, _, _, _ := b.address(id, 0, b.vars[b.last()], vector.Lanes{N: 1})
	return p
}

// whole runs whole vectors from lo on, Unroll at once, and returns where fewer
// than that are left.
func (b *body) whole(lo, hi value.Value) value.Value {
	step := int64(b.Lanes * b.Unroll)
	next, _ := b.For(vector.Loop{From: lo, To: hi, Step: b.Index(step), Rolled: true}, nil,
		func(i value.Value, _ []value.Value) []value.Value {
			b.enter(b.last(), b.vectors(i, b.Unroll, b.Lanes))
			b.emit(b.last(), vector.Lanes{N: b.Lanes})
			b.flush(b.past)
			return nil
		})
	return next
}

// vectors returns where n vectors from i on are.
func (b *body) vectors(i value.Value, n, lanes int) []place {
	all := make([]place, n)
	for u := range all {
		all[u] = place{i, int64(u * lanes)}
	}
	return all
}

// remaining runs the points from lo to before hi and returns hi.
func (b *body) remaining(lo, hi value.Value) value.Value {
	b.rest(lo, hi, nil, func(i value.Value, l vector.Lanes, _ []value.Value) []value.Value {
		b.enter(b.last(), []place{{i, 0}})
		b.emit(b.last(), l)
		return nil
	})
	return hi
}

// masks reports whether what remains after whole vectors is worked on with
// masks, instead of one by one.
func (b *body) masks() bool {
	if b.Lanes == 1 || b.s.Form == Rows && b.insertsLanes(b.number, b.Vector) {
		return false
	}
	for id := b.begin; id < b.end; id++ {
		if i := &b.k.Instrs[id]; i.Mem != nil && !b.Machine.Masks(i.Type) {
			return false
		}
	}
	for _, id := range b.s.kept {
		if !b.Machine.Masks(b.k.Instrs[id].Type) {
			return false
		}
	}
	return true
}

// rest runs iteration for the points from lo to before hi, in vectors of which some
// lanes are masked or one by one. Values are carried as by For.
func (b *body) rest(lo, hi value.Value, init []value.Value, iteration func(i value.Value, l vector.Lanes, carried []value.Value) []value.Value) []value.Value {
	if !b.masks() {
		_, out := b.For(vector.Loop{From: lo, To: hi, Step: b.Index(1), Rolled: true}, init,
			func(i value.Value, c []value.Value) []value.Value { return iteration(i, vector.Lanes{N: 1}, c) })
		return out
	}
	n := int64(b.Lanes)
	out := b.While(append([]value.Value{lo}, init...),
		func(v []value.Value) value.Value { return b.less(v[0], hi) },
		func(v []value.Value) []value.Value {
			left := b.min(b.sub(hi, v[0]), b.Index(n))
			next := iteration(v[0], vector.Lanes{N: b.Lanes, Mask: b.Mask(b.Lanes, left)}, v[1:])
			return append([]value.Value{b.add(v[0], b.Index(n))}, next...)
		})
	return out[1:]
}

// sure reports whether the stage has points for all sizes.
func (b *body) sure() bool {
	return !slices.ContainsFunc(b.k.Stages[b.number].Axes, func(a kernel.Axis) bool { return a.Size <= 0 })
}

// nonempty reports whether the axes of the stage have points.
func (b *body) nonempty() value.Value {
	c := value.Value(nil)
	for _, a := range b.k.Stages[b.number].Axes {
		some := value.Value(b.Block.NewICmp(enum.IPredNE, b.size(a.Size), b.Index(0)))
		if c != nil {
			some = b.Block.NewAnd(c, some)
		}
		c = some
	}
	if c == nil {
		return b.ConstInt(types.Bool, 1, 1).V
	}
	return c
}
