package emit

import (
	"slices"

	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
)

// besideRows is how many rows whose elements lie near each other are summed at once: the
// first of these that divides how many there are. With four rows of f64 that lie two apart,
// each line of a cache belongs to one, and more rows would need other lines at the same
// time.
var besideRows = [...]int{4, 3, 5, 7, 2}

// rowsBeside makes the first stage sum rows at once whose elements lie near each other,
// as those of columns of records do, so that memory is passed over once for all of
// them. It has loads that do not lie along the vectors, each of as many elements as
// lanes: one sum of each row is enough.
func (p *planner) rowsBeside(r *Schedule) {
	if !p.alone(r) {
		return
	}
	at := slices.IndexFunc(r.Cut, func(a int) bool { return p.littleApart(r, a) })
	if at < 0 {
		return
	}
	axis, t := r.Cut[at], &r.Stages[0]
	for _, rows := range besideRows {
		if int(p.k.Axes[axis].Size)%rows == 0 {
			r.Cut = append(slices.Delete(r.Cut, at, at+1), axis)
			t.Abreast, t.Beside, t.Unroll = rows, true, 1
			return
		}
	}
}

// littleApart reports whether an axis is of few points along which all moves that the
// first stage loads, none of it to neighbours along the vectors.
func (p *planner) littleApart(r *Schedule, axis int) bool {
	st, along := &p.k.Stages[0], r.Stages[0].Vector
	if n := p.k.Axes[axis].Size; n < 2 || n > mostWritten {
		return false
	}
	return !slices.ContainsFunc(p.k.Instrs[st.Begin:st.End], func(i kernel.Instr) bool {
		if i.Mem == nil {
			return i.Op == kernel.Reduce && isExtreme(&i)
		}
		how := p.move(0, i.Mem, axis)
		return i.Op != kernel.Load || i.Mem.Local || i.Mem.Guard || p.move(0, i.Mem, along) != strided || how != unit && how != strided
	})
}

// rowsAtOnce returns how many rows a stage that [planner.paces] sums at once, where they
// are larger than the caches. Each row lies in pages of its own, and processors fetch ahead
// in several pages at a time. All sums are in registers: 16 of 16, which the summed
// elements are loaded by, or 8 beside other computations. Machines with more registers sum
// one row, paced.
func (p *planner) rowsAtOnce(r *Schedule) int {
	if !p.alone(r) || len(r.Cut) != 1 || !p.paces(0, r.Stages[0].Vector) {
		return 0
	}
	switch cost, _ := p.work(0, r.Stages[0].Vector); {
	case cost <= 2: // a load and a sum
		return 4
	case cost <= 6:
		return 2
	}
	return 0
}

// alone reports whether all that a kernel of rows does is to sum each once, on a
// machine of few registers.
func (p *planner) alone(r *Schedule) bool {
	st := &p.k.Stages[0]
	_, sums := p.work(0, r.Stages[0].Vector)
	return p.registers <= 16 && len(r.Serial) == 0 && len(r.Stages[0].Loops) == 0 && sums == 1 &&
		!slices.ContainsFunc(p.k.Stages[1:], func(s kernel.Stage) bool { return len(s.Axes) > 0 }) &&
		!slices.ContainsFunc(p.k.Instrs[st.Begin:st.End], func(i kernel.Instr) bool { return i.Op == kernel.Divide }) // rows alone may multiply instead
}

// abreast runs items from the given one on, some at once, if memory is large or they
// lie beside each other. It returns the first one that is left.
func (f *function) abreast(from, to value.Value) value.Value {
	rows := f.s.Stages[0].Abreast
	if rows == 0 {
		return from
	}
	none := func() []value.Value { return []value.Value{from} }
	run := func() []value.Value {
		next, _ := f.For(vector.Loop{From: from, To: to, Step: f.Index(int64(rows)), Rolled: true}, nil,
			func(item value.Value, _ []value.Value) []value.Value {
				f.rowsAbreast(f.outer(item), rows)
				return nil
			})
		return []value.Value{next}
	}
	if !f.s.Stages[0].Beside {
		return f.Either(f.paced, run, none)[0]
	}
	// Parts for threads begin with any item.
	return f.Either(f.equal(f.Block.NewURem(from, f.Index(int64(rows))), f.Index(0)), run, none)[0]
}

// outer goes to an item along all axes that are cut but the last one, and returns
// where it is along that.
func (f *function) outer(item value.Value) value.Value {
	for i := len(f.s.Cut) - 1; i > 0; i-- {
		size := f.size(f.k.Axes[f.s.Cut[i]].Size)
		rest := value.Value(f.Block.NewUDiv(item, size))
		f.axis[f.s.Cut[i]] = f.sub(item, f.mul(rest, size))
		item = rest
	}
	f.axis[f.s.Cut[0]] = item
	return f.axis[f.s.Cut[len(f.s.Cut)-1]]
}

// rowsAbreast runs the first stage for a block of rows at once, then the others for each row.
func (f *function) rowsAbreast(first value.Value, rows int) {
	axis := f.s.Cut[len(f.s.Cut)-1]
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
