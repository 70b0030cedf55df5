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
			f.stripStages(0, false, v[0], end)
			f.locals, f.kept = locals, kept
			return []value.Value{next}
		})
}

// stripStages writes the stages from the given one on for the points from lo to before hi. If
// the strip is wide, it has more points than a vector has lanes.
func (f *function) stripStages(from int, wide bool, lo, hi value.Value) {
	for s := from; s < len(f.k.Stages); s++ {
		b := f.newBody(s, s+1)
		switch {
		case b.Held > 0:
			iteration := []*body{b}
			for ; s+1 < len(f.k.Stages) && f.s.Stages[s+1].Along; s++ {
				iteration = append(iteration, f.newBody(s+1, s+2))
			}
			f.held(iteration, lo, hi)
		case !wide && b.narrows():
			f.Either(b.fits(f.sub(hi, lo)), func() []value.Value {
				f.narrow(s, lo, hi)
				return nil
			}, func() []value.Value {
				f.stripStages(s, true, lo, hi)
				return nil
			})
			return
		default:
			b.stripStage(lo, hi)
		}
	}
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
	loops := func() {
		b.enter(0, nil)
		b.emit(0, vector.Lanes{N: 1})
		b.stripLoops(0, lo, hi)
	}
	all := loops
	if b.scatters() {
		all = func() { b.versions(lo, hi, loops) }
	}
	if len(b.k.Stages[b.number].Axes) > 0 && b.hoists() {
		b.If(b.nonempty(), all)
	} else {
		all()
	}
}

// scatters reports whether the stage stores elements at places that data give.
func (b *body) scatters() bool {
	return len(b.Loops) > 0 && slices.ContainsFunc(b.k.Instrs[b.begin:b.end], func(i kernel.Instr) bool {
		return i.Op == kernel.Store && slices.ContainsFunc(i.Mem.Index, func(x kernel.Index) bool { return x.Value != kernel.None })
	})
}

// mostVersions is the largest number of vectors of a strip that have code of their own.
const mostVersions = 4

// versions writes the loops of a stage once for each small number of vectors that the
// strip may have, and once for all others. The loop over the updates of a scatter does so
// little that a loop over one or two vectors, and their masks, would take most of its time.
func (b *body) versions(lo, hi value.Value, loops func()) {
	n := b.sub(hi, lo)
	var all [][]vector.Lanes
	for lanes := b.Lanes / 4; lanes > 1 && lanes < b.Lanes; lanes *= 2 {
		all = append(all, []vector.Lanes{{N: lanes}})
	}
	for vectors := 1; vectors <= mostVersions; vectors++ {
		all = append(all, slices.Repeat([]vector.Lanes{{N: b.Lanes}}, vectors))
	}
	b.versionFor(n, all, loops)
}

// versionFor writes loops for n points, an i64: for each of the given strips that has so many,
// with a mask for each that has more, and for any number.
func (b *body) versionFor(n value.Value, strips [][]vector.Lanes, loops func()) {
	if len(strips) == 0 {
		loops()
		return
	}
	with := func(strip []vector.Lanes) func() []value.Value {
		return func() []value.Value {
			b.strip = strip
			loops()
			b.strip = nil
			return nil
		}
	}
	strip := strips[0]
	last := strip[len(strip)-1].N
	points := (len(strip)-1)*b.Lanes + last
	b.Either(b.equal(n, b.Index(int64(points))), with(strip), func() []value.Value {
		if last < b.Lanes || !b.masks() {
			b.versionFor(n, strips[1:], loops)
			return nil
		}
		b.Either(b.less(n, b.Index(int64(points))), func() []value.Value {
			masked := slices.Clone(strip)
			masked[len(masked)-1].Mask = b.Mask(b.Lanes, b.sub(n, b.Index(int64(points-last))))
			return with(masked)()
		}, func() []value.Value {
			b.versionFor(n, strips[1:], loops)
			return nil
		})
		return nil
	})
}

// sweep runs iteration for all points of a strip.
func (b *body) sweep(lo, hi value.Value, iteration func(i value.Value, l vector.Lanes)) {
	if b.strip != nil {
		for i, l := range b.strip {
			iteration(b.add(lo, b.Index(int64(i*b.Lanes))), l)
		}
		return
	}
	next, _ := b.For(vector.Loop{From: lo, To: hi, Step: b.Index(int64(b.Lanes)), Rolled: true}, nil,
		func(i value.Value, _ []value.Value) []value.Value {
			iteration(i, vector.Lanes{N: b.Lanes})
			return nil
		})
	b.rest(next, hi, nil, func(i value.Value, l vector.Lanes, _ []value.Value) []value.Value {
		iteration(i, l)
		return nil
	})
}

// stripLoops writes the loops from the given one on.
func (b *body) stripLoops(loop int, lo, hi value.Value) {
	if loop == len(b.Loops) {
		past := b.pastCaches(lo)
		b.sweep(lo, hi, func(at value.Value, l vector.Lanes) { b.stripIteration(at, l, past) })
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

// stripIteration writes the stage's body for one vector of the strip. Stores of whole vectors
// go past the caches if past, an i1, says so.
func (b *body) stripIteration(at value.Value, l vector.Lanes, past value.Value) {
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
