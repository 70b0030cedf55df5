package emit

import (
	"maps"
	"slices"

	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
)

// strips runs all stages for a strip of the points from lo to before hi, then
// for the next.
func (f *function) strips(lo, hi value.Value) {
	if f.width == nil {
		f.width = f.Index(widest)
	}
	f.While([]value.Value{lo}, func(v []value.Value) value.Value { return f.less(v[0], hi) },
		func(v []value.Value) []value.Value {
			next := f.add(v[0], f.width)
			end := f.min(next, hi)
			locals, kept := slices.Clone(f.locals), maps.Clone(f.kept)
			back := f.sub(f.Index(0), v[0])
			for l := range f.locals {
				f.locals[l] = f.at(locals[l], back)
			}
			for _, id := range f.s.kept {
				f.kept[id] = f.at(kept[id], back)
			}
			for s := 0; s < len(f.k.Stages); s++ {
				b := f.newBody(s, s+1)
				if b.Held == 0 {
					b.stripStage(v[0], end)
					continue
				}
				turn := []*body{b}
				for ; s+1 < len(f.k.Stages) && f.s.Stages[s+1].Along; s++ {
					turn = append(turn, f.newBody(s+1, s+2))
				}
				f.held(turn, v[0], end)
			}
			f.locals, f.kept = locals, kept
			return []value.Value{next}
		})
}

// stripStage writes the stage's loops for the points from lo to before hi.
func (b *body) stripStage(lo, hi value.Value) {
	for _, id := range b.reduce {
		i := &b.k.Instrs[id]
		bits := kernel.Neutral(kernel.Op(i.Aux), i.Type)
		b.sweep(lo, hi, func(at value.Value, l vector.Lanes) {
			b.StoreLanes(b.at(b.kept[id], at), b.ConstBits(i.Type, l.N, bits), l)
		})
	}
	for _, id := range b.scans() {
		b.sweep(lo, hi, func(at value.Value, l vector.Lanes) {
			b.StoreLanes(b.at(b.kept[id], at), b.neutral(id, l.N), l)
		})
	}
	all := func() {
		b.enter(0, nil)
		b.emit(0, vector.Lanes{N: 1})
		b.stripLoops(0, lo, hi)
	}
	if len(b.k.Stages[b.number].Axes) > 0 && b.hoists() {
		b.If(b.nonempty(), all)
	} else {
		all()
	}
}

// sweep runs turn for all points of a strip.
func (b *body) sweep(lo, hi value.Value, turn func(i value.Value, l vector.Lanes)) {
	next, _ := b.For(vector.Loop{From: lo, To: hi, Step: b.Index(int64(b.Lanes)), Rolled: true}, nil,
		func(i value.Value, _ []value.Value) []value.Value {
			turn(i, vector.Lanes{N: b.Lanes})
			return nil
		})
	b.rest(next, hi, nil, func(i value.Value, l vector.Lanes, _ []value.Value) []value.Value {
		turn(i, l)
		return nil
	})
}

// stripLoops writes the loops from the given one on.
func (b *body) stripLoops(loop int, lo, hi value.Value) {
	if loop == len(b.Loops) {
		past := b.pastCaches(lo)
		b.sweep(lo, hi, func(at value.Value, l vector.Lanes) { b.stripTurn(at, l, past) })
		return
	}
	size := b.k.Axis(b.number, b.Loops[loop]).Size
	n := b.size(size)
	if ids := b.blocks(); len(ids) > 0 {
		b.runBlocks(ids, n, lo, hi, func(i value.Value) {
			b.enter(loop+1, []place{{i, 0}})
			b.emit(loop+1, vector.Lanes{N: 1})
			b.stripLoops(loop+1, lo, hi)
		})
		return
	}
	run := func(from value.Value, rows int) value.Value {
		next, _ := b.For(vector.Loop{From: from, To: n, Step: b.Index(int64(rows)), Rolled: true}, nil,
			func(i value.Value, _ []value.Value) []value.Value {
				at := b.vectors(i, rows, 1)
				if b.k.Axis(b.number, b.Loops[loop]).Kind == kernel.ReverseAxis { // rows is 1
					at[0].at = b.sub(b.sub(n, i), b.Index(1))
				}
				b.enter(loop+1, at)
				b.emit(loop+1, vector.Lanes{N: 1})
				b.stripLoops(loop+1, lo, hi)
				return nil
			})
		return next
	}
	next := value.Value(b.Index(0))
	if loop+1 == len(b.Loops) && b.Rows > 1 {
		if next = run(next, b.Rows); size >= 0 && int(size)%b.Rows == 0 {
			return
		}
	}
	run(next, 1)
}

// stripTurn writes the stage's body for one vector of the strip. Stores of whole vectors
// go past the caches if past, an i1, says so.
func (b *body) stripTurn(at value.Value, l vector.Lanes, past value.Value) {
	b.enter(b.last(), []place{{at, 0}})
	b.defers = past != nil && l.N == b.Lanes && l.Mask == nil
	b.emit(b.last(), l)
	b.flush(past)
	b.defers = false
	vars := b.vars[b.last()]
	for _, id := range b.reduce {
		p := b.at(b.kept[id], at)
		sum := b.LoadLanes(p, l)
		for v := range vars {
			sum = b.combine(id, sum.V, v, vars, vector.Lanes{N: l.N})
		}
		b.StoreLanes(p, sum, l)
	}
	for _, id := range b.s.kept {
		if id >= b.begin && id < b.end && b.k.Instrs[id].Op != kernel.Reduce && b.k.Instrs[id].Op != kernel.Scan {
			b.StoreLanes(b.at(b.kept[id], at), b.arg(id, 0, 1, l), l)
		}
	}
}
