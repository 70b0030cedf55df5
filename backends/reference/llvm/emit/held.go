package emit

import (
	"slices"

	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
)

// held writes a stage whose sums are in registers, and the stages that run along, for the
// points of a strip from lo to before hi. It does all work for some vectors, then for the
// next.
func (f *function) held(iteration []*body, lo, hi value.Value) {
	first := iteration[0]
	f.beginIteration(iteration)
	step := int64(first.Lanes * first.Unroll)
	next, _ := f.For(vector.Loop{From: lo, To: hi, Step: f.Index(step), Rolled: true}, nil,
		func(at value.Value, _ []value.Value) []value.Value {
			f.heldIteration(iteration, first.vectors(at, first.Unroll, first.Lanes), vector.Lanes{N: first.Lanes}, hi)
			return nil
		})
	first.rest(next, hi, nil, func(at value.Value, l vector.Lanes, _ []value.Value) []value.Value {
		f.heldIteration(iteration, []place{{at, 0}}, l, hi)
		return nil
	})
}

// beginIteration writes what the stages of an iteration need once.
func (f *function) beginIteration(iteration []*body) {
	if first := iteration[0]; first.hoists() && !first.sure() {
		first.ready = first.nonempty()
	}
	for _, b := range iteration {
		b.enter(0, nil)
		b.emit(0, vector.Lanes{N: 1})
	}
}

// heldIteration writes the stages for some vectors of points before hi.
func (f *function) heldIteration(iteration []*body, at []place, l vector.Lanes, hi value.Value) {
	done := make([]bool, len(f.k.Instrs))
	for _, id := range f.s.Staged {
		if id >= iteration[0].begin && id < iteration[0].end && iteration[0].staged(l) {
			iteration[0].stage(id, at, l.Mask != nil, hi)
		}
	}
	iteration[0].sums(at, l, func(sums []kernel.ID) {
		for _, id := range sums {
			done[id] = true
		}
		for _, b := range iteration[1:] {
			b.early(iteration[0], done, at, l)
		}
	})
	for n, b := range iteration {
		if n > 0 {
			b.write(func(id kernel.ID) bool { return !done[id] }, at, l)
		}
		if iteration[0].all {
			continue
		}
		for _, id := range b.s.kept {
			if id < b.begin || id >= b.end {
				continue
			}
			for v, to := range at {
				b.StoreLanes(b.at(b.at(b.kept[id], to.at), b.Index(to.plus)), b.arg(id, v, len(at), l), l)
			}
		}
	}
}

// staged reports whether what is to be staged is, for an iteration of these lanes.
func (b *body) staged(l vector.Lanes) bool { return b.Held > 0 && l.N == b.Lanes && l.N > 1 }

// stagedAt returns where what is staged lies for a point of the stage's axis and one
// of the iteration's vectors.
func (b *body) stagedAt(k value.Value, column int) value.Value {
	n := int64(len(b.place[b.Vector]))
	return b.add(b.mul(k, b.Index(n*int64(b.Lanes))), b.Index(int64(column*b.Lanes)))
}

// stage transposes what a load takes for some vectors of points, in squares of as
// many elements as a vector has along both axes, up to 16. If the lanes are masked,
// rows beyond the points before hi are the last one.
func (b *body) stage(id kernel.ID, at []place, masked bool, hi value.Value) {
	b.enter(b.last(), at)
	i := &b.k.Instrs[id]
	side := min(b.Lanes, 16)
	apart := b.coefficient(i.Mem, b.Vector)
	from := b.at(b.memory(i.Mem), b.offset[0][id-b.begin][0])
	last := b.sub(hi, b.Index(1))
	square := func(k value.Value, l vector.Lanes, count int) {
		for first := 0; first < len(at)*b.Lanes; first += side {
			rows := make([]vector.Value, side)
			for r := range rows {
				point := b.add(b.position(at[0]), b.Index(int64(first+r)))
				if masked {
					point = b.min(point, last)
				}
				rows[r] = b.LoadLanes(b.at(b.at(from, b.mul(point, apart)), k), l)
			}
			for c, x := range transposed(b.function, rows)[:count] {
				b.Store(b.at(b.tiles[id], b.add(b.stagedAt(b.add(k, b.Index(int64(c))), 0), b.Index(int64(first)))), x)
			}
		}
	}
	n := int(b.k.Axis(b.number, b.Loops[0]).Size)
	whole := n / side * side
	b.For(vector.Loop{From: b.Index(0), To: b.Index(int64(whole)), Step: b.Index(int64(side)), Rolled: true}, nil,
		func(k value.Value, _ []value.Value) []value.Value {
			square(k, vector.Lanes{N: side}, side)
			return nil
		})
	switch rest := n - whole; {
	case rest == 0:
	case whole > 0: // some once more
		square(b.Index(int64(n-side)), vector.Lanes{N: side}, side)
	default:
		square(b.Index(0), vector.Lanes{N: side, Mask: b.Mask(side, b.Index(int64(rest)))}, rest)
	}
}

