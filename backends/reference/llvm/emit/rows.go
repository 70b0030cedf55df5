package emit

import (
	"math"

	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// point runs all stages of Rows for one point of the kernel's axes.
func (f *function) point() {
	for s := range f.k.Stages {
		f.newBody(s, s+1).rowStage()
	}
}

// rowStage writes the stage's loops.
func (b *body) rowStage() {
	all := func() []value.Value {
		b.enter(0, nil)
		b.emit(0, vector.Lanes{N: 1})
		if b.Vector < 0 {
			return nil
		}
		return b.inverted(func() []value.Value { return b.rowLoops(0, b.begins()) })
	}
	var sums []value.Value
	if b.Vector >= 0 && b.hoists() {
		sums = b.Either(b.nonempty(), all, b.begins)
	} else {
		sums = all()
	}
	for _, r := range b.reductions() {
		b.vals[r.id] = []vector.Value{b.total(r, sums[r.at:r.at+r.n])}
	}
}

// reduction is one of the stage's, with its place among the values that loops carry: for
// each reduction sumsOf() vectors, one for the remainder after whole vectors and, for
// extremes, those of besides.
type reduction struct {
	id      kernel.ID
	at, n   int
	extreme bool
	still   bool // see [body.still]
}

func (b *body) reductions() []reduction {
	var all []reduction
	at := 0
	for _, id := range b.reduce {
		r := reduction{id: id, at: at, n: b.sumsOf() + 1, extreme: b.extremes(id), still: b.still(id)}
		if r.extreme {
			r.n += len(b.besides(r))
		}
		all, at = append(all, r), at+r.n
	}
	return all
}

// still reports whether a reduction is a sum of floats that are the same along whole vectors: one of
// them, times how many there are, a power of two, so that the product is exact.
func (b *body) still(id kernel.ID) bool {
	i := &b.k.Instrs[id]
	return b.Whole && kernel.Op(i.Aux) == kernel.Add && i.Type.IsFloat() && !b.on[i.Args[0]].Has(b.Vector)
}

// sumsOf returns how many vectors of sums a reduction has. Whole vectors of several iterations are
// added to by turns, so that an addition need not wait for the one before.
func (b *body) sumsOf() int {
	if b.Whole {
		return b.Unroll * b.Rows
	}
	return b.Unroll
}

// rest returns where the reduction of what remains after whole vectors is.
func (b *body) restOf(r reduction) int { return r.at + b.sumsOf() }

// nan returns where it is kept whether there has been a NaN.
func (b *body) nanOf(r reduction) int { return r.at + b.sumsOf() + 1 }

// begins returns the initial values of reductions: for each sumsOf() vectors and one for
// the remainder after whole vectors.
func (b *body) begins() []value.Value {
	var all []value.Value
	rest := 1
	if b.masks() {
		rest = b.Lanes
	}
	for _, r := range b.reductions() {
		i := &b.k.Instrs[r.id]
		bits := kernel.Neutral(kernel.Op(i.Aux), i.Type)
		lanes, rest := b.Lanes, rest
		if r.still {
			lanes, rest = 1, 1
		}
		for range b.sumsOf() {
			all = append(all, b.ConstBits(i.Type, lanes, bits).V)
		}
		all = append(all, b.ConstBits(i.Type, rest, bits).V)
		if r.extreme {
			all = append(all, b.besides(r)...)
		}
	}
	for _, id := range b.scans() { // whose stage has no reductions
		all = append(all, b.first(id).V)
	}
	return all
}

// rowLoops writes the loops from the given one on; it carries reductions.
func (b *body) rowLoops(loop int, sums []value.Value) []value.Value {
	if loop == len(b.Loops) {
		return b.along(sums)
	}
	a := b.Loops[loop]
	if b.Whole && loop == len(b.Loops)-1 {
		return b.wholeLoop(a, sums)
	}
	_, out := b.For(vector.Loop{From: b.Index(0), To: b.size(b.k.Axis(b.number, a).Size), Step: b.Index(1), Rolled: true}, sums,
		func(i value.Value, sums []value.Value) []value.Value {
			b.enter(loop+1, []place{{i, 0}})
			b.emit(loop+1, vector.Lanes{N: 1})
			return b.rowLoops(loop+1, sums)
		})
	return out
}

// wholeLoop writes the loop along the innermost axis a around vectors that are written out: Rows
// iterations at once, each with sums of its own, then one by one.
func (b *body) wholeLoop(a int, sums []value.Value) []value.Value {
	l := vector.Lanes{N: b.Lanes}
	loop := func(from value.Value, rows int, sums []value.Value) (value.Value, []value.Value) {
		to := b.size(b.k.Axis(b.number, a).Size)
		return b.For(vector.Loop{From: from, To: to, Step: b.Index(int64(rows)), Rolled: true}, sums, func(i value.Value, sums []value.Value) []value.Value {
			b.enter(len(b.Loops), b.vectors(i, rows, 1))
			b.emit(len(b.Loops), vector.Lanes{N: 1})
			b.enter(b.last(), b.vectors(b.Index(0), b.Unroll, b.Lanes))
			b.emit(b.last(), l)
			out := append([]value.Value{}, sums...)
			for _, r := range b.reductions() {
				if r.still {
					for v := range rows {
						out[r.at] = b.combine(r.id, out[r.at], v, rows, vector.Lanes{N: 1}).V
					}
					continue
				}
				for v := range rows * b.Unroll {
					at := r.at + v%b.sumsOf()
					out[at] = b.combine(r.id, out[at], v, rows*b.Unroll, l).V
				}
			}
			return out
		})
	}
	next, sums := loop(b.Index(0), b.Rows, sums)
	_, sums = loop(next, 1, sums)
	return sums
}

// along writes the loop along the vectors.
func (b *body) along(sums []value.Value) []value.Value {
	n := b.size(b.k.Axis(b.number, b.Vector).Size)
	if b.Paced {
		all := b.Either(b.paced, func() []value.Value { return b.pace(n, sums) }, func() []value.Value { return b.iterations(n, sums) })
		return b.behind(all[0], n, all[1:])
	}
	all := b.iterations(n, sums)
	return b.behind(all[0], n, all[1:])
}

// pace reduces whole iterations, one vector after the other, to the sums that
// [body.iterations] reduces them to. It returns where they end, and the sums.
func (b *body) pace(n value.Value, sums []value.Value) []value.Value {
	iteration := b.Index(int64(b.Lanes * b.Unroll))
	end := b.mul(b.Block.NewUDiv(n, iteration), iteration)
	next, sums := b.For(vector.Loop{From: b.Index(0), To: end, Step: b.Index(int64(b.Lanes)), Rolled: true}, sums,
		func(i value.Value, sums []value.Value) []value.Value {
			b.enter(b.last(), b.vectors(i, 1, b.Lanes))
			b.emit(b.last(), vector.Lanes{N: b.Lanes})
			out := append([]value.Value{}, sums...)
			for _, r := range b.reductions() { // each sum is added to again after Unroll vectors
				own := out[r.at : r.at+b.Unroll]
				copy(own, sums[r.at+1:])
				own[b.Unroll-1] = b.combine(r.id, sums[r.at], 0, 1, vector.Lanes{N: b.Lanes}).V
			}
			return out
		})
	return append([]value.Value{next}, sums...)
}

// iterations works on whole iterations of Unroll vectors. It returns where they end, and the
// sums.
func (b *body) iterations(n value.Value, sums []value.Value) []value.Value {
	past, apart := b.pastCaches(b.firstOf(n)), b.rowsApart()
	next, sums := b.For(vector.Loop{From: b.Index(0), To: n, Step: b.Index(int64(b.Lanes * b.Unroll)), Rolled: true}, sums,
		func(i value.Value, sums []value.Value) []value.Value {
			b.defers = past != nil
			b.carry(sums)
			b.enter(b.last(), b.iterationAt(i, n))
			b.emit(b.last(), vector.Lanes{N: b.Lanes})
			b.fetchNext(apart, vector.Lanes{N: b.Lanes})
			b.fetchScanned(vector.Lanes{N: b.Lanes})
			b.flush(past)
			b.defers = false
			out := b.carries(append([]value.Value{}, sums...))
			for _, r := range b.reductions() {
				if r.extreme {
					b.extreme(r, out, r.at, b.Unroll, vector.Lanes{N: b.Lanes})
					continue
				}
				for u := range b.Unroll {
					out[r.at+u] = b.combine(r.id, sums[r.at+u], u, b.Unroll, vector.Lanes{N: b.Lanes}).V
				}
			}
			return out
		})
	return append([]value.Value{next}, sums...)
}

// behind works on what remains of n after whole iterations, from next on.
func (b *body) behind(next, n value.Value, sums []value.Value) []value.Value {
	if b.Lanes == 1 && b.Unroll == 1 {
		return sums
	}
	return b.rest(next, n, sums, func(i value.Value, l vector.Lanes, sums []value.Value) []value.Value {
		b.carry(sums)
		b.enter(b.last(), b.restAt(i, n, l))
		b.emit(b.last(), l)
		out := b.carries(append([]value.Value{}, sums...))
		for _, r := range b.reductions() {
			at := b.restOf(r)
			if r.extreme && !b.signs() {
				b.extreme(r, out, at, 1, l)
				continue
			}
			out[at] = b.combine(r.id, sums[at], 0, 1, l).V
		}
		return out
	})
}

// combine returns a reduction so far with a variant of what is reduced.
func (b *body) combine(id kernel.ID, sum value.Value, v, vars int, l vector.Lanes) vector.Value {
	i := &b.k.Instrs[id]
	old := vector.Value{V: sum, DType: i.Type}
	var r vector.Value
	if p := b.fuse[id]; p != kernel.None {
		m := b.k.Instrs[p].Args
		r = b.FMA(b.arg(m[0], v, vars, l), b.arg(m[1], v, vars, l), old)
	} else {
		r = b.binary(kernel.Op(i.Aux), old, b.arg(i.Args[0], v, vars, l))
	}
	if l.Mask != nil {
		r = b.Select(vector.Value{V: l.Mask, DType: types.Bool}, r, old)
	}
	return r
}

// total combines what was reduced: neighbouring vectors, then these with what
// remained after them, if anything may, then lanes.
func (b *body) total(r reduction, sums []value.Value) vector.Value {
	i := &b.k.Instrs[r.id]
	op := kernel.Op(i.Aux)
	if r.still {
		return b.binary(kernel.Multiply, vector.Value{V: sums[0], DType: i.Type}, b.Const(i.Type, 1, float64(b.Unroll*b.Lanes)))
	}
	var all []vector.Value
	for _, s := range sums[:b.sumsOf()+1] {
		all = append(all, vector.Value{V: s, DType: i.Type})
	}
	main, rest := all[:b.sumsOf()], all[b.sumsOf()]
	for len(main) > 1 {
		var half []vector.Value
		for n := 0; n < len(main); n += 2 {
			x, y := main[n], main[n+1]
			if r.extreme && b.signs() {
				half = append(half, vector.Value{V: b.extremum(op, x.V, y.V), DType: i.Type})
				continue
			}
			half = append(half, b.binary(op, x, y))
		}
		main = half
	}
	sum := main[0]
	if r.extreme && b.signs() {
		sum = b.settled(r, sum, sums)
	}
	if rest.Lanes() == sum.Lanes() && !b.Whole {
		sum = b.binary(op, sum, rest)
	}
	folded, err := b.Fold(op, sum)
	sum = checked(folded, err)
	if rest.Lanes() != b.Lanes && !b.Whole {
		sum = b.binary(op, sum, rest)
	}
	if r.extreme && !b.signs() {
		nan := vector.Value{V: sums[b.nanOf(r)-r.at], DType: types.Bool}
		sum = b.Select(vector.Value{V: b.Any(nan), DType: types.Bool}, b.Const(i.Type, 1, math.NaN()), sum)
	}
	return sum
}

// pastCaches returns whether the stores of a row go past the caches: where they
// can and where the row, from the given point on, is aligned. It is nil if the
// stage has no such stores.
func (b *body) pastCaches(at value.Value) value.Value {
	var past value.Value
	for n := range b.levels {
		i := &b.k.Instrs[int(b.begin)+n]
		if i.Mem == nil || i.Op != kernel.Store || !b.streams(i.Mem) {
			continue
		}
		if past == nil {
			past = b.streamed
		}
		p := b.from(b.begin+kernel.ID(n), at)
		off := b.Block.NewAnd(b.function.address(p), b.Index(int64(b.Lanes*i.Type.Size()-1)))
		past = b.Block.NewAnd(past, b.equal(off, b.Index(0)))
	}
	return past
}
