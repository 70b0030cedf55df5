package rowsort

import (
	"math/bits"
	"slices"

	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// unroll is how many registers an iteration of a loop over elements loads.
const unroll = 4

// sampled is how many registers of elements a pivot is found among.
const sampled = 4

// pivot writes key(p, n, negative, flip): the median of the keys of elements at even distances
// in a row. The row has at least as many elements as are looked at.
func (s *sorter) pivot() {
	b := s.inner("pivot", s.key(), s.pointer(), ll.I64, s.key(), s.key())
	p, n, k := b.params[0], b.params[1], b.keyingOf(b.params[2], b.params[3])
	few := b.Block.NewICmp(enum.IPredULT, n, b.Index(fewForPivot))
	v := b.Either(few, func() (v []value.Value) {
		apart := b.Block.NewLShr(n, b.Index(int64(bits.Len(sampled)-1)))
		start := value.Value(b.Block.NewLShr(n, b.Index(int64(bits.Len(sampled)+1))))
		for range sampled {
			v = append(v, b.Load(b.at(p, start), s.lanes).V)
			start = b.add(start, apart)
		}
		return v
	}, func() (v []value.Value) {
		apart := b.Block.NewUDiv(n, b.Index(int64(sampled*s.lanes)))
		for r := range sampled {
			lane := b.Iota(types.I64, s.lanes)
			lane = b.op(kernel.Add, types.I64, lane, b.ConstInt(types.I64, s.lanes, int64(r*s.lanes)))
			at := b.op(kernel.Multiply, types.I64, lane, b.Splat(vector.Value{V: apart, DType: types.I64}, s.lanes))
			v = append(v, b.Gather(vector.Pointer{V: p, DType: s.t}, at, vector.Lanes{N: s.lanes}).V)
		}
		return v
	})
	all := s.values(v)
	for i, x := range all {
		all[i] = b.keyOf(x, k)
	}
	b.Block.NewRet(b.Lane(b.sorted(all)[sampled/2], 0).V)
}

// Rows of fewer elements are sampled by registers of consecutive ones.
const fewForPivot = 4096

// partition writes i64(p, n, pivot): elements that are less than the pivot move to the front of a
// row, all others behind them. It returns how many are less. A row has at least twice as many
// elements as are loaded at once.
//
// Elements at both ends of the row are in registers, so that there is room for others. Elements are
// loaded from the end that has less room. So either has room for all of them.
func (s *sorter) partition() {
	b := s.inner("partition", ll.I64, s.pointer(), ll.I64, s.key())
	p, n := b.params[0], b.params[1]
	pivot := b.Splat(vector.Value{V: b.params[2], DType: s.t}, s.lanes)
	beyond := b.Block.NewAnd(n, b.Index(int64(s.lanes-1)))
	end := b.sub(n, beyond)
	last := vector.Lanes{N: s.lanes, Mask: b.Mask(s.lanes, beyond)}
	rest := b.LoadLanes(b.at(p, end), last)
	load := func(from value.Value, registers int) []vector.Value {
		v := make([]vector.Value, registers)
		for r := range v {
			v[r] = b.Load(b.at(p, b.add(from, b.Index(int64(r*s.lanes)))), s.lanes)
		}
		return v
	}
	once := b.Index(int64(loaded * s.lanes))
	first, others := load(b.Index(0), loaded), load(b.sub(end, once), loaded)
	// What is before the first and behind the second of these words has been written; what is
	// between the last two has not been loaded.
	w := []value.Value{b.Index(0), n, b.add(once, once), b.sub(end, once)}
	split := func(v []vector.Value) {
		for _, x := range v {
			w[0], w[1] = b.split(p, w[0], w[1], x, pivot, nil)
		}
	}
	next := func(registers int) []vector.Value {
		step := b.Index(int64(registers * s.lanes))
		left := b.Block.NewICmp(enum.IPredULE, b.sub(w[2], w[0]), b.sub(w[1], w[3]))
		sel := func(x, y value.Value) value.Value { return b.Block.NewSelect(left, x, y) }
		high := b.sub(w[3], step)
		v := load(sel(w[2], high), registers)
		w = []value.Value{w[0], w[1], sel(b.add(w[2], step), w[2]), sel(w[3], high)}
		return v
	}
	more := func(registers int) func(w []value.Value) value.Value {
		return func(w []value.Value) value.Value {
			return b.Block.NewICmp(enum.IPredUGE, b.sub(w[3], w[2]), b.Index(int64(registers*s.lanes)))
		}
	}
	// The next registers are loaded before those at hand are split, so that no load waits for that.
	current := load(once, loaded)
	all := b.While(append(w, plain(current)...), more(loaded), func(v []value.Value) []value.Value {
		w = slices.Clone(v[:4])
		following := next(loaded)
		split(s.values(v[4:]))
		return append(w, plain(following)...)
	})
	w = b.While(all[:4], more(1), func(v []value.Value) []value.Value {
		w = slices.Clone(v)
		split(next(1))
		return w
	})
	split(s.values(all[4:]))
	split(first)
	split(others)
	low, _ := b.split(p, w[0], w[1], rest, pivot, last.Mask)
	b.Block.NewRet(low)
}

// loaded is how many registers of elements a partition loads at once.
const loaded = 4

func plain(v []vector.Value) []value.Value {
	all := make([]value.Value, len(v))
	for i, x := range v {
		all[i] = x.V
	}
	return all
}

func (s *sorter) values(v []value.Value) []vector.Value {
	all := make([]vector.Value, len(v))
	for i, x := range v {
		all[i] = vector.Value{V: x, DType: s.t}
	}
	return all
}

// split writes elements of a register that are less than a pivot to what begins at lower, and all
// others to what ends at upper. Without a mask there is room for a register of elements.
func (b *builder) split(p, lower, upper value.Value, x, pivot vector.Value, mask value.Value) (lowerNext, upperNext value.Value) {
	less := b.op(kernel.CompareLT, types.Bool, x, pivot)
	more := b.op(kernel.Xor, types.Bool, less, b.ConstInt(types.Bool, b.lanes, 1))
	l := vector.Lanes{N: b.lanes}
	var low, high value.Value
	if mask == nil {
		low = b.Count(less)
		high = b.sub(b.Index(int64(b.lanes)), low)
	} else {
		there := vector.Value{V: mask, DType: types.Bool}
		less, more = b.op(kernel.And, types.Bool, less, there), b.op(kernel.And, types.Bool, more, there)
		low, high = b.Count(less), b.Count(more)
		l.Mask = b.Mask(b.lanes, low)
	}
	upper = b.sub(upper, high)
	b.StoreLanes(b.at(p, lower), b.Compress(x, less), l)
	b.StoreLanes(b.at(p, upper), b.Compress(x, more), vector.Lanes{N: b.lanes, Mask: b.Mask(b.lanes, high)})
	return b.add(lower, low), upper
}

// sweep runs body for n elements: [unroll] registers at a time, then one, and at last with a
// mask. Values are carried from one iteration to the next.
func (b *builder) sweep(n value.Value, carried []value.Value, body func(i value.Value, carried []value.Value, registers int, mask value.Value) []value.Value) []value.Value {
	i := b.Index(0)
	var from value.Value = i
	for _, registers := range []int{unroll, 1} {
		from, carried = b.For(vector.Loop{From: from, To: n, Step: b.Index(int64(registers * b.lanes)), Rolled: true}, carried, func(i value.Value, c []value.Value) []value.Value {
			return body(i, c, registers, nil)
		})
	}
	rest := b.sub(n, from)
	return b.Either(b.Block.NewICmp(enum.IPredNE, rest, b.Index(0)), func() []value.Value {
		return body(from, carried, 1, b.Mask(b.lanes, rest))
	}, func() []value.Value { return carried })
}