// early writes the stores to locals, with what they need, that need no sums but
// those that are done: so that these need not wait in memory for the others.
func (b *body) early(first *body, done []bool, at []place, l vector.Lanes) {
	all, some := make([]bool, len(b.k.Instrs)), false
	for id := b.begin; id < b.end; id++ {
		i := &b.k.Instrs[id]
		if i.Op != kernel.Store || !i.Mem.Local || done[id] || first.loadsLocal(i.Mem.Param) || b.loadsLocal(i.Mem.Param) {
			continue
		}
		ready, needed := true, b.neededBy([]kernel.ID{id})
		for n, need := range needed {
			n := kernel.ID(n)
			ready = ready && (!need || done[n] || n < b.iteration || n >= b.begin)
		}
		if !ready {
			continue
		}
		for n, need := range needed[b.begin:b.end] {
			all[int(b.begin)+n] = all[int(b.begin)+n] || need
		}
		some = true
	}
	if !some {
		return
	}
	b.write(func(id kernel.ID) bool { return all[id] && !done[id] }, at, l)
	for id := range all {
		done[id] = done[id] || all[id]
	}
}

// write writes some of the instructions of a stage without axes.
func (b *body) write(wanted func(kernel.ID) bool, at []place, l vector.Lanes) {
	b.wanted = make([]bool, len(b.k.Instrs))
	for id := range b.wanted {
		b.wanted[id] = wanted(kernel.ID(id))
	}
	b.enter(b.last(), at)
	b.emit(b.last(), l)
	b.wanted = nil
}

// loadsLocal reports whether the stage loads from a local.
func (b *body) loadsLocal(local int) bool {
	return slices.ContainsFunc(b.k.Instrs[b.begin:b.end], func(i kernel.Instr) bool {
		return i.Op == kernel.Load && i.Mem.Local && i.Mem.Param == local
	})
}

// sums writes the stage's loop over its axis for some of its reductions, and what
// then follows these, then for the next.
func (b *body) sums(at []place, l vector.Lanes, then func([]kernel.ID)) {
	n := b.size(b.k.Axis(b.number, b.Loops[0]).Size)
	every := b.reduce
	for all := every; len(all) > 0; {
		first := len(all) == len(every)
		b.reduce = all[:min(b.Held, len(all))]
		all = all[len(b.reduce):]
		b.wanted = b.neededBy(b.reduce)
		var init []value.Value
		for _, id := range b.reduce {
			i := &b.k.Instrs[id]
			for range at {
				init = append(init, b.ConstBits(i.Type, l.N, kernel.Neutral(kernel.Op(i.Aux), i.Type)).V)
			}
		}
		_, sums := b.For(vector.Loop{From: b.Index(0), To: n, Step: b.Index(1), Rolled: true}, init,
			func(k value.Value, sums []value.Value) []value.Value {
				b.enter(1, []place{{k, 0}})
				b.emit(1, vector.Lanes{N: 1})
				b.enter(b.last(), at)
				b.emit(b.last(), l)
				if first && l.Mask == nil {
					b.fetchAhead(len(at), l)
				}
				next := make([]value.Value, len(sums))
				for r, id := range b.reduce {
					for v := range at {
						next[r*len(at)+v] = b.combine(id, sums[r*len(at)+v], v, len(at), vector.Lanes{N: l.N}).V
					}
				}
				return next
			})
		for r, id := range b.reduce {
			b.vals[id] = make([]vector.Value, len(at))
			for v := range at {
				b.vals[id][v] = vector.Value{V: sums[r*len(at)+v], DType: b.k.Instrs[id].Type}
			}
		}
		then(b.reduce)
	}
	b.reduce, b.wanted = every, nil
}

// fetchAhead brings near what the next strip's iteration loads beside each other from
// operands. Strips load much at once and then compute for long, which processors
// do not foresee.
func (b *body) fetchAhead(vectors int, l vector.Lanes) {
	const line = 64
	for id := b.begin; id < b.end; id++ {
		i := &b.k.Instrs[id]
		if i.Op != kernel.Load || i.Mem.Local || i.Mem.Guard || !b.wants(id) || b.move(b.number, i.Mem, b.Vector) != unit {
			continue
		}
		for v := range vectors {
			if v*l.N*i.Type.Size()%line == 0 {
				p, _, _, _ := b.address(id, v, vectors, l)
				b.Prefetch(b.at(p, b.width))
			}
		}
	}
}

// neededBy returns the instructions of the stage that some of its reductions need.
func (b *body) neededBy(list []kernel.ID) []bool {
	needed := make([]bool, len(b.k.Instrs))
	for _, id := range list {
		needed[id] = true
	}
	for id := b.end - 1; id >= b.begin; id-- {
		if !needed[id] {
			continue
		}
		i := &b.k.Instrs[id]
		for _, a := range i.Args {
			needed[a] = true
		}
		if i.Mem != nil {
			for _, x := range i.Mem.Index {
				if x.Value != kernel.None {
					needed[x.Value] = true
				}
			}
		}
	}
	return needed
}
