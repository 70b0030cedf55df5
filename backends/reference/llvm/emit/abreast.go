package emit

import (
	"slices"

	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
)

// rowsAtOnce returns how many rows a stage that [planner.paces] sums at once, where
// they are larger than the caches: each row lies in pages of its own, of which
// processors fetch ahead in several at a time, a page each. All sums are in
// registers: 16 of 16, which what is summed is loaded by, or 8 beside what else is
// computed. Machines with more registers sum one row, paced.
func (p *planner) rowsAtOnce(r *Schedule) int {
	st := &p.k.Stages[0]
	cost, sums := p.work(0, r.Stages[0].Vector)
	if p.registers > 16 || len(r.Cut) != 1 || len(r.Serial) > 0 || len(r.Stages[0].Loops) > 0 || sums != 1 || !p.paces(0, r.Stages[0].Vector) ||
		slices.ContainsFunc(p.k.Stages[1:], func(s kernel.Stage) bool { return len(s.Axes) > 0 }) ||
		slices.ContainsFunc(p.k.Instrs[st.Begin:st.End], func(i kernel.Instr) bool { return i.Op == kernel.Divide }) { // rows alone may multiply instead
		return 0
	}
	switch {
	case cost <= 2: // a load and a sum
		return 4
	case cost <= 6:
		return 2
	}
	return 0
}

// abreast runs items from the given one on, some at once, if memory is large. It
// returns the first one that is left.
func (f *function) abreast(from, to value.Value) value.Value {
	rows := f.s.Stages[0].Abreast
	if rows == 0 {
		return from
	}
	return f.Either(f.paced, func() []value.Value {
		next, _ := f.For(vector.Loop{From: from, To: to, Step: f.Index(int64(rows)), Rolled: true}, nil,
			func(row value.Value, _ []value.Value) []value.Value {
				f.rowsAbreast(row, rows)
				return nil
			})
		return []value.Value{next}
	}, func() []value.Value { return []value.Value{from} })[0]
}

// rowsAbreast runs the first stage for some rows at once, then the others for each.
func (f *function) rowsAbreast(first value.Value, rows int) {
	axis := f.s.Cut[0]
	stage := f.s.Stages[0]
	stage.Loops = []int{axis}
	b := f.bodyOf(stage, 0, 1)
	b.enter(0, nil)
	b.emit(0, vector.Lanes{N: 1})
	b.enter(1, b.vectors(first, rows, 1))
	b.emit(1, vector.Lanes{N: 1})
	sums := b.sumsAbreast(rows)
	all := slices.Clone(f.vals[b.begin:b.end])
	for k := range rows {
		f.axis[axis] = b.add(first, b.Index(int64(k)))
		for n := range all {
			if b.levels[n] == 1 {
				f.vals[int(b.begin)+n] = all[n][k : k+1]
			}
		}
		for _, r := range b.reductions() {
			f.vals[r.id] = []vector.Value{b.total(r, sums[k][r.at:r.at+r.n])}
		}
		for s := 1; s < len(f.k.Stages); s++ {
			f.newBody(s, s+1).rowStage()
		}
	}
}

// sumsAbreast writes the loop along the vectors of all rows. It returns what
// [body.along] does of each.
func (b *body) sumsAbreast(rows int) [][]value.Value {
	n := b.size(b.k.Axis(b.number, b.Vector).Size)
	begins := b.begins()
	split := func(sums []value.Value) [][]value.Value {
		return slices.Collect(slices.Chunk(slices.Clone(sums), len(begins)))
	}
	next, sums := b.For(vector.Loop{From: b.Index(0), To: n, Step: b.Index(int64(b.Lanes * b.Unroll)), Rolled: true}, slices.Repeat(begins, rows),
		func(i value.Value, sums []value.Value) []value.Value {
			b.enter(b.last(), b.vectors(i, b.Unroll, b.Lanes))
			b.emit(b.last(), vector.Lanes{N: b.Lanes})
			out := split(sums)
			for k := range out {
				for _, r := range b.reductions() {
					for u := range b.Unroll {
						out[k][r.at+u] = b.combine(r.id, out[k][r.at+u], k*b.Unroll+u, rows*b.Unroll, vector.Lanes{N: b.Lanes}).V
					}
				}
			}
			return slices.Concat(out...)
		})
	if b.Lanes == 1 && b.Unroll == 1 {
		return split(sums)
	}
	return split(b.rest(next, n, sums, func(i value.Value, l vector.Lanes, sums []value.Value) []value.Value {
		b.enter(b.last(), []place{{i, 0}})
		b.emit(b.last(), l)
		out := split(sums)
		for k := range out {
			for _, r := range b.reductions() {
				out[k][b.restOf(r)] = b.combine(r.id, out[k][b.restOf(r)], k, rows, l).V
			}
		}
		return slices.Concat(out...)
	}))
}
